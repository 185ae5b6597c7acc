"""Wikipedia's search, in the edition of the query's language. It asks for serial requests and for somebody to write to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from stages.core.env import Budget, Reply, Request, Settings
from stages.core.errors import StageError
from stages.engines.answers import ask, cut, day_of_iso, hits_of, listed, plain, read_object, text
from stages.engines.engine import Passport, one_line, query_text, web_address
from stages.records import Hit, Query
from stages.text.urls import host

if TYPE_CHECKING:
    from stages.vocabulary import Outcome

PASSPORT = Passport(
    name="wikipedia",
    family="wikipedia",
    identity="api",
    operators=frozenset({"phrase", "minus", "intitle"}),
    budget=Budget("wikimedia", per_minute=30, burst=10),
    terms="A user agent that says whom to write to (CRIBBLE_CONTACT), one request after the other. Text under CC BY-SA.",
)

_MAX_QUERY = 300
_PASSING = frozenset({"maxlag", "ratelimited", "readonly"})
"""Codes of errors that pass."""


def request(query: Query, settings: Settings, now: str) -> Request:  # noqa: ARG001 - the shape of every engine
    """A full text search."""
    fields = {
        "action": "query", "list": "search", "srsearch": cut(query_text(query, PASSPORT), _MAX_QUERY), "srlimit": "20",
        "srprop": "snippet|timestamp", "format": "json", "utf8": "1", "maxlag": "5",
    }  # fmt: skip
    return ask(f"https://{_edition(query)}.wikipedia.org/w/api.php", fields, PASSPORT.budget, settings)


def _edition(query: Query) -> str:
    """The subdomain for the query's language; English where that is not known."""
    from stages.text.words import guess_language

    language = (query.language or guess_language(query.text)).lower()
    return language if re.fullmatch(r"[a-z]{2,3}", language) else "en"


def parse(reply: Reply, query: Query, now: str) -> list[Hit]:  # noqa: ARG001 - the shape of every engine
    """Articles in order; their date is that of the last edit. Raises StageError."""
    answer = read_object(reply, engine_host="wikipedia.org")
    check_mediawiki(answer, reply.status)
    return hits_of(reply, listed(answer, "query", "search"), lambda row: _hit(row, host(reply.url)))


def check_mediawiki(answer: dict[str, Any], status: int) -> None:
    """Raise StageError for an error of MediaWiki's API, which comes with status 200."""
    if "error" not in answer:
        return
    code = one_line(text(answer, "error", "code"))[:50]
    kind: Outcome = "rate_limited" if code in _PASSING else "server_error"
    raise StageError(kind, f"{code}: {one_line(text(answer, 'error', 'info'))[:200]}", http_status=status)


def _hit(row: dict[str, Any], name: str) -> Hit | None:
    title, edited = one_line(text(row, "title")), day_of_iso(text(row, "timestamp"))
    url = web_address(f"https://{name}/wiki/{quote(title.replace(' ', '_'), safe='/:,()!*;@$')}")
    if not title or not url:
        return None
    return Hit(
        url=url,
        title=title,
        snippet=plain(text(row, "snippet")),
        published=edited,
        published_trust="untrusted" if edited else "",
    )
