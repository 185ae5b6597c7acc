"""Steps that run together, what they share, and what they tell the caller when they end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from msgspec import Struct

from stages.core.calls import Count
from stages.core.env import Deadline, Door, Ledger, Settings
from stages.core.plan import Step
from stages.core.wire import Item
from stages.records import Notice, Run

Batch = list[Item]
Send = Callable[[Batch], Awaitable[None]]


class Context(Struct, frozen=True, kw_only=True):
    """What the stages of one run share."""

    run: Run
    door: Door
    ledger: Ledger
    settings: Settings = Settings()
    deadline: Deadline = Deadline()
    tee: Path | None = None
    """A folder that gets what leaves each stage, one file a stage."""
    progress: Callable[[str, int, int], None] | None = None
    """Told a stage's name, how many records it has read and how many of them are dealt with."""


class Hop:
    """The steps that run together, with their counts and what they must tell the caller."""

    def __init__(self, steps: Sequence[Step], context: Context, before: Sequence[Step] = ()) -> None:
        self.steps = list(steps)
        coming = {kind for step in before for kind in step.stage.writes}
        self.expected = any(not step.lifted_for or coming.intersection(step.stage.reads) for step in steps)
        """Whether records for it will surely come: a worker is then started ahead of them."""
        self.context = context
        self.counts = [Count(step.stage.name) for step in steps]
        self.notices: set[Notice] = set()

    def reads(self, item: Item) -> bool:
        """Whether any of its steps reads the item."""
        return any(step.reads(item) for step in self.steps)

    @property
    def idle(self) -> bool:
        """Whether all its steps were lifted and had nothing to do: then it leaves no trace."""
        return all(step.lifted_for and not count.read for step, count in zip(self.steps, self.counts, strict=True))

    def progressed(self) -> None:
        """Tell whoever watches."""
        if self.context.progress is not None:
            for count in self.counts:
                self.context.progress(count.stage, count.read, count.went_on + count.dropped.total() + count.failed.total())

    def ending(self) -> Batch:
        """Notices and Tally of each step that did something, or was asked for."""
        ended: Batch = []
        for step, count in zip(self.steps, self.counts, strict=True):
            if step.lifted_for and not count.read:
                continue
            ended += self._told(step)
            ended.append(count.tally())
        return ended

    def _told(self, step: Step) -> Sequence[Notice]:
        name, ledger = step.stage.name, self.context.ledger
        told: tuple[Notice, ...] = tuple(ledger.recorded_notices(name))
        if not ledger.replaying:
            told = tuple(
                sorted((one for one in self.notices if one.stage == name), key=lambda one: (one.code, one.message, one.option))
            )
            ledger.record_notices(name, told)
        if step.lifted_for:
            message = f"{step.lifted_for} was given records that had not been through {name}: put in with its default options"
            told = (*told, Notice(stage=name, code="lifted", message=message))
        return told
