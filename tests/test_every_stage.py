"""The standard suite: what every stage in STAGES owes its callers, whatever it does."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import anyio
import msgspec
import pytest
from scripted_net import HTML, ScriptedDoor, page, searxng

from stages import STAGES, load
from stages.core.env import NoLedger, Settings
from stages.core.plan import Step
from stages.core.runner import Batch, Context, run
from stages.core.stage import Each, Options
from stages.core.wire import Item, Line
from stages.records import Document, Failure, Found, Hit, Page, Passage, Query, Question, Record, Run, Tally, encode

pytestmark = pytest.mark.anyio
RUN = Run(wire=1, cribble="test", id="r", start="2026-01-01T00:00:00.000Z")
PLACES = ("north", "south", "west")
TEXT = (
    "# Tides at {0}\n\nSpring tides reach 6.4 metres at {0}.\n\n```\ntide --place {0}\n```\n\nNeap tides stay below three metres."
)


def examples(stage: str) -> list[Record]:
    """What the stage would meet in a pipe: three records of each kind that it reads."""
    kinds: dict[type[Record], list[Record]] = {
        Question: [Question(text="How high is the spring tide?")],
        Query: [Query(text=f"spring tide {place}") for place in PLACES],
        Hit: [
            Hit(url=f"https://{place}.example/tides", title=place, found=(Found(engine="e", family="f", query="q", rank=rank),))
            for rank, place in enumerate(PLACES, 1)
        ],
        Page: [
            Page(url=f"https://{place}.example/", media_type="text/html", body=HTML.format(title=place).encode(), sha256="0")
            for place in PLACES
        ],
        Document: [Document(url=f"https://{place}.example/", title=place, text=TEXT.format(place)) for place in PLACES],
        Passage: [
            Passage(id=place, url=f"https://{place}.example/", text=f"Spring tides at {place}.", start=0, end=20)
            for place in PLACES
        ],
    }
    return [record for kind in load(stage).reads for record in kinds[kind]]


def spoiled(stage: str) -> Record | None:
    """A record that the stage must refuse, where there is one that it can be given."""
    known: dict[str, Record] = {
        "fetch": Hit(url="https://refused.example/"),
        "sanitize": Page(url="https://a.example/", media_type="application/pdf", body=b"%PDF-1.7"),
        "extract": Page(url="https://a.example/", media_type="text/html", body=b"<html><body></body></html>", sanitizer="x"),
    }
    return known.get(stage)


async def piped(stage: str, items: Sequence[Item], options: Options | None = None, *, stuck: bool = False) -> Batch:
    """What leaves this one stage."""
    declared = load(stage)
    out: Batch = []

    async def feed() -> AsyncIterator[Batch]:
        for item in items:
            yield [item]

    async def sink(batch: Batch) -> None:
        out.extend(batch)

    door = ScriptedDoor(searxng if stage == "search" else page, stuck=stuck)
    settings = Settings(searxng_url="http://searxng.example")
    with anyio.fail_after(60):
        plan = [Step(declared, options or declared.options())]
        await run(plan, feed(), Context(run=RUN, door=door, ledger=NoLedger(), settings=settings), sink)
    return out


def stable(items: Batch) -> list[bytes]:
    return [encode(msgspec.structs.replace(one, milliseconds=0) if isinstance(one, Tally) else one) for one in items]  # type: ignore[type-var,arg-type]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.parametrize("name", STAGES)
def test_the_docstring_says_what_it_reads_and_writes(name: str) -> None:
    stage = load(name)
    assert stage.name == name
    first, *rest = stage.doc.splitlines()
    assert first.endswith(".")
    spec = " ".join(rest)
    for kind in stage.reads:
        assert kind.__name__ in spec, f"{name}: the docstring does not say that it reads {kind.__name__}"
    for kind in stage.writes:
        assert kind.__name__ in spec, f"{name}: the docstring does not say that it writes {kind.__name__}"


@pytest.mark.parametrize("name", STAGES)
def test_every_option_has_a_description_and_a_default_inside_its_limits(name: str) -> None:
    options = load(name).options
    defaults = msgspec.to_builtins(options())
    assert msgspec.convert(defaults, options) == options()
    schema = msgspec.json.schema(options)["$defs"][options.__name__]["properties"]
    assert [field for field, spec in schema.items() if not spec.get("description")] == []


@pytest.mark.parametrize("name", STAGES)
async def test_empty_input_gives_exactly_one_tally(name: str) -> None:
    assert [type(one) for one in await piped(name, [])] == [Tally]


@pytest.mark.parametrize("name", STAGES)
async def test_foreign_records_pass_unchanged_and_in_order(name: str) -> None:
    foreign: list[Item] = [Line("weather", b'{"type":"weather","at":%d}' % number) for number in range(5)]
    mixed = [item for pair in zip(foreign, [*examples(name), *examples(name), *examples(name)], strict=False) for item in pair]
    passed = [one for one in await piped(name, mixed) if isinstance(one, Line)]
    assert passed == [one for one in mixed if isinstance(one, Line)]


@pytest.mark.parametrize("name", STAGES)
async def test_work_is_done_and_accounted_for(name: str) -> None:
    items = examples(name)
    before = [encode(one) for one in items]
    out = await piped(name, list(items))
    tally = out[-1]
    assert isinstance(tally, Tally)
    assert tally.read == len(items)
    assert tally.read == tally.went_on + sum(tally.dropped.values()) + sum(tally.failed.values())
    written = [one for one in out if isinstance(one, load(name).writes)]
    assert written, f"{name} wrote nothing of {items}"
    assert [encode(one) for one in items] == before, "a stage changed what it read"


@pytest.mark.parametrize("name", [name for name in STAGES if issubclass(load(name).options, Each)])
async def test_one_call_at_a_time_and_eight_agree(name: str) -> None:
    items: list[Item] = list(examples(name))
    single = await piped(name, items, msgspec.convert({"parallel": 1}, load(name).options))
    eight = await piped(name, items, msgspec.convert({"parallel": 8}, load(name).options))
    assert stable(single) == stable(eight)


@pytest.mark.parametrize("name", [name for name in STAGES if load(name).uses_env])
async def test_cancelling_leaves_nothing_running(name: str) -> None:
    door = ScriptedDoor(page, stuck=True)
    declared = load(name)

    async def feed() -> AsyncIterator[Batch]:
        yield list(examples(name))

    async def sink(batch: Batch) -> None:
        pass

    context = Context(run=RUN, door=door, ledger=NoLedger(), settings=Settings(searxng_url="http://searxng.example"))
    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            group.start_soon(run, [Step(declared, declared.options())], feed(), context, sink)
            while not door.waiting:
                await anyio.lowlevel.checkpoint()
            group.cancel_scope.cancel()
    assert door.waiting == 0


@pytest.mark.parametrize("name", [name for name in STAGES if spoiled(name)])
async def test_an_expected_error_becomes_one_failure_and_the_rest_goes_on(name: str) -> None:
    bad = spoiled(name)
    assert bad is not None
    out = await piped(name, [bad, *examples(name)])
    assert [one.stage for one in out if isinstance(one, Failure)] == [name]
    assert sum(isinstance(one, load(name).writes) for one in out) >= len(PLACES)


@pytest.mark.parametrize("parallel", [1, 8])
async def test_a_hit_that_is_kept_stands_before_its_page_and_one_that_fails_only_in_its_failure(parallel: int) -> None:
    bad, hits = spoiled("fetch"), examples("fetch")
    assert bad is not None
    options = msgspec.convert({"parallel": parallel, "keep_hits": True}, load("fetch").options)
    out = await piped("fetch", [hits[0], bad, *hits[1:]], options)
    assert [type(one) for one in out] == [Hit, Page, Failure, Hit, Page, Hit, Page, Tally]
    assert [one for one in out if isinstance(one, Hit)] == hits
    lost = out[2]
    assert isinstance(lost, Failure)
    assert msgspec.convert(lost.lost, Hit) == bad
    assert isinstance(out[-1], Tally)
    assert (out[-1].read, out[-1].went_on, out[-1].wrote, out[-1].failed) == (4, 3, 6, {"refused": 1})
