"""Exa's search for those with a key (`EXA_API_KEY`): the web and news, an index of its own."""

from __future__ import annotations

from typing import Any

from stages.core.env import Budget, Reply, Request, Settings
from stages.engines.answers import (
    as_object,
    ask_json,
    check_key,
    cut,
    day_of_iso,
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
    name="exa",
    family="exa",
    kinds=("web", "news"),
    identity="api",
    default=True,
    setting="exa_api_key",
    freshness=frozenset({"day", "week", "month", "year"}),
    dates=True,
    budget=Budget("exa", per_minute=60, burst=5),
    terms="Those of the plan.",
)

_HOST = "api.exa.ai"
_MAX_QUERY = 1000
_SPENT = frozenset({402})


def request(query: Query, settings: Settings, now: str) -> Request:
    """Twenty results with the sentences that fit best."""
    fields: dict[str, Any] = {"query": cut(query_text(query, PASSPORT), _MAX_QUERY), "type": "auto", "numResults": 20}
    fields["contents"] = {"highlights": True}
    if query.kind == "news":
        fields["category"] = "news"
    first, last = wanted_days(query, now)
    if first:
        fields["startPublishedDate"] = f"{first.isoformat()}T00:00:00.000Z"
    if last:
        fields["endPublishedDate"] = f"{last.isoformat()}T23:59:59.999Z"
    if query.include_domains:
        fields["includeDomains"] = query.include_domains
    if query.exclude_domains:
        fields["excludeDomains"] = query.exclude_domains
    return ask_json(f"https://{_HOST}/search", fields, PASSPORT.budget, settings, x_api_key=settings.exa_api_key)


def parse(reply: Reply, query: Query, now: str) -> list[Hit]:  # noqa: ARG001 - the shape of every engine
    """Hits in order. Raises StageError."""
    answer = read_json(reply, engine_host=_HOST)
    check_key(reply, one_line(text(answer, "error"))[:200], spent=_SPENT)
    rows = listed(as_object(reply, answer), "results")
    return hits_of(reply, rows, lambda row: _hit(row, query))


def _hit(row: dict[str, Any], query: Query) -> Hit | None:
    url = web_address(text(row, "url"))
    title = plain(text(row, "title")) or url
    if not url:
        return None
    parts = row.get("highlights")
    shown = " \u2026 ".join(part for part in parts if isinstance(part, str)) if isinstance(parts, list) else ""
    published = day_of_iso(text(row, "publishedDate"))
    return Hit(
        url=url,
        title=title,
        snippet=plain(shown or text(row, "summary") or text(row, "text"))[:1500],
        kind=query.kind,
        published=published,
        published_trust="semi" if published else "",
    )
