"""Startpage, which shows Google's index. Its search page hands out a token first; results are in a page's state and markup."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from stages.core.env import Budget, Reply, Request, Settings
from stages.core.errors import StageError
from stages.engines.engine import Passport, check_layout, check_status, query_text, web_address
from stages.engines.markup import Layout, form_fields, get, page_hits, page_language, page_text, page_tree, plain_text, post
from stages.records import Hit, Query
from stages.text.dates import split_date

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

PASSPORT = Passport(
    name="startpage",
    family="google",
    operators=frozenset({"phrase", "minus", "or", "site", "-site", "filetype", "intitle", "inurl"}),
    freshness=frozenset({"day", "week", "month", "year"}),
    pages=5,
    budget=Budget("startpage", per_minute=4, burst=4),
    terms="No automated use. Its token costs a request of its own, and a check is frequent.",
)

_BASE = "https://www.startpage.com"
_FRESHNESS = {"": "", "day": "d", "week": "w", "month": "m", "year": "y"}
_LANGUAGES = {
    "da": "dansk", "de": "deutsch", "en": "english", "es": "espanol", "fr": "francais", "it": "italiano", "nl": "nederlands",
    "no": "norsk", "pl": "polski", "pt": "portugues", "fi": "suomi", "sv": "svenska",
}  # fmt: skip
_BLOCKING = frozenset({"abp"})
"""A field that its own form may hold, and that is answered with a check when it is sent."""
_STATE = re.compile(r"UIStartpage\.AppSerpWeb\s*,\s*(?=\{)")
_SHORT = 20_000
"""Characters in which a page that only leads on says so."""
_INTERSTITIAL = re.compile(r"""var data\s*=\s*\{[^<]{0,4000}\bsgt\b""")
_LAYOUT = Layout(
    host="startpage.com",
    blocks=("div.result:has(a.result-title)", "div.result:has(a.result-link)", "div.result", ".w-gl__result"),
    titles=("a.result-title h2", "h2.wgl-title", "a.result-title", "a.result-link", "h2", "h3"),
    links=("a.result-title[href]", "a.w-gl__result-title[href]", "a.result-link[href]", "a[href]:has(h2)", "a[href]:has(h3)"),
    snippets=("p.description", ".description", "p.w-gl__description"),
    others=".ads, .ad, [id^=adBlock]",
    nothing=".no-results, [data-testid=no-results]",
    not_results=("startpage.com/do/", "startpage.com/sp/", "googleadservices.com/", "google.com/aclk"),
)


def request(query: Query, settings: Settings, now: str) -> Request:  # noqa: ARG001 - the shape of every engine
    """Its search page, which holds the token."""
    return get(f"{_BASE}/", {}, query, PASSPORT.budget)


def parse(reply: Reply, query: Query, now: str) -> list[Hit] | Request:
    """The search, when this is the page with the token; hits in order, when it is one of results. Raises StageError."""
    check_status(reply, engine_host="startpage.com")
    text, tree = page_text(reply), page_tree(reply)
    hits = _state_hits(reply, text, query, now, page_language(tree))
    if hits:
        return hits
    if urlsplit(reply.url).path in {"", "/"} and (fields := _token_form(tree)):
        return _search(query, fields)
    if tree.css_first("div.result") is None and _INTERSTITIAL.search(text[:_SHORT]):
        raise StageError("challenge", "a page that only a browser gets past", http_status=reply.status)
    return page_hits(reply, query, now, _LAYOUT)


def next_page(reply: Reply, query: Query, page: int, now: str) -> Request | None:  # noqa: ARG001 - the shape of every engine
    """The page's own form for that page; None when it has none."""
    forms = (form_fields(form) for form in page_tree(reply).css("form[action$='/sp/search']"))
    return next((_post(query, fields) for fields in forms if fields.get("page") == str(page) and fields.get("sc")), None)


def _token_form(tree: LexborHTMLParser) -> dict[str, str]:
    form = tree.css_first("form#search") or tree.css_first("form[action$='/sp/search']")
    fields = form_fields(form) if form is not None else {}
    return fields if fields.get("sc") else {}


def _search(query: Query, fields: dict[str, str]) -> Request:
    """What its own form sends, with the query in front."""
    language = _LANGUAGES.get(query.language.partition("-")[0], "")
    wanted = {"language": language} if language else {}
    asked = {"query": query_text(query, PASSPORT), **fields, "cat": "web", "with_date": _FRESHNESS[query.freshness], **wanted}
    return _post(query, asked)


def _post(query: Query, fields: dict[str, str]) -> Request:
    sent = {name: value for name, value in fields.items() if name not in _BLOCKING}
    return post(f"{_BASE}/sp/search", sent, query, PASSPORT.budget, origin=_BASE, referer=f"{_BASE}/")


def _state_hits(reply: Reply, text: str, query: Query, now: str, language: str) -> list[Hit]:
    """The hits in the page's state; none where it has no state, or none that is JSON. Raises `empty` and `parse_changed`."""
    groups = [group for group in _mainline(text) if str(group.get("display_type", "")).startswith("web-")]
    rows = [row for group in groups for row in group.get("results") or () if isinstance(row, dict)]
    hits: dict[str, Hit] = {}
    for row in rows:
        url, title = web_address(_string(row, "clickUrl")), plain_text(_string(row, "title"))
        if url and title:
            day, snippet = split_date(plain_text(_string(row, "description")), (query.language, language), now)
            hits.setdefault(url, Hit(url=url, title=title, snippet=snippet, published=day, published_trust="semi" if day else ""))
    check_layout(reply, containers=len(rows), readable=len(hits))
    if groups and not rows:
        raise StageError("empty", "the engine found nothing", http_status=reply.status)
    return list(hits.values())


def _mainline(text: str) -> list[dict[str, Any]]:
    start = _STATE.search(text)
    try:
        state: Any = json.JSONDecoder().raw_decode(text, start.end())[0] if start else None
    except (ValueError, RecursionError):
        return []
    for name in ("render", "presenter", "regions", "mainline"):
        state = state.get(name) if isinstance(state, dict) else None
    return [group for group in state if isinstance(group, dict)] if isinstance(state, list) else []


def _string(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""
