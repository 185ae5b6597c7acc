"""Brave's search for those with a key (`BRAVE_API_KEY`): the web and news, an index of its own."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from stages.core.env import Budget, Reply, Request, Settings
from stages.core.errors import StageError
from stages.engines.answers import (
    as_object,
    ask,
    check_key,
    cut,
    day_of_iso,
    hits_of,
    listed,
    plain,
    read_json,
    text,
    today,
    wanted_days,
)
from stages.engines.engine import Passport, one_line, query_text, web_address
from stages.records import Hit, Query

PASSPORT = Passport(
    name="brave_api",
    family="brave",
    kinds=("web", "news"),
    identity="api",
    default=True,
    setting="brave_api_key",
    operators=frozenset({"phrase", "minus", "or", "site", "-site", "filetype", "intitle"}),
    freshness=frozenset({"day", "week", "month", "year"}),
    dates=True,
    budget=Budget("brave_api", per_minute=60, burst=5),
    terms="Those of the plan.",
)

_HOST = "api.search.brave.com"
_MAX_QUERY, _MAX_WORDS = 400, 50
_SPANS = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}


def request(query: Query, settings: Settings, now: str) -> Request:
    """Twenty results."""
    words = " ".join(query_text(query, PASSPORT).split()[:_MAX_WORDS])
    fields = {"q": cut(words, _MAX_QUERY), "count": "20", "spellcheck": "0"}
    first, last = wanted_days(query, now)
    if query.freshness and not last:
        fields["freshness"] = _SPANS[query.freshness]
    elif first or last:
        fields["freshness"] = f"{first.isoformat() if first else '1990-01-01'}to{(last or today(now)).isoformat()}"
    if query.region:
        fields["country"] = query.region.upper()
    if query.language:
        fields["search_lang"] = query.language
    path = "news" if query.kind == "news" else "web"
    url = f"https://{_HOST}/res/v1/{path}/search"
    return ask(url, fields, PASSPORT.budget, settings, x_subscription_token=settings.brave_api_key)


def parse(reply: Reply, query: Query, now: str) -> list[Hit]:  # noqa: ARG001 - the shape of every engine
    """Hits in order. Raises StageError."""
    answer = read_json(reply, engine_host=_HOST)
    told = one_line(text(answer, "error", "detail"))[:200]
    if reply.status == HTTPStatus.UNPROCESSABLE_ENTITY:
        raise StageError("blocked", f"the request was refused: {told}", http_status=reply.status)
    check_key(reply, told)
    answer = as_object(reply, answer)
    if query.kind == "web" and "query" in answer and "web" not in answer:
        raise StageError("empty", "the engine found nothing", http_status=reply.status)
    rows = listed(answer, "results") if query.kind == "news" else listed(answer, "web", "results")
    return hits_of(reply, rows, lambda row: _hit(row, query))


def _hit(row: dict[str, Any], query: Query) -> Hit | None:
    url, title = web_address(text(row, "url")), plain(text(row, "title"))
    if not url or not title:
        return None
    published, news = day_of_iso(text(row, "page_age")), query.kind == "news"
    return Hit(
        url=url,
        title=title,
        snippet=plain(text(row, "description")),
        kind=query.kind,
        published=published,
        published_trust="" if not published else "trusted" if news else "semi",
        thumbnail_url=web_address(text(row, "thumbnail", "src")) if news else "",
        source=one_line(text(row, "meta_url", "hostname"))[:200] if news else "",
    )
