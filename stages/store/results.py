"""Results that a reply did not show to their end, by a name that says what they hold: work for `Store.transact`."""

from __future__ import annotations

import sqlite3
import zlib

from msgspec import Struct

KEEP_SECS = 86_400.0
"""Somebody who reads on does so within the day."""
MAX_BYTES = 64 << 20
"""Of all results together, packed; past this the oldest go first."""
_LEVEL = 1


class Held(Struct, frozen=True, kw_only=True):
    """How many results are kept, and how many bytes they are, packed."""

    results: int
    bytes: int


def pack(body: bytes) -> bytes:
    """The result as it is stored; done before the transaction, since it takes longer."""
    return zlib.compress(body, _LEVEL)


def put(connection: sqlite3.Connection, name: str, packed: bytes, now: float, quota: int = MAX_BYTES) -> None:
    """Keep a result for a day, and make room. One that is kept already begins its day anew."""
    connection.execute(
        "INSERT OR REPLACE INTO result (name, body, bytes, made, keep_until) VALUES (?, ?, ?, ?, ?)",
        (name, packed, len(packed), now, now + KEEP_SECS),
    )
    connection.execute("DELETE FROM result WHERE keep_until <= ? OR made > ?", (now, now + KEEP_SECS))
    total = held(connection).bytes
    for old, size in connection.execute("SELECT name, bytes FROM result ORDER BY made, name").fetchall():
        if total <= quota:
            return
        connection.execute("DELETE FROM result WHERE name = ?", (old,))
        total -= size


def find(connection: sqlite3.Connection, name: str, now: float) -> bytes | None:
    """The result as it was put in; None for one whose time is over, or that made room for others."""
    row = connection.execute("SELECT body FROM result WHERE name = ? AND keep_until > ?", (name, now)).fetchone()
    if row is None:
        return None
    try:
        return zlib.decompress(row[0])
    except (zlib.error, TypeError):
        connection.execute("DELETE FROM result WHERE name = ?", (name,))
        return None


def held(connection: sqlite3.Connection) -> Held:
    """What there is."""
    count, size = connection.execute("SELECT count(*), coalesce(sum(bytes), 0) FROM result").fetchone()
    return Held(results=count, bytes=size)


def clear(connection: sqlite3.Connection) -> int:
    """Forget every result; returns how many there were."""
    return connection.execute("DELETE FROM result").rowcount
