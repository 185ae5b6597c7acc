"""Runs a pipe over URLs in a process of its own, watched from outside: what became of each URL, the peaks, what was left behind.

echo '{"stages": "fetch | sanitize", "urls": ["https://example.org/"]}' | python bench/one_run.py
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from watch import Peaks, children

PATIENCE_SECS = 1800


def carried(urls: list[str], stages: str, environment: dict[str, str]) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """A row for each URL (`outcome`, `text` of what came out, `message`), and the figures of the process."""
    with tempfile.TemporaryDirectory() as scratch:
        own = environment | {"TMPDIR": scratch, "PYTHONPATH": str(Path(__file__).parents[1])}
        peaks, began = Peaks(), time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=own, start_new_session=True
        )
        with peaks.watching(process.pid):
            output = process.communicate(json.dumps({"urls": urls, "stages": stages}).encode(), timeout=PATIENCE_SECS)[0]
        rows = [json.loads(line) for line in output.splitlines()]
        left = rows.pop()["left"] | {"processes": len(children(process.pid)), "files": sorted(map(str, Path(scratch).iterdir()))}
    table = peaks.table()
    return {row["url"]: row for row in rows}, {
        "exit": process.returncode,
        "seconds": round(time.perf_counter() - began, 1),
        "peak_mb": max((row["peak_mb"] for row in table if row["process"] != "worker"), default=0),
        "worker_peak_mb": max((row["peak_mb"] for row in table if row["process"] == "worker"), default=0),
        "left": {name: what for name, what in left.items() if what},
    }


async def run(urls: list[str], stages: str) -> None:
    """One run as the command would make it, in this process."""
    import asyncio

    from pipelines import feed, texts
    from pipelines.config import configured
    from pipelines.run import carry
    from pipelines.steps import parse_steps
    from stages import load
    from stages.core.plan import build

    async def sink(items: list[Any]) -> None:
        for row in filter(None, map(_row, items)):
            print(json.dumps(row))

    before = descriptors()
    made = texts.from_words("fetch", tuple(urls))
    assert made is not None
    await carry(build(parse_steps(stages), load), feed.Feed(feed.items(made)), configured({}), sink)
    await asyncio.sleep(0.2)  # what was cancelled may end
    tasks = [task.get_name() for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    alive = [thread.name for thread in threading.enumerate() if thread is not threading.main_thread()]
    left = {
        "tasks": tasks,
        "threads": [name for name in alive if "AnyIO" not in name],  # idle ones of its pool go with the loop
        "descriptors": sorted((Counter(descriptors()) - Counter(before)).elements()),
    }
    print(json.dumps({"left": left}))


def _row(item: Any) -> dict[str, Any] | None:
    from stages.records import Document, Failure, Page
    from stages.text.charset import decode

    if isinstance(item, Document):
        return {"url": item.provenance.asked or item.url, "outcome": "ok", "text": item.text}
    if isinstance(item, Page):
        return {"url": item.asked, "outcome": "ok", "text": decode(item.body, item.charset)[0]}
    if isinstance(item, Failure):
        return {"url": item.subject, "outcome": item.kind, "stage": item.stage, "message": item.message}
    return None


def descriptors() -> list[str]:
    """Open descriptors by what they are, without their numbers."""
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        try:
            found.append(str(entry.readlink()).partition("[")[0])
        except OSError:
            continue  # the one by which the folder is read
    return found


def main() -> None:
    import anyio

    job = json.load(sys.stdin)
    anyio.run(run, job["urls"], job["stages"])


if __name__ == "__main__":
    main()
