"""Yahoo's page of results, which shows Bing's index in an order of its own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from stages.core.env import Budget, Reply, Request, Settings
from stages.engines.engine import Passport, accept_language, query_text, web_address
from stages.engines.markup import Layout, get, page_hits, page_tree

if TYPE_CHECKING:
    from stages.records import Hit, Query

PASSPORT = Passport(
    name="yahoo",
    family="bing",
    default=True,
    operators=frozenset({"phrase", "minus", "or", "site", "-site", "filetype", "intitle", "inurl"}),
    freshness=frozenset({"day", "week", "month"}),
    pages=5,
    budget=Budget("yahoo", per_minute=6, burst=6),
    terms="No automated use without Yahoo's leave. In Europe a page that asks for consent may come first.",
)

_FRESHNESS = {"day": "d", "week": "w", "month": "m"}
_HOSTS = frozenset({"de", "uk", "fr", "ca", "br", "in", "mx", "ar", "cl", "co", "pe", "ve", "hk", "tw", "sg", "th", "ph"})
"""Countries with a host of their own."""
_PER_PAGE = 7
_LAYOUT = Layout(
    host="yahoo.com",
    blocks=("div.algo-sr", "div.relsrch", "div.algo", "li div.dd:has(.compTitle)"),
    titles=(".compTitle h3", "h3"),
    labels=(".compTitle h3 a[aria-label]", "h3 a[aria-label]"),
    links=(".compTitle h3 a[href]", ".compTitle > a[href]", "a[href]:has(h3)", "h3 a[href]"),
    snippets=(".compText", ".compText p", "p"),
    extras="h3 [class*=p-abs], h3 .algo-favicon, h3 .url",  # the trail of the address stands in the title of country hosts
    others=".ads, .searchCenterTopAds, .searchCenterBottomAds, .searchRightTopAds, .AlsoTry",
    nothing=".zrp, #no-result, .no-results",
    not_results=("bing.com/aclick", "bing.com/aclk", "search.yahoo.com/"),
)


def request(query: Query, settings: Settings, now: str) -> Request:  # noqa: ARG001 - the shape of every engine
    """A search at the host of the query's country."""
    return _page(query, {"iscqry": ""})


def next_page(reply: Reply, query: Query, page: int, now: str) -> Request | None:  # noqa: ARG001 - the shape of every engine
    """Seven further on; None when the page leads no further."""
    start = _PER_PAGE * (page - 1) + 1
    if page_tree(reply).css_first(f".compPagination a.next, a.next[href], a[href*='b={start}']") is None:
        return None
    return _page(query, {"b": str(start), "pz": str(_PER_PAGE), "bct": "0", "xargs": "0"})


def parse(reply: Reply, query: Query, now: str) -> list[Hit]:
    """Hits in order, without advertisements. Raises StageError."""
    return page_hits(reply, query, now, _LAYOUT, unwrap=target)


def target(href: str) -> str:
    """Where a result leads, out of its `/RU=…/RK=` wrapper; empty when it has no address of the web."""
    if urlsplit(href).netloc.endswith("search.yahoo.com") and (wrapped := re.search(r"/RU=(.*?)(?:/R[KSO]=|$)", href)):
        href = unquote(wrapped[1])
    return web_address(href)


def _page(query: Query, place: dict[str, str]) -> Request:
    country = {"gb": "uk"}.get(query.region.lower(), query.region.lower())
    host = f"{country}.search.yahoo.com" if country in _HOSTS else "search.yahoo.com"
    freshness = _FRESHNESS.get(query.freshness, "")
    fields = {"p": query_text(query, PASSPORT), **({"btf": freshness} if freshness else {}), **place}
    language = query.language.partition("-")[0] if accept_language(query) else ""
    wanted = f"sB=v=1&vm=i&fl=1&vl=lang_{language}&pn=10&rw=new&userset=1" if language else ""
    return get(f"https://{host}/search", fields, query, PASSPORT.budget, cookie=wanted)
