"""Progress of a call as the client sees it: what is happening, at most a few times a second."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio

Report = Callable[[float, float | None, str | None], Awaitable[None]]

EVERY_SECS = 0.2
_NOUNS = {
    "expand": "question", "search": "query", "dedupe": "hit", "fetch": "page", "sanitize": "page", "extract": "page",
    "chunk": "document", "rank": "passage", "budget": "passage",
}  # fmt: skip
"""What a stage goes through, one by one; `record` for any other."""


class Progress:
    """Told by the runner how far each stage is; `pump` sends it on, the latest news only."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._done: dict[str, int] = {}
        self._message = ""
        self._news = anyio.Event()

    def __call__(self, stage: str, read: int, done: int) -> None:
        """Stage so far: records read, and how many of them are dealt with."""
        if done > self._done.get(stage, 0):
            self._done[stage] = done
            self._message = f"{stage}: {_NOUNS.get(stage, 'record')} {done} of {max(read, done)}"
            self._news.set()

    async def pump(self) -> None:
        """Send news until cancelled. The number only grows, as the protocol asks; nobody knows the total beforehand."""
        while True:
            await self._news.wait()
            self._news = anyio.Event()
            await self._report(float(sum(self._done.values())), None, self._message)
            await anyio.sleep(EVERY_SECS)
