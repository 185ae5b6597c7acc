"""Live progress: one line on a terminal's stderr that says how far each stage is."""

from __future__ import annotations

import sys
import time
from shutil import get_terminal_size

_EVERY_SECS = 0.1


class Progress:
    """Call it with a stage's counts; `clear` when the run is over."""

    def __init__(self) -> None:
        self._counts: dict[str, tuple[int, int]] = {}
        self._drawn_at = 0.0

    def __call__(self, stage: str, read: int, done: int) -> None:
        """Stage so far: records read, and how many of them are dealt with."""
        self._counts[stage] = (read, done)
        now = time.monotonic()
        if now - self._drawn_at >= _EVERY_SECS:
            self._drawn_at = now
            line = "  ".join(f"{name} {over}/{seen}" for name, (seen, over) in self._counts.items() if seen)
            sys.stderr.write(f"\r\x1b[2K{line[: get_terminal_size().columns - 1]}")
            sys.stderr.flush()

    def clear(self) -> None:
        """Leave the line empty."""
        sys.stderr.write("\r\x1b[2K")
        sys.stderr.flush()
