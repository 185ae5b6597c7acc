"""`cribble cache stats` and `cribble cache clear`: what the store holds, and how to be rid of it."""

from __future__ import annotations

import sqlite3
import time
from datetime import UTC, datetime

from pipelines.output import complain, write
from stages.core.errors import FOUND, UsageError
from stages.store import results, upkeep
from stages.store.database import Store
from stages.store.folder import cache_folder

_ACTIONS = {
    "stats": "what there is, and where",
    "clear": "delete pages, results and what engines were asked; when hosts were is remembered, so as not to hurry them",
}
USAGE = "usage: cribble cache stats|clear\n\n" + "".join(f"  {name}  {text}\n" for name, text in _ACTIONS.items())


def cache(arguments: list[str]) -> int:
    """Carry out `cribble cache …`. Raises UsageError."""
    if arguments in (["-h"], ["--help"]):
        write(USAGE.encode())
        return FOUND
    if len(arguments) != 1 or arguments[0] not in _ACTIONS:
        raise UsageError(f"say {' or '.join(_ACTIONS)}: cribble cache {'|'.join(_ACTIONS)}")
    folder = cache_folder()
    store = Store(folder)
    try:
        if arguments[0] == "clear":
            said = f"deleted {upkeep.clear(store, folder)} stored answers in {folder}\n"
        else:
            said = _shown(upkeep.usage(store, folder, time.time()), str(folder))
    except sqlite3.Error as error:
        raise UsageError(f"{folder}: {error}") from None
    finally:
        store.close()
    if not store.shared:
        raise UsageError("; ".join(store.troubles) or "there is no store to look at")
    for trouble in store.troubles:
        complain(f"cribble cache: {trouble}")
    write(said.encode())
    return FOUND


def _shown(usage: upkeep.Usage, folder: str) -> str:
    oldest = f"{datetime.fromtimestamp(usage.oldest, UTC):%Y-%m-%d %H:%M} UTC" if usage.answers else "-"
    rows = {
        "folder": folder,
        "on disk": f"{usage.disk_bytes / 2**20:.1f} MiB",
        "answers": f"{usage.answers} ({usage.bytes / 2**20:.1f} of {upkeep.QUOTA_BYTES / 2**20:.0f} MiB), {usage.fresh} fresh",
        "oldest": oldest,
        "to read on": f"{usage.results} results ({usage.results_bytes / 2**20:.1f} of {results.MAX_BYTES / 2**20:.0f} MiB)",
        "hosts paced": f"{usage.hosts_paced}, {usage.hosts_held} of them asked to be left alone for now",
        "schema": f"{usage.schema}",
    }
    return "".join(f"{name:12} {value}\n" for name, value in rows.items())
