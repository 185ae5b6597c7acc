"""Brave's page of results, from an index of its own. A few quick queries, then a check, which is reported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stages.core.env import Budget, Reply, Request, Settings
from stages.engines.engine import Passport, query_text
from stages.engines.markup import Layout, get, page_hits
from stages.text.dates import first_day

if TYPE_CHECKING:
    from stages.records import Hit, Query

PASSPORT = Passport(
    name="brave",
    family="brave",
    default=True,
    operators=frozenset({"phrase", "minus", "or", "site", "-site", "filetype", "intitle"}),
    freshness=frozenset({"day", "week", "month", "year"}),
    dates=True,
    pages=9,
    budget=Budget("brave", per_minute=3, burst=4),
    terms="No automated use of the page; Brave sells an interface. About four quick queries, then a check.",
)

_URL = "https://search.brave.com/search"
_FRESHNESS = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}
_LAYOUT = Layout(
    host="search.brave.com",
    blocks=('div.snippet[data-type="web"]', '[data-type="web"]', "#results > .snippet:not([data-type])", ".snippet.fdb"),
    titles=(".search-snippet-title", ".snippet-title", ".title"),
    links=('a[href^="http"]', "a[href]"),
    snippets=(
        ".generic-snippet .content",
        ".video-snippet .content > div",
        ".snippet-description",
        ".snippet-content",
        ".description",
    ),
    dates=(".generic-snippet .content > .t-secondary", ".snippet-description > .t-secondary"),
    extras=".snippet-attributes, .thumbnail-wrapper, .site-name-content",
    others=".standalone, [data-type=ad]",
    nothing=".noresults, .no-results, #no-results",
    not_results=("search.brave.com/", "//brave.com/ads"),
)


def request(query: Query, settings: Settings, now: str) -> Request:  # noqa: ARG001 - the shape of every engine
    """A search without its summary, and without its guess of where the asker is."""
    return _page(query, 1, now)


def next_page(reply: Reply, query: Query, page: int, now: str) -> Request | None:  # noqa: ARG001 - the shape of every engine
    """The next twenty or so."""
    return _page(query, page, now)


def parse(reply: Reply, query: Query, now: str) -> list[Hit]:
    """Hits in order, without widgets. Raises StageError."""
    return page_hits(reply, query, now, _LAYOUT)


def _page(query: Query, page: int, now: str) -> Request:
    fields = {"q": query_text(query, PASSPORT), "source": "web"}
    since = first_day(query.freshness, query.published_after, now)
    if query.freshness and since == first_day(query.freshness, "", now):
        fields["tf"] = _FRESHNESS[query.freshness]
    elif since:
        fields["tf"] = f"{since}to{now[:10]}"
    if page > 1:
        fields["offset"] = str(page - 1)
    region = query.region.lower()
    country = region if region.isascii() and region.isalpha() else "all"
    cookie = f"useLocation=0; summarizer=0; country={country}; ui_lang=en-us"
    return get(_URL, fields, query, PASSPORT.budget, cookie=cookie)
