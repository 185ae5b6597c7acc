"""DuckDuckGo's news: a page gives the token with which the list is asked for. Its dates are to the second, and to be trusted."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from stages.core.env import Reply, Request, Settings
from stages.engines import duckduckgo, duckduckgo_images
from stages.engines.answers import day_of_epoch, hits_of, plain, text
from stages.engines.engine import Passport, one_line, query_text, web_address
from stages.records import Hit, Query

PASSPORT = Passport(
    name="duckduckgo_news",
    family="bing",
    kinds=("news",),
    default=True,
    operators=frozenset({"site", "-site"}),
    freshness=frozenset({"day", "week", "month"}),
    budget=duckduckgo.BUDGET,
    terms=duckduckgo.PASSPORT.terms,
)

_SPANS = {"day": "d", "week": "w", "month": "m"}


def request(query: Query, settings: Settings, now: str) -> Request:  # noqa: ARG001 - the shape of every engine
    """The page that has the token."""
    return duckduckgo_images.token_page(query_text(query, PASSPORT), query, "news")


def parse(reply: Reply, query: Query, now: str) -> list[Hit] | Request:  # noqa: ARG001 - the shape of every engine
    """News in order, or the request for them. Raises StageError."""
    if urlsplit(reply.url).path != "/news.js":
        span = _SPANS.get(query.freshness)
        fields = {"noamp": "1", "p": "-1", **({"df": span} if span else {})}
        return duckduckgo_images.with_token(reply, "news.js", query_text(query, PASSPORT), query, fields)
    return hits_of(reply, duckduckgo_images.rows(reply), _hit)


def _hit(row: dict[str, Any]) -> Hit | None:
    url, title = web_address(text(row, "url")), plain(text(row, "title"))
    if not url or not title:
        return None
    published = day_of_epoch(row.get("date"))
    return Hit(
        url=url,
        title=title,
        snippet=plain(text(row, "excerpt")),
        kind="news",
        published=published,
        published_trust="trusted" if published else "",
        thumbnail_url=web_address(text(row, "image")),
        source=one_line(text(row, "source"))[:200],
    )
