"""The tables, as steps from one version to the next; `PRAGMA user_version` counts the steps that were taken.

A step that has been released is never edited: what must change is a new step.
"""

from __future__ import annotations

import sqlite3

STEPS: tuple[tuple[str, ...], ...] = (
    (
        # When the last page of a host was, or will be, begun; until when the host asked to be left alone, and when it said so.
        """CREATE TABLE pace (
            host TEXT PRIMARY KEY, started REAL NOT NULL DEFAULT 0,
            held_until REAL NOT NULL DEFAULT 0, held_at REAL NOT NULL DEFAULT 0
        ) WITHOUT ROWID""",
        # Exchanges under way; one whose process died is over at `ends`.
        "CREATE TABLE turn (id TEXT PRIMARY KEY, host TEXT NOT NULL, ends REAL NOT NULL) WITHOUT ROWID",
        "CREATE INDEX turn_of_host ON turn (host, ends)",
        # HTTP answers. `client` is who asked and by which way, `vary` the request headers that chose this variant, as JSON.
        """CREATE TABLE answer (
            id INTEGER PRIMARY KEY, url TEXT NOT NULL, client TEXT NOT NULL, vary BLOB NOT NULL, status INTEGER NOT NULL,
            headers BLOB NOT NULL, body BLOB NOT NULL, bytes INTEGER NOT NULL,
            got REAL NOT NULL, fresh_until REAL NOT NULL, keep_until REAL NOT NULL, used REAL NOT NULL
        )""",
        "CREATE UNIQUE INDEX answer_variant ON answer (url, client, vary)",
        "CREATE INDEX answer_age ON answer (used, bytes)",
        "CREATE INDEX answer_end ON answer (keep_until)",
    ),
    (
        # What a search engine may still be asked: a token bucket, and a suspension with its reason.
        """CREATE TABLE engine (
            name TEXT PRIMARY KEY, tokens REAL NOT NULL DEFAULT 0, counted REAL NOT NULL DEFAULT 0,
            suspended_until REAL NOT NULL DEFAULT 0, reason TEXT NOT NULL DEFAULT ''
        ) WITHOUT ROWID""",
    ),
    (
        # When the suspension was written: one from the future was written under another clock.
        "ALTER TABLE engine ADD COLUMN suspended_at REAL NOT NULL DEFAULT 0",
    ),
    (
        # What a reply was cut from, for who reads on. `name` is a hash of what it holds.
        """CREATE TABLE result (
            name TEXT PRIMARY KEY, body BLOB NOT NULL, bytes INTEGER NOT NULL, made REAL NOT NULL, keep_until REAL NOT NULL
        )""",
    ),
)
VERSION = len(STEPS)


class NewerSchemaError(Exception):
    """The file was written by a newer cribble; this one leaves it alone."""


def migrate(connection: sqlite3.Connection) -> None:
    """Take the steps that are missing, all or none. Raises NewerSchemaError, sqlite3.Error."""
    if version(connection) == VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        taken = version(connection)  # another process may have been quicker
        if taken > VERSION:
            raise NewerSchemaError  # noqa: TRY301  one way out of the transaction
        for statement in (statement for step in STEPS[taken:] for statement in step):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except (sqlite3.Error, NewerSchemaError):
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def version(connection: sqlite3.Connection) -> int:
    """Steps that the file has behind it."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
