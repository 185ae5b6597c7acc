"""Engines are asked within a budget that all processes share, skipped without a packet when it is used up, and left alone."""

from __future__ import annotations

import contextlib
import math
import re
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from cribble_process import PATIENCE_SECS, environment
from loopback import answer, serving

from stages.core.env import Budget, Request, Settings
from stages.core.errors import StageError
from stages.net.archive import Recorder, Replayer
from stages.net.client import LiveDoor
from stages.records import Notice, Run
from stages.store.database import Store

ASK = Budget("ask", 6, 2)
LOOPBACK = frozenset({"127.0.0.1", "localhost"})
RUN = Run(wire=1, cribble="0.1.0", id="a" * 16, start="2026-12-02T10:00:00.000Z")
FRESH = ("cache-control", "max-age=3600")
PAGE = b"<html><title>Results</title><body><p>" + b"Ten results about the harbour and its lamps. " * 40


@pytest.fixture
def store(tmp_path: Path):
    opened = Store(tmp_path / "cribble")
    yield opened
    opened.close()


@contextlib.asynccontextmanager
async def door(store: Store, **settings):
    live = LiveDoor(Settings(**{"pace_secs": 0.001, **settings}), allow_private=LOOPBACK, store=store)
    try:
        with anyio.fail_after(PATIENCE_SECS):
            yield live
    finally:
        await live.aclose()


def net(live, notices: set[Notice] | None = None, record: str = "record"):
    return live.bind("search", record, math.inf, set() if notices is None else notices)


def ask(url: str, **options) -> Request:
    return Request(**{"url": url, "budget": ASK, "identity": "api", **options})


async def outcome(live, request: Request, notices: set[Notice] | None = None) -> str:
    try:
        return str((await net(live, notices).read(request, obey_robots=False)).status)
    except StageError as error:
        return f"{error.kind} {error.http_status} {error}"


@pytest.mark.anyio
@pytest.mark.parametrize("identity", ["browser", "api"])
async def test_an_engine_whose_budget_is_used_up_is_skipped_and_not_asked(store: Store, identity: str) -> None:
    async with serving(lambda *_: answer(200, PAGE)) as server, door(store) as live:
        said = [await outcome(live, ask(server.url(f"/{number}"), identity=identity)) for number in range(4)]
        other = await outcome(live, ask(server.url("/other"), budget=Budget("other", 6, 2)))
        free = await outcome(live, Request(url=server.url("/page")))
    assert said[:2] == ["200", "200"]
    assert re.fullmatch(r"rate_limited 0 ask: this machine's budget of 6 a minute is used up; free again in (10|9) s", said[2])
    assert said[3].startswith("rate_limited")
    assert (other, free) == ("200", "200")
    assert server.paths == ["/0", "/1", "/other", "/page"]


@pytest.mark.anyio
async def test_a_request_without_time_is_not_sent_and_costs_nothing(store: Store) -> None:
    async with serving(lambda *_: answer(200, PAGE)) as server, door(store) as live:
        late = await outcome(live, ask(server.url("/late"), timeout_secs=0))
        said = [await outcome(live, ask(server.url(f"/{number}"))) for number in range(2)]
    assert late == "deadline 0 the time was over before 127.0.0.1 could be asked"
    assert (said, server.paths) == (["200", "200"], ["/0", "/1"])


@pytest.mark.anyio
async def test_without_a_network_no_budget_is_spent(store: Store) -> None:
    async with serving(lambda *_: answer(500)) as server, door(store, resolver=server.url("/resolver")) as live:
        said = [await outcome(live, ask("https://engine.example/")) for _ in range(4)]
    assert {line.partition(" ")[0] for line in said} == {"network"}


@pytest.mark.anyio
async def test_a_budget_is_of_its_name_whatever_the_host(store: Store) -> None:
    async with serving(lambda *_: answer(200, PAGE)) as server, door(store) as live:
        said = [await outcome(live, ask(server.url(host=host))) for host in ("127.0.0.1", "localhost", "127.0.0.1")]
    assert [one.split()[0] for one in said] == ["200", "200", "rate_limited"]


@pytest.mark.anyio
async def test_hops_and_retries_cost_nothing(store: Store) -> None:
    def handle(path: str, _headers: dict[str, str]) -> bytes:
        if path.startswith("/from"):
            return answer(302, b"", ("location", server.url(path.replace("from", "to"), host="localhost")))
        return answer(503, b"", ("retry-after", "0")) if server.paths.count(path) < 2 else answer(200, PAGE)

    async with serving(handle) as server, door(store) as live:
        said = [await outcome(live, ask(server.url(f"/from{number}"))) for number in range(3)]
    assert [one.split()[0] for one in said] == ["200", "200", "rate_limited"]
    assert server.paths == ["/from0", "/to0", "/to0", "/from1", "/to1", "/to1"]


@pytest.mark.anyio
async def test_what_the_user_runs_himself_has_no_budget(store: Store) -> None:
    async with serving(lambda *_: answer(200, b"{}")) as server, door(store, searxng_url=server.url()) as live:
        said = [await outcome(live, ask(server.url(f"/{number}"), trusted=True)) for number in range(4)]
    assert said == ["200"] * 4


@pytest.mark.anyio
async def test_an_engine_that_refused_is_left_alone_by_every_run(store: Store) -> None:
    async with serving(lambda *_: answer(200, PAGE)) as server:
        async with door(store) as live:
            await net(live).cool(ASK, 600, "challenge")
        async with door(store) as live:
            said = await outcome(live, ask(server.url()))
            other = await outcome(live, ask(server.url(), budget=Budget("other", 6, 2)))
    assert re.fullmatch(
        r"rate_limited 0 ask refused \(challenge\) at \d{4}-\d\d-\d\dT[\d:]{8}Z; it is left alone for (600|59\d) s more", said
    )
    assert other == "200"
    assert len(server.asked) == 1


@pytest.mark.anyio
async def test_a_fresh_answer_of_the_cache_costs_nothing_and_a_refusal_is_not_kept(store: Store) -> None:
    async with serving(lambda *_: answer(200, PAGE, FRESH)) as server, door(store, cache=True) as live:
        kept = [await outcome(live, ask(server.url("/good"))) for _ in range(5)]
        refusal = await net(live).read(ask(server.url("/refusal")), obey_robots=False)
        await net(live).forget(refusal)
        again = await outcome(live, ask(server.url("/refusal")))
    assert kept == ["200"] * 5
    assert again.startswith("rate_limited")
    assert server.paths == ["/good", "/refusal"]


@pytest.mark.anyio
async def test_a_refusal_behind_a_stored_redirect_is_forgotten_with_it(store: Store) -> None:
    def handle(path: str, _headers: dict[str, str]) -> bytes:
        return answer(301, b"", FRESH, ("location", "/to")) if path == "/from" else answer(200, PAGE, FRESH)

    async with serving(handle) as server, door(store, cache=True) as live:
        await net(live).forget(await net(live).read(ask(server.url("/from")), obey_robots=False))
        await outcome(live, ask(server.url("/from")))
    assert server.paths == ["/from", "/to"] * 2


@pytest.mark.anyio
async def test_skips_are_recorded_and_replayed_without_the_store(store: Store, tmp_path: Path) -> None:
    async def run(live) -> list[str]:
        said = [await outcome(live, ask(server.url(path))) for path in ("/a", "/b", "/c")]
        reply = await net(live).read(ask(server.url("/page"), budget=None), obey_robots=False)
        await net(live).forget(reply)
        await net(live).cool(ASK, 600, "blocked")
        return [*said, await outcome(live, ask(server.url("/d")))]

    async with serving(lambda *_: answer(200, PAGE)) as server, door(store) as live:
        recorder = Recorder.start(live, tmp_path / "run.warc.gz", RUN)
        recorded = await run(recorder)
        await recorder.aclose()
    replayer = Replayer(tmp_path / "run.warc.gz")
    replayed = [await run(replayer), await run(replayer)]
    await replayer.aclose()
    assert [one.split()[0] for one in recorded] == ["200", "200", "rate_limited", "rate_limited"]
    assert "left alone" in recorded[3]
    assert replayed == [recorded, recorded]
    assert server.paths == ["/a", "/b", "/page"]


@pytest.mark.anyio
async def test_without_a_store_the_process_counts_alone_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    notices: set[Notice] = set()
    async with serving(lambda *_: answer(200, PAGE)) as server, door(Store(tmp_path / "file")) as live:
        said = [await outcome(live, ask(server.url(f"/{number}")), notices) for number in range(3)]
    assert [one.split()[0] for one in said] == ["200", "200", "rate_limited"]
    assert [(notice.stage, notice.code) for notice in notices] == [("search", "degraded")]


@pytest.mark.anyio
async def test_without_pacing_and_cache_the_run_counts_alone_and_opens_nothing(tmp_path: Path) -> None:
    for _ in range(2):
        async with serving(lambda *_: answer(200, PAGE)) as server, door(Store(tmp_path / "cribble"), pace_secs=0.0) as live:
            said = [await outcome(live, ask(server.url(f"/{number}"))) for number in range(3)]
        assert [one.split()[0] for one in said] == ["200", "200", "rate_limited"]
    assert not (tmp_path / "cribble").exists()


_SPENDER = """
import sys, time
from functools import partial
from pathlib import Path
from stages.store import budgets
from stages.store.database import Store

store = Store(Path(sys.argv[1]))
sys.stdin.readline()
take = partial(budgets.take, name="ask", per_minute=0.001, burst=40, now=time.time())
print(sum(store.transact(take) is None for _ in range(20)))
"""


def test_eight_processes_share_one_bucket(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _SPENDER, str(tmp_path / "cribble")]
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()) for _ in range(8)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(b"go\n")
        process.stdin.flush()
    granted = [int(process.communicate(timeout=PATIENCE_SECS)[0]) for process in processes]
    assert sum(granted) == 40
