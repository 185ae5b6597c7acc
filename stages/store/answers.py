"""HTTP answers by URL: work for `Store.transact`. What may be kept, and how long it is fresh, is decided by the caller."""

from __future__ import annotations

import sqlite3
import zlib
from typing import Any

import msgspec
from msgspec import Struct

MAX_BYTES = 256 << 20
"""Of all bodies together, packed; past this the longest unused go first."""
MAX_MEMORY_BYTES = 16 << 20
"""The same where there is no file."""
MAX_BODY_BYTES = 16 << 20
_ROOM = 0.9
"""Share of the quota that is left in use when room is made, so that it is not made at every answer."""
_LEVEL = 1
_TOUCH_SECS = 600.0
"""`used` is this coarse, so that reading is not always writing."""

Pairs = tuple[tuple[str, str], ...]


class Kept(Struct, frozen=True, kw_only=True):
    """One answer. Times are Unix seconds."""

    url: str
    client: str
    vary: Pairs
    """The request headers, in lower case, that this variant was chosen by, with the values they had."""
    status: int
    headers: Pairs
    body: bytes
    got: float
    """When it came, or was last confirmed."""
    fresh_until: float
    keep_until: float


def find(connection: sqlite3.Connection, url: str, client: str, headers: dict[str, str], now: float) -> Kept | None:
    """The newest variant that was chosen by headers with the same values."""
    rows = connection.execute(
        "SELECT id, vary, used, status, headers, body, got, fresh_until, keep_until FROM answer"
        " WHERE url = ? AND client = ? AND keep_until > ? AND got <= ? ORDER BY got DESC, id DESC",
        (url, client, now, now + 1),  # one from the future was written under another clock
    ).fetchall()
    for at, vary, used, *rest in rows:
        kept = _kept(url, client, vary, rest)
        if kept is None:
            connection.execute("DELETE FROM answer WHERE id = ?", (at,))
        elif all(headers.get(name, "") == value for name, value in kept.vary):
            if now - used > _TOUCH_SECS:
                connection.execute("UPDATE answer SET used = ? WHERE id = ?", (now, at))
            return kept
    return None


def _kept(url: str, client: str, vary: bytes, row: list[Any]) -> Kept | None:
    """A row as it was put in; None for one that is damaged."""
    status, headers, body, got, fresh_until, keep_until = row
    try:
        return Kept(
            url=url,
            client=client,
            vary=msgspec.json.decode(vary, type=Pairs),
            status=status,
            headers=msgspec.json.decode(headers, type=Pairs),
            body=zlib.decompress(body),
            got=got,
            fresh_until=fresh_until,
            keep_until=keep_until,
        )
    except (zlib.error, msgspec.DecodeError):
        return None


def pack(body: bytes) -> bytes:
    """The body as it is stored; done before the transaction, since it takes longer."""
    return zlib.compress(body, _LEVEL)


def put(connection: sqlite3.Connection, kept: Kept, packed: bytes, now: float, quota: int = MAX_BYTES) -> None:
    """Store an answer in the place of its former self, and make room."""
    pairs = msgspec.json.encode(kept.headers)
    connection.execute(
        "INSERT OR REPLACE INTO answer (url, client, vary, status, headers, body, bytes, got, fresh_until, keep_until, used)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(kept.url, kept.client, msgspec.json.encode(kept.vary), kept.status, pairs, packed, len(packed) + len(pairs)),
            *(kept.got, kept.fresh_until, kept.keep_until, now),
        ),
    )
    make_room(connection, now, quota)


def confirm(connection: sqlite3.Connection, kept: Kept) -> None:
    """The server says that it still holds: new headers and times, the body stays."""
    connection.execute(
        "UPDATE answer SET headers = ?, got = ?, fresh_until = ?, keep_until = ? WHERE url = ? AND client = ? AND vary = ?",
        (
            *(msgspec.json.encode(kept.headers), kept.got, kept.fresh_until, kept.keep_until),
            *(kept.url, kept.client, msgspec.json.encode(kept.vary)),
        ),
    )


def drop(connection: sqlite3.Connection, url: str) -> None:
    """Forget every variant of a URL."""
    connection.execute("DELETE FROM answer WHERE url = ?", (url,))


def make_room(connection: sqlite3.Connection, now: float, quota: int) -> None:
    """Delete what is past its time, and while there is too much, what was not used for longest."""
    connection.execute("DELETE FROM answer WHERE keep_until <= ?", (now,))
    total = connection.execute("SELECT coalesce(sum(bytes), 0) FROM answer").fetchone()[0]
    if total <= quota:
        return
    for at, size in connection.execute("SELECT id, bytes FROM answer ORDER BY used, id").fetchall():
        connection.execute("DELETE FROM answer WHERE id = ?", (at,))
        total -= size
        if total <= quota * _ROOM:
            return
