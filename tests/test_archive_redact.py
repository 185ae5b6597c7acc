"""No credential, cookie or key reaches the archive, and neither the recorded run nor a replay is changed by that."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from test_archive import RUN, ScriptedDoor, send

from stages.core.env import Reply, Request
from stages.core.errors import StageError
from stages.net.archive import Recorder, Replayer
from stages.net.redact import cookie_mark, hide, redact_cookie, redact_url, restore

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "hunter2-hunter2"  # noqa: S105  the point of the test


@pytest.mark.anyio
async def test_no_secret_that_was_sent_or_set_is_written(tmp_path: Path) -> None:
    def answer(request: Request) -> Reply:
        headers = (
            ("set-cookie", f"session={SECRET}; Path=/"),
            ("location", request.url.replace("http:", "https:")),
            ("x-auth-token", SECRET),
        )
        return Reply(url=request.url + "#there", status=301, headers=headers)

    door = ScriptedDoor(answer)
    recorder = Recorder.start(door, tmp_path / "a", RUN)
    hidden = (("Authorization", SECRET), ("Cookie", SECRET), ("proxy-authorization", SECRET), ("X-Subscription-Token", SECRET))
    form = (("content-type", "application/x-www-form-urlencoded"),)
    json = (("content-type", "application/json; charset=utf-8"),)
    sent = [
        Request(url=f"http://user:{SECRET}@a.example/?q=1&API_KEY={SECRET}&page=2", headers=hidden),
        Request(url=f"http://a.example/?access%5Ftoken={SECRET}", headers=(("Referer", f"http://a.example/?key={SECRET}"),)),
        Request(url="http://a.example/", method="POST", headers=form, body=f"q=1&key={SECRET}".encode()),
        Request(url="http://a.example/", method="POST", headers=json, body=f'{{"api_key" : "{SECRET}"}}'.encode()),
    ]
    recorded = [await send(recorder, request) for request in sent]
    assert door.asked == sent
    written = gzip.decompress((tmp_path / "a").read_bytes())
    assert SECRET.encode() not in written
    for kept in (b"q=1", b"page=2", b"session=", b"Path=/", b"Authorization: REDACTED"):
        assert kept in written
    replayer = Replayer(tmp_path / "a")
    assert [await send(replayer, request) for request in sent] == recorded
    assert recorded[0].header("location") == sent[0].url.replace("http:", "https:")
    assert SECRET not in recorded[0].header("set-cookie")


@pytest.mark.anyio
async def test_a_replay_needs_no_secret(tmp_path: Path) -> None:
    recorder = Recorder.start(ScriptedDoor(lambda request: Reply(url=request.url, status=200, body=b"ok")), tmp_path / "a", RUN)
    await send(recorder, Request(url=f"https://a.example/?q=x&key={SECRET}", headers=(("authorization", SECRET),)))
    replayer = Replayer(tmp_path / "a")
    for url in ("https://a.example/?q=x&key=other", "https://a.example/?q=x&key=REDACTED"):
        assert (await send(replayer, Request(url=url))).body == b"ok"


@pytest.mark.anyio
async def test_an_error_that_names_the_key_is_written_without_it(tmp_path: Path) -> None:
    def refuse(request: Request) -> Reply:
        raise StageError("blocked", f"{request.url} was refused")

    recorder = Recorder.start(ScriptedDoor(refuse), tmp_path / "a", RUN)
    request = Request(url=f"https://a.example/?key={SECRET}")
    with pytest.raises(StageError, match=f"{SECRET} was refused"):
        await send(recorder, request)
    with pytest.raises(StageError, match=f"{SECRET} was refused"):
        await send(Replayer(tmp_path / "a"), request)
    assert SECRET.encode() not in gzip.decompress((tmp_path / "a").read_bytes())


@pytest.mark.anyio
async def test_stages_see_marks_for_cookies_and_the_server_gets_its_cookies_back(tmp_path: Path) -> None:
    door = ScriptedDoor(lambda request: Reply(url=request.url, status=200, headers=(("set-cookie", f"id={SECRET}; HttpOnly"),)))
    recorder = Recorder.start(door, tmp_path / "a", RUN)
    seen = (await send(recorder, Request(url="https://a.example/1"))).header("set-cookie").partition(";")[0]
    assert seen == f"id={cookie_mark(SECRET)}"
    await send(recorder, Request(url="https://a.example/2", headers=(("cookie", f"a=b; {seen}"),)))
    assert door.asked[-1].headers == (("cookie", f"a=b; id={SECRET}"),)


def test_marks_tell_values_apart_and_say_nothing_else() -> None:
    assert redact_cookie("a=one; Path=/") != redact_cookie("a=two; Path=/")
    assert redact_cookie("a=one; Path=/") == redact_cookie("a=one; Path=/")
    assert redact_cookie("a=; Max-Age=0") == "a=; Max-Age=0"
    assert redact_cookie("one") == "REDACTED"


@given(st.text(st.sampled_from("ab=&?#/:@key%_"), max_size=30), st.text(max_size=20))
@example("https://a.example/?key=", "")
def test_redacting_twice_is_redacting_once(start: str, end: str) -> None:
    once = redact_url(start + end)
    assert redact_url(once) == once


@given(st.text(st.sampled_from("abc=&/:_%"), max_size=30))
def test_an_address_without_secrets_stays_as_it_is(path: str) -> None:
    assert redact_url(f"https://a.example/{path}?{path}#{path}") == f"https://a.example/{path}?{path}#{path}"


@given(st.text(max_size=40), st.lists(st.text(min_size=8, max_size=12), max_size=3, unique=True))
def test_what_is_hidden_is_restored(text: str, values: list[str]) -> None:
    text = text + "".join(values)
    assert restore(hide(text, tuple(values)), tuple(values)) == text
