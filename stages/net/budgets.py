"""Search engines are asked within what they bear, by all processes of this machine together, and left alone after a refusal.

A page waits for its turn (`stages.net.pace`); an engine whose budget is used up is skipped, since there are others to ask.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

from stages.core.env import Budget, Request
from stages.core.errors import StageError
from stages.store import budgets
from stages.store.database import Store


class Budgets:
    """The budgets of one run, in the store. `clock` gives Unix seconds."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._clock = clock

    async def spend(self, request: Request) -> None:
        """Count the request, if it is one that counts. Raises StageError `rate_limited` when it must not be sent."""
        budget = request.budget
        if budget is None or request.part or request.trusted:
            return
        take = partial(budgets.take, name=budget.name, per_minute=budget.per_minute, burst=budget.burst, now=self._clock())
        skip = await self._store.run(take)
        if skip is not None:
            raise StageError("rate_limited", f"{budget.name}{_said(budget, skip)}")

    async def cool(self, budget: Budget, secs: float, why: str) -> None:
        """Leave it alone for so long."""
        rest = partial(budgets.rest, name=budget.name, burst=budget.burst, secs=secs, why=why, now=self._clock())
        await self._store.run(rest)

    def close(self) -> None:
        """Give the store up."""
        self._store.close()


def _said(budget: Budget, skip: budgets.Skip) -> str:
    secs = math.ceil(skip.secs)
    if not skip.why:
        return f": this machine's budget of {budget.per_minute:g} a minute is used up; free again in {secs} s"
    since = f"{datetime.fromtimestamp(skip.since, UTC):%Y-%m-%dT%H:%M:%SZ}"
    return f" refused ({skip.why}) at {since}; it is left alone for {secs} s more"


__all__ = ["Budgets"]
