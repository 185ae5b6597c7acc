"""Stories of Hacker News, through the search that it names itself."""

from __future__ import annotations

from typing import Any

from stages.core.env import Budget, Reply, Request, Settings
from stages.engines.answers import (
    DAY_SECS,
    ask,
    cut,
    day_of_epoch,
    hits_of,
    listed,
    plain,
    read_object,
    seconds_of,
    text,
    wanted_days,
)
from stages.engines.engine import Passport, one_line, query_text, web_address
from stages.records import Hit, Query

PASSPORT = Passport(
    name="hacker_news",
    family="hacker_news",
    identity="api",
    operators=frozenset({"phrase", "minus"}),
    freshness=frozenset({"day", "week", "month", "year"}),
    dates=True,
    budget=Budget("hacker_news", per_minute=60, burst=30),
    terms="10,000 requests an hour from one address.",
)

_MAX_QUERY = 500
_ITEM = "https://news.ycombinator.com/item?id="


def request(query: Query, settings: Settings, now: str) -> Request:
    """Stories that hold all words."""
    fields = {
        "query": cut(query_text(query, PASSPORT), _MAX_QUERY), "tags": "story", "hitsPerPage": "20", "advancedSyntax": "true",
    }  # fmt: skip
    first, last = wanted_days(query, now)
    bounds = [f"created_at_i>={seconds_of(first)}"] if first else []
    bounds += [f"created_at_i<{seconds_of(last) + DAY_SECS}"] if last else []
    if bounds:
        fields["numericFilters"] = ",".join(bounds)
    return ask("https://hn.algolia.com/api/v1/search", fields, PASSPORT.budget, settings)


def parse(reply: Reply, query: Query, now: str) -> list[Hit]:  # noqa: ARG001 - the shape of every engine
    """Stories in order; one that links to nothing leads to its own discussion. Raises StageError."""
    return hits_of(reply, listed(read_object(reply, engine_host="hn.algolia.com"), "hits"), _hit)


def _hit(row: dict[str, Any]) -> Hit | None:
    number, title = text(row, "objectID"), one_line(text(row, "title"))
    url = web_address(text(row, "url")) or (web_address(_ITEM + number) if number.isascii() and number.isdigit() else "")
    if not url or not title:
        return None
    posted = day_of_epoch(row.get("created_at_i"))
    return Hit(
        url=url,
        title=title,
        snippet=plain(text(row, "story_text"))[:1000],
        published=posted,
        published_trust="trusted" if posted else "",
    )
