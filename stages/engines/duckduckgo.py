"""DuckDuckGo's page for browsers without scripts, which shows Bing's index. A challenge is reported, never solved."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from stages.core.env import Budget, Reply, Request, Settings
from stages.core.errors import StageError
from stages.engines.engine import Passport, query_text, web_address
from stages.engines.markup import Layout, form_fields, page_hits, page_tree, post

if TYPE_CHECKING:
    from stages.records import Hit, Query

BUDGET = Budget("duckduckgo", per_minute=4, burst=4)
"""All pages of DuckDuckGo count together."""
PASSPORT = Passport(
    name="duckduckgo",
    family="bing",
    default=True,
    operators=frozenset({"site", "-site", "filetype", "intitle", "inurl"}),
    freshness=frozenset({"day", "week", "month", "year"}),
    pages=5,
    budget=BUDGET,
    terms="No automated bulk use. A handful of requests a minute from one address, then a challenge.",
)

_URL = "https://html.duckduckgo.com/html/"
_MAX_QUERY = 499
_FRESHNESS = {"": "", "day": "d", "week": "w", "month": "m", "year": "y"}
_REGIONS = frozenset(
    """ar-es at-de au-en be-fr be-nl bg-bg br-pt ca-en ca-fr ch-de ch-fr cl-es cn-zh co-es ct-ca cz-cs de-de dk-da ee-et es-ca
    es-es fi-fi fr-fr gr-el hk-tzh hr-hr hu-hu id-en ie-en il-en in-en is-is it-it jp-jp kr-kr lt-lt lv-lv mx-es my-en nl-nl no-no
    nz-en pe-es ph-en pk-en pl-pl pt-pt ro-ro ru-ru se-sv sg-en sk-sk sl-sl th-en tr-tr tw-tzh ua-uk uk-en us-en us-es vn-en xa-ar
    za-en""".split()  # noqa: SIM905 - a table of codes
)
_COUNTRIES = {"gb": "uk", "si": "sl", "sa": "xa"}
"""Where its country codes are not the usual ones."""
ADS = ("duckduckgo.com/y.js",)
"""In the addresses of advertisements, which are wrapped like results."""
_LAYOUT = Layout(
    host="duckduckgo.com",
    blocks=("div.web-result", "#links > div.result"),
    titles=("a.result__a", "h2 a"),
    links=("a.result__a[href]", "h2 a[href]"),
    snippets=("a.result__snippet", ".result__snippet"),
    dates=(".result__extras__url > span:not(.result__icon)",),
    extras=".result__type",
    others=".result--ad, .result--no-result",
    nothing=".no-results, .result--no-result",
    not_results=ADS,
)


def request(query: Query, settings: Settings, now: str) -> Request:  # noqa: ARG001 - the shape of every engine
    """The form that its own page sends."""
    return first_page(query, _URL)


def parse(reply: Reply, query: Query, now: str) -> list[Hit]:
    """Hits in order, without advertisements. Raises StageError."""
    not_challenged(reply)
    return page_hits(reply, query, now, _LAYOUT, unwrap=target)


def next_page(reply: Reply, query: Query, page: int, now: str) -> Request | None:  # noqa: ARG001 - the shape of every engine
    """The page's own form for the next one; None when it has none (the last page, and Chinese regions)."""
    return further_page(reply, query, page, _URL)


def first_page(query: Query, url: str) -> Request:
    """The form as it is sent from the empty search page at this address."""
    place, freshness = region(query), _FRESHNESS[query.freshness]
    return _form(query, url, {"q": _text(query), "b": "", "kl": place, **({"df": freshness} if freshness else {})})


def further_page(reply: Reply, query: Query, page: int, url: str) -> Request | None:
    """The form that leads on from a page of results, verbatim: who asks for a later page without its `vqd` is taken for a bot."""
    forms = [form_fields(form) for form in page_tree(reply).css("form")]
    starts = {int(form["s"]): form for form in forms if form.get("vqd") and re.fullmatch(r"\d{1,4}", form.get("s", ""))}
    following = max(starts, default=0)
    # The form that leads back starts earlier: a page has ten results or more.
    return _form(query, url, starts[following]) if following > 10 * (page - 2) else None


def not_challenged(reply: Reply) -> None:
    """Raise `challenge` for the status by which all its pages ask whether a person is searching."""
    if reply.status == HTTPStatus.ACCEPTED:
        raise StageError("challenge", "asks whether a person is searching", http_status=reply.status)


def target(href: str) -> str:
    """Where a result leads, out of its `/l/?uddg=` wrapper; empty when it has no address of the web."""
    return web_address(parse_qs(urlsplit(href).query).get("uddg", [""])[0] or href)


def _form(query: Query, url: str, fields: dict[str, str]) -> Request:
    kept = "; ".join(f"{name}={fields[name]}" for name in ("kl", "df") if re.fullmatch(r"[a-z-]{1,20}", fields.get(name, "")))
    fetch = {"sec_fetch_dest": "document", "sec_fetch_mode": "navigate", "sec_fetch_site": "same-origin", "sec_fetch_user": "?1"}
    return post(url, fields, query, BUDGET, referer=url, cookie=kept, **fetch)


def _text(query: Query) -> str:
    """The query within the length that is answered, and with `!bang` words quoted: they would lead to another site."""
    text = re.sub(r"(?<!\S)(!\S*)", r"'\1'", query_text(query, PASSPORT))
    return text if len(text) <= _MAX_QUERY else (text[: _MAX_QUERY + 1].rpartition(" ")[0] or text[:_MAX_QUERY])


def region(query: Query) -> str:
    """Its own name for the query's region, `wt-wt` for none."""
    country = _COUNTRIES.get(query.region.lower(), query.region.lower())
    ours = [region for region in sorted(_REGIONS) if region.startswith(f"{country}-")] if country else []
    return next((region for region in ours if region.endswith(f"-{query.language}")), ours[0] if ours else "wt-wt")
