"""Whether a run can be repeated: shell pipe and one process, recording and replay, hash seeds, schedules, byte for byte.

    python bench/parity.py [--questions 8] [--faults mild] [--seed 1] [--keep DIR]

Records each question twice in the lab (one process, and a shell pipe), then replays both recordings without any network in every
way listed by `ways`. All outputs must equal the recorded one but for the milliseconds of a Tally and the Run's `replay`. Prints
JSON; exit 1 where two outputs differ.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from lab_web import cribble, lab, offline, questions

STAGES = "expand | search | fetch | rank | budget"
SPELLED = "expand | search{0} | dedupe | fetch{0} | sanitize{0} | extract{0} | chunk{0} | rank | budget"
BRIEF = ("one process, hash seed 1", "shell pipe, flag on the first")
"""What a recording made by a shell pipe is replayed in: the other ways start from the same file."""
PATIENCE_SECS = 120


def settled(output: bytes) -> bytes:
    """The output without what may differ between a recording and its replays."""
    lines = output.splitlines(keepends=True)
    if lines:
        lines[0] = lines[0].replace(b',"replay":true', b"")
    return re.sub(rb'^(\{"type":"tally".*"milliseconds":)\d+', rb"\g<1>0", b"".join(lines), flags=re.MULTILINE)


def one_process(stages: str, question: str, env: dict[str, str], *options: str) -> tuple[int, bytes, bytes]:
    """`cribble run`."""
    command = [cribble(), "run", stages, *options, "--", question]
    done = subprocess.run(command, env=env, capture_output=True, timeout=PATIENCE_SECS, check=False)
    return done.returncode, done.stdout, done.stderr


def shell_pipe(stages: str, question: str, env: dict[str, str], *options: str) -> tuple[int, bytes, bytes]:
    """The same stages as a shell would run them; the options go to the first command."""
    first, *rest = (f"{shlex.quote(cribble())} {stage.strip()}" for stage in stages.split("|"))
    line = " | ".join((f"{first} {shlex.join(options)} -- {shlex.quote(question)}", *rest))
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"], env=env, capture_output=True, timeout=PATIENCE_SECS, check=False
    )
    return done.returncode, done.stdout, done.stderr


def ways(archive: str, scratch: Path) -> dict[str, tuple[object, ...]]:
    """Every way to replay: how, which stages, environment, options; and which of them must agree (the last word)."""
    given = ("--replay", archive)
    named = {"PYTHONHASHSEED": "2", "CRIBBLE_REPLAY": archive}
    one, pipe = one_process, shell_pipe
    tee = ("--tee", tempfile.mkdtemp(dir=scratch))
    plain, slow, wide = (SPELLED.format(text) for text in ("", " --parallel 1", " --parallel 16"))
    return {
        "one process, hash seed 1": (one, STAGES, {"PYTHONHASHSEED": "1"}, given, "as recorded"),
        "one process, hash seed 2": (one, STAGES, {"PYTHONHASHSEED": "2"}, given, "as recorded"),
        "one process with --tee": (one, STAGES, {}, (*given, *tee), "as recorded"),
        "shell pipe, flag on the first": (pipe, STAGES, {"PYTHONHASHSEED": "1"}, given, "as recorded"),
        "shell pipe, variable in all": (pipe, STAGES, named, (), "as recorded"),
        "spelled out": (one, plain, {}, given, "spelled"),
        "spelled out, parallel 1": (one, slow, {"PYTHONHASHSEED": "1"}, given, "spelled"),
        "spelled out, parallel 16": (one, wide, {"PYTHONHASHSEED": "2"}, given, "spelled"),
        "spelled out, parallel 16, shell pipe": (pipe, wide, {}, given, "spelled"),
        "spelled out, parallel 1, --tee": (one, slow, {}, (*given, *tee), "spelled"),
    }  # fmt: skip


def difference(expected: bytes, found: bytes) -> str:
    """The first line that differs, from a little before the place on."""
    pairs = zip([*expected.splitlines(), b"(end)"], [*found.splitlines(), b"(end)"], strict=False)
    number, (one, other) = next(((number, pair) for number, pair in enumerate(pairs, 1) if pair[0] != pair[1]), (0, (b"", b"")))
    at = max(0, next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0) - 60)
    return f"line {number} at {at}: {one[at : at + 160]!r} / {other[at : at + 160]!r}" if number else "same"


def replays(made: Made, scratch: Path, tally: dict[str, dict[str, float]]) -> list[str]:
    """Replay in every way, or in those of BRIEF; returns what differed."""
    expected = {"as recorded": (made.code, settled(made.output))}
    wrong = []
    for name, (how, stages, more, options, group) in ways(made.archive, scratch).items():
        if made.how == "shell_pipe" and name not in BRIEF:
            continue
        began = time.perf_counter()
        code, output, complaint = how(stages, made.question, offline(**more), *options)  # type: ignore[operator]
        found = (code, settled(output))
        row = tally.setdefault(name, {"runs": 0, "equal": 0, "seconds": 0.0})
        row["runs"] += 1
        row["seconds"] = round(row["seconds"] + time.perf_counter() - began, 2)
        wanted = expected.setdefault(str(group), found)
        if found == wanted and not complaint:
            row["equal"] += 1
        else:
            wrong.append(
                f"{made.archive}, {name}: exit {wanted[0]} / {code}; {complaint.decode()[:300]}{difference(wanted[1], found[1])}"
            )
    return wrong


class Made(NamedTuple):
    """A recording, and what its run put out."""

    question: str
    how: str
    archive: str
    code: int
    output: bytes


def recordings(asked: list[str], scratch: Path, options: argparse.Namespace) -> list[Made]:
    """Each question twice in the lab, which has ended when this returns."""
    made = []
    with lab("--faults", options.faults, "--seed", options.seed) as where:
        for number, question in enumerate(asked):
            for how in (one_process, shell_pipe):
                name = str(scratch / f"{number}-{how.__name__}.warc.gz")
                given = ("--record", name, "--deadline-secs", options.deadline_secs)
                code, output, complaint = how(STAGES, question, where.environment(), *given)
                if complaint:
                    raise SystemExit(f"{question!r}: {complaint.decode()}")
                made.append(Made(question, how.__name__, name, code, output))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=8)
    parser.add_argument("--skip", type=int, default=0, help="questions to leave out at the beginning")
    parser.add_argument("--faults", default="mild", choices=("none", "mild", "hostile"))
    parser.add_argument("--seed", default="1")
    parser.add_argument("--deadline-secs", default="0", help="of the recorded runs")
    parser.add_argument("--keep", help="keep the archives in this folder")
    options = parser.parse_args()
    asked = [str(row["question"]) for row in questions(options.skip + options.questions)[options.skip :]]
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(options.keep or folder)
        scratch.mkdir(exist_ok=True)
        tally: dict[str, dict[str, dict[str, float]]] = {}
        wrong, outcomes = [], Counter()
        for made in recordings(asked, scratch, options):
            wrong += replays(made, scratch, tally.setdefault(f"recorded by {made.how}", {}))
            rows = map(json.loads, made.output.splitlines())
            outcomes.update(row["kind"] if row["type"] == "failure" else row["type"] for row in rows)
    rows = [{"recording": made, "replay": name, **row} for made, table in tally.items() for name, row in table.items()]
    told = {"questions": len(asked), "faults": options.faults, "seed": options.seed, "recorded": outcomes}
    print(json.dumps(told), *map(json.dumps, rows), json.dumps({"different": wrong}), sep="\n")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
