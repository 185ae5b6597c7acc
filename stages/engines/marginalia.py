"""Marginalia: an index of its own that favours small sites and plain text."""

from __future__ import annotations

from typing import Any

from stages.core.env import Budget, Reply, Request, Settings
from stages.engines.answers import ask, cut, hits_of, listed, read_object, text
from stages.engines.engine import Passport, one_line, query_text, web_address
from stages.records import Hit, Query

PASSPORT = Passport(
    name="marginalia",
    family="marginalia",
    identity="api",
    operators=frozenset({"phrase", "minus", "site"}),
    budget=Budget("marginalia", per_minute=6, burst=3),
    terms="The public key's quota is shared by everybody. Results under CC BY-NC-SA: no commercial use.",
)

_MAX_QUERY = 500


def request(query: Query, settings: Settings, now: str) -> Request:  # noqa: ARG001 - the shape of every engine
    """One page of results, by the key that it publishes for all."""
    fields = {"query": cut(query_text(query, PASSPORT), _MAX_QUERY), "count": "20"}
    return ask("https://api2.marginalia-search.com/search", fields, PASSPORT.budget, settings, api_key="public")


def parse(reply: Reply, query: Query, now: str) -> list[Hit]:  # noqa: ARG001 - the shape of every engine
    """Hits in order; it tells no dates. Raises StageError."""
    return hits_of(reply, listed(read_object(reply, engine_host="marginalia-search.com"), "results"), _hit)


def _hit(row: dict[str, Any]) -> Hit | None:
    url, title = web_address(text(row, "url")), one_line(text(row, "title"))
    return Hit(url=url, title=title, snippet=one_line(text(row, "description"))) if url and title else None
