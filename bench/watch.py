"""Looks at the processes of a session through /proc (Linux): who runs, with how much memory and how many descriptors."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

WORKER = "stages.core.worker"


def children(session: int) -> list[int]:
    """Processes of a session that have not ended."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            after = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(after[3]) == session and after[0] != "Z":
            found.append(int(folder.name))
    return found


def workers(session: int) -> list[int]:
    """Worker processes of a session."""
    return [number for number in children(session) if WORKER in _name(number)]


def _name(number: int) -> str:
    try:
        return Path(f"/proc/{number}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


class Peaks:
    """The most memory and descriptors that each process of a session had."""

    def __init__(self) -> None:
        self._peaks: dict[int, tuple[str, int, int]] = {}

    @contextmanager
    def watching(self, session: int) -> Iterator[None]:
        """Look several times a second while the block runs."""
        over = Event()

        def look() -> None:
            while not over.is_set():
                for number in children(session):
                    self._look(number)
                time.sleep(0.1)

        thread = Thread(target=look)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _look(self, number: int) -> None:
        name = _name(number)
        before, memory, most = self._peaks.get(number, ("", 0, 0))
        what = "worker" if WORKER in name else " ".join(name.split()[1:3]).rpartition("/")[2] or before or "ended"
        try:
            status = Path(f"/proc/{number}/status").read_text()
            descriptors = len(list(Path(f"/proc/{number}/fd").iterdir()))
        except OSError:
            return
        resident = next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")), 0)
        self._peaks[number] = (what, max(memory, resident), max(most, descriptors))

    def table(self) -> list[dict[str, object]]:
        """A row a process."""
        return [
            {"process": what, "peak_mb": round(memory / 1024), "descriptors": most} for what, memory, most in self._peaks.values()
        ]
