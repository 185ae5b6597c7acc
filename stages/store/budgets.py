"""What a service may still be asked: work for `Store.transact`, one transaction a grant. Times are Unix seconds.

A bucket of tokens by name, which fills again as time goes by, and a rest after a refusal. Nobody is told to wait: who finds the
bucket empty, or the service at rest, is told when it would be otherwise.
"""

from __future__ import annotations

import sqlite3

from msgspec import Struct

MAX_REST_SECS = 86400.0
"""A service that wants to be left alone for longer is asked again after this."""
_SLACK = 1e-9
"""What adding up fractions may lose of a token."""


class Skip(Struct, frozen=True, kw_only=True):
    """Why a service is not asked now."""

    secs: float
    """Until it may be."""
    why: str = ""
    """The outcome after which it was left alone; empty where the budget is used up."""
    since: float = 0.0
    """When that was."""


def take(connection: sqlite3.Connection, *, name: str, per_minute: float, burst: int, now: float) -> Skip | None:
    """Take a token; None when there was one."""
    row = connection.execute(
        "SELECT tokens, counted, suspended_until, suspended_at, reason FROM engine WHERE name = ?", (name,)
    ).fetchone()
    tokens, counted, rest_until, rest_at, why = row or (float(burst), now, 0.0, 0.0, "")
    if rest_at <= now + 1 and rest_until > now:  # a rest from the future was written under another clock
        return Skip(secs=rest_until - now, why=why, since=rest_at)
    tokens = min(float(burst), tokens + max(0.0, now - counted) * per_minute / 60)
    if tokens < 1 - _SLACK:
        _count(connection, name, tokens, now)
        return Skip(secs=(1 - tokens) * 60 / per_minute)
    _count(connection, name, tokens - 1, now)
    return None


def _count(connection: sqlite3.Connection, name: str, tokens: float, now: float) -> None:
    connection.execute(
        "INSERT INTO engine (name, tokens, counted) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE"
        " SET tokens = excluded.tokens, counted = excluded.counted",
        (name, tokens, now),
    )


def rest(connection: sqlite3.Connection, *, name: str, burst: int, secs: float, why: str, now: float) -> None:
    """Leave the service alone; a shorter wish does not undo a longer one, unless that was written under another clock."""
    until = now + min(max(secs, 0.0), MAX_REST_SECS)
    connection.execute(
        "INSERT INTO engine (name, tokens, counted, suspended_until, suspended_at, reason) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (name) DO UPDATE SET suspended_until = excluded.suspended_until, suspended_at = excluded.suspended_at,"
        " reason = excluded.reason WHERE suspended_until <= excluded.suspended_until OR suspended_at > excluded.suspended_at + 1",
        (name, float(burst), now, until, now, why),
    )


def clear(connection: sqlite3.Connection) -> None:
    """Every bucket is full again, and nobody at rest."""
    connection.execute("DELETE FROM engine")
