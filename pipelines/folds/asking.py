"""What became of each query of a search: found, nothing, or nobody who answered."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from pipelines.folds.receipt import Asked, Receipt
from pipelines.story import Story
from stages.records import Attempt, Failure, Hit, Query, Question, record_id

Status = Literal["found", "nothing", "unavailable", "deadline"]


class Asking(Struct, frozen=True, kw_only=True):
    """One query, and the numbers of the hits that it found."""

    query: str
    status: Annotated[Status, Meta(description="`unavailable`: no engine answered it; `nothing`: they did, and had nothing.")]
    hits: tuple[int, ...]
    engines: tuple[Asked, ...]


def askings(story: Story, hits: list[Hit], told: Receipt) -> tuple[Asking, ...]:
    """One for each query or question that was fed, in their order; `hits` are those of the reply, which they number."""
    return tuple(_asking(one, story, hits, told) for one in story.fed if isinstance(one, (Query, Question)))


def asked_lines(queries: tuple[Asking, ...], noun: str) -> list[str]:
    """What each query came to, a line each."""
    lines = []
    for one in queries:
        engines = ", ".join(f"{asked.engine} {asked.outcome}" for asked in one.engines)
        lines.append(f"{one.query}: {one.status}, {len(one.hits)} {noun}{f' ({engines})' if engines else ''}")
    return lines


def over_limit(told: Receipt) -> int:
    """Hits that were found beyond the limit of the run."""
    return sum(one.dropped.get("over_limit", 0) for one in told.stages if one.stage == "dedupe")


def found_by(hit: Hit) -> tuple[str, ...]:
    """The engines that showed it."""
    return tuple(dict.fromkeys(place.engine for place in hit.found))


def _asking(asked: Query | Question, story: Story, hits: list[Hit], told: Receipt) -> Asking:
    texts = {asked.text, " ".join(asked.text.split())}
    if isinstance(asked, Question):
        own = record_id(asked)
        texts |= {one.text for one in story.of(Query) if one.question == own}
    numbers = tuple(number for number, hit in enumerate(hits, 1) if any(place.query in texts for place in hit.found))
    return Asking(
        query=asked.text,
        status="found" if numbers else _status(texts, story),
        hits=numbers,
        engines=tuple(one for one in told.engines if one.query in texts),
    )


def _status(texts: set[str], story: Story) -> Status:
    outcomes = [one.outcome for one in story.of(Attempt) if one.subject in texts]
    lost = [one.kind for one in story.of(Failure) if one.subject in {text[:300] for text in texts}]
    if any(outcome in ("ok", "empty", "irrelevant") for outcome in outcomes):
        return "nothing"
    return "deadline" if "deadline" in (*outcomes, *lost) else "unavailable"


__all__ = ["Asking", "Status", "asked_lines", "askings", "found_by", "over_limit"]
