"""How a stage is declared: one function whose signature is its specification.

Three shapes, by decorator. `@each`: one record in, records out, the runner owns concurrency. `@stream`: state across records.
`@whole`: needs them all. What it reads and writes and its options are read off the annotations; a third parameter `env` means
that it uses the network, none means that it is pure.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from stages.records import Record

Shape = Literal["each", "stream", "whole"]


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of every stage's options. A stage whose options are no more than this runs inside the process, one call at a time."""


class Each(Options, frozen=True):
    """Options of a stage whose calls run at once: on the network, or when it is pure in worker processes that can be killed."""

    parallel: Annotated[int, Meta(ge=1, le=64, description="Calls under way at once.")] = 8
    timeout_secs: Annotated[float, Meta(gt=0, le=600, description="Seconds that one call may take.")] = 10.0


class Work(Each, frozen=True):
    """Options of a pure stage that parses what strangers wrote: it runs in worker processes."""

    parallel: Annotated[int, Meta(ge=1, le=64, description="Worker processes at once.")] = 2
    timeout_secs: Annotated[float, Meta(gt=0, le=600, description="Seconds before a worker is killed and replaced.")] = 20.0


class Stage(Struct, frozen=True):
    """A declared stage."""

    name: str
    doc: str
    shape: Shape
    reads: tuple[type[Record], ...]
    writes: tuple[type[Record], ...]
    keeps: tuple[type[Record], ...]
    """What is read and also passed on."""
    lifts: tuple[str, ...]
    """Stages that the plan builder puts before this one, with default options."""
    finished: Callable[[Any], bool] | None
    """When this stage is lifted: which of the records it reads need nothing from it any more."""
    prepare: Callable[[], object] | None
    """What a worker does before its first record: the heavy imports, while input is still being read."""
    options: type[Options]
    call: Callable[..., Any]
    uses_env: bool
    fans_out: bool
    """Whether one record may become several."""
    module: str

    @property
    def read_tags(self) -> frozenset[str]:
        """The `type`s that it reads."""
        return frozenset(kind.__name__.lower() for kind in self.reads)

    @property
    def works(self) -> bool:
        """Whether its calls run in worker processes."""
        return self.shape == "each" and not self.uses_env and issubclass(self.options, Each)


class _Declaration(Struct, frozen=True, kw_only=True):
    """What a decorator may be told."""

    keeps: bool | tuple[type[Record], ...] = False
    lifts: tuple[str, ...] = ()
    finished: Callable[[Any], bool] | None = None
    prepare: Callable[[], object] | None = None


Decorator = Callable[[Callable[..., Any]], Stage]


def each(**declared: Any) -> Decorator:
    """One record in; a record, a list of them, or None out. `async def` with `env` for the network, plain `def` when pure.

    Takes `keeps`, `lifts`, `finished`, `prepare`: see Stage.
    """
    return _declare("each", _Declaration(**declared))


def stream(**declared: Any) -> Decorator:
    """An async iterator in, an async iterator out; what it leaves unread is dropped as `unread`."""
    return _declare("stream", _Declaration(**declared))


def whole(**declared: Any) -> Decorator:
    """All records in one list; a list out. May be async and take env."""
    return _declare("whole", _Declaration(**declared))


def _declare(shape: Shape, declared: _Declaration) -> Decorator:
    def wrap(call: Callable[..., Any]) -> Stage:
        hints = typing.get_type_hints(call)
        parameters = list(inspect.signature(call).parameters)
        reads = _kinds(hints[parameters[0]])
        keeps = reads if declared.keeps is True else declared.keeps or ()
        return Stage(
            name=call.__name__,
            doc=inspect.getdoc(inspect.getmodule(call)) or "",
            shape=shape,
            reads=reads,
            writes=_kinds(hints["return"]),
            keeps=keeps,
            lifts=declared.lifts,
            finished=declared.finished,
            prepare=declared.prepare,
            options=hints[parameters[1]],
            call=call,
            uses_env=len(parameters) > 2,  # noqa: PLR2004  records, options, env
            fans_out=bool(keeps) or typing.get_origin(hints["return"]) is list,
            module=call.__module__,
        )

    return wrap


def _kinds(hint: Any) -> tuple[type[Record], ...]:
    """Every record type that an annotation names: `list[Hit | Drop] | None` gives (Hit, Drop)."""
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        return tuple(dict.fromkeys(kind for part in typing.get_args(hint) for kind in _kinds(part)))
    if origin is not None:
        return _kinds(typing.get_args(hint)[0])
    return () if hint is type(None) else (hint,)


def names(kinds: tuple[type[Record], ...]) -> str:
    """`Hit, Attempt`: how docs and messages speak of record types."""
    return ", ".join(kind.__name__ for kind in kinds)


__all__ = ["Each", "Options", "Shape", "Stage", "Work", "each", "names", "stream", "whole"]
