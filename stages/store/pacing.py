"""Whose turn it is at a host: work for `Store.transact`, one transaction a grant. Times are Unix seconds."""

from __future__ import annotations

import sqlite3

from msgspec import Struct

MAX_HOLD_SECS = 3600.0
"""A host that asks for more is asked again after this long."""
_FARTHEST_SECS = 3600.0
"""A start that lies farther ahead was written under another clock."""
_FORGET_SECS = 86400.0


class Wanted(Struct, frozen=True, kw_only=True):
    """A page that somebody wants to ask a host for."""

    host: str
    turn: str
    """A name for this exchange that no other has."""
    spacing_secs: float
    """Between the starts of two pages of the host."""
    at_once: int
    lasts_secs: float
    """The turn is over after this long, should its process die."""
    until: float
    """A start after this is of no use."""
    bears_secs: float
    """A host that asked to be left alone for longer than this is not waited for."""


class Answer(Struct, frozen=True, kw_only=True):
    """When it may start. Not granted: ask again then; if that is beyond `until`, or the host is `held`, not at all."""

    start: float
    granted: bool
    held: bool = False


def take(connection: sqlite3.Connection, wanted: Wanted, now: float) -> Answer:
    """Grant the next free start at the host, or say when to ask again."""
    started, held_until = _pace(connection, wanted.host, now)
    if held_until > now + wanted.bears_secs:
        return Answer(start=held_until, granted=False, held=True)
    start = max(now, started + wanted.spacing_secs, held_until)
    if start > wanted.until:
        return Answer(start=start, granted=False)
    busy = connection.execute("SELECT count(*) FROM turn WHERE host = ? AND ends > ?", (wanted.host, now)).fetchone()[0]
    if busy >= wanted.at_once:
        return Answer(start=start, granted=False)
    connection.execute(
        "INSERT INTO pace (host, started) VALUES (?, ?) ON CONFLICT (host) DO UPDATE SET started = excluded.started",
        (wanted.host, start),
    )
    connection.execute("INSERT INTO turn VALUES (?, ?, ?)", (wanted.turn, wanted.host, start + wanted.lasts_secs))
    return Answer(start=start, granted=True)


def _pace(connection: sqlite3.Connection, host: str, now: float) -> tuple[float, float]:
    """The last start and the end of the hold; what a clock that has since been put back wrote does not count."""
    row = connection.execute("SELECT started, held_until, held_at FROM pace WHERE host = ?", (host,)).fetchone()
    if row is None:
        return 0.0, 0.0
    started, held_until, held_at = row
    return started if started <= now + _FARTHEST_SECS else 0.0, held_until if held_at <= now + 1 else 0.0


def give_back(connection: sqlite3.Connection, turn: str) -> None:
    """The exchange is over, or never began."""
    connection.execute("DELETE FROM turn WHERE id = ?", (turn,))


def hold(connection: sqlite3.Connection, host: str, secs: float, now: float) -> None:
    """The host asked to be left alone; a shorter wish does not undo a longer one."""
    connection.execute(
        "INSERT INTO pace (host, held_until, held_at) VALUES (?, ?, ?) ON CONFLICT (host) DO UPDATE"
        " SET held_until = max(held_until, excluded.held_until), held_at = excluded.held_at",
        (host, now + min(max(secs, 0.0), MAX_HOLD_SECS), now),
    )


def forget(connection: sqlite3.Connection, now: float) -> None:
    """Drop what can no longer matter."""
    connection.execute("DELETE FROM turn WHERE ends <= ?", (now,))
    connection.execute("DELETE FROM pace WHERE started < ? AND held_until < ?", (now - _FORGET_SECS, now))
