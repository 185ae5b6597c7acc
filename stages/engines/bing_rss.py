"""Bing's results as a feed. Its days are those on which Bing last saw a page, not those of publication."""

from __future__ import annotations

import re
from typing import Any

from stages.core.env import Budget, Reply, Request, Settings
from stages.core.errors import StageError
from stages.engines.answers import hits_of, read_feed
from stages.engines.bing import market, not_chinese
from stages.engines.engine import Passport, one_line, query_text, web_address
from stages.engines.markup import get, plain_text
from stages.records import Hit, Query
from stages.text.dates import read_date

PASSPORT = Passport(
    name="bing_rss",
    family="bing",
    default=True,
    operators=frozenset({"phrase", "minus", "or", "site", "-site", "filetype", "intitle"}),
    pages=5,
    budget=Budget("bing_rss", per_minute=2, burst=4),
    terms="The feed is for reading, personal and not commercial.",
)

_URL = "https://www.bing.com/search"


def request(query: Query, settings: Settings, now: str) -> Request:  # noqa: ARG001 - the shape of every engine
    """A search in the market of the query's language and region."""
    return _page(query, 1)


def next_page(reply: Reply, query: Query, page: int, now: str) -> Request | None:  # noqa: ARG001 - the shape of every engine
    """Ten further on. It may show an earlier page again."""
    return _page(query, page)


def parse(reply: Reply, query: Query, now: str) -> list[Hit]:
    """Hits in order. The feed of another query is `irrelevant`, a web page instead of one a refusal. Raises StageError."""
    not_chinese(reply)
    root = read_feed(reply, engine_host="bing.com", page="blocked")
    said = one_line(root.findtext("channel/title") or "")
    asked = one_line(query_text(query, PASSPORT))
    if not said.startswith("Bing:"):
        raise StageError("parse_changed", "a feed that does not say what it answers", http_status=reply.status)
    if not _same(said.removeprefix("Bing:"), asked):
        raise StageError("irrelevant", f"the results of another query: {said[:100]}", http_status=reply.status)
    return hits_of(reply, root.findall("channel/item"), lambda item: _hit(item, query, now))  # the channel's image is titled too


def _same(said: str, asked: str) -> bool:
    """Whether both are one query; what is said may be cut."""
    one, other = ("".join(filter(str.isalnum, text.casefold())) for text in (said, asked))
    return one == other or (bool(one) and other.startswith(one))


def _page(query: Query, page: int) -> Request:
    fields = {"q": query_text(query, PASSPORT), "format": "rss", **({"first": str(10 * (page - 1) + 1)} if page > 1 else {})}
    return get(_URL, fields | market(query), query, PASSPORT.budget, accept="application/rss+xml")


def _hit(item: Any, query: Query, now: str) -> Hit | None:
    url, title = web_address(item.findtext("link") or ""), plain_text(item.findtext("title") or "")
    if not url or not title:
        return None
    day = _day(item.findtext("pubDate") or "", query, now)
    snippet = plain_text(item.findtext("description") or "")
    return Hit(url=url, title=title, snippet=snippet, published=day, published_trust="untrusted" if day else "")


def _day(text: str, query: Query, now: str) -> str:
    """`Cmt, 01 Ağu 2026 07:40:00 GMT` without weekday and time: both are in the reader's language, and only one is needed."""
    bare = re.sub(r"^[^,]{0,20},|\d{1,2}:\d\d.*$", " ", text, flags=re.DOTALL)
    return read_date(one_line(bare), (query.language,), now)
