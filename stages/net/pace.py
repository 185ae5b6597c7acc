"""Nobody is hurried: pages of one host are begun some time apart and few at once, by all processes together.

Every turn is one transaction of the store. The next hop of a page, its retry, robots.txt and what the user named himself wait for
none. A host that sends Retry-After is left alone as long as it says, by every process.
"""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from stages.core import patience
from stages.core.env import Request
from stages.core.errors import StageError
from stages.store import pacing
from stages.store.database import Store

if TYPE_CHECKING:
    import anyio

MAX_SPACING_SECS = 10.0
"""Some robots.txt ask for minutes, which is meant for crawlers that never end."""
AT_ONCE = 2
"""Pages of one host under way together."""
MAX_HOLD_WAIT_SECS = 5.0
"""A host that wants to be left alone for longer is skipped, not waited for."""
_LEAST_WAIT_SECS = 0.05
_SLACK_SECS = 5.0
"""What an exchange may take beyond its own timeout before its turn counts as abandoned."""


class Pace:
    """The turns of one run. `spacing_secs` lies between the starts of two pages of a host."""

    def __init__(self, store: Store, spacing_secs: float) -> None:
        self._store = store
        self._spacing_secs = spacing_secs
        self._here: dict[str, anyio.Semaphore] = {}
        """Waiters of this process, first come first served; the store need not be asked in vain."""

    @asynccontextmanager
    async def turn(self, request: Request, host: str, until: float) -> AsyncIterator[None]:
        """Wait until the host may be asked, and hold the turn meanwhile. Raises StageError `deadline`, `rate_limited`."""
        if request.part or request.shared or request.trusted:
            yield
            return
        import anyio

        wanted = pacing.Wanted(
            host=host,
            turn=os.urandom(8).hex(),
            spacing_secs=max(self._spacing_secs, min(request.spacing_secs, MAX_SPACING_SECS)),
            at_once=AT_ONCE,
            lasts_secs=request.timeout_secs + _SLACK_SECS,
            until=until,
            bears_secs=MAX_HOLD_WAIT_SECS,
        )
        with patience.paused():
            await self._here.setdefault(host, anyio.Semaphore(AT_ONCE)).acquire()
        try:
            try:
                with patience.paused():
                    await self._wait(wanted)
                yield
            finally:
                with anyio.CancelScope(shield=True):
                    await self._store.run(partial(pacing.give_back, turn=wanted.turn))
        finally:
            self._here[host].release()

    async def _wait(self, wanted: pacing.Wanted) -> None:
        import anyio

        while True:
            now = time.time()
            answer = await self._store.run(partial(pacing.take, wanted=wanted, now=now))
            wait_secs = max(0.0, answer.start - now)
            if answer.granted:
                await anyio.sleep(wait_secs)
                return
            if answer.held:
                raise StageError("rate_limited", f"{wanted.host} asked to be left alone for {wait_secs:.0f} s more; retry later")
            if answer.start > wanted.until:
                raise StageError("deadline", f"the deadline comes before the turn at {wanted.host}; a longer one may help")
            await anyio.sleep(max(_LEAST_WAIT_SECS, wait_secs))

    async def hold(self, host: str, secs: float) -> None:
        """The host asked to be left alone."""
        await self._store.run(partial(pacing.hold, host=host, secs=secs, now=time.time()))


__all__ = ["AT_ONCE", "MAX_HOLD_WAIT_SECS", "MAX_SPACING_SECS", "Pace"]
