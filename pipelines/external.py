"""`cribble X` runs `cribble-X`: commands that somebody added without touching this package."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def find(name: str) -> str | None:
    """The executable `cribble-NAME`: beside the running one, or else on PATH."""
    if not name or "/" in name or name.startswith("-"):
        return None
    beside = [str(Path(sys.argv[0]).absolute().parent), str(Path(sys.executable).parent)]
    for folder in (*beside, *os.environ.get("PATH", os.defpath).split(os.pathsep)):
        path = Path(folder) / f"cribble-{name}"
        if folder and path.is_file() and os.access(path, os.X_OK):
            return str(path)
    return None


def run(path: str, arguments: list[str]) -> int:
    """Become that program. Comes back only when it could not be started, with the shell's exit code for that."""
    try:
        os.execv(path, [path, *arguments])  # noqa: S606 - the user asked for this program by name
    except OSError as error:
        sys.stderr.write(f"cribble: {path}: {error.strerror}\n")
    return 126
