"""Serper's search for those with a key (`SERPER_API_KEY`): Google's web, pictures and news."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from stages.core.env import Budget, Reply, Request, Settings
from stages.core.errors import StageError
from stages.engines.answers import (
    as_object,
    ask_json,
    check_key,
    cut,
    hits_of,
    listed,
    number,
    plain,
    read_json,
    text,
)
from stages.engines.engine import Passport, one_line, query_text, web_address
from stages.records import Hit, Query
from stages.text.dates import read_date

PASSPORT = Passport(
    name="serper",
    family="google",
    kinds=("web", "image", "news"),
    identity="api",
    default=True,
    setting="serper_api_key",
    operators=frozenset({"phrase", "minus", "or", "site", "-site", "filetype", "intitle", "inurl"}),
    freshness=frozenset({"day", "week", "month", "year"}),
    budget=Budget("serper", per_minute=60, burst=10),
    terms="Those of the plan.",
)

_HOST = "google.serper.dev"
_MAX_QUERY = 1000
_PATHS = {"web": ("search", "organic"), "image": ("images", "images"), "news": ("news", "news")}


def request(query: Query, settings: Settings, now: str) -> Request:  # noqa: ARG001 - the shape of every engine
    """Twenty results, described in English unless the query says otherwise."""
    fields: dict[str, Any] = {"q": cut(query_text(query, PASSPORT), _MAX_QUERY), "num": 20, "autocorrect": False}
    if query.region:
        fields["gl"] = query.region.lower()
    if query.language:
        fields["hl"] = query.language
    if query.freshness:
        fields["tbs"] = f"qdr:{query.freshness[0]}"
    url = f"https://{_HOST}/{_PATHS[query.kind][0]}"
    return ask_json(url, fields, PASSPORT.budget, settings, x_api_key=settings.serper_api_key)


def parse(reply: Reply, query: Query, now: str) -> list[Hit]:
    """Hits in order. Raises StageError."""
    answer = read_json(reply, engine_host="serper.dev")
    told = one_line(text(answer, "message"))[:200]
    if reply.status == HTTPStatus.BAD_REQUEST and "credit" in told.casefold():
        raise StageError("rate_limited", told, http_status=reply.status)
    check_key(reply, told)
    rows = listed(as_object(reply, answer), _PATHS[query.kind][1])
    return hits_of(reply, rows, lambda row: _hit(row, query, now))


def _hit(row: dict[str, Any], query: Query, now: str) -> Hit | None:
    url, title, image = web_address(text(row, "link")), plain(text(row, "title")), web_address(text(row, "imageUrl"))
    picture = query.kind == "image"
    if not url or not title or (picture and not image):
        return None
    published = read_date(text(row, "date"), (query.language,), now)
    return Hit(
        url=url,
        title=title,
        snippet=plain(text(row, "snippet")),
        kind=query.kind,
        published=published,
        published_trust="" if not published else "trusted" if query.kind == "news" else "semi",
        image_url=image if picture else "",
        thumbnail_url=web_address(text(row, "thumbnailUrl")) or ("" if picture else image),
        width=number(row, "imageWidth"),
        height=number(row, "imageHeight"),
        source=one_line(text(row, "source"))[:200],
    )
