"""The reply of mcp-retrieval's `web_search`: one entry a query, and snippets with the places that they have in it."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from pipelines.folds.fold import Fold, same_json
from pipelines.folds.per_query import Metadata, Options, Outcome, metadata, notices, outcomes, spent
from pipelines.folds.web_scrape import uuid7
from pipelines.story import Story
from stages.records import Hit
from stages.text.urls import host


class Snippet(Struct, frozen=True, kw_only=True):
    """A page, and what the engine showed of it."""

    id: str
    link: str
    title: str
    rank: int
    source: str
    snippet: str
    favicon: str


class Result(Struct, frozen=True, kw_only=True):
    """One query."""

    query: str
    status: Literal["success", "failed", "timeout"]
    count: int
    snippets: tuple[Snippet, ...]
    total_time_ms: int
    error: Annotated[str, Meta(description="Why, where there is nothing.")]


class Reply(Struct, frozen=True, kw_only=True):
    """Every query, in the order given."""

    results: tuple[Result, ...]
    metadata: Metadata
    notices: Annotated[tuple[str, ...], Meta(description="Limits that were moved, and what else is to be known.")]


def fold(story: Story, options: Options) -> Reply:
    """One entry a query. Raises Rejected when all failed, and none for want of time."""
    return Reply(
        results=tuple(_result(one, story) for one in outcomes(story, options, junk="failed")),
        metadata=metadata(story, options),
        notices=notices(story),
    )


def _result(one: Outcome, story: Story) -> Result:
    snippets = tuple(
        Snippet(
            id=str(uuid7(story.run.start, f"{one.query}\0{hit.url}")),
            link=hit.url,
            title=hit.title,
            rank=rank,
            source=host(hit.url),
            snippet=hit.snippet,
            favicon="",
        )
        for rank, hit in enumerate(one.hits, 1)
    )
    return Result(
        query=one.query,
        status="failed" if one.state == "no relevant" else one.state,
        count=len(snippets),
        snippets=snippets,
        total_time_ms=spent(story),
        error=one.error,
    )


WEB_SEARCH = Fold(name="web_search", reply=Reply, needs=(Hit,), fold=fold, markdown=same_json, brief=same_json, options=Options)
