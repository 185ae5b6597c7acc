"""Reading through redirects, cookies and robots.txt: recorded hop by hop, replayed alike under any schedule."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import anyio
import pytest
from test_archive import RUN, ScriptedDoor, send

from stages.core.env import Reply, Request
from stages.core.errors import StageError
from stages.net.archive import Recorder, Replayer

if TYPE_CHECKING:
    from pathlib import Path

SITE = "https://a.example"


def site(request: Request) -> Reply:
    """Sets a cookie, sends the reader round once, and closes one folder to programs."""
    path = request.url.removeprefix(SITE)
    cookie = dict(request.headers).get("cookie", "")
    if path == "/robots.txt":
        return Reply(
            url=request.url, status=200, headers=(("content-type", "text/plain"),), body=b"User-agent: *\nDisallow: /closed"
        )
    if path == "/door" and cookie != "pass=open-sesame-1":
        return Reply(url=request.url, status=302, headers=(("location", "/door"), ("set-cookie", "pass=open-sesame-1; Path=/")))
    if path == "/moved":
        return Reply(url=request.url, status=301, headers=(("location", "/closed/page"),))
    return Reply(url=request.url, status=200, headers=(("content-type", "text/html"),), body=f"<p>{path}</p>".encode())


async def read(door: Recorder | Replayer, path: str) -> object:
    try:
        reply = await door.bind("fetch", path, 0.0, set()).read(Request(url=SITE + path), obey_robots=True)
    except StageError as error:
        return (error.kind, str(error))
    return reply


PATHS = ["/door", "/moved", "/page", "/closed/x"]


@pytest.mark.anyio
async def test_every_hop_of_a_read_is_replayed_in_any_order(tmp_path: Path) -> None:
    door = ScriptedDoor(site)
    recorder = Recorder.start(door, tmp_path / "a", RUN)
    with anyio.fail_after(5):
        recorded = {path: await read(recorder, path) for path in PATHS}
        for order in (PATHS, PATHS[::-1]):
            replayer = Replayer(tmp_path / "a")
            assert {path: await read(replayer, path) for path in order} == recorded
    opened = recorded["/door"]
    assert isinstance(opened, Reply)
    assert (opened.body, opened.asked) == (b"<p>/door</p>", f"{SITE}/door")
    assert [recorded[path][0] for path in ("/moved", "/closed/x")] == ["robots", "robots"]  # type: ignore[index]
    assert [one.url for one in door.asked].count(f"{SITE}/robots.txt") == 1
    assert b"open-sesame" not in gzip.decompress((tmp_path / "a").read_bytes())


@pytest.mark.anyio
async def test_a_refused_address_stays_refused_without_having_been_asked(tmp_path: Path) -> None:
    recorder = Recorder.start(ScriptedDoor(site), tmp_path / "a", RUN)
    for door in (recorder, Replayer(tmp_path / "a")):
        with pytest.raises(StageError) as caught:
            await door.bind("fetch", "r", 0.0, set()).read(Request(url="file:///etc/passwd"), obey_robots=True)
        assert caught.value.kind == "refused"


@pytest.mark.anyio
async def test_a_read_that_met_the_deadline_meets_it_again_though_others_got_the_rules(tmp_path: Path) -> None:
    late = iter([True])

    def answer(request: Request) -> Reply:
        if request.shared and next(late, False):
            raise StageError("deadline", "the deadline came first")
        return site(request)

    recorder = Recorder.start(ScriptedDoor(answer), tmp_path / "a", RUN)
    with anyio.fail_after(5):
        recorded = {path: await read(recorder, path) for path in ("/page", "/other")}
        assert recorded["/page"] == ("deadline", "the deadline came first")
        replayer = Replayer(tmp_path / "a")
        assert {path: await read(replayer, path) for path in ("/other", "/page")} == recorded


@pytest.mark.anyio
async def test_one_hop_can_be_asked_for_by_itself(tmp_path: Path) -> None:
    recorder = Recorder.start(ScriptedDoor(site), tmp_path / "a", RUN)
    reply = await send(recorder, Request(url=f"{SITE}/moved"))
    assert (reply.status, reply.header("location")) == (301, "/closed/page")
    assert await send(Replayer(tmp_path / "a"), Request(url=f"{SITE}/moved")) == reply
