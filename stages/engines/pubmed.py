"""PubMed: articles of medicine and the life sciences. A list of ids comes first, then what they are."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from msgspec.structs import replace

from stages.core.env import Budget, Reply, Request, Settings
from stages.core.errors import StageError
from stages.engines.answers import as_object, ask, cut, day_of_iso, hits_of, plain, read_json, text, wanted_days
from stages.engines.engine import Passport, one_line, query_text
from stages.records import Hit, Query

PASSPORT = Passport(
    name="pubmed",
    family="pubmed",
    identity="api",
    operators=frozenset({"phrase"}),
    freshness=frozenset({"day", "week", "month", "year"}),
    dates=True,
    budget=Budget("pubmed", per_minute=90, burst=6),
    terms="Without a key three requests a second.",
)

_HOST = "eutils.ncbi.nlm.nih.gov"
_BASE = f"https://{_HOST}/entrez/eutils/"
_MAX_QUERY = 500


def request(query: Query, settings: Settings, now: str) -> Request:
    """The ids of the best articles."""
    fields = {
        "db": "pubmed", "term": cut(query_text(query, PASSPORT), _MAX_QUERY), "retmax": "20", "retmode": "json",
        "sort": "relevance", "tool": "cribble",
    }  # fmt: skip
    first, last = wanted_days(query, now)
    if first or last:  # it wants both bounds or none
        fields["datetype"] = "pdat"
        fields["mindate"] = first.isoformat().replace("-", "/") if first else "1500"
        fields["maxdate"] = last.isoformat().replace("-", "/") if last else "3000"
    return ask(f"{_BASE}esearch.fcgi", fields, PASSPORT.budget, settings)


def parse(reply: Reply, query: Query, now: str) -> list[Hit] | Request:  # noqa: ARG001 - the shape of every engine
    """Articles in order, or the request for what the ids are. Raises StageError."""
    answer = read_json(reply, engine_host=_HOST)
    if isinstance(answer, dict) and "rate limit" in text(answer, "error"):
        raise StageError("rate_limited", "too many requests", http_status=reply.status)
    answer = as_object(reply, answer)
    if urlsplit(reply.url).path.endswith("/esearch.fcgi"):
        return _summaries(_ids(answer.get("esearchresult"), "idlist"))
    result = answer.get("result")
    rows = result if isinstance(result, dict) else {}
    return hits_of(reply, _ids(rows, "uids"), lambda number: _hit(number, rows.get(number)))


def _ids(found: Any, name: str) -> list[str]:
    """The numbers of articles. Raises `empty` for none, `parse_changed` where there is no list."""
    told = one_line(text(found, "ERROR"))[:200]
    if told:
        raise StageError("server_error", told, http_status=HTTPStatus.OK)
    listed = found.get(name) if isinstance(found, dict) else None
    if not isinstance(listed, list):
        raise StageError("parse_changed", f"an answer without {name}", http_status=HTTPStatus.OK)
    ids = [one for one in listed if isinstance(one, str) and one.isascii() and one.isdigit()]
    if listed and not ids:
        raise StageError("parse_changed", f"{name} holds no numbers", http_status=HTTPStatus.OK)
    if not ids:
        raise StageError("empty", "the engine found nothing", http_status=HTTPStatus.OK)
    return ids


def _summaries(ids: list[str]) -> Request:
    fields = {"db": "pubmed", "id": ",".join(ids[:50]), "retmode": "json", "tool": "cribble"}
    return replace(ask(f"{_BASE}esummary.fcgi", fields, PASSPORT.budget, Settings()), part=True)


def _hit(number: str, row: Any) -> Hit | None:
    title = plain(text(row, "title"))
    if not title:
        return None
    authors = row.get("authors")
    names = [one_line(text(one, "name")) for one in authors if isinstance(one, dict)] if isinstance(authors, list) else []
    published = day_of_iso(text(row, "sortpubdate").replace("/", "-"))
    return Hit(
        url=f"https://pubmed.ncbi.nlm.nih.gov/{number}/",
        title=title,
        snippet=", ".join(filter(None, names[:6])),
        source=one_line(text(row, "fulljournalname") or text(row, "source"))[:200],
        published=published,
        published_trust="semi" if published else "",
    )
