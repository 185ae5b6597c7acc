"""A SearXNG instance that the user named, asked for JSON: one front to many engines, whose own refusals it reports."""

from __future__ import annotations

import json
import re
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from stages.core.env import Reply, Request, Settings
from stages.core.errors import StageError
from stages.engines.engine import (
    Passport,
    accept_language,
    check_body,
    check_layout,
    check_status,
    family_of,
    one_line,
    query_text,
    wall_of,
    web_address,
)
from stages.engines.markup import page_text
from stages.records import Found, Hit, Query
from stages.text.urls import host
from stages.vocabulary import Outcome

PASSPORT = Passport(
    name="searxng",
    family="searxng",
    kinds=("web", "image", "news"),
    identity="api",
    setting="searxng_url",
    default=True,
    operators=frozenset({"phrase", "minus", "or", "site", "-site", "filetype", "intitle", "inurl"}),
    freshness=frozenset({"day", "week", "month", "year"}),
    pages=5,
    terms="The rules of the instance; its settings must allow the JSON format.",
)

_CATEGORIES = {"web": "general", "image": "images", "news": "news"}
_REASONS: tuple[tuple[str, Outcome], ...] = (
    ("captcha", "challenge"), ("too many requests", "rate_limited"), ("denied", "blocked"), ("timeout", "timeout"),
    ("network", "network"),
)  # fmt: skip
"""How an instance says why an engine behind it did not answer, most telling first."""
_LAST_PLACE = 10_000
"""Nobody looks further down: a larger number is no place."""


def request(query: Query, settings: Settings, now: str) -> Request:  # noqa: ARG001 - the shape of every engine
    """A search at the instance that the settings name."""
    base = settings.searxng_url.rstrip("/")
    fields = {"q": query_text(query, PASSPORT), "format": "json", "categories": _CATEGORIES[query.kind]}
    if query.language:
        fields["language"] = f"{query.language}-{query.region.upper()}" if query.region else query.language
    if query.freshness:
        fields["time_range"] = query.freshness
    return _asking(f"{base}{'' if base.endswith('/search') else '/search'}?{urlencode(fields)}", query)


def next_page(reply: Reply, query: Query, page: int, now: str) -> Request | None:  # noqa: ARG001 - the shape of every engine
    """The same search, further on."""
    asked = (reply.asked or reply.url).partition("&pageno=")[0]
    return _asking(f"{asked}&pageno={page}", query) if "?" in asked else None


def parse(reply: Reply, query: Query, now: str) -> list[Hit]:  # noqa: ARG001 - the shape of every engine
    """Hits in the instance's order. Raises StageError."""
    check_status(reply, engine_host=host(reply.url))
    if reply.status == HTTPStatus.FORBIDDEN and wall_of(reply, page_text(reply)) is None:
        raise StageError("blocked", "the instance refuses JSON: add json to search.formats in its settings", http_status=403)
    answer = _answer(reply)
    rows = answer.get("results")
    if not isinstance(rows, list):
        raise StageError("parse_changed", "an answer without a list of results", http_status=reply.status)
    if not rows:
        raise _without_results(answer, reply.status)
    ahead = _ahead(reply)
    hits = [
        hit
        for rank, row in enumerate(rows, ahead + 1)
        if isinstance(row, dict) and (hit := _hit(row, query, rank, ahead)) is not None
    ]
    check_layout(reply, containers=len(rows), readable=len(hits))
    return hits


def _ahead(reply: Reply) -> int:
    """Places on the pages before, ten to a page: an instance counts from one on each."""
    page = re.search(r"&pageno=(\d{1,2})$", reply.asked or reply.url)
    return 10 * (int(page[1]) - 1) if page else 0


def _asking(url: str, query: Query) -> Request:
    language = accept_language(query)
    return Request(
        url=url,
        headers=(("accept", "application/json"), *((("accept-language", language),) if language else ())),
        identity="api",
        max_bytes=2 << 20,
        trusted=True,
    )


def _answer(reply: Reply) -> dict[str, Any]:
    try:
        answer = json.loads(reply.body)  # unlike msgspec it lets half a surrogate in one title pass: `clean` replaces it
    except (ValueError, RecursionError):
        text = page_text(reply)
        check_body(reply, text)
        if re.match(r"\s*<", text):
            raise StageError(
                "challenge", "a web page instead of JSON: a bot check, or not a SearXNG address", http_status=200
            ) from None
        raise StageError("parse_changed", "not JSON", http_status=reply.status) from None
    check_body(reply, "")
    return answer if isinstance(answer, dict) else {}


def _without_results(answer: dict[str, Any], status: int) -> StageError:
    """Nothing found, or nobody behind the instance who answered: these are told apart by `unresponsive_engines`."""
    silent = answer.get("unresponsive_engines")
    if not isinstance(silent, list) or not silent:
        return StageError("empty", "the engine found nothing", http_status=status)
    told = one_line("; ".join(": ".join(map(str, entry)) if isinstance(entry, list) else str(entry) for entry in silent))[:200]
    kind: Outcome = next((kind for mark, kind in _REASONS if mark in told.casefold()), "server_error")
    return StageError(kind, f"engines behind the instance did not answer ({told})", http_status=status)


def _hit(row: dict[str, Any], query: Query, rank: int, ahead: int) -> Hit | None:
    url, title = web_address(_string(row, "url")), one_line(_string(row, "title"))
    image = web_address(_string(row, "img_src")) if query.kind == "image" else ""
    if not url or not title or (query.kind == "image" and not image):
        return None
    published = re.match(r"\d{4}-\d{2}-\d{2}", _string(row, "publishedDate"))
    size = re.search(r"(\d{1,5})\s*[x\u00d7]\s*(\d{1,5})", _string(row, "resolution"))
    return Hit(
        url=url,
        title=title,
        snippet=one_line(_string(row, "content")),
        kind=query.kind,
        published=published[0] if published else "",
        published_trust="semi" if published else "",
        image_url=image,
        thumbnail_url=web_address(_string(row, "thumbnail_src") or _string(row, "thumbnail")) if query.kind == "image" else "",
        width=int(size[1]) if size else 0,
        height=int(size[2]) if size else 0,
        found=(_found(row, query, rank, ahead),),
    )


def _found(row: dict[str, Any], query: Query, rank: int, ahead: int) -> Found:
    """`engines` is a set there and `positions` a list, so which position is whose is lost; both are sorted here."""
    engines, positions = row.get("engines"), row.get("positions")
    families = {family_of(one_line(name)) for name in engines if isinstance(name, str)} if isinstance(engines, list) else set()
    ranks = (
        [place for place in positions if type(place) is int and 0 < place <= _LAST_PLACE] if isinstance(positions, list) else []
    )
    return Found(
        engine=PASSPORT.name,
        family=PASSPORT.family,
        query=query.text,
        rank=rank,
        weight=query.weight,
        families=tuple(sorted(families - {""})) if ranks else (),
        ranks=tuple(sorted(ahead + place for place in ranks)),
    )


def _string(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""
