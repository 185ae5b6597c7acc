"""The inside of a worker process: one thread, records in, records out, nothing else.

Frames are four bytes of length and msgpack. In: a Setup, then records; another Setup begins another run. Out: `At` before each
stage's call, so that the parent knows who hangs; `Done` with what came of the record; `Broke` for a bug. Out of memory ends the
process: the parent sees it end.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import traceback
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec
from msgspec import Struct

from stages.core.calls import as_list, failed, failure
from stages.core.env import Cut
from stages.core.errors import StageError
from stages.core.plan import Step
from stages.records import AnyRecord, record_id, tag

if TYPE_CHECKING:
    from types import TracebackType

    from stages.core.stage import Options


class Setup(Struct, frozen=True, kw_only=True, tag_field="type", tag="setup"):
    """What the worker is to do: the steps of its hop, and the cuts that a replay repeats, by stage and record id."""

    steps: list[tuple[str, str, Any, str]]
    """Module, stage, options, what it was lifted for."""
    cuts: dict[str, dict[str, Cut]] = {}
    memory_bytes: int = 0


class At(Struct, frozen=True, tag="at"):
    """A step of the hop begins on a record of the id and type."""

    step: int
    id: str
    kind: str


class Done(Struct, frozen=True, tag="done"):
    """All that came of the record, in order; the first `kept` are passed on, not written."""

    records: list[AnyRecord]
    kept: int = 0


class Broke(Struct, frozen=True, tag="broke"):
    """A bug in this stage."""

    stage: str
    error: str
    details: str


Frame = At | Done | Broke


def read_frame(source: BinaryIO) -> bytes:
    """One frame; empty at the end of the stream."""
    size = source.read(4)
    return source.read(int.from_bytes(size)) if len(size) == 4 else b""  # noqa: PLR2004  the length's own size


def frame(body: bytes) -> bytes:
    """The body with its length before it."""
    return len(body).to_bytes(4) + body


class Hop:
    """Carries one record through the steps."""

    def __init__(self, setup: Setup, sink: BinaryIO) -> None:
        self._sink = sink
        self._cuts = setup.cuts
        self._at = ""
        self.steps: list[Step] = []
        for module, name, given, lifted_for in setup.steps:
            stage = getattr(import_module(module), name)
            options: Options = msgspec.convert(given, stage.options)
            self.steps.append(Step(stage, options, lifted_for))

    def prepare(self) -> None:
        """The heavy imports, before the first record is there."""
        for step in self.steps:
            if step.stage.prepare is not None:
                step.stage.prepare()

    def tell(self, message: Frame) -> None:
        """Send a frame now."""
        self._sink.write(frame(msgspec.msgpack.encode(message)))
        self._sink.flush()

    def broke(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """As `sys.excepthook`: a bug goes to the parent, which raises it as a Bug."""
        details = "".join(traceback.format_exception(kind, error, trace))
        self.tell(Broke(self._at, f"{kind.__name__}: {error}", details))

    def carry(self, record: AnyRecord) -> Done:
        """What came of the record: everything, in order."""
        kept: list[AnyRecord] = []
        outputs: list[AnyRecord] = [record]
        for number, step in enumerate(self.steps):
            if len(outputs) != 1 or not step.reads(outputs[0]):
                continue
            item = outputs[0]
            kept += [item] if isinstance(item, step.stage.keeps) else []
            self._at = step.stage.name
            outputs = self._call(number, step, item)
        return Done([*kept, *outputs], len(kept))

    def _call(self, number: int, step: Step, item: AnyRecord) -> list[AnyRecord]:
        name, own = step.stage.name, record_id(item)
        self.tell(At(number, own, tag(item)))
        cut = self._cuts.get(name, {}).get(own)
        if cut is not None:
            return [failure(name, item, cut.kind, cut.message)]
        try:
            return as_list(step.stage.call(item, step.options))
        except StageError as error:
            return [failed(name, item, error)]
        except RecursionError:
            return [failure(name, item, "crashed", "nested too deep to be parsed")]
        except MemoryError:
            os._exit(99)


def _limit(memory_bytes: int) -> None:
    """Less memory than the machine has, and no life after the parent's (Linux)."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the parent ends us
    if not sys.platform.startswith("linux"):
        return
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def main() -> None:
    """Serve until the parent closes the pipe."""
    source = os.fdopen(os.dup(0), "rb")
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a stray print must not break a frame
    decoder = msgspec.msgpack.Decoder(AnyRecord | Setup)
    hop: Hop | None = None
    while body := read_frame(source):
        given = decoder.decode(body)
        if isinstance(given, Setup):
            _limit(given.memory_bytes)
            hop = Hop(given, sink)
            sys.excepthook = hop.broke
            hop.prepare()
        elif hop is not None:
            hop.tell(hop.carry(given))
