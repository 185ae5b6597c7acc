"""Bing's news as a feed, whose links are taken out of Bing's counting of clicks."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from stages.core.env import Budget, Reply, Request, Settings
from stages.engines.answers import MAX_BYTES, child_text, cut, day_of_rfc, hits_of, local_name, plain, read_feed
from stages.engines.engine import Passport, accept_language, one_line, query_text, web_address
from stages.records import Hit, Query
from stages.text.urls import host

PASSPORT = Passport(
    name="bing_news",
    family="bing",
    kinds=("news",),
    default=True,
    operators=frozenset({"phrase", "minus", "site", "-site", "intitle"}),
    budget=Budget("bing_rss", per_minute=2, burst=4),
    terms="The feed is for reading, personal and not commercial.",
)

_MAX_QUERY = 500
_SPANS = {"day": "4", "week": "7", "month": "9"}


def request(query: Query, settings: Settings, now: str) -> Request:  # noqa: ARG001 - the shape of every engine
    """The feed. A span of time is asked for, but nobody has said that the feed heeds it: the dates decide."""
    language = accept_language(query)
    fields = {"q": cut(query_text(query, PASSPORT), _MAX_QUERY), "format": "rss"}
    if query.language and query.region and language:
        fields["mkt"] = language.partition(",")[0]
    if span := _SPANS.get(query.freshness):
        fields["qft"] = f'interval="{span}"'
    # a date in another language than English would be none of RFC 822
    headers = (("accept", "application/rss+xml"), ("accept-language", language or "en"))
    url = f"https://www.bing.com/news/search?{urlencode(fields)}"
    return Request(url=url, headers=headers, max_bytes=MAX_BYTES, budget=PASSPORT.budget)


def parse(reply: Reply, query: Query, now: str) -> list[Hit]:  # noqa: ARG001 - the shape of every engine
    """News in order, dated by their outlets. The Chinese market and a refusal give a web page. Raises StageError."""
    root = read_feed(reply, engine_host="bing.com")
    return hits_of(reply, [one for one in root.iter() if local_name(one) == "item"], _hit)


def _hit(item: Any) -> Hit | None:
    url, title = _target(child_text(item, "link")), plain(child_text(item, "title"))
    if not url or not title:
        return None
    published = day_of_rfc(child_text(item, "pubDate"))
    return Hit(
        url=url,
        title=title,
        snippet=plain(child_text(item, "description")),
        kind="news",
        published=published,
        published_trust="trusted" if published else "",
        # their namespace holds the query, so they are known by their local names
        thumbnail_url=web_address(child_text(item, "Image")),
        source=one_line(child_text(item, "Source"))[:200],
    )


def _target(link: str) -> str:
    """Where a link leads, out of `apiclick.aspx?url=`; empty for one that leads nowhere else."""
    name = host(link)
    if name != "bing.com" and not name.endswith(".bing.com"):
        return web_address(link)
    try:
        wrapped = parse_qs(urlsplit(link).query).get("url", [""])[0]
    except ValueError:
        return ""
    return web_address(wrapped)
