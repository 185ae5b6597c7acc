"""Walks fixtures/stages: what a stage makes of each case. `pytest tests/test_stage_cases.py --accept` rewrites `out.ndjson`."""

from __future__ import annotations

import json
import tomllib
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import msgspec
import pytest
from scripted_net import ScriptedDoor, page

from stages import load
from stages.core.env import NoLedger
from stages.core.plan import Step
from stages.core.runner import Batch, Context, run
from stages.core.wire import encoded, parse_line
from stages.records import Run

ROOT = Path(__file__).parents[1] / "fixtures" / "stages"
CASES = sorted(path.parent for path in ROOT.glob("*/*/in.ndjson"))
RUN = Run(wire=1, cribble="test", id="case", start="2026-01-01T00:00:00.000Z")


def lines(case: Path) -> list[bytes]:
    """What the stage writes, with the clock taken out of its Tally."""
    stage = load(case.parent.name)
    options = msgspec.convert(tomllib.loads((case / "options.toml").read_text(encoding="utf-8")), stage.options)
    raw = (case / "in.ndjson").read_bytes().splitlines()
    out: Batch = []

    async def feed() -> AsyncIterator[Batch]:
        for number, line in enumerate(raw, 1):
            yield [parse_line(line, number, stage.read_tags)]

    async def sink(batch: Batch) -> None:
        out.extend(batch)

    context = Context(run=RUN, door=ScriptedDoor(page), ledger=NoLedger())
    anyio.run(run, [Step(stage, options)], feed(), context, sink)
    return [stopped(encoded(item).rstrip(b"\n")) for item in out]


def stopped(line: bytes) -> bytes:
    """A Tally without its milliseconds; any other line as it is."""
    record = json.loads(line)
    if record.get("type") != "tally":
        return line
    return json.dumps({name: value for name, value in record.items() if name != "milliseconds"}, separators=(",", ":")).encode()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}: {case.name}")
def test_a_stage_does_what_its_case_says(case: Path, request: pytest.FixtureRequest) -> None:
    found = lines(case)
    kept = case / "out.ndjson"
    if request.config.getoption("--accept"):
        kept.write_bytes(b"".join(line + b"\n" for line in found))
    assert kept.exists(), "no out.ndjson yet: run with --accept and read the diff"
    assert found == kept.read_bytes().splitlines()


def test_there_are_cases() -> None:
    assert len(CASES) >= 7
