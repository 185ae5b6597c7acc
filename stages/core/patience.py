"""The time that a call has. Waiting for one's turn at a host does not use it up; the run's deadline stands in any case."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import anyio


class _Limit:
    """The scope of one call, and how many of its tasks wait."""

    def __init__(self, scope: anyio.CancelScope, latest: float) -> None:
        self.scope = scope
        self.latest = latest
        self.waiting = 0
        self.left = math.inf


_current: ContextVar[_Limit | None] = ContextVar("the time limit of the call", default=None)


@contextmanager
def limited(secs: float, latest_secs: float) -> Iterator[anyio.CancelScope]:
    """Cancel the block after `secs` of its own time, and after `latest_secs` whatever it did. Both may be infinite."""
    import anyio

    now = anyio.current_time()
    with anyio.CancelScope(deadline=now + min(secs, latest_secs)) as scope:
        token = _current.set(_Limit(scope, now + latest_secs))
        try:
            yield scope
        finally:
            _current.reset(token)


@contextmanager
def paused() -> Iterator[None]:
    """Stop the clock of the call around a wait. While one of its tasks waits, the others are not timed either."""
    import anyio

    limit = _current.get()
    if limit is None:
        yield
        return
    if not limit.waiting:
        limit.left = limit.scope.deadline - anyio.current_time()
        limit.scope.deadline = limit.latest
    limit.waiting += 1
    try:
        yield
    finally:
        limit.waiting -= 1
        if not limit.waiting:
            limit.scope.deadline = min(anyio.current_time() + limit.left, limit.latest)


__all__ = ["limited", "paused"]
