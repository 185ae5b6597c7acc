"""Serves broken answers to the whole pipe, batch after batch, and looks for a hang, a crash, or a page lost without a word.

    python bench/mutations.py [--minutes 60] [--seed 1] [--first 0] [--batch 250] [--state FILE]

Every answer is made from the seed and its number (`mutants.py`): status line, headers, chunking, gzip and bodies of every kind
that is read, each broken in some way. A batch goes through `cribble run 'fetch | sanitize | extract | chunk'` in a process of its
own, with pacing and cache off. With --state the next number and what was found are kept in a file, and a later run goes on there.

Prints what was found, a line each, then the figures. Exit 1 when anything was found: an exit code that a run of bad pages has
not, a traceback on stderr, a batch that took too long, an address without an outcome, a page on which a worker died. Pages on
which a worker was ended after its 20 s are told, as `slow`: on a machine with much else to do that is nobody's fault.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lab_web import ROOT
from mutants import mutant
from watch import Peaks

COMMAND = [sys.executable, "-c", "from pipelines.start import main; main()", "run"]
STAGES = "fetch --parallel 16 --timeout-secs 8 | sanitize | extract | chunk"
MOST_SECS = 240
"""For a batch; every page has its own, much shorter times, so this is a hang."""
GOOD_EXITS = (0, 1, 69)
_HOST = "mutant.example"


class _Served:
    """Answers as a proxy does: each number on a host of its own, so that each has a robots.txt of its own."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, EOFError, asyncio.LimitOverrunError):
            head = await reader.readuntil(b"\r\n\r\n")
            address = urlsplit(head.split(b" ")[1].decode("latin-1"))
            raw, reset = self._answer(address.hostname or "", address.path)
            if reset:
                writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.write(raw)
            await writer.drain()
        writer.close()

    def _answer(self, host: str, path: str) -> tuple[bytes, bool]:
        first = host.partition(".")[0].removeprefix("m")
        if path == "/dns":
            return _plain(json.dumps({"addresses": ["93.184.216.34"]}).encode()), False
        if not first.isdigit():
            return _plain(b"nobody", 404), False
        number = int(first)
        if path == "/robots.txt" and number % 10:
            return _plain(b"", 404), False
        if path == "/s.css":
            number += 1 << 40
        made = mutant(self._seed, number if path != "/robots.txt" else number + (1 << 41))
        return made.raw, made.reset


def _plain(body: bytes, status: int = 200) -> bytes:
    return b"HTTP/1.1 %d X\r\ncontent-length: %d\r\nconnection: close\r\n\r\n%s" % (status, len(body), body)


@contextmanager
def served(seed: int) -> Iterator[int]:
    """The port of the server, which runs in a thread."""
    loop = asyncio.new_event_loop()
    ready: list[int] = []
    begun = threading.Event()

    async def serve() -> None:
        server = await asyncio.start_server(_Served(seed), "127.0.0.1", 0, backlog=256)
        ready.append(server.sockets[0].getsockname()[1])
        begun.set()

    loop.create_task(serve())  # noqa: RUF006  the loop holds the server
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    begun.wait()
    try:
        yield ready[0]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


class State:
    """What is known so far, and where to go on."""

    def __init__(self, path: Path | None, seed: int, first: int) -> None:
        self._path = path
        self.next = first
        self.seed = seed
        self.outcomes: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.found: list[dict[str, Any]] = []
        self.slow: list[int] = []
        if path is not None and path.exists():
            kept = json.loads(path.read_text(encoding="utf-8"))
            if kept["seed"] != seed:
                raise SystemExit(f"{path} is of seed {kept['seed']}")
            self.next, self.found, self.slow = kept["next"], kept["found"], kept["slow"]
            self.outcomes, self.kinds = Counter(kept["outcomes"]), Counter(kept["kinds"])

    def save(self) -> None:
        """Write it down, if there is a file."""
        if self._path is not None:
            told = {"outcomes": self.outcomes, "kinds": self.kinds, "found": self.found, "slow": self.slow}
            self._path.write_text(json.dumps({"seed": self.seed, "next": self.next, **told}), encoding="utf-8")


def batch(state: State, size: int, port: int, peaks: Peaks) -> None:
    """Carry so many pages through, and note what should not be."""
    numbers = range(state.next, state.next + size)
    urls = {f"http://m{number}.{_HOST}/page": number for number in numbers}
    own = {name: value for name, value in os.environ.items() if not name.startswith("CRIBBLE_")}
    proxy = f"http://127.0.0.1:{port}"
    own |= {"CRIBBLE_PROXY": proxy, "CRIBBLE_RESOLVER": f"{proxy}/dns", "CRIBBLE_PACE_SECS": "0", "CRIBBLE_CACHE": "false"}
    with tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(
            [*COMMAND, STAGES], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=complaints,
            env=own | {"PYTHONPATH": str(ROOT)}, start_new_session=True,
        )  # fmt: skip
        with peaks.watching(process.pid):
            try:
                output = process.communicate("\n".join(urls).encode(), timeout=MOST_SECS)[0]
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                process.communicate()
                state.found.append({"what": "hang", "first": numbers[0], "size": size})
                return
        complaints.seek(0)
        said = complaints.read().decode("utf-8", "replace")
    judge(state, urls, output, process.returncode, said)


def judge(state: State, urls: dict[str, int], output: bytes, code: int, said: str) -> None:
    """What the records of a batch say."""
    if code not in GOOD_EXITS or "Traceback" in said:
        state.found.append({"what": f"exit {code}", "first": min(urls.values()), "size": len(urls), "said": said[-600:]})
    told = set()
    for row in (json.loads(line) for line in output.splitlines()):
        if row["type"] == "failure":
            subject, outcome = row["subject"], f"{row['stage']} {row['kind']}"
        elif row["type"] == "document":
            subject, outcome = row.get("provenance", {}).get("asked") or row["url"], "document"
        else:
            continue
        number = urls.get(subject)
        if number is None:
            continue
        told.add(number)
        state.outcomes[outcome] += 1
        if row.get("kind") == "crashed":
            kind = mutant(state.seed, number).kind
            state.found.append({"what": outcome, "number": number, "kind": kind, "said": row["message"][-300:]})
        elif row.get("kind") == "timeout" and row["stage"] != "fetch":
            state.slow.append(number)
    lost = sorted(set(urls.values()) - told)
    if lost and code in GOOD_EXITS:
        state.found.append({"what": "no outcome", "numbers": lost[:20], "of": len(lost)})
    state.kinds.update(mutant(state.seed, number).kind for number in urls.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--batch", type=int, default=250)
    parser.add_argument("--state", type=Path)
    given = parser.parse_args()
    state, peaks = State(given.state, given.seed, given.first), Peaks()
    first, began, known = state.next, time.monotonic(), len(state.found)
    with served(given.seed) as port:
        while time.monotonic() - began < given.minutes * 60:
            batch(state, given.batch, port, peaks)
            state.next += given.batch
            state.save()
            for row in state.found[known:]:
                print(json.dumps(row), flush=True)
            known = len(state.found)
    table = peaks.table()
    print(json.dumps({
        "seed": given.seed, "first": first, "next": state.next, "minutes": round((time.monotonic() - began) / 60, 1),
        "found": len(state.found), "slow": state.slow, "outcomes": dict(state.outcomes.most_common()), "kinds": dict(state.kinds),
        "peak_mb": max((row["peak_mb"] for row in table if row["process"] != "worker"), default=0),
        "worker_peak_mb": max((row["peak_mb"] for row in table if row["process"] == "worker"), default=0),
    }))  # fmt: skip
    sys.exit(bool(state.found))


if __name__ == "__main__":
    main()
