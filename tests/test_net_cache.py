"""The HTTP cache by RFC 9111: what is kept, how long it is fresh, how it is confirmed, and what is never kept."""

from __future__ import annotations

import contextlib
import math
import os
from email.utils import formatdate
from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback import answer, serving

from stages.core.env import Reply, Request, Settings
from stages.fetch import page_of
from stages.net import freshness
from stages.net.archive import Recorder, Replayer
from stages.net.cache import Cache
from stages.net.client import LiveDoor
from stages.records import Hit, Run
from stages.store import answers
from stages.store.database import Store

NOW = 1_800_000_000.0
DAY = 86400.0
URL = "https://example.com/page"
PAGE = b"<!doctype html><title>Tides</title><p>" + b"Spring tides reach six metres at the harbour of the old town. " * 30


def date(at: float) -> str:
    return formatdate(at, usegmt=True)


def reply(status: int = 200, body: bytes = PAGE, **headers: str) -> Reply:
    pairs = {"content-type": "text/html", "date": date(NOW)} | {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(url=URL, status=status, headers=tuple(pairs.items()), body=body)


class Clock:
    now = NOW

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def cache(clock: Clock):
    store = Store(None)
    yield Cache(store, clock=clock)
    store.close()


async def keep(cache: Cache, given: Reply, request: Request = Request(url=URL)) -> None:  # noqa: B008  frozen
    assert await cache.settle(request, None, given, cache._clock()) is given


@pytest.mark.parametrize(
    ("headers", "secs"),
    [
        ({"cache_control": "max-age=60"}, 60),
        ({"cache_control": "Public, MAX-AGE=60"}, 60),
        ({"cache_control": 'max-age="60"'}, 60),
        ({"cache_control": "private, max-age=60"}, 60),
        ({"cache_control": "s-maxage=60"}, 0),
        ({"cache_control": "max-age=10, s-maxage=60"}, 10),
        ({"cache_control": "max-age=60, max-age=10"}, 60),
        ({"cache_control": "max-age=x"}, 0),
        ({"cache_control": "max-age=-5"}, 0),
        ({"cache_control": "max-age=99999999999999999999"}, 7 * DAY),
        ({"cache_control": "no-cache, max-age=60"}, 0),
        ({"cache_control": 'no-cache="set-cookie", max-age=60'}, 0),
        ({"pragma": "no-cache", "expires": date(NOW + 60)}, 0),
        ({"pragma": "no-cache", "cache_control": "max-age=60"}, 60),
        ({"expires": date(NOW + 60)}, 60),
        ({"expires": date(NOW + 60), "cache_control": "max-age=10"}, 10),
        ({"expires": "0"}, 0),
        ({"expires": date(NOW - 60)}, 0),
        ({"expires": "0", "last_modified": date(NOW - 100)}, 0),
        ({"last_modified": date(NOW - 1000)}, 100),
        ({"last_modified": date(NOW - 1000 * DAY)}, DAY),
        ({"last_modified": date(NOW + 1000)}, 0),
        ({"last_modified": "yesterday"}, 0),
        ({}, 0),
    ],
)
def test_how_long_an_answer_is_fresh(headers: dict[str, str], secs: float) -> None:
    assert freshness.lifetime_secs(Request(url=URL), reply(**headers), NOW) == pytest.approx(secs)


@pytest.mark.parametrize(
    ("headers", "asked", "secs"),
    [({}, 0, 0), ({"age": "30"}, 0, 30), ({"age": "30"}, 5, 35), ({"age": "x"}, 0, 0), ({"age": "30, 40"}, 0, 30),
     ({"date": date(NOW - 50)}, 0, 50), ({"date": date(NOW - 50), "age": "70"}, 0, 70), ({"date": date(NOW + 50)}, 0, 0)],
)  # fmt: skip
def test_how_old_an_answer_is_when_it_comes(headers: dict[str, str], asked: float, secs: float) -> None:
    assert freshness.age_secs(reply(**headers), NOW - asked, NOW) == secs


FRESH = {"cache_control": "max-age=60"}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (reply(**FRESH), True),
        (reply(cache_control="private, max-age=60"), True),
        (reply(cache_control="max-age=60", vary="Accept-Language"), True),
        (reply(etag='"1"'), True),
        (reply(cache_control="no-cache", etag='"1"'), True),
        (reply(301, location="/x", **FRESH), True),
        (reply(cache_control="no-store, max-age=60"), False),
        (reply(cache_control="no-store, must-understand, max-age=60"), False),
        (reply(vary="*", **FRESH), False),
        (reply(vary="cookie, *", **FRESH), False),
        (reply(), False),
        (reply(cache_control="max-age=60", age="61"), False),
        (reply(301, location="/x", set_cookie="a=1", **FRESH), False),
        *((reply(status, **FRESH), False) for status in (202, 204, 206, 302, 307, 401, 403, 404, 410, 429, 451, 500, 503)),
        (reply(body=b"", **FRESH), False),
        (reply(body=b"<title>Just a moment...</title><p>Checking your browser before accessing", **FRESH), False),
        (reply(body=b"<title>Page not found</title><h1>Page not found</h1><p>Sorry.", **FRESH), False),
    ],
)
async def test_what_is_kept_and_what_never(cache: Cache, given: Reply, *, kept: bool) -> None:
    with anyio.fail_after(5):
        await keep(cache, given)
        assert (await cache.find(Request(url=URL)) is not None) is kept


@pytest.mark.anyio
@pytest.mark.parametrize(
    "request_",
    [
        Request(url=URL, method="HEAD"),
        Request(url=URL, method="POST", body=b"a=1"),
        Request(url=URL, trusted=True),
        Request(url=URL, headers=(("Cookie", "a=1"),)),
        Request(url=URL, headers=(("Authorization", "Bearer x"),)),
        Request(url=URL, headers=(("X-Api-Key", "x"),)),
        Request(url=URL, headers=(("Range", "bytes=0-1"),)),
        Request(url=URL, headers=(("If-None-Match", '"1"'),)),
        Request(url=URL, headers=(("Cache-Control", "no-cache"),)),
        Request(url=URL, headers=(("Pragma", "no-cache"),)),
        Request(url=f"{URL}?api_key=secret"),
    ],
    ids=lambda request: f"{request.method} {request.url[20:]} {request.headers} {request.trusted}",
)
async def test_what_is_secret_or_asked_specially_goes_past_the_cache(cache: Cache, request_: Request) -> None:
    with anyio.fail_after(5):
        await keep(cache, reply(**FRESH), request_)
        assert cache._store.transact(lambda connection: connection.execute("SELECT count(*) FROM answer").fetchone()) == (0,)
        if "?" not in request_.url:
            await keep(cache, reply(**FRESH))
        assert await cache.find(request_) is None


@pytest.mark.anyio
async def test_a_cookie_is_not_kept_with_its_page(cache: Cache) -> None:
    with anyio.fail_after(5):
        await keep(cache, reply(set_cookie="session=secret", **FRESH))
        found = await cache.find(Request(url=URL))
    assert found is not None
    assert "secret" not in str(found.reply.headers)


@pytest.mark.anyio
async def test_an_answer_says_when_it_was_got(cache: Cache, clock: Clock) -> None:
    with anyio.fail_after(5):
        await keep(cache, reply(**FRESH))
        clock.now += 59
        found = await cache.find(Request(url=URL))
        assert found is not None
        assert found.fresh
        assert (found.reply.from_cache, found.reply.body, found.reply.status) == ("2027-01-15T08:00:00Z", PAGE, 200)
        clock.now += 2
        assert await cache.find(Request(url=URL)) is None  # nothing to confirm it by


@pytest.mark.anyio
async def test_an_answer_that_aged_on_the_way_is_fresh_for_the_rest_only(cache: Cache, clock: Clock) -> None:
    with anyio.fail_after(5):
        await keep(cache, reply(cache_control="max-age=60", age="50", etag='"1"'))
        clock.now += 9
        assert (await cache.find(Request(url=URL))).fresh
        clock.now += 2
        assert not (await cache.find(Request(url=URL))).fresh


@pytest.mark.anyio
async def test_identities_ways_and_languages_are_told_apart(cache: Cache, clock: Clock) -> None:
    german = Request(url=URL, headers=(("Accept-Language", "de"),))
    with anyio.fail_after(5):
        await keep(cache, reply(vary="accept-language", **FRESH), german)
        assert await cache.find(german) is not None
        assert await cache.find(Request(url=URL)) is None
        assert await cache.find(Request(url=URL, headers=(("accept-language", "fr"),))) is None
        assert await cache.find(Request(url=URL, headers=german.headers, identity="api")) is None
        assert await Cache(cache._store, "another proxy", clock).find(german) is None


@pytest.mark.anyio
async def test_a_body_beyond_the_callers_limit_is_no_use(cache: Cache) -> None:
    with anyio.fail_after(5):
        await keep(cache, reply(**FRESH))
        assert await cache.find(Request(url=URL, max_bytes=len(PAGE) - 1)) is None


@pytest.mark.anyio
async def test_a_stale_answer_is_confirmed_by_what_it_carries(cache: Cache, clock: Clock) -> None:
    request = Request(url=URL, headers=(("accept-language", "en"),))
    with anyio.fail_after(5):
        await keep(cache, reply(etag='W/"1"', last_modified=date(NOW - 5), cache_control="max-age=1", x_old="1"), request)
        clock.now += 100
        found = await cache.find(request)
        assert found is not None
        assert not found.fresh
        assert found.question(request).headers == (
            ("accept-language", "en"), ("if-none-match", 'W/"1"'), ("if-modified-since", date(NOW - 5)),
        )  # fmt: skip
        same = Reply(url=URL, status=304, headers=(("date", date(NOW + 100)), ("cache-control", "max-age=9"), ("etag", '"1"')))
        confirmed = await cache.settle(request, found, same, clock.now)
        assert confirmed is not None
        assert (confirmed.status, confirmed.body, confirmed.from_cache) == (200, PAGE, "2027-01-15T08:01:40Z")
        assert (confirmed.header("cache-control"), confirmed.header("x-old"), confirmed.header("content-type")) == (
            "max-age=9", "1", "text/html",
        )  # fmt: skip
        clock.now += 8
        assert (await cache.find(request)).fresh
        clock.now += 2
        assert not (await cache.find(request)).fresh


@pytest.mark.anyio
async def test_a_changed_page_takes_the_place_of_the_old_one(cache: Cache, clock: Clock) -> None:
    request = Request(url=URL)
    with anyio.fail_after(5):
        await keep(cache, reply(etag='"1"'))
        found = await cache.find(request)
        changed = reply(body=PAGE + b"more", etag='"2"')
        assert await cache.settle(request, found, changed, clock.now) is changed
        assert (await cache.find(request)).reply.body == PAGE + b"more"


@pytest.mark.anyio
async def test_a_refusal_neither_replaces_nor_is_replaced_by_what_is_stored(cache: Cache, clock: Clock) -> None:
    request = Request(url=URL)
    with anyio.fail_after(5):
        await keep(cache, reply(etag='"1"'))
        found = await cache.find(request)
        refusal = reply(403, body=b"no")
        assert await cache.settle(request, found, refusal, clock.now) is refusal
        assert (await cache.find(request)).reply.body == PAGE


@pytest.mark.anyio
async def test_a_304_about_something_else_confirms_nothing(cache: Cache, clock: Clock) -> None:
    request = Request(url=URL)
    with anyio.fail_after(5):
        await keep(cache, reply(etag='"1"'))
        found = await cache.find(request)
        assert await cache.settle(request, found, Reply(url=URL, status=304, headers=(("etag", '"2"'),)), clock.now) is None
        assert await cache.find(request) is None


@pytest.mark.anyio
async def test_a_304_that_forbids_keeping_is_obeyed(cache: Cache, clock: Clock) -> None:
    request = Request(url=URL)
    with anyio.fail_after(5):
        await keep(cache, reply(etag='"1"'))
        found = await cache.find(request)
        last = await cache.settle(request, found, Reply(url=URL, status=304, headers=(("cache-control", "no-store"),)), clock.now)
        assert last is not None
        assert last.body == PAGE
        assert await cache.find(request) is None


@pytest.mark.anyio
@pytest.mark.parametrize(("method", "status", "gone"), [("POST", 200, True), ("DELETE", 204, True), ("POST", 403, False)])
async def test_what_changes_a_page_makes_it_be_asked_anew(cache: Cache, method: str, status: int, *, gone: bool) -> None:
    with anyio.fail_after(5):
        await keep(cache, reply(**FRESH))
        await cache.settle(Request(url=URL, method=method), None, reply(status), NOW)
        assert (await cache.find(Request(url=URL)) is None) is gone


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("given", "secs"),
    [
        (reply(body=b"User-agent: *", content_type="text/plain"), 3600),
        (reply(body=b"User-agent: *", cache_control="no-store"), 3600),
        (reply(body=b"User-agent: *", cache_control="max-age=7200"), 7200),
        (reply(body=b"User-agent: *", cache_control="max-age=999999"), DAY),
        (reply(404, body=b"none"), 3600),
        (reply(503, body=b"down"), 60),
        (reply(429, body=b"slow", cache_control="max-age=7200"), 60),
    ],
)
async def test_rules_of_an_origin_are_kept_for_a_day_at_most(cache: Cache, clock: Clock, given: Reply, secs: float) -> None:
    request = Request(url="https://example.com/robots.txt", shared=True)
    with anyio.fail_after(5):
        await keep(cache, given, request)
        clock.now += secs - 1
        found = await cache.find(request)
        assert found is not None
        assert found.fresh
        assert (found.reply.status, found.reply.body) == (given.status, given.body)
        clock.now += 2
        assert await cache.find(request) is None


@given(
    st.lists(
        st.tuples(st.sampled_from(["cache-control", "expires", "age", "date", "vary", "last-modified", "pragma"]), st.text())
    )
)
def test_no_header_breaks_the_arithmetic(headers: list[tuple[str, str]]) -> None:
    given, request = Reply(url=URL, status=200, headers=tuple(headers), body=PAGE), Request(url=URL)
    freshness.storable(request, given)
    assert 0 <= freshness.lifetime_secs(request, given, NOW) <= freshness.LONGEST_SECS
    assert freshness.age_secs(given, NOW - 1, NOW) >= 0


@given(st.text())
def test_no_directive_breaks_the_reader(text: str) -> None:
    assert all(name == name.lower() for name in freshness.directives((("cache-control", text),)))


@pytest.mark.anyio
async def test_without_a_file_the_cache_takes_little_memory(cache: Cache) -> None:
    with anyio.fail_after(60):
        for number in range(30):
            request = Request(url=f"{URL}/{number}")
            plain = Reply(
                url=request.url,
                status=200,
                headers=(("etag", "1"),),
                body=(b"%d" % number) + bytes(os.urandom(900_000).hex(), "ascii"),
            )
            await keep(cache, plain, request)
    size = cache._store.transact(lambda connection: connection.execute("SELECT sum(bytes) FROM answer").fetchone()[0])
    assert 8 << 20 < size <= answers.MAX_MEMORY_BYTES


# Through the door


@contextlib.asynccontextmanager
async def door(folder: Path, *, cache: bool = True, **settings):
    live = LiveDoor(Settings(cache=cache, **settings), allow_private=frozenset({"127.0.0.1"}), store=Store(folder))
    try:
        with anyio.fail_after(8):
            yield live
    finally:
        await live.aclose()


def net(live, stage: str = "fetch"):
    return live.bind(stage, "record", math.inf, set())


HTML = ("content-type", "text/html")


@pytest.mark.anyio
@pytest.mark.parametrize("identity", ["browser", "api"])
async def test_a_page_is_asked_for_once_by_all_processes_until_it_is_stale(tmp_path: Path, identity: str) -> None:
    async with serving(lambda *_: answer(200, PAGE, HTML, ("cache-control", "max-age=60"))) as server:
        for _ in range(2):
            async with door(tmp_path) as live:
                replies = [await net(live).send(Request(url=server.url("/a#x"), identity=identity)) for _ in range(2)]
        assert [(one.body, one.status, one.from_cache != "") for one in replies] == [(PAGE, 200, True)] * 2
        async with door(tmp_path, cache=False) as live:
            assert (await net(live).send(Request(url=server.url("/a"), identity=identity))).from_cache == ""
    assert server.paths == ["/a", "/a"]


@pytest.mark.anyio
@pytest.mark.parametrize("identity", ["browser", "api"])
async def test_a_stale_page_is_confirmed_over_the_wire(tmp_path: Path, identity: str) -> None:
    def page(_: str, headers: dict[str, str]) -> bytes:
        if headers.get("if-none-match") == '"v1"':
            return b'HTTP/1.1 304 X\r\netag: "v1"\r\nconnection: close\r\n\r\n'
        return answer(200, PAGE, HTML, ("etag", '"v1"'), ("cache-control", "no-cache"))

    async with serving(page) as server, door(tmp_path) as live:
        first, second = [await net(live).send(Request(url=server.url(), identity=identity)) for _ in range(2)]
    assert (first.body, first.from_cache) == (PAGE, "")
    assert (second.body, second.status, second.from_cache != "") == (PAGE, 200, True)
    assert [headers.get("if-none-match") for _, headers in server.asked] == [None, '"v1"']


@pytest.mark.anyio
async def test_a_304_about_something_else_is_asked_again_without_conditions(tmp_path: Path) -> None:
    def page(_: str, headers: dict[str, str]) -> bytes:
        if "if-none-match" in headers:
            return b'HTTP/1.1 304 X\r\netag: "v2"\r\nconnection: close\r\n\r\n'
        return answer(200, PAGE, HTML, ("etag", '"v1"'))

    async with serving(page) as server, door(tmp_path) as live:
        for _ in range(2):
            reply = await net(live).send(Request(url=server.url()))
    assert (reply.body, reply.from_cache, len(server.asked)) == (PAGE, "", 3)


@pytest.mark.anyio
async def test_robots_txt_is_asked_once_a_day_by_all_processes(tmp_path: Path) -> None:
    async with serving(lambda path, _: answer(200, b"User-agent: *\nDisallow: /x" if "robots" in path else PAGE)) as server:
        for number in range(2):
            async with door(tmp_path) as live:
                await net(live).read(Request(url=server.url(f"/{number}")), obey_robots=True)
    assert server.paths == ["/robots.txt", "/0", "/1"]


@pytest.mark.anyio
async def test_the_guard_stands_before_the_cache(tmp_path: Path) -> None:
    async with serving(lambda *_: answer(200, PAGE, HTML, ("cache-control", "max-age=60"))) as server:
        async with door(tmp_path) as live:
            await net(live).send(Request(url=server.url()))
        closed = LiveDoor(Settings(cache=True), store=Store(tmp_path))
        with anyio.fail_after(5), pytest.raises(Exception, match=r"port|public") as caught:
            await net(closed).send(Request(url=server.url()))
        assert caught.value.kind == "refused"
        await closed.aclose()


def run() -> Run:
    return Run(wire=1, cribble="0.1.0", id="a" * 16, start="2026-12-02T10:00:00.000Z")


@pytest.mark.anyio
async def test_a_run_recorded_with_a_warm_cache_replays_from_the_archive_alone(tmp_path: Path) -> None:
    def pages(path: str, _: dict[str, str]) -> bytes:
        if path == "/robots.txt":
            return answer(200, b"User-agent: *\nCrawl-delay: 0.1\nDisallow: /x")
        if path == "/a":
            return answer(301, b"", ("location", "/b"), ("cache-control", "max-age=60"))
        return answer(200, PAGE, HTML, ("cache-control", "max-age=60"), ("set-cookie", "a=1"))

    hit, path = Hit(url="http://x/"), tmp_path / "run.warc.gz"
    async with serving(pages) as server:
        request = Request(url=server.url("/a"))
        async with door(tmp_path / "cribble") as live:
            await net(live).read(request, obey_robots=True)
        asked = len(server.asked)
        live = LiveDoor(
            Settings(cache=True, pace_secs=0.05), allow_private=frozenset({"127.0.0.1"}), store=Store(tmp_path / "cribble")
        )
        recorder = Recorder.start(live, path, run())
        with anyio.fail_after(5):
            recorded = await net(recorder).read(request, obey_robots=True)
        await recorder.aclose()
        assert len(server.asked) == asked
    replayer = Replayer(path)
    with anyio.fail_after(5):
        replayed = await net(replayer).read(request, obey_robots=True)
    await replayer.aclose()
    assert replayed == recorded
    pages_of_both = [page_of(hit, one, "2026-12-02T10:00:00.000Z") for one in (recorded, replayed)]
    assert pages_of_both[0] == pages_of_both[1]
    assert (pages_of_both[0].tier, pages_of_both[0].fetched_at) == ("store", recorded.from_cache)
    assert page_of(hit, reply(), "2026-12-02T10:00:00.000Z").tier == "http"
