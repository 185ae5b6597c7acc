"""Crossref: works with a DOI, from journals, books and proceedings."""

from __future__ import annotations

from typing import Any

from stages.core.env import Budget, Reply, Request, Settings
from stages.engines.answers import ask, cut, day_of_iso, hits_of, listed, plain, read_object, text, wanted_days
from stages.engines.engine import Passport, query_text, web_address
from stages.records import Hit, Query

PASSPORT = Passport(
    name="crossref",
    family="crossref",
    identity="api",
    freshness=frozenset({"day", "week", "month", "year"}),
    dates=True,
    budget=Budget("crossref", per_minute=60, burst=10),
    terms="Who says whom to write to (CRIBBLE_CONTACT) is answered first. Metadata is free to use.",
)

_HOST = "api.crossref.org"
_MAX_QUERY = 500
_PARTS = 3
"""Of a whole date: many have a year alone."""


def request(query: Query, settings: Settings, now: str) -> Request:
    """Works by relevance."""
    fields = {
        "query": cut(query_text(query, PASSPORT), _MAX_QUERY), "rows": "20",
        "select": "DOI,title,abstract,issued,URL,container-title",
    }  # fmt: skip
    first, last = wanted_days(query, now)
    bounds = [f"from-pub-date:{first.isoformat()}"] if first else []
    bounds += [f"until-pub-date:{last.isoformat()}"] if last else []
    if bounds:
        fields["filter"] = ",".join(bounds)
    return ask(f"https://{_HOST}/works", fields, PASSPORT.budget, settings)


def parse(reply: Reply, query: Query, now: str) -> list[Hit]:  # noqa: ARG001 - the shape of every engine
    """Works in order, each by its DOI. Raises StageError."""
    return hits_of(reply, listed(read_object(reply, engine_host=_HOST), "message", "items"), _hit)


def _hit(row: dict[str, Any]) -> Hit | None:
    url, title = web_address(text(row, "URL")), plain(_first(row, "title"))
    if not url or not title:
        return None
    issued = _day(row)
    return Hit(
        url=url.replace("http:", "https:", 1),
        title=title,
        snippet=plain(text(row, "abstract")).removeprefix("Abstract ")[:1500],
        source=plain(_first(row, "container-title"))[:200],
        published=issued,
        published_trust="trusted" if issued else "",
    )


def _first(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    return value[0] if isinstance(value, list) and value and isinstance(value[0], str) else ""


def _day(row: dict[str, Any]) -> str:
    """The day of issue, where the day is told."""
    issued = row.get("issued")
    parts = issued.get("date-parts") if isinstance(issued, dict) else None
    first = parts[0] if isinstance(parts, list) and parts and isinstance(parts[0], list) else []
    whole = len(first) == _PARTS and all(type(part) is int and 0 < part < 10_000 for part in first)  # noqa: PLR2004 - years
    return day_of_iso("{:04}-{:02}-{:02}".format(*first)) if whole else ""
