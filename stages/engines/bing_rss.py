"""Bing's results as a feed. Its days are those on which Bing last saw a page, not those of publication."""

from __future__ import annotations

import re
from typing import Any

from stages.core.env import Budget, Reply, Request, Settings
from stages.core.errors import StageError
from stages.engines.bing import market, not_chinese
from stages.engines.engine import (
    Passport,
    check_body,
    check_layout,
    check_status,
    one_line,
    query_text,
    web_address,
)
from stages.engines.markup import get, page_text, plain_text
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
    check_status(reply, engine_host="bing.com")
    root = _feed(reply)
    said = one_line(root.findtext("channel/title") or "")
    asked = one_line(query_text(query, PASSPORT))
    if not said.startswith("Bing:"):
        raise StageError("parse_changed", "a feed that does not say what it answers", http_status=reply.status)
    if not _same(said.removeprefix("Bing:"), asked):
        raise StageError("irrelevant", f"the results of another query: {said[:100]}", http_status=reply.status)
    items = root.findall("channel/item")  # the channel's image has a title and a link too
    if not items and not re.search(rb"</rss\s*>", reply.body):
        raise StageError("parse_changed", "a feed that breaks off before its results", http_status=reply.status)
    if not items:
        raise StageError("empty", "the engine found nothing", http_status=reply.status)
    hits = [hit for item in items if (hit := _hit(item, query, now)) is not None]
    check_layout(reply, containers=len(items), readable=len(hits))
    return hits


def _same(said: str, asked: str) -> bool:
    """Whether both are one query; what is said may be cut."""
    one, other = ("".join(filter(str.isalnum, text.casefold())) for text in (said, asked))
    return one == other or (bool(one) and other.startswith(one))


def _page(query: Query, page: int) -> Request:
    fields = {"q": query_text(query, PASSPORT), "format": "rss", **({"first": str(10 * (page - 1) + 1)} if page > 1 else {})}
    return get(_URL, fields | market(query), query, PASSPORT.budget, accept="application/rss+xml")


def _feed(reply: Reply) -> Any:
    """The root of the feed, as far as it came. Raises StageError when it is none."""
    from lxml import etree

    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(reply.body, parser) if reply.body.strip() else None
    except (etree.XMLSyntaxError, ValueError):
        root = None
    if root is not None and root.tag == "rss" and root.find("channel") is not None:
        check_body(reply, "")
        return root
    text = page_text(reply)
    check_body(reply, text)
    if re.match(r"\ufeff?\s*<(?:!doctype html|html|head|body)\b", text, re.IGNORECASE):
        raise StageError("blocked", "a web page instead of a feed", http_status=reply.status)
    raise StageError("parse_changed", "no feed", http_status=reply.status)


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
