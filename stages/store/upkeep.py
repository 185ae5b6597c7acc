"""What the store holds, and how to empty it: what `cribble cache` shows and does."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from msgspec import Struct

from stages.store import answers, budgets, pacing, results
from stages.store.database import Store
from stages.store.folder import NAME
from stages.store.schema import version

QUOTA_BYTES = answers.MAX_BYTES


class Usage(Struct, frozen=True, kw_only=True):
    """Counts and sizes; times are Unix seconds, 0 where there is nothing."""

    schema: int
    answers: int
    bytes: int
    """Of the answers, packed."""
    oldest: float
    fresh: int
    results: int
    """Kept for who reads on, and"""
    results_bytes: int
    """their size, packed."""
    hosts_paced: int
    hosts_held: int
    disk_bytes: int
    """Of every file in the folder."""


def usage(store: Store, folder: Path, now: float) -> Usage:
    """What is there."""

    def count(connection: sqlite3.Connection) -> Usage:
        pacing.forget(connection, now)
        answers, size, oldest, fresh = connection.execute(
            "SELECT count(*), coalesce(sum(bytes), 0), coalesce(min(got), 0), coalesce(sum(fresh_until > ?), 0) FROM answer",
            (now,),
        ).fetchone()
        paced, held = connection.execute("SELECT count(*), coalesce(sum(held_until > ?), 0) FROM pace", (now,)).fetchone()
        kept = results.held(connection)
        return Usage(
            results=kept.results,
            results_bytes=kept.bytes,
            schema=version(connection),
            answers=answers,
            bytes=size,
            oldest=oldest,
            fresh=fresh,
            hosts_paced=paced,
            hosts_held=held,
            disk_bytes=_disk_bytes(folder),
        )

    return store.transact(count)


def clear(store: Store, folder: Path) -> int:
    """Delete the answers, results, budgets and files put aside, and give the room back; returns how many answers there were.

    When a host was asked is no cache: those that want to be left alone still are.
    """

    def empty(connection: sqlite3.Connection) -> int:
        budgets.clear(connection)
        results.clear(connection)
        return connection.execute("DELETE FROM answer").rowcount

    gone = store.transact(empty)
    store.vacuum()
    for path in sorted(folder.glob(f"{NAME}.damaged*")):
        path.unlink(missing_ok=True)
    return gone


def _disk_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in sorted(folder.glob("*")) if path.is_file()) if folder.is_dir() else 0
