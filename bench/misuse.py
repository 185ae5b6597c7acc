"""Wrong input and options, a bad archive, no network, no room, no reader: a line a case with what came of it.

    python bench/misuse.py

Right is: the exit code of the table, at most one line on stderr that names what is wrong, no traceback, what came before is kept.
Exit 1 where a case is not right.
"""

from __future__ import annotations

import gzip
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from lab_web import DEAD, ROOT, cribble, lab, offline, questions
from small_web import small_web

DEMO = ROOT / "fixtures" / "demo" / "demo.warc.gz"
PASSAGE = '{"type":"passage","id":"p1","url":"https://a.test/","text":"The weir was rebuilt in 1931.","start":0,"end":29}'


class Case(NamedTuple):
    """What is run by bash (`cribble` stands for the command), and what must come of it."""

    name: str
    line: str
    code: int
    says: str = ""
    """In the one line on stderr; nothing may be there when this is empty."""
    kept: str = ""
    """In standard output."""
    env: dict[str, str] | None = None


def input_cases() -> list[Case]:
    """Wrong records and wrong options."""
    good = f"printf '%s\\n' {shlex.quote(PASSAGE)}"
    return [
        Case("malformed line", f"({good}; echo '{{\"type\":') | cribble rank --question weir", 2, "line 2: not JSON", '"p1"'),
        Case("missing type", f"({good}; echo '{{\"a\":1}}') | cribble rank --question weir", 2, 'line 2: no "type"', '"p1"'),
        Case(
            "wrong field", f'({good}; echo \'{{"type":"passage","id":3}}\') | cribble budget', 2, "line 2: not a passage", '"p1"'
        ),
        Case(
            "malformed, in the middle of a pipe",
            f"({good}; echo x) | cribble rank --question weir | cribble budget",
            2,
            "line 2",
            '"p1"',
        ),
        Case("binary", "head -c 3000 /dev/urandom | cribble rank", 2, "line "),
        Case("a line of 300 MB", "head -c 300000000 /dev/zero | tr '\\0' x | cribble rank", 2, "line 1: longer than"),
        Case("empty line input", "printf '\\n\\n' | cribble expand", 1, "the input is empty", "tally"),
        Case("unknown option", "cribble fetch --paralel 4 http://a.test/", 2, "did you mean --parallel?"),
        Case("unknown option in run", "cribble run 'expand | serach' x", 2, "did you mean search?"),
        Case("unknown stage", "cribble fecth x", 2, "did you mean fetch?"),
        Case("unknown setting", "cribble expand x", 2, "did you mean CRIBBLE_PROXY?", env={"CRIBBLE_PROXI": "x"}),
        Case("unknown engine", "cribble run 'expand | search' x --engines gogle", 2, "gogle"),
        Case("a proxy that is no address", "cribble run 'fetch' http://example.com/ --proxy nonsense", 2, "proxy"),
        Case("a missing CA file", "cribble run 'fetch' https://example.com/ --ca-bundle /nowhere.pem", 2, "/nowhere.pem"),
        Case("a number out of range", "cribble rank --keep 0", 2, "1 to 200"),
    ]


def archive_cases(folder: Path) -> list[Case]:
    """Archives that cannot be replayed or recorded."""
    replay = "cribble run 'expand | search | fetch | rank' weir --replay"
    content = DEMO.read_bytes()
    for name, data in {
        "torn": content[: len(content) // 2],
        "short": content[:100],
        "flipped": content[:20000] + bytes([content[20000] ^ 255]) + content[20001:],
        "empty": b"",
        "text": b"hello",
        "gzip": gzip.compress(b"hello"),
        "foreign": gzip.compress(b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 2\r\n\r\nhi\r\n\r\n"),
    }.items():
        (folder / name).write_bytes(data)
    (folder / "secret").write_bytes(content)
    (folder / "readonly").mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", str(folder / "readonly")], check=False, capture_output=True)
    cases = [
        Case(f"archive: {name}", f"{replay} {folder / name}", 2, name) for name in ("short", "empty", "text", "gzip", "foreign")
    ]
    return [
        *cases,
        Case("archive: cut in half", f"{replay} {folder / 'torn'}", 69, "nothing found: replay_miss", "replay_miss"),
        Case("archive: missing", f"{replay} {folder}/none", 2, "No such file"),
        Case("archive: a folder", f"{replay} {folder}", 2, "irectory"),
        Case("archive: another question", f"{replay} {DEMO}", 69, "nothing found: replay_miss", "replay_miss"),
        Case("recording over a file", f"cribble run 'expand | search' x --record {DEMO}", 2, "exists"),
        Case(
            "recording into a read-only file system",
            f"cribble run 'expand | search' x --record {folder}/readonly/x",
            2,
            "Read-only",
        ),
        Case("tee into a read-only file system", f"cribble run 'expand' x --tee {folder}/readonly/x", 2, "Read-only"),
        Case("record and replay", f"cribble expand x --record {folder}/y --replay {DEMO}", 2, "not both"),
    ]


def output_cases(folder: Path, question: str) -> list[Case]:
    """Nobody to answer, nobody to read, no room."""
    whole = f"cribble run 'expand | search | fetch | rank' {shlex.quote(question)}"
    pipe = f"cribble expand {shlex.quote(question)} --record {folder}/{{0}} | cribble search | cribble fetch | cribble rank"
    return [
        Case("no network", whole, 69, "nothing found: network", '"network"', {"CRIBBLE_PROXY": DEAD}),
        Case(
            "no network, shell pipe",
            "cribble expand x | cribble search | cribble fetch",
            69,
            "nothing found: network",
            '"network"',
            {"CRIBBLE_PROXY": DEAD},
        ),
        Case(
            "no network, fetch",
            "cribble fetch http://example.com/",
            69,
            "nothing found: network",
            '"network"',
            {"CRIBBLE_PROXY": DEAD},
        ),
        Case("full disk while recording", f"ulimit -f 200; {whole} --record {folder}/full1", 2, "no room left"),
        # fetch ends with 2, and rank behind it with 1: it has nothing to rank
        Case("full disk while recording, shell pipe", f"ulimit -f 200; {pipe.format('full2')}", 1, "no room left"),
        Case("full disk for --tee", f"ulimit -f 20; {whole} --tee {folder}/tee", 2, "too large"),
        Case("full standard output", f"{whole} > /dev/full", 2, "No space left"),
        Case("closed standard output", f"{whole} | head -1", 141),
        Case(
            "closed standard output, shell pipe",
            "cribble expand x | cribble search | cribble fetch | cribble rank | head -1",
            141,
        ),
        Case("closed standard output at once", f"{whole} | true", 141),
        Case("no standard output", f"{whole} >&-", 2, "standard output"),
    ]


def tried(case: Case, env: dict[str, str], folder: Path) -> dict[str, object]:
    """Run one case."""
    line = f'set -o pipefail; cribble() {{ {shlex.quote(cribble())} "$@"; }}; {case.line}'
    try:
        done = subprocess.run(
            ["bash", "-c", line], env=env | (case.env or {}), capture_output=True, cwd=folder, timeout=60, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"case": case.name, "hangs": True, "ok": False}
    told, output = done.stderr.decode(errors="replace").splitlines(), done.stdout.decode(errors="replace")
    fits = (not told) if not case.says else len(told) == 1 and case.says in told[0]
    ok = done.returncode == case.code and fits and case.kept in output and "Traceback" not in done.stderr.decode(errors="replace")
    row: dict[str, object] = {"case": case.name, "exit": done.returncode, "stderr": [one[:200] for one in told[:3]], "ok": ok}
    return row if ok else row | {"wanted": [case.code, case.says, case.kept], "line": case.line, "stdout": output[-300:]}


def main() -> None:
    wrong = 0
    with tempfile.TemporaryDirectory() as name, lab("--seed", "1", "--budget", "off") as where, small_web():
        folder = Path(name)
        sets = [
            (input_cases(), offline()),
            (archive_cases(folder), offline()),
            (output_cases(folder, str(questions(1)[0]["question"])), where.environment()),
        ]
        try:
            for cases, env in sets:
                for case in cases:
                    row = tried(case, env, folder)
                    wrong += not row["ok"]
                    print(json.dumps(row), flush=True)
        finally:
            if os.path.ismount(folder / "readonly"):
                subprocess.run(["umount", str(folder / "readonly")], check=False)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
