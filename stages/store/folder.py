"""Where state lives: the platform's cache folder, for its owner alone; nothing is ever put in the working directory."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

NAME = "store.sqlite3"


def cache_folder() -> Path:
    """`$XDG_CACHE_HOME/cribble` where that is set, else the platform's own place. Not made yet."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(named):  # noqa: PTH117  the XDG rules ignore a relative one
        return Path(named) / "cribble"
    try:
        home = Path.home()
    except RuntimeError:  # a user whom the system does not know, as in a container
        home = Path("/")
    return home / "Library/Caches/cribble" if sys.platform == "darwin" else home / ".cache/cribble"


def prepare(folder: Path) -> None:
    """Make the folder, and close it to others. Raises OSError, also for a folder that belongs to somebody else."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.stat()
    if found.st_uid != os.geteuid():
        raise PermissionError(f"{folder} belongs to another user")
    if stat.S_IMODE(found.st_mode) & 0o077:
        folder.chmod(0o700)
