"""What mcp-retrieval's two searches share: an entry for each query, its own status, and nothing joined across queries."""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast

from msgspec import Meta, Struct

from pipelines.story import Rejected, Story
from stages import load
from stages.records import Attempt, Failure, Hit, Notice, Tally

ALL_FAILED = "every query failed; the search upstream may be unreachable"
_TIMES = ("timeout", "deadline")

State = Literal["success", "no relevant", "failed", "timeout"]
NO_RELEVANT: State = "no relevant"


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the call asked for."""

    queries: tuple[str, ...] = ()
    limit: Annotated[int, Meta(ge=1, le=20, description="Results of each query at most.")] = 5
    date: str = ""


class Metadata(Struct, frozen=True, kw_only=True):
    """About the call; `date` as it was asked for."""

    total_request_time_ms: int
    date: str


class Outcome(Struct, frozen=True):
    """What became of one query. `error` says why, where it is no success."""

    query: str
    state: State
    hits: list[Hit]
    error: str


def outcomes(story: Story, options: Options, *, junk: State = NO_RELEVANT) -> list[Outcome]:
    """One for each query as asked. Raises Rejected when all failed, and none for want of time.

    `junk` is what a query is called whose results were all about something else.
    """
    found = [_outcome(query, story, options.limit, junk) for query in options.queries]
    if all(one.state == "failed" for one in found):
        raise Rejected("\n".join([ALL_FAILED, *dict.fromkeys(f"{one.query}: {one.error}" for one in found)]))
    return found


def _outcome(query: str, story: Story, limit: int, junk: State) -> Outcome:
    hits = [hit for hit in story.of(Hit) if any(place.query == query for place in hit.found)]
    attempts = [one for one in story.of(Attempt) if one.subject == query]
    lost = [one for one in story.of(Failure) if one.subject == query[:300]]
    told = "; ".join(dict.fromkeys(f"{one.who}: {one.message or one.outcome}" for one in attempts if one.outcome != "ok"))
    error = "; ".join(filter(None, (told, *(one.message for one in lost))))
    if hits:
        return Outcome(query, "success", _distinct(hits, limit), "")
    kinds = {one.outcome for one in attempts} | {one.kind for one in lost}
    if "empty" in kinds:
        return Outcome(query, "success", [], error)
    if "irrelevant" in kinds:
        return Outcome(query, junk, [], error)
    return Outcome(query, "timeout" if kinds & {*_TIMES} else "failed", [], error or "not asked")


def _distinct(hits: list[Hit], limit: int) -> list[Hit]:
    """The hits of one query with its doubles joined: what the stage does for a whole run is done for each query apart."""
    dedupe = load("dedupe")
    made = cast("list[Any]", dedupe.call(hits, dedupe.options(limit=limit)))
    return [one for one in made if isinstance(one, Hit)]


def metadata(story: Story, options: Options) -> Metadata:
    """The time that the slowest stage took."""
    return Metadata(total_request_time_ms=spent(story), date=options.date)


def spent(story: Story) -> int:
    """In milliseconds. Queries run at once, so it is each one's too."""
    return max((one.milliseconds for one in story.of(Tally)), default=0)


def notices(story: Story) -> tuple[str, ...]:
    """What the caller must know."""
    return tuple(one.message for one in story.of(Notice) if one.code != "lifted")
