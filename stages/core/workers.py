"""Worker processes for stages that parse what strangers wrote.

One that hangs, crashes or passes its memory limit is killed and replaced, and costs one Failure. The first is started while
input is still being read, the others when records wait. A program that makes many runs keeps a Shelf: what is left of a run in
good health serves the next one, with a new Setup, and need not start and import again.
"""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from contextvars import ContextVar

import anyio
import anyio.abc
import msgspec
from anyio.streams.buffered import BufferedByteReceiveStream

from stages.core.calls import Count, failure
from stages.core.env import Cut, Deadline, Ledger
from stages.core.errors import Bug
from stages.core.plan import Step
from stages.core.worker import At, Broke, Done, Frame, Setup, frame
from stages.records import Failure, Record

MEMORY_BYTES = 2 << 30
"""Address space of one worker: trafilatura on a page of 8 MB takes a quarter of it."""
BOOT_SECS = 30.0
"""A worker that has not begun on its first record by then does not work at all."""
MAX_FRAME = 1 << 30
SHELVED = 2
"""As many as one hop has by default."""
MOST_RUNS = 100
"""Whatever a library loses in each run is given back to the system now and then."""
IDLE_SECS = 120.0
"""An idle worker holds sixty megabytes."""
_CODE = "import sys, json; sys.path[:] = json.loads(sys.argv[1]); from stages.core.worker import main; main()"


class _KilledError(Exception):
    """The worker is gone: at which step, on which record, why."""

    def __init__(self, at: At | None, cut: Cut) -> None:
        super().__init__(cut.message)
        self.at = at
        self.cut = cut


class _Worker:
    """One process and its two pipes."""

    def __init__(self, process: anyio.abc.Process) -> None:
        assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018  both were asked for
        self._process = process
        self._stdin = process.stdin
        self._frames = BufferedByteReceiveStream(process.stdout)
        self._decoder = msgspec.msgpack.Decoder(At | Done | Broke)
        self.fresh = True
        self.runs = 0
        self.idle_since = 0.0

    @classmethod
    async def start(cls, setup: bytes) -> _Worker:
        """Spawn it and tell it what to do."""
        command = [sys.executable, "-c", _CODE, json.dumps(sys.path)]
        worker = cls(await anyio.open_process(command, stderr=subprocess.DEVNULL))
        await worker.begin(setup)
        return worker

    async def begin(self, setup: bytes) -> None:
        """Tell it what to do in this run, or end it. Raises BrokenResourceError when it died."""
        told = False
        try:
            await self._stdin.send(frame(setup))
            told = True
        finally:
            if not told:
                await self.end()
        self.fresh = True
        self.runs += 1

    async def send(self, record: bytes) -> None:
        """Hand it one record."""
        await self._stdin.send(frame(record))

    async def receive(self) -> Frame:
        """Its next frame. Raises EndOfStream when it died or lost its senses."""
        size = int.from_bytes(await self._frames.receive_exactly(4))
        if size > MAX_FRAME:  # no record is that large: the worker's memory is not what it should be
            raise anyio.EndOfStream
        message: Frame = self._decoder.decode(await self._frames.receive_exactly(size))
        return message

    async def end(self) -> None:
        """Kill it and wait until it is gone."""
        with anyio.CancelScope(shield=True):
            if self._process.returncode is None:
                with suppress(ProcessLookupError):
                    os.kill(self._process.pid, signal.SIGKILL)  # Popen.kill() may reap it before the loop's watcher does
            await self._process.aclose()


class Shelf:
    """Workers between two runs of one process. They know nothing of the run before but what they have imported."""

    def __init__(self, most: int = SHELVED) -> None:
        self._most = most
        self._workers: list[_Worker] = []

    async def take(self, setup: bytes) -> _Worker | None:
        """One that is told what to do now; None when there is none."""
        while self._workers:
            worker = self._workers.pop()
            try:
                await worker.begin(setup)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                continue  # somebody has killed it meanwhile
            return worker
        return None

    async def give(self, worker: _Worker) -> None:
        """Keep it for the next run, or end it: after many runs, when there are enough, and when the shelf is closed."""
        if len(self._workers) < self._most and worker.runs < MOST_RUNS:
            worker.idle_since = time.monotonic()
            self._workers.append(worker)
        else:
            await worker.end()

    async def tend(self) -> None:
        """End those that nobody has wanted for long, until cancelled; then end all, and take no more."""
        try:
            while True:
                await anyio.sleep(IDLE_SECS / 4)
                late = [one for one in self._workers if one.idle_since < time.monotonic() - IDLE_SECS]
                self._workers = [one for one in self._workers if one not in late]
                for worker in late:
                    await worker.end()
        finally:
            self._most = 0
            for worker in self._workers:
                await worker.end()


SHELF: ContextVar[Shelf | None] = ContextVar("SHELF", default=None)
"""The shelf of the program that runs, if it keeps one: set by whoever tends it."""


class Pool:
    """The workers of one hop."""

    def __init__(self, steps: Sequence[Step], deadline: Deadline, ledger: Ledger) -> None:
        self._steps = list(steps)
        self._deadline = deadline
        self._ledger = ledger
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()
        self._shelf = SHELF.get()
        self._setup = msgspec.msgpack.encode(
            Setup(
                steps=[(s.stage.module, s.stage.name, msgspec.to_builtins(s.options), s.lifted_for) for s in steps],
                cuts={s.stage.name: dict(ledger.recorded_cuts(s.stage.name)) for s in steps},
                memory_bytes=MEMORY_BYTES,
            )
        )

    async def warm(self) -> None:
        """Start the first worker ahead of the first record."""
        self._idle.append(await self._start())

    async def _start(self) -> _Worker:
        worker = await self._shelf.take(self._setup) if self._shelf else None
        worker = worker or await _Worker.start(self._setup)
        self._all.add(worker)
        return worker

    async def close(self, *, well: bool = False) -> None:
        """End every worker; after a run that went `well`, but for those that are at rest and find a place on the shelf."""
        for worker in list(self._all):
            proven = not worker.fresh or worker.runs > 1
            if well and self._shelf is not None and worker in self._idle and proven:
                await self._shelf.give(worker)
            else:
                await worker.end()

    async def call(self, record: Record, counts: Sequence[Count]) -> Done:
        """What came of the record; a worker that had to be killed gives one Failure, unless it died of an earlier run's."""
        worker = self._idle.pop() if self._idle else await self._start()
        seen: list[At] = []
        done: Done | None = None
        healthy = False
        try:
            done = await self._converse(worker, record, seen)
            healthy = True
        except _KilledError as killed:
            done = Done([self._lost(record, killed)]) if killed.at or worker.runs == 1 else None
        finally:
            if healthy:
                self._idle.append(worker)
            else:
                self._all.discard(worker)
                await worker.end()
        if done is None:  # it came from the shelf, and had not begun
            return await self.call(record, counts)
        self._account(seen, counts, done)
        return done

    async def _converse(self, worker: _Worker, record: Record, seen: list[At]) -> Done:
        limit = BOOT_SECS if worker.fresh else self._limit(0)
        at: At | None = None
        try:
            with anyio.fail_after(limit):
                await worker.send(msgspec.msgpack.encode(record))
            while True:
                with anyio.fail_after(limit):
                    message = await worker.receive()
                worker.fresh = False
                if isinstance(message, Broke):
                    raise Bug(message.stage, message.error, message.details)
                if isinstance(message, Done):
                    return message
                at = message
                seen.append(at)
                limit = self._limit(at.step)
        except TimeoutError:
            raise _KilledError(at, self._why(at)) from None
        except (anyio.EndOfStream, anyio.IncompleteRead, anyio.BrokenResourceError, anyio.ClosedResourceError):
            raise _KilledError(at, Cut("crashed", "the parser crashed or passed its memory limit")) from None

    def _limit(self, step: int) -> float:
        """Seconds that this step may take from now. A replay waits ten times as long: it must not cut what was not cut."""
        options = self._steps[step].options
        own = getattr(options, "timeout_secs", math.inf) * (10 if self._ledger.replaying else 1)
        left = math.inf if self._ledger.replaying else self._deadline.work - time.time()
        return max(0.0, min(own, left))

    def _why(self, at: At | None) -> Cut:
        if not self._ledger.replaying and time.time() >= self._deadline.work:
            return Cut("deadline", "the deadline came before it was parsed")
        secs = getattr(self._steps[at.step if at else 0].options, "timeout_secs", BOOT_SECS)
        return Cut("timeout", f"not parsed within {secs:g} s")

    def _lost(self, record: Record, killed: _KilledError) -> Failure:
        at = killed.at
        stage = self._steps[at.step if at else 0].stage.name
        lost = failure(stage, record, killed.cut.kind, killed.cut.message)
        if at is not None:
            lost = msgspec.structs.replace(lost, lost_id=at.id, lost_type=at.kind)
        self._ledger.record_cut(stage, lost.lost_id, killed.cut)
        return lost

    def _account(self, seen: Sequence[At], counts: Sequence[Count], done: Done) -> None:
        """Every step but the last that was reached handed on one record; the last wrote what came out."""
        for at in seen[:-1]:
            count = counts[at.step]
            count.read, count.went_on, count.wrote = count.read + 1, count.went_on + 1, count.wrote + 1
        counts[seen[-1].step if seen else 0].call(list(done.records[done.kept :]))
