"""Ask once, whoever asks: names and robots.txt are looked up one time in a run, however many calls need them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    import anyio

T = TypeVar("T")


class Once(Generic[T]):
    """Values by key. While one asker is at work the others wait; when it is cancelled or fails, the next one asks."""

    def __init__(self) -> None:
        self._values: dict[str, T] = {}
        self._locks: dict[str, anyio.Lock] = {}

    async def get(self, key: str, make: Callable[[], Awaitable[T]]) -> T:
        """The value of the key, made by the first who comes. What `make` raises is not kept."""
        import anyio

        if key not in self._values:
            async with self._locks.setdefault(key, anyio.Lock()):
                if key not in self._values:
                    self._values[key] = await make()
        return self._values[key]
