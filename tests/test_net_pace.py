"""Pacing: pages of one host apart and few at once, for all processes; nothing else waits, and a wait is nobody's slowness."""

from __future__ import annotations

import contextlib
import math
import sqlite3
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest
from cribble_process import PATIENCE_SECS, environment
from loopback import Server, answer, serving

from stages.core import patience
from stages.core.env import Request, Settings
from stages.core.errors import StageError
from stages.net.archive import Recorder, Replayer
from stages.net.client import LiveDoor
from stages.net.pace import AT_ONCE, Pace
from stages.records import Notice, Run
from stages.store import pacing
from stages.store.database import Store
from stages.store.folder import NAME

SPACING = 0.2
SLACK = 0.2
"""What a busy machine may lose between a turn and its arrival. That turns lie apart to the microsecond is in `test_store.py`."""
LOOPBACK = frozenset({"127.0.0.1", "localhost"})


@pytest.fixture
def store(tmp_path: Path):
    opened = Store(tmp_path / "cribble")
    yield opened
    opened.close()


@contextlib.asynccontextmanager
async def door(store: Store, **settings):
    live = LiveDoor(Settings(**{"pace_secs": SPACING} | settings), allow_private=LOOPBACK, store=store)
    live._browser._open(proxied=False)  # loading curl takes longer than the times that are measured here
    try:
        with anyio.fail_after(8):
            yield live
    finally:
        await live.aclose()


def net(live: LiveDoor, until: float = math.inf, notices: set[Notice] | None = None):
    return live.bind("fetch", "record", until, set() if notices is None else notices)


@contextlib.asynccontextmanager
async def timed_server(handler=lambda *_: answer(200, b"ok")):
    """A server that writes down when it was asked for what."""
    times: list[tuple[float, str]] = []

    def handle(path: str, headers: dict[str, str]):
        times.append((time.monotonic(), path))
        return handler(path, headers)

    async with serving(handle) as server:
        yield server, times


def spread(times: list[tuple[float, str]]) -> float:
    """From the first to the last."""
    return times[-1][0] - times[0][0]


async def kind(awaitable) -> str:
    with pytest.raises(StageError) as caught:
        await awaitable
    return caught.value.kind


@pytest.mark.anyio
async def test_pages_of_one_host_are_begun_apart(store: Store) -> None:
    async with timed_server() as (server, times), door(store) as live, anyio.create_task_group() as group:
        for number in range(5):
            group.start_soon(net(live).send, Request(url=server.url(f"/{number}")))
    assert len(times) == 5
    assert spread(times) > 4 * SPACING - SLACK


@pytest.mark.anyio
async def test_pages_of_different_hosts_do_not_wait_for_each_other(store: Store) -> None:
    async with timed_server() as (server, times), door(store, pace_secs=30.0) as live, anyio.create_task_group() as group:
        for host in ("127.0.0.1", "localhost"):
            group.start_soon(net(live).send, Request(url=server.url(host=host)))
    assert len(times) == 2


@pytest.mark.anyio
async def test_no_more_than_two_pages_of_a_host_are_under_way(store: Store) -> None:
    now = most = 0

    async def slow() -> bytes:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await anyio.sleep(0.1)
        now -= 1
        return answer(200, b"ok")

    async with serving(lambda *_: slow()) as server, door(store, pace_secs=0.001) as live, anyio.create_task_group() as group:
        for number in range(7):
            group.start_soon(net(live).send, Request(url=server.url(f"/{number}")))
    assert (most, len(server.asked)) == (AT_ONCE, 7)


@pytest.mark.anyio
async def test_redirects_retries_and_robots_txt_belong_to_their_page(store: Store) -> None:
    pages = {
        "/robots.txt": [answer(200, b"User-agent: *\nDisallow: /closed")],
        "/a": [answer(302, b"", ("location", "/b"))],
        "/b": [b"", answer(302, b"", ("location", "/c"))],  # broken at first
        "/c": [answer(200, b"end")],
    }
    async with serving(lambda path, _: pages[path].pop(0)) as server, door(store, pace_secs=30.0) as live:
        reply = await net(live).read(Request(url=server.url("/a")), obey_robots=True)
    assert reply.body == b"end"
    assert server.paths == ["/robots.txt", "/a", "/b", "/b", "/c"]


@pytest.mark.anyio
async def test_a_redirect_to_another_host_waits_for_its_turn_there(store: Store) -> None:
    def pages(path: str, _: dict[str, str]) -> bytes:
        return answer(302, b"", ("location", f"http://localhost:{server.port}/end")) if path == "/a" else answer(200, b"end")

    async with timed_server(pages) as (server, times), door(store, pace_secs=0.4) as live:
        await net(live).send(Request(url=server.url("/first", host="localhost")))
        await net(live).read(Request(url=server.url("/a")), obey_robots=False)
    assert [path for _, path in times] == ["/first", "/a", "/end"]
    assert spread(times) > 0.4 - SLACK


@pytest.mark.anyio
async def test_what_the_user_runs_himself_is_not_spared(store: Store) -> None:
    async with (
        serving(lambda *_: answer(200, b"{}")) as server,
        door(store, pace_secs=30.0, searxng_url=server.url("/search")) as live,
    ):
        for _ in range(3):
            await net(live).send(Request(url=server.url("/search"), trusted=True))


@pytest.mark.anyio
async def test_crawl_delay_spaces_pages_more_than_the_settings_do(store: Store) -> None:
    robots = answer(200, b"User-agent: *\nCrawl-delay: 0.4\nDisallow: /x")
    async with (
        timed_server(lambda path, _: robots if path == "/robots.txt" else answer(200, b"ok")) as (server, times),
        door(store) as live,
    ):
        for number in range(2):
            await net(live).read(Request(url=server.url(f"/{number}")), obey_robots=True)
    assert [path for _, path in times] == ["/robots.txt", "/0", "/1"]
    assert spread(times[1:]) > 0.4 - SLACK


@pytest.mark.anyio
async def test_a_crawl_delay_of_minutes_is_lowered_and_the_caller_told(store: Store) -> None:
    robots = answer(200, b"User-agent: *\nCrawl-delay: 600\nDisallow: /x")
    notices: set[Notice] = set()
    async with serving(lambda path, _: robots if path == "/robots.txt" else answer(200, b"ok")) as server, door(store) as live:
        await net(live, notices=notices).read(Request(url=server.url("/a")), obey_robots=True)
        later = net(live, until=time.time() + 5)
        assert await kind(later.read(Request(url=server.url("/b")), obey_robots=True)) == "deadline"
    assert [(notice.code, notice.asked, notice.used) for notice in notices] == [("limit_lowered", "600", "10")]


@pytest.mark.anyio
@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("dated", [False, True])
async def test_a_host_that_asks_to_be_left_alone_is_skipped_by_everybody(
    store: Store, tmp_path: Path, status: int, *, dated: bool
) -> None:
    wish = [("retry-after", "Wed, 02 Dec 2026 10:02:00 GMT"), ("date", "Wed, 02 Dec 2026 10:00:00 GMT")]
    refusal = answer(status, b"", *(wish if dated else [("retry-after", "120")]))
    async with serving(lambda *_: refusal) as server, door(store) as live:
        reply = await net(live).read(Request(url=server.url("/a")), obey_robots=False)
        assert reply.status == status
        with pytest.raises(StageError, match=r"left alone for 1(20|19) s") as caught:
            await net(live).read(Request(url=server.url("/b")), obey_robots=False)
        assert caught.value.kind == "rate_limited"
        async with door(Store(tmp_path / "cribble")) as other:
            assert await kind(net(other).read(Request(url=server.url("/c")), obey_robots=False)) == "rate_limited"
    assert server.paths == ["/a"]


@pytest.mark.anyio
@pytest.mark.parametrize(("method", "times"), [("GET", 2), ("HEAD", 2), ("POST", 1), ("PUT", 1)])
async def test_a_request_is_sent_again_once_and_only_where_that_is_safe(
    store: Store, monkeypatch: pytest.MonkeyPatch, method: str, times: int
) -> None:
    monkeypatch.setattr("stages.net.follow._RETRY_SECS", 0.01)
    async with serving(lambda *_: answer(503, b"", ("retry-after", "0"))) as server, door(store, pace_secs=0.001) as live:
        reply = await net(live).read(Request(url=server.url(), method=method), obey_robots=False)
    assert reply.status == 503
    assert len(server.asked) == times


@pytest.mark.anyio
async def test_a_turn_that_would_come_after_the_deadline_is_not_waited_for(store: Store) -> None:
    async with serving(lambda *_: answer(200, b"ok")) as server, door(store, pace_secs=30.0) as live:
        await net(live).send(Request(url=server.url("/a")))
        began = time.monotonic()
        with pytest.raises(StageError, match="turn at") as caught:
            await net(live, until=time.time() + 5).send(Request(url=server.url("/b")))
        assert caught.value.kind == "deadline"
        assert time.monotonic() - began < 1
    assert server.paths == ["/a"]


@pytest.mark.anyio
async def test_waiting_for_a_turn_does_not_use_up_the_time_of_the_page(store: Store) -> None:
    async with serving(lambda *_: answer(200, b"ok")) as server, door(store, pace_secs=0.4) as live:
        await net(live).send(Request(url=server.url("/a")))
        with patience.limited(0.25, 10) as scope:
            reply = await net(live).send(Request(url=server.url("/b"), timeout_secs=0.25))
        assert reply.body == b"ok"
        assert not scope.cancelled_caught


@pytest.mark.anyio
async def test_the_time_limit_of_a_call_holds_around_its_waits() -> None:
    with anyio.fail_after(5):
        with patience.limited(0.05, 10) as scope:
            with patience.paused():
                await anyio.sleep(0.15)
            await anyio.sleep(5)
        assert scope.cancelled_caught
        with patience.limited(5, 0.05) as scope, patience.paused():
            await anyio.sleep(5)
        assert scope.cancelled_caught
        with patience.limited(math.inf, math.inf) as scope, patience.paused():
            await anyio.lowlevel.checkpoint()
        assert not scope.cancelled_caught


@pytest.mark.anyio
async def test_a_limit_runs_on_when_the_last_of_several_waits_is_over() -> None:
    async def wait(secs: float) -> None:
        with patience.paused():
            await anyio.sleep(secs)

    with anyio.fail_after(5):
        with patience.limited(0.1, 10) as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(wait, 0.05)
                group.start_soon(wait, 0.2)
            await anyio.sleep(5)
        assert scope.cancelled_caught


@pytest.mark.anyio
async def test_a_cancelled_page_gives_its_turn_back(store: Store) -> None:
    all_wait = anyio.Event()

    async def silence() -> bytes:
        if len(server.asked) == AT_ONCE:
            all_wait.set()
        await anyio.sleep_forever()
        return b""

    async with (
        serving(lambda path, _: silence() if path == "/slow" else answer(200, b"ok")) as server,
        door(store, pace_secs=0.001) as live,
    ):
        async with anyio.create_task_group() as group:
            for _ in range(AT_ONCE + 2):  # two are sent, two wait
                group.start_soon(net(live).send, Request(url=server.url("/slow")))
            await all_wait.wait()
            group.cancel_scope.cancel()
        assert store.transact(lambda connection: connection.execute("SELECT count(*) FROM turn").fetchone()) == (0,)
        assert (await net(live).send(Request(url=server.url("/quick")))).body == b"ok"


@pytest.mark.anyio
async def test_a_turn_of_a_process_that_died_is_not_waited_for_for_ever(store: Store) -> None:
    now = time.time()
    for number in range(AT_ONCE):
        given = {"host": "h", "turn": f"dead {number}", "spacing_secs": 0.0, "at_once": 9, "until": math.inf, "bears_secs": 1.0}
        store.transact(partial(pacing.take, wanted=pacing.Wanted(**given, lasts_secs=0.2), now=now))
    with anyio.fail_after(5):
        async with Pace(store, 0.001).turn(Request(url="http://h/"), "h", math.inf):
            assert time.time() - now > 0.19


@pytest.mark.anyio
async def test_without_a_store_this_process_paces_alone_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    notices: set[Notice] = set()
    async with timed_server() as (server, times), door(Store(tmp_path / "file")) as live, anyio.create_task_group() as group:
        for number in range(4):
            group.start_soon(net(live, notices=notices).send, Request(url=server.url(f"/{number}")))
    assert spread(times) > 3 * SPACING - SLACK
    assert [(notice.stage, notice.code) for notice in notices] == [("fetch", "degraded")]


@pytest.mark.anyio
async def test_a_store_that_another_process_locks_holds_nobody_up(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stages.store.database._BUSY_SECS", 0.05)
    store.transact(lambda connection: None)
    store.close()
    other = sqlite3.connect(tmp_path / "cribble" / NAME, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    notices: set[Notice] = set()
    async with timed_server() as (server, times), door(store) as live:
        for number in range(4):
            await net(live, notices=notices).send(Request(url=server.url(f"/{number}")))
    other.close()
    assert spread(times) > 3 * SPACING - SLACK
    assert "locked" in next(iter(notices)).message


@pytest.mark.anyio
async def test_a_damaged_store_is_told_of_and_loses_no_page(store: Store, tmp_path: Path) -> None:
    store.transact(lambda connection: None)
    store.close()
    (tmp_path / "cribble" / NAME).write_bytes(b"no database at all " * 500)
    notices: set[Notice] = set()
    async with serving(lambda *_: answer(200, b"ok")) as server, door(store) as live:
        assert (await net(live, notices=notices).send(Request(url=server.url()))).body == b"ok"
    assert ["put aside" in notice.message for notice in notices] == [True]


@pytest.mark.anyio
async def test_without_pacing_and_cache_nothing_is_opened(tmp_path: Path) -> None:
    async with serving(lambda *_: answer(200, b"ok")) as server, door(Store(tmp_path / "cribble"), pace_secs=0.0) as live:
        await net(live).send(Request(url=server.url()))
    assert not (tmp_path / "cribble").exists()


@pytest.mark.anyio
async def test_a_page_that_was_skipped_is_skipped_in_a_replay_too(store: Store, tmp_path: Path) -> None:
    run = Run(wire=1, cribble="0.1.0", id="a" * 16, start="2026-12-02T10:00:00.000Z")
    async with serving(lambda *_: answer(429, b"", ("retry-after", "120"))) as server, door(store) as live:
        pages = [Request(url=server.url(path)) for path in ("/a", "/b")]
        recorder = Recorder.start(live, tmp_path / "run.warc.gz", run)
        recorded = [await outcome(recorder, page) for page in pages]
        await recorder.aclose()
    replayer = Replayer(tmp_path / "run.warc.gz")
    assert [await outcome(replayer, page) for page in pages] == recorded
    await replayer.aclose()
    assert [kind for kind, _ in recorded] == ["429", "rate_limited"]
    assert server.paths == ["/a"]


async def outcome(live, page: Request) -> tuple[str, str]:
    try:
        return f"{(await net(live).read(page, obey_robots=False)).status}", ""
    except StageError as error:
        return error.kind, str(error)


@pytest.mark.anyio
@pytest.mark.parametrize("wish", ["", "0", "-5", "soon", "9" * 400, "Wed, 99 Dec 2026 10:02:00 GMT", "1.5", "\u0663"])
async def test_no_wish_of_a_server_breaks_the_pace(store: Store, wish: str) -> None:
    raw = b"HTTP/1.1 503 X\r\nretry-after: " + wish.encode() + b"\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    async with serving(lambda *_: raw) as server, door(store, pace_secs=0.001) as live:
        assert (await net(live).send(Request(url=server.url()))).status == 503
    held = store.transact(lambda connection: connection.execute("SELECT max(held_until) FROM pace").fetchone()[0])
    assert held < time.time() + pacing.MAX_HOLD_SECS + 1


OTHER_PROCESS = """
import math, sys, anyio
from pathlib import Path
from stages.core.env import Request, Settings
from stages.net.client import LiveDoor
from stages.store.database import Store

async def main(folder, url, count, spacing):
    live = LiveDoor(Settings(pace_secs=float(spacing)), allow_private=frozenset({"127.0.0.1"}), store=Store(Path(folder)))
    live._browser._open(proxied=False)
    sys.stdout.write("ready\\n"); sys.stdout.flush(); sys.stdin.readline()
    async with anyio.create_task_group() as group:
        for number in range(int(count)):
            group.start_soon(live.bind("fetch", "r", math.inf, set()).send, Request(url=url + str(number)))
    await live.aclose()
    assert not live.store.troubles, live.store.troubles

anyio.run(main, *sys.argv[1:])
"""


async def asked_by(processes: int, pages: int, folder: Path, server: Server, spacing: float = SPACING) -> None:
    """So many processes that begin together ask for so many pages each."""
    command = [sys.executable, "-c", OTHER_PROCESS, str(folder)]
    running = [
        subprocess.Popen(  # noqa: ASYNC220  it returns at once
            [*command, server.url(f"/{name}/"), f"{pages}", f"{spacing}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(),
        )
        for name in range(processes)
    ]
    for process in running:
        assert await anyio.to_thread.run_sync(process.stdout.readline) == b"ready\n"
    for process in running:
        process.stdin.write(b"go\n")
        process.stdin.close()
    for process in running:
        assert await anyio.to_thread.run_sync(process.wait, PATIENCE_SECS) == 0
        process.stdout.close()


@pytest.mark.anyio
@pytest.mark.parametrize(("processes", "pages"), [(2, 3), (8, 1)])
async def test_processes_share_the_spacing_of_a_host(tmp_path: Path, processes: int, pages: int) -> None:
    with anyio.fail_after(PATIENCE_SECS):
        async with timed_server() as (server, times):
            await asked_by(processes, pages, tmp_path / "cribble", server)
    assert len(times) == processes * pages
    assert spread(times) > (processes * pages - 1) * SPACING - SLACK


@pytest.mark.anyio
async def test_processes_share_the_count_of_pages_under_way(tmp_path: Path) -> None:
    now = most = 0

    async def slow() -> bytes:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await anyio.sleep(0.1)
        now -= 1
        return answer(200, b"ok")

    with anyio.fail_after(PATIENCE_SECS):
        async with serving(lambda *_: slow()) as server:
            await asked_by(3, 2, tmp_path / "cribble", server, spacing=0.001)
    assert (most, len(server.asked)) == (AT_ONCE, 6)


@pytest.mark.anyio
async def test_waiting_as_long_as_a_server_asks_does_not_use_up_the_time_of_the_page(store: Store) -> None:
    refusals = [answer(503, b"")]  # without a wish, half a second is waited
    async with serving(lambda *_: refusals.pop() if refusals else answer(200, b"ok")) as server, door(store) as live:
        with patience.limited(0.4, 10) as scope:
            reply = await net(live).read(Request(url=server.url(), timeout_secs=0.4), obey_robots=False)
    assert reply.body == b"ok"
    assert not scope.cancelled_caught
