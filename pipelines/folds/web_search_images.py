"""The reply of mcp-retrieval's `web_search_images`: one entry a query, with pictures and the pages that they stand on."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from pipelines.folds.fold import Fold, same_json
from pipelines.folds.per_query import Metadata, Options, Outcome, State, metadata, notices, outcomes, spent
from pipelines.folds.web_scrape import uuid7
from pipelines.story import Story
from stages.records import Hit


class Image(Struct, frozen=True, kw_only=True):
    """A picture."""

    id: str
    url: str
    page_url: str
    description: str


class Result(Struct, frozen=True, kw_only=True):
    """One query. `no relevant`: pictures came, and none had to do with it."""

    query: str
    status: State
    count: int
    images: tuple[Image, ...]
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
        results=tuple(_result(one, story) for one in outcomes(story, options)),
        metadata=metadata(story, options),
        notices=notices(story),
    )


def _result(one: Outcome, story: Story) -> Result:
    images = tuple(
        Image(
            id=str(uuid7(story.run.start, f"{one.query}\0{hit.image_url}")),
            url=hit.image_url,
            page_url=hit.url,
            description=hit.title,
        )
        for hit in one.hits
    )
    return Result(
        query=one.query, status=one.state, count=len(images), images=images, total_time_ms=spent(story), error=one.error
    )


WEB_SEARCH_IMAGES = Fold(
    name="web_search_images", reply=Reply, needs=(Hit,), fold=fold, markdown=same_json, brief=same_json, options=Options
)
