"""Runs a plan as a pipe: a task a hop, bounded streams between them, order kept, everything accounted for.

The only concurrency of the project. What a hop does not read passes by in batches. A hop ends by writing its notices and one
Tally a step; a lifted step that read nothing leaves no trace. The first bug stops the pipe and is raised as it is (as `Bug` out
of a worker); cancelling leaves no task, connection or process behind.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from stages.core import shapes
from stages.core.errors import UsageError
from stages.core.hop import Batch, Context, Hop, Send
from stages.core.plan import Step, hops
from stages.core.wire import encoded
from stages.core.workers import Pool

BATCHES = 4
"""Batches that may wait between two hops."""


async def run(plan: Sequence[Step], feed: AsyncIterator[Batch], context: Context, sink: Send) -> None:
    """Carry every batch of `feed` through the plan into `sink`.

    Raises what a stage, `feed` or `sink` raised: the first error that is not just a stream broken by a neighbour.
    """
    try:
        async with anyio.create_task_group() as group:
            head, source = _stream()
            group.start_soon(_pour, feed, head)
            before: list[Step] = []
            for number, steps in enumerate(hops(plan, fuse=context.tee is None), 1):
                outbox, following = _stream()
                tee = context.tee and context.tee / f"{number:02}-{steps[-1].stage.name}.ndjson"
                group.start_soon(_run_hop, Hop(steps, context, before), source, outbox, tee)
                before = before + steps
                source = following
            async with source:
                async for batch in source:
                    await sink(batch)
    except BaseExceptionGroup as errors:
        raise _first(errors) from None


def _stream() -> tuple[MemoryObjectSendStream[Batch], MemoryObjectReceiveStream[Batch]]:
    return anyio.create_memory_object_stream[Batch](BATCHES)


async def _pour(feed: AsyncIterator[Batch], head: MemoryObjectSendStream[Batch]) -> None:
    async with head:
        async for batch in feed:
            await head.send(batch)


async def _run_hop(
    hop: Hop, source: MemoryObjectReceiveStream[Batch], outbox: MemoryObjectSendStream[Batch], tee: Path | None
) -> None:
    """One hop from its first batch to its Tally."""
    async with source, outbox:
        if tee is None:
            await _carry(hop, source, outbox.send)
            return
        with _opened(tee) as copy:

            async def both(batch: Batch) -> None:
                copy.write(b"".join(map(encoded, batch)))
                await outbox.send(batch)

            await _carry(hop, source, both)
        if hop.idle:
            _remove(tee)


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("wb")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)


async def _carry(hop: Hop, source: AsyncIterator[Batch], send: Send) -> None:
    stage = hop.steps[0].stage
    if stage.works:
        pool = Pool(hop.steps, hop.context.deadline, hop.context.ledger)
        well = False
        try:
            await shapes.run_workers(hop, pool, source, send)
            well = True
        finally:
            await pool.close(well=well)
    else:
        await shapes.OF[stage.shape](hop, source, send)
    if ended := hop.ending():
        await send(ended)


def _first(errors: BaseExceptionGroup[Any]) -> BaseException:
    """The error that stopped the pipe. A neighbour that found its stream broken is only a witness."""
    leaves: list[BaseException] = []
    waiting: list[BaseException] = [errors]
    while waiting:
        error = waiting.pop(0)
        if isinstance(error, BaseExceptionGroup):
            waiting = [*error.exceptions, *waiting]
        else:
            leaves.append(error)
    return next((leaf for leaf in leaves if not isinstance(leaf, anyio.BrokenResourceError)), leaves[0])


__all__ = ["Batch", "Context", "run"]
