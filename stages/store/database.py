"""One SQLite file that all processes share, or memory where there can be none.

Nothing that happens to the file ends a run: a damaged one is put aside and begun anew, one that is locked for long, read-only or
of a newer version is left alone and memory takes its place. What happened stands in `troubles`, for the caller's Notices.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from stages.store.folder import NAME, prepare
from stages.store.schema import NewerSchemaError, migrate

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]

_BUSY_SECS = 2.0
"""How long to wait, once, for another process's transaction; ours take a millisecond."""
_POLL_SECS = 0.005
_WAL_BYTES = 16 << 20
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_SCHEMA_GONE = ("no such table", "no such column", "has no column")
_SIDES = ("", "-wal", "-shm")


class Store:
    """Opened at first use. Safe to use from several threads; one transaction at a time."""

    def __init__(self, folder: Path | None) -> None:
        """`folder` None means memory from the start, without a word about it."""
        self.troubles: tuple[str, ...] = ()
        self._path = None if folder is None else folder / NAME
        self._connection: sqlite3.Connection | None = None
        self._opened = 0
        self._lock = threading.Lock()

    @property
    def shared(self) -> bool:
        """Whether other processes see what is written; known once it was used."""
        return self._path is not None

    async def run(self, work: Work[T]) -> T:
        """`transact` in a thread, so that a lock or a slow disk holds up nobody else."""
        import anyio.to_thread

        return await anyio.to_thread.run_sync(self.transact, work)

    def transact(self, work: Work[T]) -> T:
        """Do the work in one transaction that writes. It may be done again, on another file, so it changes nothing else."""
        with self._lock:
            while True:
                try:
                    return self._attempt(work)
                except (sqlite3.Error, OSError, NewerSchemaError) as error:
                    if self._path is None:
                        raise
                    self._recover(error)

    def vacuum(self) -> None:
        """Give room back to the disk, unless another process is at work."""
        with self._lock:
            try:
                connection = self._open()
                connection.execute("VACUUM")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            except (sqlite3.Error, OSError, NewerSchemaError):
                return  # the room is used again in any case

    def close(self) -> None:
        """Close the file; a later use opens it again."""
        with self._lock:
            self._close()

    def _attempt(self, work: Work[T]) -> T:
        connection = self._open()
        connection.execute("BEGIN IMMEDIATE")
        try:
            result = work(connection)
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        return result

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            if self._path is None:
                self._connection = _connected(None)
                migrate(self._connection)
                return self._connection
            prepare(self._path.parent)
            with _locked(self._path.parent):  # SQLite does not wait for another connection that turns the log on
                _private(self._path)
                self._opened = _inode(self._path)
                self._connection = _connected(self._path)
                migrate(self._connection)
        return self._connection

    def _close(self) -> None:
        if self._connection is not None:
            try:
                self._connection.close()
            except sqlite3.Error:
                pass  # a damaged file may refuse even that; the handle is given up either way
            self._connection = None

    def _recover(self, error: Exception) -> None:
        """Put a damaged file aside once; whatever else it is, go on in memory."""
        self._close()
        path = self._path
        assert path is not None  # noqa: S101  the caller has checked
        if _is_damage(error) and not self.troubles:
            try:
                with _locked(path.parent):
                    if _inode(path) == self._opened:  # else another process was quicker
                        _put_aside(path)
            except OSError:
                pass  # then it cannot be opened either, and memory takes over
            else:
                self.troubles = (f"the store was damaged ({error}): it was put aside as {NAME}.damaged and begun anew",)
                return
        self._path = None
        self.troubles = (*self.troubles, f"the store {path} cannot be used ({_reason(error)}): this process remembers alone")


def _connected(path: Path | None) -> sqlite3.Connection:
    name = ":memory:" if path is None else os.fspath(path)
    connection = sqlite3.connect(name, timeout=_BUSY_SECS, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        # After a power cut the last transactions may be gone, the file stays whole: it is only a memory of what can be had again.
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA journal_size_limit = {_WAL_BYTES}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _private(path: Path) -> None:
    """An empty file for the owner alone is a new database; SQLite gives its side files the same mode."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return 0


def _put_aside(path: Path) -> None:
    """The write-ahead log goes along, since a new file would take it for its own."""
    for side in _SIDES:
        old = path.with_name(path.name + side)
        if old.exists():
            old.replace(path.with_name(f"{path.name}.damaged{side}"))


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep out other processes that open the file, or would put it aside too."""
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _take(descriptor)
        yield
    finally:
        os.close(descriptor)


def _take(descriptor: int) -> None:
    """Raises BlockingIOError when the other process, stopped perhaps, keeps it."""
    ends = time.monotonic() + _BUSY_SECS
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > ends:
                raise
            time.sleep(_POLL_SECS)


def _is_damage(error: Exception) -> bool:
    """Also a file of the right version that lacks our tables: somebody else's, or half a copy."""
    if not isinstance(error, sqlite3.Error):
        return False
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in _DAMAGED or any(text in str(error) for text in _SCHEMA_GONE)


def _reason(error: Exception) -> str:
    if isinstance(error, NewerSchemaError):
        return "written by a newer cribble"
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
