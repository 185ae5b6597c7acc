"""The input of one process: standard input, read by a thread of its own, or what the arguments made.

Bounded: a fast writer waits for a slow reader. What cannot be read ends the input there; all that came before still runs.
"""

from __future__ import annotations

import asyncio
import math
import os
import time
from codecs import BOM_UTF8
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from threading import Semaphore, Thread

from anyio import move_on_after

from pipelines.texts import TextRule, page
from stages.core.errors import InputError, UsageError
from stages.core.wire import MAX_LINE_BYTES, Item, Line, decoded, parse_line
from stages.records import Failure, Run
from stages.vocabulary import WIRE

BLOCK_BYTES = 256 << 10
_WAITING_BLOCKS = 4


class Feed:
    """Batches of items without the Run line that may stand before them. After the last one, `error` says why it was the last.

    `empty`: not even a Run line came.
    At `until` (Unix seconds) it stops waiting for more and says so with a Failure.
    """

    def __init__(self, blocks: AsyncIterator[list[Item]]) -> None:
        self._blocks = blocks
        self._first: list[Item] = []
        self._over = False
        self.until = math.inf
        self.error: UsageError | None = None
        self.empty = False

    async def run(self) -> Run | None:
        """The Run on the first line, if that is one. Call it once, before `batches`. Raises InputError."""
        self._first = await self._next()
        self.empty = not self._first
        if not self._first or not _is_run(self._first[0]):
            return None
        run = decoded(self._first[0])
        if not isinstance(run, Run) or run.wire > WIRE:
            raise InputError(1, "written by a newer cribble than this one")
        return run

    async def batches(self) -> AsyncIterator[list[Item]]:
        """The input, batch by batch. A second Run line (two outputs, one after the other) says nothing new and is left out."""
        batch = self._first
        while batch:
            kept = [item for item in batch if not _is_run(item)]
            if kept:
                yield kept
            batch = await self._next()

    async def _next(self) -> list[Item]:
        if self._over:
            return []
        try:
            with move_on_after(self.until - time.time()):
                return await anext(self._blocks, [])
        except _Ended as ended:
            self._over, self.error = True, ended.error
            return ended.items
        self._over = True
        message = "the input was still open when the deadline came"
        return [Failure(stage="input", subject="standard input", kind="deadline", message=message)]


def _is_run(item: Item) -> bool:
    return isinstance(item, Run) or (isinstance(item, Line) and item.tag == "run")


class _Ended(Exception):  # noqa: N818 - carries what was good, it is no error by itself
    """The input ends at an error; `items` came before it."""

    def __init__(self, items: list[Item], error: UsageError) -> None:
        super().__init__(str(error))
        self.items = items
        self.error = error


async def items(made: Iterable[Item]) -> AsyncIterator[list[Item]]:
    """What the arguments made, one item a batch: a page may be large."""
    for item in made:
        yield [item]


async def files(paths: tuple[str, ...]) -> AsyncIterator[list[Item]]:
    """One page a file, read when its turn comes."""
    for path in paths:
        try:
            found = page(path)
        except UsageError as error:
            raise _Ended([], error) from None
        yield [found]


async def standard_input(rule: TextRule, wanted: frozenset[str], descriptor: int = 0) -> AsyncGenerator[list[Item], None]:
    """The lines that come through a descriptor, parsed, in blocks as they arrive.

    Those whose type is `wanted` are checked field by field.
    """
    reader = _Reader(descriptor, asyncio.get_running_loop())
    number = 0
    try:
        while block := await reader.next():
            if isinstance(block, UsageError):
                raise _Ended([], block)
            batch: list[Item] = []
            for raw in block.split(b"\n"):
                number += 1
                try:
                    batch += _line(raw, number, rule, wanted)
                except InputError as error:
                    raise _Ended(batch, error) from None
            number -= block.endswith(b"\n")
            if batch:
                yield batch
    finally:
        reader.stop()


class _Reader:
    """A thread that reads ahead, a few blocks and no more. A daemon, since nothing can wake a thread that waits in read(2)."""

    def __init__(self, descriptor: int, loop: asyncio.AbstractEventLoop) -> None:
        self._descriptor = descriptor
        self._loop = loop
        self._blocks: deque[bytes | UsageError] = deque()
        self._arrived = asyncio.Event()
        self._room = Semaphore(_WAITING_BLOCKS)
        self._stopped = False
        Thread(target=self._read, name="standard input", daemon=True).start()

    async def next(self) -> bytes | UsageError:
        """The next block; the last one is empty."""
        while not self._blocks:
            self._arrived.clear()
            await self._arrived.wait()
        self._room.release()
        return self._blocks.popleft()

    def stop(self) -> None:
        """Nobody reads any more."""
        self._stopped = True
        self._room.release()

    def _read(self) -> None:
        try:
            for block in _whole_lines(self._descriptor):
                if not self._hand_over(block):
                    return
            self._hand_over(b"")
        except UsageError as error:
            self._hand_over(error)

    def _hand_over(self, block: bytes | UsageError) -> bool:
        self._room.acquire()
        if self._stopped:
            return False
        self._blocks.append(block)
        try:
            self._loop.call_soon_threadsafe(self._arrived.set)
        except RuntimeError:  # the loop has closed
            return False
        return True


def _whole_lines(descriptor: int) -> Iterable[bytes]:
    """Blocks that end with a line's end. Raises UsageError."""
    parts: list[bytes] = []
    held, number = 0, 1
    while block := _read(descriptor):
        cut = block.rfind(b"\n") + 1
        if cut:
            whole = b"".join((*parts, block[:cut]))
            number += whole.count(b"\n")
            yield whole
            parts, held = [], 0
        parts.append(block[cut:])
        held += len(block) - cut
        if held > MAX_LINE_BYTES:
            raise InputError(number, f"longer than {MAX_LINE_BYTES >> 20} MB")
    if held:
        yield b"".join(parts)


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, BLOCK_BYTES)
    except OSError as error:
        raise UsageError(f"standard input: {error.strerror}") from None


def _line(raw: bytes, number: int, rule: TextRule, wanted: frozenset[str]) -> list[Item]:
    raw = raw.removeprefix(BOM_UTF8)  # Windows writes one before a file, and so a pipe of several files holds several
    text = raw.strip()
    if not text:
        return []
    if text.startswith(b"{"):
        return [parse_line(raw, number, wanted)]
    try:
        return rule(text.decode(), number)
    except UnicodeDecodeError:
        raise InputError(number, "neither a record nor text in UTF-8") from None


__all__ = ["Feed", "files", "items", "standard_input"]
