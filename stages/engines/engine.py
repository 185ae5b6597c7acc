"""What every engine module has, and the judgement that all of them share: what an answer without results means.

An engine is a module with `PASSPORT`, `request(query, settings, now)` and `parse(reply, query, now)`, and where it has more than
one page `next_page(reply, query, page, now)`. All are pure; `now` is the run's frozen clock (ISO 8601, UTC), for "3 days ago".
`parse` gives hits in the engine's order, or the Request that leads to them (a token's page and an id list come first at some
engines), or raises StageError with the kind of refusal. An empty list is never an answer: `empty` is raised, and only
where the engine itself says that it found nothing.
"""

from __future__ import annotations

import re
from html import unescape
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable
from urllib.parse import urljoin, urlsplit

import msgspec
from msgspec import Struct

from stages.core.errors import StageError
from stages.text.markup import glance
from stages.text.query import parse as parse_query
from stages.text.query import render_for
from stages.text.urls import MAX_URL_CHARACTERS, host
from stages.text.walls import Seen, wall_by_body, wall_by_headers

if TYPE_CHECKING:
    from stages.core.env import Budget, Reply, Request, Settings
    from stages.records import Hit, Query


Operator = Literal["phrase", "minus", "or", "site", "-site", "filetype", "intitle", "inurl"]
"""What a query may say besides words. `minus` is `-word`, `-site` is `-site:`."""


class Passport(Struct, frozen=True, kw_only=True):
    """What is known of an engine before it is asked."""

    name: str
    family: str
    """Whose index it shows. Two engines of one family that agree are one witness."""
    kinds: tuple[Literal["web", "image", "news"], ...] = ("web",)
    identity: Literal["browser", "api"] = "browser"
    default: bool = False
    """Asked when nobody names engines."""
    setting: str = ""
    """The field of Settings without which it cannot be asked."""
    operators: frozenset[Operator] = frozenset()
    """What it understands; everything else is kept from it and enforced on what it answers."""
    freshness: frozenset[str] = frozenset()
    """The spans that it can be asked for: day, week, month, year."""
    dates: bool = False
    """Whether it can be asked for what was published after or before a day."""
    pages: int = 1
    """Pages of results that can be asked for. An engine with more than one has `next_page`."""
    budget: Budget | None = None
    """What it bears from one address."""
    terms: str = ""
    """What its owner asks of those who use it."""


_FAMILIES = {
    "bing": "bing", "duckduckgo": "bing", "ddg": "bing", "yahoo": "bing", "ecosia": "bing", "qwant": "bing", "swisscows": "bing",
    "google": "google", "startpage": "google", "brave": "brave", "fireball": "brave",
}  # fmt: skip


def family_of(engine: str) -> str:
    """The index that an engine shows, by the first word of its name (`google cse`); an engine not known here is its own."""
    first = engine.casefold().split(maxsplit=1)[:1]
    return _FAMILIES.get(first[0], first[0]) if first else ""


class Engine(Protocol):
    """The shape of an engine's module."""

    PASSPORT: Passport

    def request(self, query: Query, settings: Settings, now: str) -> Request:
        """The exchange that asks the query."""

    def parse(self, reply: Reply, query: Query, now: str) -> list[Hit] | Request:
        """At least one hit, in the engine's order, or what to ask next for them. Raises StageError."""


@runtime_checkable
class Paged(Engine, Protocol):
    """An engine that shows more than one page of results."""

    def next_page(self, reply: Reply, query: Query, page: int, now: str) -> Request | None:
        """The exchange for page `page` (from 2), after the page before it; None when there is none."""


@runtime_checkable
class Resting(Engine, Protocol):
    """An engine whose answers may ask for a rest in words of their own, besides `Retry-After`."""

    def rest_secs(self, reply: Reply, now: str) -> float:
        """How long it wants to be left alone after this answer, good or bad; 0 when it does not say."""


_CONSENT = re.compile(r"^(?:consent|guce)\.|/consent\b|/collectconsent\b", re.IGNORECASE)
_CHALLENGE = re.compile(r"/sorry(?:/|$)|captcha|/challenge\b|^sorry\.|/\.within\.website/", re.IGNORECASE)
_MARKUP_CHARACTERS = 64 << 10
_CHECKS = {
    "cloudflare": r"turnstile-widget|challenge-error-text|/cdn-cgi/challenge-platform/h/",
    "project shield": r"ddos-shield\.|g\.co/shield",
    "weibo": r"sina visitor system",
    "duckduckgo": r"anomaly-modal|/anomaly\.js",
    "bing": r"captcha_header",
    "brave": r"pow-captcha|captcha - brave search",
    "startpage": r"/sp/captcha",
    "recaptcha": r"g-recaptcha",
    "hcaptcha": r"h-captcha",
    "altcha": r"altcha-widget|altcha-form|captcha-wrap",
}
"""Bot checks of engines' own, and what good pages hold as well: looked for only where the expected results are absent."""
_CONSENT_PAGE = re.compile(r"""<form[^>]{0,300}(?:\bconsent-form\b|action=["']?https?://(?:consent|guce)\.)""", re.IGNORECASE)
BIG_PAGE = 2800
"""Visible characters. Every captured page with results has more, every captured wall fewer."""
_SUBTAG = re.compile(r"[A-Za-z0-9]{1,8}")
_REDIRECTS = range(300, 400)
_GONE = frozenset({404, 410})
_BLOCKED = frozenset({401, 403, 451, 999})


def check_status(reply: Reply, *, engine_host: str) -> None:
    """Raise StageError for what an answer's address, status and headers alone give away; return when its body must tell."""
    status = reply.status
    landed = _landed(reply)
    name = host(landed)
    where = f"{name}{urlsplit(landed).path}"
    if _CONSENT.search(where):
        raise StageError("consent", f"sent to a consent page at {name}", http_status=status)
    if _CHALLENGE.search(where):
        raise StageError("challenge", f"a bot check at {name}", http_status=status)
    if (wall := wall_by_headers(Seen(status=status, headers=reply.headers))) is not None:
        raise StageError("challenge", f"a bot check by {wall.vendor}", http_status=status)
    if name != engine_host and not name.endswith(f".{engine_host}"):
        raise StageError("blocked", f"sent away to {name}", http_status=status)
    if status == HTTPStatus.TOO_MANY_REQUESTS or (status == HTTPStatus.FORBIDDEN and reply.header("retry-after")):
        raise StageError("rate_limited", "too many requests", http_status=status)


def _landed(reply: Reply) -> str:
    """Where the answer leads; where it came from, when it leads nowhere that an address can name."""
    if reply.status not in _REDIRECTS:
        return reply.url
    try:
        landed = urljoin(reply.url, reply.header("location"))
        urlsplit(landed)
    except ValueError:
        return reply.url
    return landed


def wall_of(reply: Reply, text: str) -> str | None:
    """Whose bot wall stands in place of results, empty where that is not known; None for no wall. `text` is the body's."""
    seen = Seen(status=reply.status, headers=reply.headers, source=text[:_MARKUP_CHARACTERS], glance=glance(reply.body))
    if (wall := wall_by_body(seen)) is not None:
        return wall.vendor
    return next((vendor for vendor, marks in _CHECKS.items() if re.search(marks, text, re.IGNORECASE)), None)


def check_body(reply: Reply, text: str) -> None:
    """For an answer in which no results were found: raise StageError when the body or status says that it is a refusal.

    `text` is the body's, empty where it is known to be no wall.
    """
    status = reply.status
    vendor = wall_of(reply, text) if text else None
    if vendor is not None:
        raise StageError("challenge", f"a bot check{f' by {vendor}' if vendor else ''} instead of results", http_status=status)
    if _CONSENT_PAGE.search(unescape(text)):
        raise StageError("consent", "a consent page instead of results", http_status=status)
    if status in _BLOCKED:
        raise StageError("blocked", f"refused with status {status}", http_status=status)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise StageError("server_error", f"status {status}", http_status=status)
    if status != HTTPStatus.OK:
        raise StageError("not_found" if status in _GONE else "unknown", f"status {status}", http_status=status)


def no_results(reply: Reply, visible: str, *, says_so: bool) -> StageError:
    """What an answer of status 200 without result containers is: `empty` only when it `says_so`."""
    if says_so:
        return StageError("empty", "the engine found nothing", http_status=reply.status)
    if len(visible) > BIG_PAGE:
        return StageError("parse_changed", "a full page in which no results are recognised", http_status=reply.status)
    return StageError("blocked", "a short page without results", http_status=reply.status)


def check_layout(reply: Reply, *, containers: int, readable: int) -> None:
    """Raise `parse_changed` when fewer than half of the result containers gave a title and an address."""
    if readable * 2 < containers:
        raise StageError("parse_changed", f"{readable} of {containers} results could be read", http_status=reply.status)


def query_text(query: Query, passport: Passport) -> str:
    """The query as the engine is asked: with the domains and operators that it understands, and without the others."""
    asked = parse_query(query.text)
    asked = msgspec.structs.replace(
        asked,
        sites=asked.sites or query.include_domains,
        not_sites=tuple(dict.fromkeys((*asked.not_sites, *query.exclude_domains))),
    )
    return render_for(asked, passport.operators) or query.text


def accept_language(query: Query) -> str:
    """The header's value for the query's language and region; empty when it has no language that can be one."""
    language, region = query.language, query.region if _SUBTAG.fullmatch(query.region) else ""
    if not all(map(_SUBTAG.fullmatch, language.split("-"))):
        return ""
    if not region:
        return f"{language},en;q=0.5" if language != "en" else "en"
    return f"{language}-{region.upper()},{language};q=0.9"


_HIGHLIGHT = dict.fromkeys((0xE000, 0xE001))
"""Private characters by which Bing marks words of the query."""


def folded_text(node: Any) -> str:
    """A node's text as a reader sees it, in one line; empty for no node."""
    # text(strip=True) would glue the words on both sides of a <b> together.
    return one_line(node.text()) if node is not None else ""


def one_line(text: str) -> str:
    """A string from the web under the Unicode policy, with its white space folded."""
    from stages.text.unicode import clean

    return " ".join(clean(text.translate(_HIGHLIGHT)).split())


def web_address(text: str) -> str:
    """The address if it is one of the web and short enough to fetch, else empty. What is not printable ASCII comes escaped."""
    text = text.strip()
    if len(text) > MAX_URL_CHARACTERS:
        return ""
    if not text.isascii() or not text.isprintable() or " " in text:
        import can_ada

        try:
            text = str(can_ada.parse(text).href)
        except (ValueError, TypeError):  # a TypeError is half a surrogate
            return ""
    return text if re.match("https?://", text, re.IGNORECASE) and host(text) else ""
