"""Workers that outlive a run: they serve the next one alike, and nothing of them is left where they must be gone."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from cribble_process import COMMAND, ROOT, environment
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from test_runner import Remembering, lines, piped

from stages.core import workers
from stages.core.stage import Work
from stages.core.workers import SHELF, Shelf
from stages.records import Document, Failure, Page

pytestmark = pytest.mark.anyio
PATIENCE_SECS = 60


def pages(*bodies: str) -> list[Page]:
    return [Page(url=f"http://{number}.example/", body=body.encode()) for number, body in enumerate(bodies)]


def children(of: int = os.getpid()) -> set[int]:
    """Processes of this one that have not ended."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if int(parent) == of and state != "Z":
            found.add(int(path.parent.name))
    return found


@pytest.fixture
def before() -> set[int]:
    return children()


@asynccontextmanager
async def tended(most: int = 2) -> AsyncIterator[None]:
    """Within it, runs share a shelf."""
    shelf = Shelf(most)
    token = SHELF.set(shelf)
    try:
        with anyio.fail_after(PATIENCE_SECS):
            async with anyio.create_task_group() as group:
                group.start_soon(shelf.tend)
                yield
                group.cancel_scope.cancel()
    finally:
        SHELF.reset(token)


async def test_the_next_run_has_the_same_workers_and_gives_what_new_ones_give(before: set[int]) -> None:
    alone = [lines(await piped("clean | read", pages("a", "dirty", "b"))), lines(await piped("read", pages("c")))]
    assert children() == before
    async with tended():
        first = lines(await piped("clean | read", pages("a", "dirty", "b")))
        kept = children() - before
        assert kept
        second = lines(await piped("read", pages("c")))
        assert children() - before <= kept
    assert [first, second] == alone
    assert children() == before


async def test_options_and_recorded_cuts_are_those_of_the_run_at_hand() -> None:
    async with tended(1):
        ledger = Remembering()
        cut = await piped("read", pages("hang", "a"), options={"read": Work(timeout_secs=0.5, parallel=1)}, ledger=ledger)
        again = await piped("read", pages("hang", "a"), ledger=Remembering(replaying=True, cuts=ledger.cuts))
        assert lines(cut) == lines(again)
        plain = await piped("read", pages("b", "a"))
    assert [one.text for one in plain if isinstance(one, Document)] == ["b", "a"]


async def test_one_that_hung_or_crashed_is_not_kept(before: set[int]) -> None:
    async with tended():
        out = await piped("read", pages("crash"), options={"read": Work(parallel=1)})
        assert [one.kind for one in out if isinstance(one, Failure)] == ["crashed"]
        assert children() == before


async def test_one_that_was_killed_while_it_waited_costs_nothing(before: set[int]) -> None:
    async with tended():
        await piped("read", pages("a"))
        for process in children() - before:
            os.kill(process, signal.SIGKILL)
        out = await piped("read", pages("b"))
    assert [one.text for one in out if isinstance(one, Document)] == ["b"]


async def test_a_run_that_is_cancelled_leaves_none(before: set[int]) -> None:
    async with tended():
        await piped("read", pages("a"))
        with anyio.move_on_after(0.5):
            await piped("read", pages("a", "hang", "b"))
        assert children() == before


async def test_those_that_nobody_wants_end(before: set[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "IDLE_SECS", 0.04)
    async with tended():
        await piped("read", pages("a"))
        while children() != before:
            await anyio.sleep(0.01)


async def test_after_many_runs_a_new_one_takes_its_place(before: set[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "MOST_RUNS", 2)
    async with tended():
        await piped("read", pages("a"))
        kept = children() - before
        await piped("read", pages("b"))
        assert not kept & children()


READ = {"urls": ["https://docs.tidewren.example/manual/4.2/surge-mode"], "max_tokens": 300}
RECORDED = ROOT / "fixtures/pipelines/default/read_url/reads-pages-whole-and-tells-why-not/run.warc.gz"


@pytest.mark.parametrize("way", ["stdio", "HTTP"])
async def test_a_host_keeps_them_between_calls_and_takes_them_with_it(way: str, before: set[int]) -> None:
    command = [*COMMAND, "mcp", "--replay", str(RECORDED)]
    process = None
    try:
        if way == "HTTP":
            process = subprocess.Popen(  # noqa: ASYNC220 - nothing else runs meanwhile
                [*command, "--http=127.0.0.1:0"], stderr=subprocess.PIPE, text=True, env=environment()
            )
            assert process.stderr is not None
            server = process.stderr.readline().split()[-1]
        else:
            server = StdioServerParameters(command=command[0], args=command[1:], env={"PYTHONPATH": str(ROOT)})
        with anyio.fail_after(2 * PATIENCE_SECS):
            async with Client(server) as client:
                (host,) = children() - before
                replies, kept = [], []
                for _ in range(2):
                    replies.append((await client.call_tool("read_url", READ)).structured_content)
                    kept.append(children(host))
                assert replies[0] == replies[1]
                assert kept[0] == kept[1] != set()
            if process is not None:
                process.terminate()
                process.wait(PATIENCE_SECS)
            while any(Path(f"/proc/{worker}").exists() for worker in kept[0]):
                await anyio.sleep(0.01)
    finally:
        if process is not None:
            process.kill()
            process.communicate()
