"""The requests of BetterWebSearch's `web_search`, `web_find` and `web_news`: what is out of range is refused, never moved.

Days become the smallest span that engines know; `web_news` sets aside by the day itself.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from pipelines.unfolds.unfold import Unfold, Unfolded
from stages.records import Query

RESULTS, MOST_RESULTS = 10, 20
NEWS_DAYS, MOST_DAYS = 7, 365
OVERFETCH = 3
"""How many times the reports wanted are looked at, for the old and the doubled ones among them."""
_SPANS: tuple[tuple[int, Literal["day", "week", "month", "year"]], ...] = (
    (1, "day"), (7, "week"), (31, "month"), (MOST_DAYS, "year"),
)  # fmt: skip

Words = Annotated[str, Meta(min_length=1)]
MaxResults = Annotated[int, Meta(ge=1, le=MOST_RESULTS, description="Results at most.")]


class WebSearchArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """As that server publishes them."""

    query: Annotated[Words, Meta(description="What to look for.")]
    max_results: MaxResults = RESULTS
    recency_days: Annotated[int, Meta(ge=0, le=MOST_DAYS, description="Prefer pages of so many past days; 0 for any time.")] = 0


class WebFindArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """As that server publishes them."""

    query: Annotated[Words, Meta(description="What to look for.")]
    site: Annotated[Words, Meta(description="The domain to look in, as example.org.")]
    max_results: MaxResults = RESULTS


class WebNewsArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """As that server publishes them."""

    topic: Annotated[Words, Meta(description="What the news should be about.")]
    recency_days: Annotated[int, Meta(ge=1, le=MOST_DAYS, description="Only reports published within so many past days.")] = (
        NEWS_DAYS
    )
    max_results: MaxResults = RESULTS


def web_search(asked: WebSearchArguments) -> Unfolded:
    """The query as it stands."""
    query = Query(text=asked.query, freshness=span(asked.recency_days))
    return Unfolded(records=(query,), values={"query": asked.query, "limit": asked.max_results})


def web_find(asked: WebFindArguments) -> Unfolded:
    """The query with the site before it."""
    query = Query(text=f"site:{asked.site} {asked.query}")
    return Unfolded(records=(query,), values={"query": asked.query, "site": asked.site, "limit": asked.max_results})


def web_news(asked: WebNewsArguments) -> Unfolded:
    """The topic, and more reports than are wanted."""
    query = Query(text=asked.topic, kind="news", freshness=span(asked.recency_days))
    values = {"topic": asked.topic, "days": asked.recency_days, "limit": asked.max_results}
    return Unfolded(records=(query,), values=values | {"fetched": OVERFETCH * asked.max_results})


def span(days: int) -> Literal["", "day", "week", "month", "year"]:
    """The smallest span that holds so many days; empty for 0."""
    return next((name for most, name in _SPANS if days <= most), "") if days else ""


BETTER_WEB_SEARCH = (
    Unfold(name="better_web_search", arguments=WebSearchArguments, gives=("query", "limit"), feeds=(Query,), call=web_search),
    Unfold(name="better_web_find", arguments=WebFindArguments, gives=("query", "site", "limit"), feeds=(Query,), call=web_find),
    Unfold(
        name="better_web_news",
        arguments=WebNewsArguments,
        gives=("topic", "days", "limit", "fetched"),
        feeds=(Query,),
        call=web_news,
    ),
)
