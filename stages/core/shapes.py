"""How a hop of each shape is fed: from batches of items to calls, and back into input order."""

from __future__ import annotations

import math
import random
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

import anyio

from stages.core import patience
from stages.core.calls import as_list, failed, failure
from stages.core.env import Cut, Env
from stages.core.errors import StageError
from stages.core.hop import Batch, Hop, Send
from stages.core.window import Slot, Window
from stages.core.wire import Item, decoded
from stages.core.workers import Pool
from stages.records import Drop, Failure, Record, record_id, subject

GRACE_SECS = 0.25
"""What a network call gets to hand over what it has, once its own time is up."""

Call = Callable[[Item], Awaitable[list[Item]]]


async def run_each(hop: Hop, source: AsyncIterator[Batch], send: Send) -> None:
    """One record a call: at once on the network, one after the other when pure."""
    step, count = hop.steps[0], hop.counts[0]
    if step.stage.uses_env:
        await _windowed(hop, getattr(step.options, "parallel", 1), lambda item: _network_call(hop, item), source, send)
        return
    async for batch in source:
        out: Batch = []
        for item in batch:
            if not hop.reads(item):
                out.append(item)
                continue
            record = decoded(item)
            try:
                records = as_list(step.stage.call(record, step.options))
            except StageError as error:
                records = [failed(step.stage.name, record, error)]
            count.call(records)
            out += [item, *records] if isinstance(record, step.stage.keeps) else records
        hop.progressed()
        await send(out)


async def run_workers(hop: Hop, pool: Pool, source: AsyncIterator[Batch], send: Send) -> None:
    """One record a call, in worker processes."""

    async def call(item: Item) -> list[Item]:
        record = decoded(item)
        done = await pool.call(record, hop.counts)
        whole: list[Item] = list(done.records)
        if done.kept and whole[0] == record:
            whole[0] = item  # as it came, unknown fields and all
        return whole

    if hop.expected:
        await pool.warm()
    parallel = max(getattr(step.options, "parallel", 1) for step in hop.steps)
    await _windowed(hop, parallel, call, source, send)


async def _windowed(hop: Hop, parallel: int, call: Call, source: AsyncIterator[Batch], send: Send) -> None:
    """At most `parallel` calls at once; results leave in input order."""
    window = Window(4 * parallel)
    running = anyio.Semaphore(parallel)

    async def work(item: Item, slot: Slot) -> None:
        try:
            slot.fill(await call(item))
        finally:
            running.release()
        hop.progressed()

    async with anyio.create_task_group() as group:
        group.start_soon(window.drain, send)
        async for batch in source:
            passing: Batch = []
            for item in batch:
                if not hop.reads(item):
                    passing.append(item)
                    continue
                if passing:
                    await window.admit(Slot(passing))
                    passing = []
                slot = Slot()
                await window.admit(slot)
                await running.acquire()
                group.start_soon(work, item, slot)
            if passing:
                await window.admit(Slot(passing))
        window.close()


async def _network_call(hop: Hop, item: Item) -> list[Item]:
    """One call of a network stage, timed, cut at the soft deadline, repeated as recorded in a replay."""
    step, record = hop.steps[0], decoded(item)
    records = await _cut_or_call(hop, record, record_id(record), record)
    hop.counts[0].call(records)
    return [item, *records] if isinstance(record, step.stage.keeps) and not _lost(records, step.stage.name) else list(records)


def _lost(records: list[Record], stage: str) -> bool:
    """Whether the record was replaced by a Failure."""
    return any(isinstance(one, Failure) and one.stage == stage for one in records)


async def _cut_or_call(hop: Hop, record: Record, own: str, given: Any) -> list[Record]:
    step, context = hop.steps[0], hop.context
    name, ledger, soft = step.stage.name, context.ledger, context.deadline.soft
    cut = ledger.recorded_cuts(name).get(own)
    if cut is None and not ledger.replaying and time.time() >= soft:
        cut = Cut("deadline", "the deadline came before its turn")
        ledger.record_cut(name, own, cut)
    if cut is not None:
        return [failure(name, record, cut.kind, cut.message)]
    secs = getattr(step.options, "timeout_secs", math.inf)
    limits = (math.inf, math.inf) if ledger.replaying else (secs + GRACE_SECS, soft - time.time() + GRACE_SECS)
    with patience.limited(*limits) as scope:
        try:
            return as_list(await step.stage.call(given, step.options, _env(hop, own)))
        except StageError as error:
            return [failed(name, record, error)]
    assert scope.cancelled_caught  # noqa: S101  nothing else leaves the block without returning
    over = time.time() >= soft
    cut = Cut("deadline", "cut by the deadline") if over else Cut("timeout", f"not finished within {secs:g} s")
    ledger.record_cut(name, own, cut)
    return [failure(name, record, cut.kind, cut.message)]


def _env(hop: Hop, own: str) -> Env:
    context, name = hop.context, hop.steps[0].stage.name
    return Env(
        net=context.door.bind(name, own, context.deadline.soft, hop.notices),
        now=context.run.start,
        random=random.Random(f"{context.run.seed}:{name}:{own}"),  # noqa: S311  repeatable on purpose
        settings=context.settings,
        notices=hop.notices,
    )


class _Pulled:
    """The input of a stream stage: it pulls its records, the others go out when their turn comes."""

    def __init__(self, hop: Hop, source: AsyncIterator[Batch], send: Send) -> None:
        self._hop, self._source, self._send = hop, source, send
        self.out: Batch = []
        self.read = 0
        self._items = self._flat()

    async def flush(self) -> None:
        """Send what has gathered."""
        if self.out:
            batch, self.out = self.out, []
            await self._send(batch)

    async def _flat(self) -> AsyncGenerator[Item, None]:
        async for batch in self._source:
            for item in batch:
                yield item
            await self.flush()

    async def records(self) -> AsyncGenerator[Record, None]:
        """What the stage reads, one at a time."""
        keeps = self._hop.steps[0].stage.keeps
        async for item in self._items:
            if not self._hop.reads(item):
                self.out.append(item)
                continue
            record = decoded(item)
            self.read += 1
            if isinstance(record, keeps):
                self.out.append(item)
            yield record

    async def close(self) -> None:
        """End the input after the stage did."""
        await self._items.aclose()


async def run_stream(hop: Hop, source: AsyncIterator[Batch], send: Send) -> None:
    """The stage pulls its records and yields what it writes. What it leaves unread is dropped as such."""
    step, count = hop.steps[0], hop.counts[0]
    pulled = _Pulled(hop, source, send)
    extra = (_env(hop, record_id(hop.context.run)),) if step.stage.uses_env else ()
    async with aclosing(pulled.records()) as inputs, aclosing(step.stage.call(inputs, step.options, *extra)) as results:
        async for result in results:
            written = as_list(result)
            count.outputs(written)
            pulled.out += written
    async with aclosing(pulled.records()) as rest:
        async for record in rest:
            drop = Drop(stage=step.stage.name, subject=subject(record), reason="unread")
            count.outputs([drop])
            pulled.out.append(drop)
    await pulled.close()
    count.all(pulled.read, [])
    await pulled.flush()


async def run_whole(hop: Hop, source: AsyncIterator[Batch], send: Send) -> None:
    """Hold what the stage reads until the end of the input; the others pass at once."""
    step, count = hop.steps[0], hop.counts[0]
    records: list[Record] = []
    async for batch in source:
        passing: Batch = []
        for item in batch:
            if hop.reads(item):
                records.append(decoded(item))
                if not isinstance(records[-1], step.stage.keeps):
                    continue
            passing.append(item)
        if passing:
            await send(passing)
    results = await _whole_call(hop, records) if records or not step.lifted_for else []
    count.all(len(records), results)
    hop.progressed()
    if results:
        await send(list(results))


async def _whole_call(hop: Hop, records: list[Record]) -> list[Record]:
    step = hop.steps[0]
    if step.stage.uses_env and records:
        out = await _cut_or_call(hop, records[0], record_id(records[0]), records)
        lost = next((one for one in out if isinstance(one, Failure) and one.lost_id), None)
        return out if lost is None else [failure(step.stage.name, one, lost.kind, lost.message) for one in records]
    try:
        return [] if step.stage.uses_env else as_list(step.stage.call(records, step.options))
    except StageError as error:
        return [failed(step.stage.name, one, error) for one in records]


OF: dict[str, Callable[[Any, AsyncIterator[Batch], Send], Awaitable[None]]] = {
    "each": run_each,
    "stream": run_stream,
    "whole": run_whole,
}


__all__ = ["OF", "run_each", "run_stream", "run_whole", "run_workers"]
