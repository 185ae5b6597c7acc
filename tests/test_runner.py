"""How a pipe behaves: order, bounds, failures, deadlines, workers, cancellation, accounting."""

from __future__ import annotations

import math
import os
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

import anyio
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sample_stages import SAMPLES, BestOptions, FirstOptions, Gate, GetOptions

from stages.core.env import Cut, Deadline, NoLedger
from stages.core.errors import Bug
from stages.core.plan import build, hops
from stages.core.runner import Batch, Context, run
from stages.core.stage import Options, Work
from stages.core.wire import Item, Line, encoded, parse_line
from stages.records import Document, Drop, Failure, Hit, Notice, Page, Passage, Question, Run, Tally, encode

pytestmark = pytest.mark.anyio
RUN = Run(wire=1, cribble="test", id="r", start="2026-01-01T00:00:00.000Z")


class NoDoor:
    """No network; counts what it was asked to bind."""

    def __init__(self) -> None:
        self.bound: list[str] = []

    def bind(self, stage: str, record: str, until: float, notices: set[Notice]) -> None:
        self.bound.append(record)

    async def aclose(self) -> None:
        pass


class Remembering(NoLedger):
    """A ledger in memory."""

    def __init__(self, *, replaying: bool = False, cuts: Mapping[str, Mapping[str, Cut]] | None = None) -> None:
        self.replaying = replaying
        self.cuts: dict[str, dict[str, Cut]] = {stage: dict(found) for stage, found in (cuts or {}).items()}

    def record_cut(self, stage: str, record: str, cut: Cut, /) -> None:
        self.cuts.setdefault(stage, {})[record] = cut

    def recorded_cuts(self, stage: str, /) -> Mapping[str, Cut]:
        return self.cuts.get(stage, {}) if self.replaying else {}


async def feed(items: Sequence[Item], size: int = 3) -> AsyncIterator[Batch]:
    for start in range(0, len(items), size):
        yield list(items[start : start + size])


async def piped(names: str, items: Sequence[Item], *, options: Mapping[str, Options] | None = None, **context: object) -> Batch:
    """What leaves the pipe."""
    steps = [(name, (options or {}).get(name) or SAMPLES[name].options()) for name in names.split(" | ")]
    out: Batch = []

    async def sink(batch: Batch) -> None:
        out.extend(batch)

    defaults: dict[str, object] = {"run": RUN, "door": NoDoor(), "ledger": NoLedger()}
    await run(build(steps, SAMPLES.__getitem__), feed(items), Context(**(defaults | context)), sink)  # type: ignore[arg-type]
    return out


def lines(records: Sequence[Item]) -> list[bytes]:
    """The wire form with the clock taken out of tallies."""
    return [encoded(msgspec.structs.replace(one, milliseconds=0) if isinstance(one, Tally) else one) for one in records]


def tallies(records: Sequence[Item]) -> dict[str, Tally]:
    return {one.stage: one for one in records if isinstance(one, Tally)}


@pytest.fixture(autouse=True)
def _gate() -> None:
    Gate.reset()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def hits(*names: str) -> list[Hit]:
    return [Hit(url=f"http://{name}.example/", title=name) for name in names]


async def test_output_keeps_input_order_though_the_first_call_ends_last() -> None:
    pages = hits("a", "b", "c", "d")
    Gate.open = {pages[0].url: anyio.Event()}
    out: Batch = []

    async def sink(batch: Batch) -> None:
        out.extend(batch)

    steps = build([("get", GetOptions(parallel=2))], SAMPLES.__getitem__)
    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(run, steps, feed(pages), Context(run=RUN, door=NoDoor(), ledger=NoLedger()), sink)
            while len(Gate.began) < 4:  # the others are done while the first one waits
                await anyio.lowlevel.checkpoint()
            assert out == []
            Gate.open[pages[0].url].set()
    assert [one.url for one in out if isinstance(one, Page)] == [hit.url for hit in pages]


async def test_no_more_calls_run_at_once_than_parallel_says_and_as_many_do() -> None:
    pages = hits(*(f"p{number}" for number in range(12)))
    Gate.open = {hit.url: anyio.Event() for hit in pages}
    steps = build([("get", GetOptions(parallel=3))], SAMPLES.__getitem__)

    async def sink(batch: Batch) -> None:
        pass

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(run, steps, feed(pages), Context(run=RUN, door=NoDoor(), ledger=NoLedger()), sink)
            while Gate.running < 3:
                await anyio.lowlevel.checkpoint()
            for _ in range(50):
                await anyio.lowlevel.checkpoint()
            assert Gate.running == 3
            for event in Gate.open.values():
                event.set()
    assert Gate.peak == 3


async def test_an_expected_error_stands_in_place_of_its_record() -> None:
    with anyio.fail_after(5):
        out = await piped("get", hits("a", "blocked", "c"))
    assert [type(one).__name__ for one in out] == ["Page", "Failure", "Page", "Tally"]
    assert isinstance(out[1], Failure)
    assert (out[1].kind, out[1].lost_type, out[1].lost["url"]) == ("blocked", "hit", "http://blocked.example/")
    assert tallies(out)["get"].failed == {"blocked": 1}


async def test_records_that_no_stage_reads_pass_byte_for_byte_and_in_order() -> None:
    odd = [
        parse_line(b'{"type":"weather",  "degrees": 3}', 1, frozenset()),
        parse_line(b'{"url":"http://a.example/","type":"hit","later":"field"}', 2, frozenset({"hit"})),
        parse_line('{"type":"note","text":"ü"}'.encode(), 3, frozenset()),
    ]
    with anyio.fail_after(5):
        out = await piped("ask | first", odd)
    assert [one.raw for one in out if isinstance(one, Line)] == [odd[0].raw, odd[2].raw]
    assert [one.url for one in out if isinstance(one, Hit)] == ["http://a.example/"]


async def test_a_kept_record_passes_with_fields_that_this_version_does_not_know() -> None:
    raw = b'{"type":"question","text":"why","mood":"curious"}'
    with anyio.fail_after(5):
        out = await piped("ask", [parse_line(raw, 1, frozenset({"question"}))])
    assert encoded(out[0]) == raw + b"\n"


async def test_a_stage_that_stops_early_accounts_for_what_it_left() -> None:
    with anyio.fail_after(5):
        out = await piped("first", [*hits("a", "b", "c", "d"), Question(text="q")], options={"first": FirstOptions(most=2)})
    assert [one.reason for one in out if isinstance(one, Drop)] == ["unread", "unread"]
    tally = tallies(out)["first"]
    assert (tally.read, tally.went_on, tally.wrote, tally.dropped) == (4, 2, 2, {"unread": 2})
    assert any(isinstance(one, Question) for one in out)


async def test_a_call_that_hangs_costs_its_own_failure_and_nothing_else() -> None:
    with anyio.fail_after(5):
        out = await piped("get", hits("a", "hang", "c"), options={"get": GetOptions(timeout_secs=0.1)})
    assert [type(one).__name__ for one in out] == ["Page", "Failure", "Page", "Tally"]
    assert isinstance(out[1], Failure)
    assert out[1].kind == "timeout"


async def test_the_soft_deadline_cuts_network_calls_and_barriers_use_what_has_arrived() -> None:
    now = time.time()
    deadline = Deadline(hard=now + 3, soft=now + 0.2)
    with anyio.fail_after(5):
        out = await piped("get | best", [Question(text="q"), *hits("a", "hang", "b")], deadline=deadline)
    assert time.time() < deadline.hard
    assert {one.url for one in out if isinstance(one, Passage)} == {"http://a.example/", "http://b.example/"}
    assert [one.kind for one in out if isinstance(one, Failure)] == ["deadline"]


async def test_after_the_soft_deadline_no_call_begins() -> None:
    door = NoDoor()
    with anyio.fail_after(5):
        out = await piped("get", hits("a", "b"), deadline=Deadline(hard=time.time() + 1, soft=time.time() - 1), door=door)
    assert [one.kind for one in out if isinstance(one, Failure)] == ["deadline", "deadline"]
    assert door.bound == []
    assert Gate.began == []


@pytest.mark.parametrize(
    ("word", "kind"), [("crash", "crashed"), ("memory", "crashed"), ("deep", "crashed"), ("hang", "timeout")]
)
async def test_a_page_that_breaks_its_worker_costs_one_failure(word: str, kind: str) -> None:
    pages = [Page(url=f"http://{name}.example/", body=name.encode()) for name in ("a", word, "b", "c")]
    with anyio.fail_after(20):
        out = await piped("read", pages, options={"read": Work(timeout_secs=1.0)})
    assert [type(one).__name__ for one in out if not isinstance(one, Tally | Notice)] == [
        "Document",
        "Failure",
        "Document",
        "Document",
    ]
    failure = next(one for one in out if isinstance(one, Failure))
    assert (failure.stage, failure.kind, failure.subject, failure.lost) == ("read", kind, f"http://{word}.example/", {})
    assert tallies(out)["read"].failed == {kind: 1}


async def test_a_cut_that_was_recorded_is_repeated_without_the_call() -> None:
    pages = [Page(url="http://a.example/", body=b"hang"), Page(url="http://b.example/", body=b"b")]
    ledger = Remembering()
    with anyio.fail_after(20):
        recorded = await piped("read", pages, options={"read": Work(timeout_secs=1.0)}, ledger=ledger)
        replayed = await piped("read", pages, ledger=Remembering(replaying=True, cuts=ledger.cuts))
    assert lines(recorded) == lines(replayed)
    with anyio.fail_after(5):
        again = await piped("get", hits("hang"), options={"get": GetOptions(timeout_secs=0.05)}, ledger=(seen := Remembering()))
        repeat = await piped("get", hits("hang"), ledger=Remembering(replaying=True, cuts=seen.cuts))
    assert lines(again) == lines(repeat)


async def test_a_bug_stops_the_pipe_and_comes_out_as_it_is() -> None:
    with anyio.fail_after(5), pytest.raises(KeyError, match="bug"):
        await piped("get | best", hits("a", "bug", "hang"))
    with anyio.fail_after(10), pytest.raises(Bug, match="a bug in read: KeyError: 'worker bug'") as caught:
        await piped("read | best", [Page(url="http://a.example/", body=b"bug")])
    assert "sample_stages" in caught.value.details


def children() -> list[int]:
    return [int(one) for one in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc to see the children")
async def test_cancelling_leaves_no_call_and_no_process() -> None:
    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            page = Page(url="http://a.example/", body=b"hang")
            group.start_soon(piped, "read", [page])
            group.start_soon(piped, "get", hits("hang", "hang2"))
            while not children() or Gate.running < 2:
                await anyio.sleep(0.01)
            group.cancel_scope.cancel()
    assert Gate.running == 0
    assert children() == []


async def test_stages_that_share_a_worker_give_what_they_give_apart(tmp_path: Path) -> None:
    items = [Question(text="q"), *(Page(url=f"http://{n}.example/", body=f"{n} dirty {n}".encode()) for n in "ab")]
    items += [Page(url=f"http://{n}.example/", body=f"{n} {n}{n}".encode()) for n in "cd"]
    items += [Document(url="http://e.example/", text="e f")]
    steps = build([(name, SAMPLES[name].options()) for name in ("clean", "read", "cut", "best")], SAMPLES.__getitem__)
    assert [len(one) for one in hops(steps[3:4], fuse=True)] == [1]
    with anyio.fail_after(30):
        together = await piped("clean | read | cut | best", items)
        apart = await piped("clean | read | cut | best", items, tee=tmp_path)
    assert lines(together) == lines(apart)
    assert [one.name for one in sorted(tmp_path.iterdir())][:2] == ["01-clean.ndjson", "03-read.ndjson"], (
        "a stage that was lifted for nothing leaves no file"
    )


async def test_one_process_gives_the_lines_that_one_process_a_stage_gives() -> None:
    items: list[Item] = [Question(text="q"), *hits("b", "blocked", "a")]
    with anyio.fail_after(30):
        together = await piped("ask | get | clean | best", items)
        apart: list[Item] = items
        for name in ("ask", "get", "clean", "best"):
            out = await piped(name, apart)
            wanted = frozenset({"question", "query", "hit", "page", "document", "passage"})
            apart = [parse_line(encoded(one).rstrip(), 1, wanted) for one in out]
    assert [encode(one) for one in apart if not isinstance(one, Line)] == []
    strip = [msgspec.json.decode(one.raw) | {"milliseconds": 0} for one in apart if isinstance(one, Line)]
    assert strip == [msgspec.json.decode(line) | {"milliseconds": 0} for line in lines(together)]


async def test_a_lifted_stage_says_so_once_and_is_silent_when_it_had_nothing_to_do() -> None:
    with anyio.fail_after(20):
        out = await piped("best", [Page(url="http://a.example/", body=b"b a")])
        quiet = await piped("best", [Passage(id="1", url="http://a.example/", text="x", start=0, end=1)])
    assert [(one.stage, one.code) for one in out if isinstance(one, Notice)] == [(n, "lifted") for n in ("clean", "read", "cut")]
    assert list(tallies(out)) == ["clean", "read", "cut", "best"]
    assert list(tallies(quiet)) == ["best"]


async def test_a_stage_s_notice_is_written_once_before_its_tally() -> None:
    with anyio.fail_after(5):
        out = await piped("get", hits("notice1", "notice2"))
    assert [type(one).__name__ for one in out] == ["Page", "Page", "Notice", "Tally"]


async def test_a_whole_stage_on_the_network_fails_all_it_read_when_it_hangs() -> None:
    with anyio.fail_after(5):
        good = await piped("again", hits("a", "b"))
        bad = await piped("again", hits("a", "hang"), deadline=Deadline(hard=time.time() + 2, soft=time.time() + 0.1))
    assert [one.url for one in good if isinstance(one, Hit)] == ["http://b.example/", "http://a.example/"]
    assert tallies(bad)["again"].failed == {"deadline": 2}


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(st.sampled_from(["a", "blocked", "b", "notice", "c"]), max_size=20), st.integers(1, 8), st.integers(0, 5))
def test_what_is_read_goes_on_or_is_dropped_or_failed(names: list[str], parallel: int, most: int) -> None:
    options = {"get": GetOptions(parallel=parallel), "first": FirstOptions(most=most + 1), "best": BestOptions(most=most)}
    out = anyio.run(lambda: piped("first | get", hits(*names), options=options))
    for name, tally in tallies(out).items():
        dropped = [one for one in out if isinstance(one, Drop) and one.stage == name]
        failed = [one for one in out if isinstance(one, Failure) and one.stage == name]
        assert tally.read == tally.went_on + len(dropped) + len(failed)
    assert lines(out) == lines(
        anyio.run(lambda: piped("first | get", hits(*names), options=options | {"get": GetOptions(parallel=1)}))
    )


async def test_a_million_records_would_pass_in_flat_memory() -> None:
    """The bound that gives it: with nobody reading, only a few batches are taken from the feed."""
    taken = 0

    async def endless() -> AsyncIterator[Batch]:
        nonlocal taken
        while True:
            taken += 1
            yield [Line("note", b'{"type":"note"}')] * 64

    async def stuck(batch: Batch) -> None:
        await anyio.sleep_forever()

    plan = build([(name, SAMPLES[name].options()) for name in ("get", "best", "first")], SAMPLES.__getitem__)
    with anyio.move_on_after(0.5):
        await run(plan, endless(), Context(run=RUN, door=NoDoor(), ledger=NoLedger()), stuck)
    assert taken < 150


def test_deadlines_leave_room_for_the_barriers() -> None:
    deadline = Deadline(hard=30.0, soft=27.0)
    assert deadline.soft < deadline.work < deadline.hard
    assert math.isinf(Deadline().work)
