"""DuckDuckGo's pictures, which are Bing's: a page gives the token with which the list is asked for."""

from __future__ import annotations

import json
import re
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode, urlsplit

from stages.core.env import Reply, Request, Settings
from stages.core.errors import StageError
from stages.engines import duckduckgo
from stages.engines.answers import hits_of, listed, number, text
from stages.engines.engine import Passport, accept_language, check_body, check_status, one_line, query_text, web_address
from stages.engines.markup import page_text
from stages.records import Hit, Query
from stages.text.urls import host

PASSPORT = Passport(
    name="duckduckgo_images",
    family="bing",
    kinds=("image",),
    default=True,
    operators=frozenset({"site", "-site"}),
    freshness=frozenset({"day", "week", "month", "year"}),
    budget=duckduckgo.BUDGET,
    terms=duckduckgo.PASSPORT.terms,
)

_TOKEN = re.compile(r"""vqd=(?:"([^"<>]{1,200})"|'([^'<>]{1,200})'|([\d-]{1,200})&)""", re.ASCII)
_HOME = "https://duckduckgo.com/"


def request(query: Query, settings: Settings, now: str) -> Request:  # noqa: ARG001 - the shape of every engine
    """The page that has the token."""
    return token_page(query_text(query, PASSPORT), query, "images")


def parse(reply: Reply, query: Query, now: str) -> list[Hit] | Request:  # noqa: ARG001 - the shape of every engine
    """Pictures in order, or the request for them. Raises StageError."""
    if urlsplit(reply.url).path != "/i.js":
        span = f"time:{query.freshness.capitalize()}" if query.freshness else ""
        fields = {"u": "bing", "f": f"{span},,,,,", "p": "1", "a": "h_"}
        return with_token(reply, "i.js", query_text(query, PASSPORT), query, fields)
    return hits_of(reply, rows(reply), _hit)


def token_page(asked: str, query: Query, kind: str) -> Request:
    """The page of this kind of results."""
    language = accept_language(query)
    return Request(
        url=f"{_HOME}?{urlencode({'q': asked, 'iar': kind, 't': 'h_'})}",
        headers=(("referer", _HOME), *((("accept-language", language),) if language else ())),
        max_bytes=2 << 20,
        budget=PASSPORT.budget,
    )


def with_token(reply: Reply, path: str, asked: str, query: Query, fields: dict[str, str]) -> Request:
    """The request for a list, by the token of its page. It belongs to the query and the browser that asked. Raises StageError."""
    check_status(reply, engine_host="duckduckgo.com")
    page = page_text(reply)
    found = _TOKEN.search(page)
    if found is None:
        if reply.status == HTTPStatus.ACCEPTED or "anomaly-modal" in page or "/anomaly.js" in page:
            raise StageError("challenge", "asks whether a person is searching", http_status=reply.status)
        check_body(reply, page)
        raise StageError("parse_changed", "a page without the token that it should have", http_status=reply.status)
    region, language = duckduckgo.region(query), accept_language(query)
    sent = {"o": "json", "q": asked, "l": region, "vqd": found[1] or found[2] or found[3]} | fields
    return Request(
        url=f"{_HOME}{path}?{urlencode(sent)}",
        headers=(
            ("accept", "*/*"), ("referer", _HOME), ("sec-fetch-dest", "empty"), ("sec-fetch-mode", "cors"),
            ("sec-fetch-site", "same-origin"), *((("accept-language", language),) if language else ()),
        ),
        max_bytes=2 << 20,
        budget=PASSPORT.budget,
        part=True,
    )  # fmt: skip


def rows(reply: Reply) -> list[dict[str, Any]]:
    """What a list holds. Anything but a list is a challenge there. Raises StageError."""
    check_status(reply, engine_host="duckduckgo.com")
    if reply.status in (HTTPStatus.FORBIDDEN, HTTPStatus.ACCEPTED):
        raise StageError("challenge", "the token is not taken, or too much was asked", http_status=reply.status)
    try:
        answer = json.loads(reply.body)
    except (ValueError, RecursionError):
        answer = None
    found = isinstance(answer, dict) and "results" in answer
    check_body(reply, "" if found else page_text(reply))
    if not found:
        raise StageError("challenge", "something else instead of results", http_status=reply.status)
    return listed(answer, "results")


def _hit(row: dict[str, Any]) -> Hit | None:
    url, image, title = web_address(text(row, "url")), web_address(text(row, "image")), one_line(text(row, "title"))
    if not url or not image or not title:
        return None
    return Hit(
        url=url,
        title=title,
        kind="image",
        image_url=image,
        thumbnail_url=web_address(text(row, "thumbnail")),
        width=number(row, "width"),
        height=number(row, "height"),
        source=host(url),
    )
