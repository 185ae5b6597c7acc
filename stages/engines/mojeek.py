"""Mojeek's page of results, from an index of its own. A handful of queries, then 403 until minutes have passed."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from stages.core.env import Budget, Reply, Request, Settings
from stages.core.errors import StageError
from stages.engines.engine import Passport, accept_language, query_text
from stages.engines.markup import Layout, get, page_hits
from stages.text.dates import first_day

if TYPE_CHECKING:
    from stages.records import Hit, Query

PASSPORT = Passport(
    name="mojeek",
    family="mojeek",
    default=True,
    operators=frozenset({"phrase", "minus", "site", "-site"}),
    freshness=frozenset({"day", "week", "month", "year"}),
    dates=True,
    pages=10,
    budget=Budget("mojeek", per_minute=1, burst=8),
    terms="Its robots.txt closes the page of results; Mojeek sells an interface.",
)

_URL = "https://www.mojeek.com/search"
_LAYOUT = Layout(
    host="mojeek.com",
    blocks=("ul.results-standard > li", "li:has(> a.ob)", "li:has(h2 a.title)"),
    titles=("h2 a.title", "a.title", "h2"),
    links=("a.ob[href]", "h2 a[href]", "a.title[href]"),
    snippets=("p.s",),
    others="li.ad, li.sponsored, ul.results-ads",
    nothing=".no-results",
    not_results=("mojeek.com/search",),
)


def request(query: Query, settings: Settings, now: str) -> Request:  # noqa: ARG001 - the shape of every engine
    """A search. `s` on the first page and an empty `fmt` are answered with 403: neither is sent."""
    return _page(query, 1, now)


def next_page(reply: Reply, query: Query, page: int, now: str) -> Request | None:  # noqa: ARG001 - the shape of every engine
    """The next ten."""
    return _page(query, page, now)


def parse(reply: Reply, query: Query, now: str) -> list[Hit]:
    """Hits in order. Raises StageError."""
    if reply.status == HTTPStatus.FORBIDDEN:
        raise StageError("rate_limited", "refuses until minutes have passed", http_status=reply.status)
    return page_hits(reply, query, now, _LAYOUT)


def _page(query: Query, page: int, now: str) -> Request:
    fields = {"q": query_text(query, PASSPORT), "safe": "0"}
    if since := first_day(query.freshness, query.published_after, now):
        fields["since"] = since.replace("-", "")
    if page > 1:
        fields["s"] = str(10 * (page - 1) + 1)
    language, region = accept_language(query), query.region.lower()
    codes = {"lb": query.language.partition("-")[0], "arc": region if region.isascii() and region.isalpha() else ""}
    cookies = "; ".join(f"{name}={code}" for name, code in codes.items() if code) if language else ""
    return get(_URL, fields, query, PASSPORT.budget, cookie=cookies)
