"""The receipt of a run: what was asked, what refused, what was lost or set aside, and what the caller must know.

A fold over Tally, Attempt, Drop, Failure and Notice. Without milliseconds: a replay gives the same receipt.
"""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Literal

from msgspec import Meta, Struct

from pipelines.story import Story
from stages.records import Attempt, Failure, Notice, Tally
from stages.vocabulary import NoticeCode, Outcome

MOST_LOST = 20
"""Losses told one by one; all are counted."""


class Asked(Struct, frozen=True, kw_only=True):
    """One engine, asked one query."""

    engine: str
    query: str
    outcome: Outcome
    results: int
    message: str


class Lost(Struct, frozen=True, kw_only=True):
    """What could not be had, and why."""

    stage: str
    subject: str
    outcome: Outcome
    message: str
    retryable: bool


class StageCount(Struct, frozen=True, kw_only=True):
    """`read == went_on + dropped + failed`; what a stage made of it is counted apart."""

    stage: str
    read: int
    went_on: int
    wrote: int
    dropped: dict[str, int]
    failed: dict[str, int]


class Told(Struct, frozen=True, kw_only=True):
    """What the caller must know; `asked` and `used` where a limit was lowered."""

    stage: str
    code: NoticeCode
    message: str
    option: str
    asked: str
    used: str


class Receipt(Struct, frozen=True, kw_only=True):
    """How the reply came about."""

    run: Annotated[str, Meta(description="Id of the run; the archive of a recorded run has it too.")]
    started: Annotated[str, Meta(description="When, in UTC. In a replay, when the recorded run did.")]
    ended: Annotated[Literal["complete", "deadline"], Meta(description="Whether the deadline cut anything.")]
    engines: tuple[Asked, ...]
    stages: tuple[StageCount, ...]
    lost: Annotated[tuple[Lost, ...], Meta(description=f"What could not be had, the first {MOST_LOST}.")]
    lost_by_outcome: Annotated[dict[str, int], Meta(description="All of what could not be had, counted.")]
    notices: tuple[Told, ...]


def receipt(story: Story) -> Receipt:
    """The receipt of a finished run."""
    failures, attempts = story.of(Failure), story.of(Attempt)
    cut = any(one.kind == "deadline" for one in failures) or any(one.outcome == "deadline" for one in attempts)
    counts = Counter(one.kind for one in failures)
    return Receipt(
        run=story.run.id,
        started=story.run.start,
        ended="deadline" if cut else "complete",
        engines=tuple(
            Asked(engine=one.who, query=one.subject, outcome=one.outcome, results=one.results, message=one.message)
            for one in attempts
            if one.stage == "search"
        ),
        stages=tuple(
            StageCount(
                stage=one.stage, read=one.read, went_on=one.went_on, wrote=one.wrote, dropped=one.dropped, failed=one.failed
            )
            for one in story.of(Tally)
        ),
        lost=tuple(lost(one) for one in failures[:MOST_LOST]),
        lost_by_outcome={str(kind): counts[kind] for kind in sorted(counts)},
        notices=tuple(
            Told(stage=one.stage, code=one.code, message=one.message, option=one.option, asked=one.asked, used=one.used)
            for one in story.of(Notice)
            if one.code != "lifted"  # the file's own doing, and no news to who calls it
        ),
    )


def lost(failure: Failure) -> Lost:
    """A Failure as replies show it."""
    return Lost(
        stage=failure.stage,
        subject=failure.subject,
        outcome=failure.kind,
        message=failure.message,
        retryable=failure.retryable,
    )


_NEXT = {
    "deadline": "Allow more time, or ask for fewer pages.",
    "unavailable": "Try again later, or with other engines.",
    "unreachable": "Is this machine on the network?",
    "nothing": "Ask in other words, or without filters.",
}


def why_nothing(told: Receipt, status: str) -> str:
    """What stood in the way of finding anything, and what to do; empty when something was found."""
    if status not in _NEXT:
        return ""
    refused: dict[str, dict[str, None]] = {}
    for one in told.engines:
        if one.outcome not in ("ok", "empty"):
            refused.setdefault(one.outcome, {})[one.engine] = None
    parts = [f"{', '.join(engines)}: {outcome}" for outcome, engines in refused.items()]
    parts += [f"{count} lost to {outcome}" for outcome, count in told.lost_by_outcome.items()]
    why = f": {'; '.join(parts)}" if parts else ""
    nobody = {one.outcome for one in told.engines} == {"network"}
    return f"Nothing was found{why}. {_NEXT['unreachable' if nobody else status]}"


__all__ = ["Asked", "Lost", "Receipt", "StageCount", "Told", "lost", "receipt", "why_nothing"]
