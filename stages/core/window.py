"""The reorder window: calls run at once and finish in any order, results leave in input order.

A slow head does not stall the rest: up to `slots` results wait behind it, as long as they weigh less than MAX_WEIGHT.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable

import anyio

from stages.core.wire import Item, weight

MAX_WEIGHT = 64 << 20
BATCH = 256


class Slot:
    """The place of one call, or of a run of records that pass by."""

    __slots__ = ("done", "items", "weight")

    def __init__(self, items: list[Item] | None = None) -> None:
        self.done = anyio.Event()
        self.items: list[Item] = []
        self.weight = 0
        if items is not None:
            self.fill(items)

    def fill(self, items: list[Item]) -> None:
        """The result is here."""
        self.items = items
        self.weight = sum(map(weight, items))
        self.done.set()


class Window:
    """Admits slots in input order and hands out what is done from the head on."""

    def __init__(self, slots: int) -> None:
        self._limit = slots
        self._slots: deque[Slot] = deque()
        self._moved = anyio.Event()
        self._closed = False

    def _move(self) -> None:
        self._moved.set()
        self._moved = anyio.Event()

    async def admit(self, slot: Slot) -> None:
        """Take the next place; waits while the window is full."""
        while len(self._slots) >= self._limit or (self._slots and sum(each.weight for each in self._slots) > MAX_WEIGHT):
            await self._moved.wait()
        self._slots.append(slot)
        self._move()

    def close(self) -> None:
        """No more slots will come."""
        self._closed = True
        self._move()

    async def drain(self, send: Callable[[list[Item]], Awaitable[None]]) -> None:
        """Send results in order until the window is closed and empty."""
        while True:
            while not self._slots:
                if self._closed:
                    return
                await self._moved.wait()
            await self._slots[0].done.wait()
            batch: list[Item] = []
            while self._slots and self._slots[0].done.is_set() and len(batch) < BATCH:
                batch += self._slots.popleft().items
            self._move()
            if batch:
                await send(batch)
