"""The fetch stage over scripted replies."""

from __future__ import annotations

import gzip
import random
from hashlib import sha256

import anyio
import msgspec
import pytest

from stages import load
from stages.core.env import Env, Reply, Request, Settings
from stages.core.errors import StageError
from stages.fetch import Options, fetch
from stages.records import Hit, Page

NOW = "2026-01-02T03:04:05.678Z"
HIT = Hit(url="https://example.com/a", title="What the hit said")


class Scripted:
    """A Net that gives one reply."""

    def __init__(self, reply: Reply | StageError) -> None:
        self.reply, self.asked = reply, []

    async def send(self, request: Request) -> Reply:
        raise AssertionError(f"fetch asked for {request.url} without robots and redirects")

    async def read(self, request: Request, *, obey_robots: bool) -> Reply:
        self.asked.append((request, obey_robots))
        if isinstance(self.reply, StageError):
            raise self.reply
        return self.reply


async def fetched(net: Scripted, **options) -> Page:
    env = Env(
        net=net,
        now=NOW,
        random=random.Random(0),
        settings=Settings(),
        notices=set(),
    )
    with anyio.fail_after(5):
        return await fetch.call(HIT, msgspec.convert(options, Options), env)


def reply(body: bytes = b"<h1>Hello</h1><p>there</p>", status: int = 200, **headers: str) -> Reply:
    pairs = {"content_type": "text/html; charset=Windows-1252"} | headers
    return Reply(
        url="https://example.com/b", asked=HIT.url, status=status, body=body, exchange="e1",
        headers=tuple((name.replace("_", "-"), value) for name, value in pairs.items()),
    )  # fmt: skip


@pytest.mark.anyio
async def test_a_page_says_where_it_came_from() -> None:
    page = await fetched(Scripted(reply(etag='"1"', set_cookie="secret=1", date="today", x_powered_by="x")))
    assert page == Page(
        url="https://example.com/b",
        asked="https://example.com/a",
        title="What the hit said",
        http_status=200,
        headers=(("content-type", "text/html; charset=Windows-1252"), ("etag", '"1"'), ("date", "today")),
        media_type="text/html",
        charset="windows-1252",
        body=b"<h1>Hello</h1><p>there</p>",
        fetched_at=NOW,
        sha256=sha256(b"<h1>Hello</h1><p>there</p>").hexdigest(),
        exchange="e1",
    )


@pytest.mark.anyio
async def test_headers_bring_no_hidden_text_along() -> None:
    page = await fetched(
        Scripted(reply(link="</a>; title=\u0090\x07x\u00e9" + "y" * 9999, content_type="text/html\u200b; charset=\u202eutf-8"))
    )
    assert all(value.isascii() and value.isprintable() and len(value) <= 2000 for _, value in page.headers)
    assert (page.media_type, page.charset) == ("text/html", "")


@pytest.mark.anyio
async def test_options_reach_the_request() -> None:
    net = Scripted(reply())
    await fetched(net, max_megabytes=2, timeout_secs=3.5, robots="ignore")
    request, obey_robots = net.asked[0]
    assert (request.max_bytes, request.timeout_secs, obey_robots) == (2 << 20, 3.5, False)
    await fetched(net)
    assert net.asked[1][1] is True


@pytest.mark.anyio
@pytest.mark.parametrize(
    "option", [{"max_megabytes": 0}, {"max_megabytes": 65}, {"robots": "maybe"}, {"timeout_secs": 0}, {"unknown": 1}]
)
async def test_an_option_out_of_bounds_is_refused(option: dict) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(option, Options)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("got", "kind"),
    [
        (reply(status=404), "not_found"),
        (reply(status=403), "blocked"),
        (reply(status=503), "server_error"),
        (reply(status=429), "rate_limited"),
        (reply(status=302), "unknown"),
        (reply(b""), "empty"),
        (reply(b"\x89PNG\r\n"), "unsupported_content"),
        (reply(status=403, cf_mitigated="challenge"), "challenge"),
        (reply(b"<h1>Page not found</h1>"), "not_found"),
        (reply(b"<div id=root></div><script src=a.js></script>"), "needs_browser"),
    ],
)
async def test_what_is_not_the_page_fails_with_its_kind(got: Reply, kind: str) -> None:
    with pytest.raises(StageError) as caught:
        await fetched(Scripted(got))
    assert caught.value.kind == kind
    assert caught.value.http_status == got.status
    assert "example.com" in str(caught.value)


@pytest.mark.anyio
@pytest.mark.parametrize(
    "content_type", ["application/json", "text/plain", "text/markdown", "application/rss+xml", "application/xhtml+xml", ""]
)
async def test_text_of_any_kind_is_a_page(content_type: str) -> None:
    page = await fetched(Scripted(reply(b"some text", content_type=content_type)))
    assert page.media_type == (content_type or "text/plain")


@pytest.mark.anyio
async def test_a_failure_of_the_net_passes_on() -> None:
    with pytest.raises(StageError, match="no way"):
        await fetched(Scripted(StageError("robots", "no way")))


@pytest.mark.anyio
async def test_a_hit_goes_on_before_its_page_when_that_is_asked_for() -> None:
    hit, page = await fetched(Scripted(reply()), keep_hits=True)
    assert hit is HIT
    assert page == await fetched(Scripted(reply()))


@pytest.mark.anyio
async def test_a_page_that_a_script_draws_fails_or_goes_on_as_such_and_no_other_that_failed_does() -> None:
    shell = b"<!doctype html><title>App</title><div id=root></div><script src=/a.js></script>"
    with pytest.raises(StageError) as caught:
        await fetched(Scripted(reply(shell)))
    assert caught.value.kind == "needs_browser"
    page = await fetched(Scripted(reply(shell)), scripted="pass")
    assert (page.status, page.body) == ("needs_browser", shell)
    for status, kind in ((404, "not_found"), (403, "blocked"), (503, "server_error")):
        with pytest.raises(StageError) as caught:
            await fetched(Scripted(reply(shell, status)), scripted="pass")
        assert caught.value.kind == kind


def test_fetch_is_declared_for_the_network_and_lifts_dedupe() -> None:
    stage = load("fetch")
    assert (stage.reads, stage.writes, stage.lifts, stage.uses_env) == ((Hit,), (Page, Hit), ("dedupe",), True)


@pytest.mark.anyio
async def test_a_gzip_file_is_unfolded_and_one_that_is_a_bomb_is_too_large() -> None:
    page = await fetched(Scripted(reply(gzip.compress(b"<h1>Folded</h1><p>words</p>"), content_type="application/gzip")))
    assert (page.media_type, page.body) == ("text/html", b"<h1>Folded</h1><p>words</p>")
    twice = gzip.compress(gzip.compress(b"level,metres\n1,2\n"))
    assert (await fetched(Scripted(reply(twice, content_type="text/csv")))).body == b"level,metres\n1,2\n"
    with pytest.raises(StageError) as caught:
        await fetched(Scripted(reply(gzip.compress(bytes(2 << 20)), content_type="application/gzip")), max_megabytes=1)
    assert caught.value.kind == "too_large"
    with pytest.raises(StageError) as caught:
        await fetched(Scripted(reply(gzip.compress(b"words " * 900)[:-30], content_type="application/gzip")))
    assert caught.value.kind == "unsupported_content"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("path", "body", "media_type"),
    [
        ("/raw/levels.csv", b"day,level\n1,2\n", "text/csv"),
        ("/raw/README.md?raw=1", b"# Weir", "text/markdown"),
        ("/raw/main.rs", b"fn main() {}", "text/plain"),
        ("/raw/page.html", b"plain words", "text/plain"),
    ],
)
async def test_a_host_of_raw_files_calls_everything_plain_and_the_name_says_more(path: str, body: bytes, media_type: str) -> None:
    net = Scripted(msgspec.structs.replace(reply(body, content_type="text/plain"), url=f"https://raw.example{path}"))
    assert (await fetched(net)).media_type == media_type
