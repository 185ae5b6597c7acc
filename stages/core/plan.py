"""From the stages that were asked for to the steps that run: lifted stages put in, parsing stages joined.

Lifting goes by each stage's own declaration, whatever else stands in the pipe: the same stages are lifted whether they run in
one process or in several, so both give the same bytes.
A lifted stage passes finished records by, and leaves no trace if it read none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from stages.core.stage import Options, Stage
from stages.core.wire import Item, Line, decoded


class Step(Struct, frozen=True):
    """A stage with its options; `lifted_for` names the stage that it was put before."""

    stage: Stage
    options: Options
    lifted_for: str = ""

    def reads(self, item: Item) -> bool:
        """Whether the item is for this step."""
        mine = item.tag in self.stage.read_tags if isinstance(item, Line) else isinstance(item, self.stage.reads)
        if mine and self.lifted_for and self.stage.finished is not None:
            return not self.stage.finished(decoded(item))
        return mine


def build(steps: Sequence[tuple[str, Options]], load: Callable[[str], Stage]) -> list[Step]:
    """The steps in running order. `load` gives a stage by name."""
    plan: list[Step] = []
    for name, options in steps:
        stage = load(name)
        for lifted in stage.lifts:
            before = load(lifted)
            plan.append(Step(before, before.options(), name))
        plan.append(Step(stage, options))
    return plan


def hops(plan: Sequence[Step], *, fuse: bool) -> list[list[Step]]:
    """Steps that run together: adjacent stages that work in worker processes share one, so a page is sent to it once.

    A stage that may write several records ends its group: one record is at one stage, so a worker that dies loses one record.
    """
    found: list[list[Step]] = []
    for step in plan:
        joins = fuse and found and step.stage.works and found[-1][-1].stage.works and not found[-1][-1].stage.fans_out
        if joins:
            found[-1].append(step)
        else:
            found.append([step])
    return found


__all__ = ["Step", "build", "hops"]
