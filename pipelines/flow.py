"""What reaches what in a pipeline file: which records each stage sees, and whether the reply gets those it needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from pipelines import folds, unfolds
from stages import load
from stages.core.plan import build
from stages.core.stage import Stage, names
from stages.records import BY_TAG, Record

Kinds = tuple[type[Record], ...]


class Hop(Struct, frozen=True):
    """A stage, what flows to it, and whether it was put in for the one behind it."""

    stage: Stage
    arrives: Kinds
    lifted_for: str = ""

    @property
    def sees(self) -> Kinds:
        """What it reads of what arrives. What it only keeps (a question to rank by) does not count where it reads more."""
        wanted = tuple(kind for kind in self.stage.reads if kind not in self.stage.keeps) or self.stage.reads
        return tuple(kind for kind in wanted if kind in self.arrives)


def fed(raw: dict[str, Any]) -> Kinds:
    """What the pipe is fed."""
    if request := raw.get("request"):
        unfold = unfolds.by_name(request["unfold"])
        return unfold.feeds if unfold else ()
    return (BY_TAG[raw["feed"]["record"]],) if raw.get("feed") else ()


def hops(raw: dict[str, Any]) -> tuple[list[Hop], Kinds]:
    """Every stage that has work, in order, and what reaches the end. The names in the file must be right."""
    return follow([stage["use"] for stage in raw.get("stage", ())], fed(raw))


def follow(stages: Sequence[str], flowing: Kinds) -> tuple[list[Hop], Kinds]:
    """The same for stages by name, fed with these records."""
    found: list[Hop] = []
    for step in build([(name, load(name).options()) for name in stages], load):
        hop = Hop(step.stage, flowing, step.lifted_for)
        if step.lifted_for and (not hop.sees or any(earlier.stage is step.stage for earlier in found)):
            continue
        found.append(hop)
        gone = [kind for kind in step.stage.reads if kind not in step.stage.keeps]
        flowing = tuple(dict.fromkeys([*(kind for kind in flowing if kind not in gone), *step.stage.writes]))
    return found, flowing


def flow_problems(raw: dict[str, Any]) -> Iterator[str]:
    """A stage that never sees what it reads; a reply that nothing reaches."""
    steps, end = hops(raw)
    for hop in steps:
        if not hop.lifted_for and not hop.sees:
            number = next(at for at, stage in enumerate(raw["stage"], 1) if stage["use"] == hop.stage.name)
            yield (
                f"stage {number} ({hop.stage.name}): it reads {names(hop.stage.reads)}, and only {names(hop.arrives)} reach it"
            )
    fold = folds.by_name(raw["reply"]["fold"])
    missing = tuple(kind for kind in fold.needs if kind not in end) if fold else ()
    if missing:
        arrives = f"only {names(end)} reach" if end else "nothing reaches"
        yield f"reply: {raw['reply']['fold']} needs {names(missing)}, and {arrives} the end"


__all__ = ["Hop", "fed", "flow_problems", "follow", "hops"]
