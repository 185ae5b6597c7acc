"""A recorded run comes out the same however it is run again: the demo, in one process, by shell pipe, on any schedule."""

from __future__ import annotations

import random
import re
import shlex
import subprocess
import tomllib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint
from cribble_process import COMMAND, PATIENCE_SECS, ROOT, cribble, environment, kinds

from pipelines import feed, texts
from pipelines.config import configured
from pipelines.run import carry
from pipelines.steps import parse_steps
from stages import load
from stages.core.plan import build
from stages.core.wire import Item, encoded
from stages.core.workers import Pool
from stages.net import archive

RECORDED = ROOT / "pipelines" / "recorded"
ARCHIVE = str(RECORDED / "demo.warc.gz")
DEMO = tomllib.loads((RECORDED / "demo.toml").read_text("utf-8"))
QUESTION, STAGES = DEMO["question"], DEMO["stages"]
DEAD = "http://127.0.0.1:9"
WIDE = "expand | search --per-engine 20 --parallel {0} | dedupe --limit 20 | fetch --parallel {0} | sanitize --parallel {1} | {2}"
REST = "extract | chunk | rank | budget"


def settled(output: bytes) -> bytes:
    """The output, with every Tally's milliseconds at 0."""
    return re.sub(rb'^(\{"type":"tally".*"milliseconds":)\d+', rb"\g<1>0", output, flags=re.MULTILINE)


def replayed(*arguments: str, **more: str) -> bytes:
    """What `cribble run` puts out, without a network."""
    done = cribble("run", *arguments, "--replay", ARCHIVE, QUESTION, CRIBBLE_PROXY=DEAD, **more)
    assert (done.returncode, done.stderr) == (0, b"")
    return settled(done.stdout)


def piped(stages: str, *, everywhere: bool, **more: str) -> bytes:
    """What a shell pipe of the stages puts out; the archive is named in the first command, or to all of them."""
    first, *rest = (step.strip() for step in stages.split("|"))
    named = "" if everywhere else f"--replay {shlex.quote(ARCHIVE)}"
    line = " | ".join([f'"$@" {first} {named} {shlex.quote(QUESTION)}', *(f'"$@" {step}' for step in rest)])
    env = environment(CRIBBLE_PROXY=DEAD, **more, **({"CRIBBLE_REPLAY": ARCHIVE} if everywhere else {}))
    done = subprocess.run(["sh", "-c", line, "sh", *COMMAND], capture_output=True, env=env, timeout=PATIENCE_SECS, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    return settled(done.stdout)


@pytest.fixture(scope="module")
def expected() -> bytes:
    """The demo in one process."""
    done = cribble("run", STAGES, "--replay", ARCHIVE, QUESTION, CRIBBLE_PROXY=DEAD, PYTHONHASHSEED="1")
    assert done.returncode == 0, done.stderr
    assert {"passage", "document", "failure", "drop", "attempt", "notice", "tally"} <= set(kinds(done.stdout))
    return settled(done.stdout)


def test_the_demo_command_shows_what_its_archive_replays(expected: bytes) -> None:
    assert settled(cribble("demo", CRIBBLE_PROXY=DEAD).stdout) == expected


def test_another_hash_seed_changes_nothing(expected: bytes) -> None:
    assert replayed(STAGES, PYTHONHASHSEED="2") == expected


def test_a_shell_pipe_gives_the_same_bytes_as_one_process(expected: bytes) -> None:
    assert piped(STAGES, everywhere=False, PYTHONHASHSEED="3") == expected


def test_an_archive_named_to_every_command_of_a_pipe_is_the_same_archive(expected: bytes) -> None:
    assert piped(STAGES, everywhere=True) == expected


def test_copies_of_what_leaves_each_stage_change_nothing_and_the_last_is_the_output(expected: bytes, tmp_path: Path) -> None:
    output = replayed(STAGES, "--tee", str(tmp_path))
    last = max(tmp_path.iterdir()).read_bytes()
    assert output == expected
    assert settled(last) == expected.partition(b"\n")[2]


def test_more_or_fewer_calls_at_once_change_nothing() -> None:
    assert replayed(WIDE.format(1, 1, REST)) == replayed(WIDE.format(8, 2, REST))


@pytest.mark.parametrize("seed", range(4))
def test_no_schedule_changes_a_replay(expected: bytes, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    for kind, name in ((archive._Replaying, "send"), (archive._Replaying, "read"), (Pool, "call")):
        monkeypatch.setattr(kind, name, _delayed(getattr(kind, name), chance))
    assert anyio.run(_in_this_process, chance) == expected


def _delayed(call: Any, chance: random.Random) -> Any:
    """The same call, overtaken by others before it begins and before it returns."""

    async def delayed(*arguments: Any, **named: Any) -> Any:
        for _ in range(chance.choice((0, 0, 1, 5, 50, 400))):
            await checkpoint()
        try:
            return await call(*arguments, **named)
        finally:
            for _ in range(chance.choice((0, 1, 3, 20))):
                await checkpoint()

    return delayed


async def _in_this_process(chance: random.Random) -> bytes:
    """The demo run in this process, fed and drained at an uneven pace."""
    out: list[Item] = []

    async def sink(items: list[Item]) -> None:
        out.extend(items)
        for _ in range(chance.choice((0, 0, 7))):
            await checkpoint()

    async def blocks() -> AsyncIterator[list[Item]]:
        for item in texts.from_words("expand", (QUESTION,)) or ():
            await checkpoint()
            yield [item]

    with anyio.fail_after(PATIENCE_SECS):
        await carry(build(parse_steps(STAGES), load), feed.Feed(blocks()), configured({"replay": ARCHIVE, "proxy": DEAD}), sink)
    return settled(b"".join(map(encoded, out)))
