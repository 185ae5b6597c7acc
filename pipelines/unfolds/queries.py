"""The requests of mcp-retrieval's `web_search` and `web_search_images`: a batch of queries, refused as a whole for one bad query.

Limits out of range are moved inside, and a Notice says so; zero and less stand for the default, as that server has it.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from pipelines.story import Rejected
from pipelines.unfolds.unfold import Unfold, Unfolded, clamped
from stages.records import Notice, Query

MOST_QUERIES, MOST_QUERY = 10, 512
TIMEOUT_MS, LEAST_TIMEOUT_MS, MOST_TIMEOUT_MS = 5000, 1000, 10_000
RESULTS, MOST_RESULTS = 5, 20
IMAGES, MOST_IMAGES = 5, 10
SPANS: dict[str, Literal["day", "week", "month", "year"]] = {"d": "day", "w": "week", "m": "month", "y": "year"}

Queries = Annotated[
    tuple[str, ...],
    Meta(
        max_length=MOST_QUERIES,
        description=f"1 to 10 queries, asked at once; an empty one, or one over {MOST_QUERY} characters, refuses the whole call.",
    ),
]
TimeoutMs = Annotated[
    int, Meta(description=f"Milliseconds for the whole call, {LEAST_TIMEOUT_MS} to {MOST_TIMEOUT_MS}; the rest is a timeout.")
]
Date = Annotated[str, Meta(description="d, w, m or y: only what is of the past day, week, month or year; empty for any time.")]


class WebSearchArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """As that server publishes them."""

    queries: Queries
    max_results: Annotated[int, Meta(description=f"Results of each query at most; {RESULTS}, never over {MOST_RESULTS}.")] = (
        RESULTS
    )
    timeout_ms: TimeoutMs = TIMEOUT_MS
    date: Date = ""


class WebSearchImagesArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """As that server publishes them."""

    queries: Queries
    max_images: Annotated[int, Meta(description=f"Images of each query at most; {IMAGES}, and never over {MOST_IMAGES}.")] = (
        IMAGES
    )
    timeout_ms: TimeoutMs = TIMEOUT_MS
    date: Date = ""


def web_search(asked: WebSearchArguments) -> Unfolded:
    """A query each. Raises Rejected."""
    notices: list[Notice] = []
    limit = clamped("max_results", asked.max_results, RESULTS, (1, MOST_RESULTS), notices)
    return _unfolded(asked, "web", limit, notices)


def web_search_images(asked: WebSearchImagesArguments) -> Unfolded:
    """A query each. Raises Rejected."""
    notices: list[Notice] = []
    limit = clamped("max_images", asked.max_images, IMAGES, (1, MOST_IMAGES), notices)
    return _unfolded(asked, "image", limit, notices)


def _unfolded(asked: Any, kind: Literal["web", "image"], limit: int, notices: list[Notice]) -> Unfolded:
    queries = tuple(query.strip() for query in asked.queries)
    if not queries or not all(queries):
        raise Rejected("query must not be empty")
    if wrong := [place for place, query in enumerate(queries) if len(query) > MOST_QUERY]:
        raise Rejected("\n".join(["query is too long", *(f"queries[{place}]: over {MOST_QUERY} characters" for place in wrong)]))
    timeout_ms = clamped("timeout_ms", asked.timeout_ms, TIMEOUT_MS, (LEAST_TIMEOUT_MS, MOST_TIMEOUT_MS), notices)
    if asked.date and asked.date not in SPANS:
        told = f"date was {asked.date[:20]!r}, which is none of {', '.join(SPANS)}: any time is searched"
        notices.append(Notice(stage="request", code="operator_ignored", message=told, option="date", asked=asked.date[:20]))
    span: Literal["", "day", "week", "month", "year"] = SPANS.get(asked.date, "")
    return Unfolded(
        records=tuple(Query(text=query, kind=kind, freshness=span) for query in dict.fromkeys(queries)),
        values={"queries": queries, "limit": limit, "timeout_secs": timeout_ms / 1000, "date": asked.date},
        deadline_secs=timeout_ms / 1000,
        notices=tuple(notices),
    )


WEB_SEARCH = Unfold(
    name="web_search",
    arguments=WebSearchArguments,
    gives=("queries", "limit", "timeout_secs", "date"),
    feeds=(Query, Notice),
    call=web_search,
    refusal="invalid request",
)
WEB_SEARCH_IMAGES = Unfold(
    name="web_search_images",
    arguments=WebSearchImagesArguments,
    gives=("queries", "limit", "timeout_secs", "date"),
    feeds=(Query, Notice),
    call=web_search_images,
    refusal="invalid request",
)
