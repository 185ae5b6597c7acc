"""An archive under hard use: writers killed at any moment, and many that append at once.

    python bench/appending.py [--kills 50] [--processes 8] [--each 200] [--seed 1]

kill    a process records bodies of up to 2 MB one after the other, says each number once it is written, and is killed without
        warning. Then every number that was said must replay with its body, another tool must read every whole record, and a
        second writer must be able to go on.
append  so many processes record at once into one file, their own outcomes and some that all of them ask for: none may be missing
        or wrong, and of the common ones each must be there once.

Prints a line for each with its figures. Exit 1 where something was lost.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import anyio
from lab_web import ROOT

from stages.core.env import Reply, Request
from stages.core.errors import ArchiveError, StageError
from stages.net.archive import Recorder, Replayer
from stages.net.warc import Warc
from stages.records import Run

RUN = Run(wire=1, cribble="0.0.0", id="b" * 16, start="2026-01-01T00:00:00.000Z")
COMMON = 40
"""Outcomes that every process asks for."""
LATEST_SECS = 0.4
"""When a writer is killed, at the latest, after its first number."""


class Wire:
    """A door whose answers follow from the address."""

    def bind(self, *_: object) -> Wire:
        """Itself: every call gets the same."""
        return self

    async def send(self, request: Request) -> Reply:
        """What the address stands for."""
        return Reply(url=request.url, status=200, headers=(("content-type", "text/plain"),), body=body(request.url))

    async def aclose(self) -> None:
        """Nothing is open."""


def body(url: str) -> bytes:
    """Bytes that cannot be compressed; those of a writer that will be killed are longer, so that it is killed while it writes."""
    chance = random.Random(url)
    longest = 2_000_000 if url.startswith("https://first.") else 100_000
    return chance.randbytes(chance.choice((10, 1000, longest // 10, longest)))


async def write(path: str, who: str, count: int) -> None:
    """Record so many outcomes, or for ever where `count` is 0, and say each number when it is in the file."""
    recorder = Recorder.join(Wire(), path, RUN)  # type: ignore[arg-type]
    net = recorder.bind("fetch", who, float("inf"), set())
    number = 0
    while not count or number < count:
        await net.send(Request(url=f"https://{who}.example/{number}"))
        if count and number < COMMON:
            await net.send(Request(url=f"https://all.example/{number}", shared=True))
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()
        number += 1
    await recorder.aclose()


def child(path: Path, who: str, count: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, __file__, "--write", str(path), "--who", who, "--each", str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, env={"PYTHONPATH": str(ROOT)})


async def replayed(path: Path, wanted: dict[str, list[str]], *, shared: bool = False) -> list[str]:
    """Addresses by who recorded them, that do not come back as they were."""
    replayer = Replayer(path)
    wrong = []
    for who, urls in wanted.items():
        net = replayer.bind("fetch", who, float("inf"), set())
        for url in urls:
            try:
                right = (await net.send(Request(url=url, shared=shared))).body == body(url)
            except StageError:
                right = False
            wrong += [] if right else [url]
    await replayer.aclose()
    return wrong


def whole_records(path: Path) -> Counter[str]:
    """Records by URL and kind that another reader finds, each with a good checksum; it stops where a record was torn."""
    from warcio.archiveiterator import ArchiveIterator
    from warcio.exceptions import ArchiveLoadFailed

    found: Counter[str] = Counter()
    with path.open("rb") as stream:
        try:
            for record in ArchiveIterator(stream, check_digests="raise"):
                record.content_stream().read()
                found[f"{record.rec_type} {record.rec_headers.get_header('WARC-Target-URI')}"] += 1
        except (ArchiveLoadFailed, EOFError, ValueError, AttributeError):
            pass
    return found


async def killed(path: Path, chance: random.Random) -> dict[str, Any]:
    """One writer's end."""
    await Recorder.start(Wire(), path, RUN).aclose()  # type: ignore[arg-type]
    process = child(path, "first", 0)
    assert process.stdout is not None
    said = [process.stdout.readline()]
    await anyio.sleep(chance.uniform(0, LATEST_SECS))
    process.kill()
    said += process.communicate()[0].splitlines(keepends=True)
    told = [int(line) for line in said if line.endswith(b"\n")]
    size = path.stat().st_size  # noqa: ASYNC240  nothing else runs here
    urls = [f"https://first.example/{number}" for number in told]
    wrong = await replayed(path, {"first": urls})
    found = whole_records(path)
    missing = [url for url in urls if not found[f"response {url}"]]
    try:
        torn = size - sum(place.length for place, _ in Warc.open(path).walk())
        second = Recorder.join(Wire(), path, RUN)  # type: ignore[arg-type]
        await second.bind("fetch", "second", float("inf"), set()).send(Request(url="https://second.example/0"))
        await second.aclose()
        wrong += await replayed(path, {"first": urls, "second": ["https://second.example/0"]})
    except ArchiveError as error:
        wrong.append(str(error))
        torn = 0
    return {"written": len(told), "bytes": size, "torn": torn > 0, "wrong": wrong, "missing": missing}


async def kill(count: int, seed: int, folder: Path) -> dict[str, Any]:
    """Kill so many writers."""
    chance, rounds = random.Random(seed), []
    for number in range(count):
        path = folder / f"{number}.warc.gz"
        rounds.append(await killed(path, chance))
        path.unlink()
    lost = [one for turn in rounds for one in (*turn["wrong"], *turn["missing"])]
    return {
        "check": "kill -9", "kills": count, "torn": sum(turn["torn"] for turn in rounds),
        "written": sum(turn["written"] for turn in rounds), "most_mb": round(max(turn["bytes"] for turn in rounds) / 1e6, 1),
        "lost": lost, "ok": not lost,
    }  # fmt: skip


async def append(processes: int, each: int, folder: Path) -> dict[str, Any]:
    """So many writers at once."""
    path = folder / "all.warc.gz"
    await Recorder.start(Wire(), path, RUN).aclose()  # type: ignore[arg-type]
    began = time.perf_counter()
    running = [child(path, f"p{number}", each) for number in range(processes)]
    codes = [process.wait() for process in running if process.communicate()]
    spent = time.perf_counter() - began
    wanted = {f"p{number}": [f"https://p{number}.example/{one}" for one in range(each)] for number in range(processes)}
    common = [f"https://all.example/{number}" for number in range(min(COMMON, each))]
    wrong = await replayed(path, wanted) + await replayed(path, {"p0": common}, shared=True)
    found = whole_records(path)
    twice = [name for name, times in found.items() if name.startswith("response") and times != 1]
    return {
        "check": "append", "processes": processes, "outcomes": processes * each + len(common), "seconds": round(spent, 1),
        "mb": round(path.stat().st_size / 1e6, 1), "exits": sorted(set(codes)), "wrong": wrong[:5], "twice": twice[:5],
        "ok": not wrong and not twice and set(codes) == {0}
        and sum(name.startswith("response") for name in found) == processes * each + len(common),
    }  # fmt: skip


async def checks(given: argparse.Namespace) -> bool:
    with tempfile.TemporaryDirectory() as scratch:
        folder, good = Path(scratch), True
        for row in (await kill(given.kills, given.seed, folder), await append(given.processes, given.each, folder)):
            print(json.dumps(row), flush=True)
            good &= row["ok"]
    return good


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--each", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", help=argparse.SUPPRESS)
    parser.add_argument("--who", default="", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.write:
        anyio.run(write, given.write, given.who, given.each)
        return
    sys.exit(not anyio.run(checks, given))


if __name__ == "__main__":
    main()
