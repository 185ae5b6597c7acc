"""Repositories on GitHub."""

from __future__ import annotations

import re
from datetime import datetime
from http import HTTPStatus
from typing import Any

from stages.core.env import Budget, Reply, Request, Settings
from stages.core.errors import StageError
from stages.engines.answers import ask, cut, day_of_iso, hits_of, listed, read_object, text, wanted_days
from stages.engines.engine import Passport, one_line, query_text, web_address
from stages.records import Hit, Query

PASSPORT = Passport(
    name="github",
    family="github",
    identity="api",
    operators=frozenset({"phrase"}),
    freshness=frozenset({"day", "week", "month", "year"}),
    dates=True,
    budget=Budget("github", per_minute=10, burst=10),
    terms="Without a key 10 searches a minute.",
)

_HOST = "api.github.com"
_MAX_QUERY = 230
_LIMITS = frozenset({HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS})


def request(query: Query, settings: Settings, now: str) -> Request:
    """Repositories by how well they fit, of the wanted time by their last push."""
    first, last = wanted_days(query, now)
    asked = cut(query_text(query, PASSPORT), _MAX_QUERY)
    if first or last:
        asked += f" pushed:{first.isoformat() if first else '*'}..{last.isoformat() if last else '*'}"
    fields, form = {"q": asked, "per_page": "20"}, "application/vnd.github+json"
    return ask(f"https://{_HOST}/search/repositories", fields, PASSPORT.budget, settings, accept=form)


def parse(reply: Reply, query: Query, now: str) -> list[Hit]:  # noqa: ARG001 - the shape of every engine
    """Repositories in order; the date is that of the last push. Raises StageError."""
    if reply.status in _LIMITS and (reply.header("x-ratelimit-remaining") == "0" or b"rate limit" in reply.body.lower()):
        raise StageError("rate_limited", "too many searches without a key", http_status=reply.status)
    return hits_of(reply, listed(read_object(reply, engine_host=_HOST), "items"), _hit)


def rest_secs(reply: Reply, now: str) -> float:
    """Until its count of searches starts anew, where this answer was the last that it allows."""
    reset = reply.header("x-ratelimit-reset")
    if reply.header("x-ratelimit-remaining") != "0" or not re.fullmatch(r"\d{1,11}", reset):
        return 0.0
    return max(0.0, int(reset) - datetime.fromisoformat(now).timestamp())


def _hit(row: dict[str, Any]) -> Hit | None:
    url, title = web_address(text(row, "html_url")), one_line(text(row, "full_name"))
    if not url or not title:
        return None
    pushed = day_of_iso(text(row, "pushed_at"))
    return Hit(
        url=url,
        title=title,
        snippet=one_line(text(row, "description"))[:1000],
        published=pushed,
        published_trust="untrusted" if pushed else "",
    )
