"""Bing's page of results. With status 200 it may also show a check, page 1 again, or another query."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from datetime import date
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urljoin, urlsplit

from stages.core.env import Budget, Reply, Request, Settings
from stages.core.errors import StageError
from stages.engines.engine import Passport, query_text, web_address
from stages.engines.markup import Layout, get, page_hits
from stages.text.dates import first_day
from stages.text.urls import host

if TYPE_CHECKING:
    from stages.records import Hit, Query

PASSPORT = Passport(
    name="bing",
    family="bing",
    default=True,
    operators=frozenset({"phrase", "minus", "or", "site", "-site", "filetype", "intitle"}),
    freshness=frozenset({"day", "week", "month", "year"}),
    dates=True,
    pages=5,
    budget=Budget("bing", per_minute=6, burst=6),
    terms="No automated use without Microsoft's leave. Some queries are answered with a check, or with results of another query.",
)

_URL = "https://www.bing.com/search"
_WRAPPERS = frozenset({"/ck/a", "/alink/link", "/newtabredir"})
_SPANS = {"day": "ez1", "week": "ez2", "month": "ez3"}
_LAYOUT = Layout(
    host="bing.com",
    blocks=("li.b_algo", ".b_algo"),
    titles=("h2 a", "h2", "h3 a"),
    links=("h2 a[href]", "a[href]:has(h2)", "h3 a[href]", ".b_title a[href]"),
    snippets=(".b_caption p", "p[class*=b_lineclamp]", "p[class*=b_para]", ".b_snippet", ".b_caption", "p"),
    dates=(".news_dt",),
    extras=".algoSlug_icon, .b_attribution, .b_factrow, .b_vlist2col, .b_deep",
    others="li.b_ad, .b_ad, li.b_ans, #b_context",
    nothing="#b_results > .b_no, .b_no",
    not_results=("bing.com/aclick", "bing.com/aclk", "//www.bing.com/", "//bing.com/"),
)


def request(query: Query, settings: Settings, now: str) -> Request:  # noqa: ARG001 - the shape of every engine
    """A search in the market of the query's language and region."""
    return _page(query, 1, now)


def next_page(reply: Reply, query: Query, page: int, now: str) -> Request | None:  # noqa: ARG001 - the shape of every engine
    """Ten further on. It may show an earlier page again."""
    return _page(query, page, now)


def parse(reply: Reply, query: Query, now: str) -> list[Hit]:
    """Hits in order, without advertisements. Raises StageError."""
    not_chinese(reply)
    return page_hits(reply, query, now, _LAYOUT, unwrap=target)


def not_chinese(reply: Reply) -> None:
    """Raise `blocked` when the answer is that of the edition for China, which has other results."""
    landed = reply.header("location") or reply.url
    if host(landed) == "cn.bing.com":
        raise StageError("blocked", "sent to the edition for China", http_status=reply.status)


def market(query: Query) -> dict[str, str]:
    """The parameters that say where and in which language."""
    language, region = query.language.partition("-")[0], query.region.upper()
    both = {"mkt": f"{language}-{region}"} if language and region else {}
    return both or ({"setlang": language} if language else {"cc": region} if region else {})


def target(href: str) -> str:
    """Where a result leads, out of its `/ck/a?u=a1` wrapper; empty when it has no address of the web."""
    href = urljoin(_URL, href)
    parts = urlsplit(href)
    if parts.path in _WRAPPERS and host(href).endswith("bing.com"):
        asked = parse_qs(parts.query)
        packed = asked.get("u", [""])[0]
        if packed.startswith("a1"):
            href = urlsafe_b64decode(packed[2:] + "=" * (-len(packed[2:]) % 4)).decode("utf-8", "replace")
        else:
            href = packed or asked.get("url", [""])[0]
    address = web_address(urljoin(_URL, href))
    front, mark, rest = address.partition("?")
    kept = re.sub(r"(?:^|&)msockid=[^&#]*", "", rest).removeprefix("&")
    return f"{front}{mark if kept and not kept.startswith('#') else ''}{kept}"


def _page(query: Query, page: int, now: str) -> Request:
    fields = {"q": query_text(query, PASSPORT), **market(query)}
    if page > 1:
        fields |= {"first": str(10 * (page - 1) + 1), "FORM": "PERE" if page == 2 else f"PERE{page - 2}"}  # noqa: PLR2004
    if filters := _filters(query, now):
        fields["filters"] = filters
    return get(_URL, fields, query, PASSPORT.budget)


def _filters(query: Query, now: str) -> str:
    """Its own spans, or from a day to today, in days since 1970."""
    since = first_day(query.freshness, query.published_after, now)
    if query.freshness in _SPANS and since == first_day(query.freshness, "", now):
        return f'ex1:"{_SPANS[query.freshness]}"'
    epoch = date(1970, 1, 1)
    days = [(date.fromisoformat(day) - epoch).days for day in (since, now[:10]) if day]
    return f'ex1:"ez5_{days[0]}_{days[1]}"' if since else ""
