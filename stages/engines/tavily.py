"""Tavily's search for those with a key (`TAVILY_API_KEY`): the web and news."""

from __future__ import annotations

from typing import Any

from stages.core.env import Budget, Reply, Request, Settings
from stages.engines.answers import (
    as_object,
    ask_json,
    check_key,
    cut,
    day_of_iso,
    day_of_rfc,
    hits_of,
    listed,
    plain,
    read_json,
    text,
    wanted_days,
)
from stages.engines.engine import Passport, one_line, query_text, web_address
from stages.records import Hit, Query

PASSPORT = Passport(
    name="tavily",
    family="tavily",
    kinds=("web", "news"),
    identity="api",
    default=True,
    setting="tavily_api_key",
    freshness=frozenset({"day", "week", "month", "year"}),
    dates=True,
    budget=Budget("tavily", per_minute=60, burst=5),
    terms="Those of the plan.",
)

_HOST = "api.tavily.com"
_MAX_QUERY = 400
_SPENT = frozenset({432, 433})
"""Statuses of its own: the plan's limit, and the limit of paying as one goes."""


def request(query: Query, settings: Settings, now: str) -> Request:
    """Twenty results, the most that it gives."""
    fields: dict[str, Any] = {"query": cut(query_text(query, PASSPORT), _MAX_QUERY), "max_results": 20}
    fields["topic"] = "news" if query.kind == "news" else "general"
    first, last = wanted_days(query, now)
    if first:
        fields["start_date"] = first.isoformat()
    if last:
        fields["end_date"] = last.isoformat()
    if query.include_domains:
        fields["include_domains"] = query.include_domains
    if query.exclude_domains:
        fields["exclude_domains"] = query.exclude_domains
    key = f"Bearer {settings.tavily_api_key}"
    return ask_json(f"https://{_HOST}/search", fields, PASSPORT.budget, settings, authorization=key)


def parse(reply: Reply, query: Query, now: str) -> list[Hit]:  # noqa: ARG001 - the shape of every engine
    """Hits in order. Raises StageError."""
    answer = read_json(reply, engine_host=_HOST)
    check_key(reply, one_line(text(answer, "detail", "error"))[:200], spent=_SPENT)
    rows = listed(as_object(reply, answer), "results")
    return hits_of(reply, rows, lambda row: _hit(row, query))


def _hit(row: dict[str, Any], query: Query) -> Hit | None:
    url, title = web_address(text(row, "url")), plain(text(row, "title"))
    if not url or not title:
        return None
    stamp = text(row, "published_date")
    published = day_of_iso(stamp) or day_of_rfc(stamp)
    return Hit(
        url=url,
        title=title,
        snippet=plain(text(row, "content"))[:1500],
        kind=query.kind,
        published=published,
        published_trust="" if not published else "trusted" if query.kind == "news" else "semi",
    )
