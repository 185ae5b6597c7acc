"""Questions of Stack Overflow, through the interface of Stack Exchange, whose answers are always compressed."""

from __future__ import annotations

import json
import re
from http import HTTPStatus
from typing import Any

from stages.core.env import Budget, Reply, Request, Settings
from stages.core.errors import StageError
from stages.engines.answers import (
    DAY_SECS,
    as_object,
    ask,
    cut,
    day_of_epoch,
    hits_of,
    listed,
    number,
    plain,
    read_json,
    seconds_of,
    text,
    wanted_days,
)
from stages.engines.engine import Passport, one_line, query_text, web_address
from stages.records import Hit, Query

PASSPORT = Passport(
    name="stack_exchange",
    family="stack_exchange",
    identity="api",
    freshness=frozenset({"day", "week", "month", "year"}),
    dates=True,
    budget=Budget("stack_exchange", per_minute=300 / 1440, burst=30),
    terms="Without a key 300 requests a day from one address. Text under CC BY-SA.",
)

_HOST = "api.stackexchange.com"
_MAX_QUERY = 240
_THROTTLED = 502
"""The error's own number; its status is 400."""
_AVAILABLE = re.compile(r"available in (\d{1,6}) seconds")


def request(query: Query, settings: Settings, now: str) -> Request:
    """Questions by relevance, with their text."""
    fields = {
        "q": cut(query_text(query, PASSPORT), _MAX_QUERY), "site": "stackoverflow", "order": "desc", "sort": "relevance",
        "pagesize": "20", "filter": "withbody",
    }  # fmt: skip
    first, last = wanted_days(query, now)
    if first:
        fields["fromdate"] = str(seconds_of(first))
    if last:
        fields["todate"] = str(seconds_of(last) + DAY_SECS - 1)
    return ask(f"https://{_HOST}/2.3/search/advanced", fields, PASSPORT.budget, settings)


def parse(reply: Reply, query: Query, now: str) -> list[Hit]:  # noqa: ARG001 - the shape of every engine
    """Questions in order. Raises StageError."""
    answer = read_json(reply, engine_host=_HOST)
    if isinstance(answer, dict) and "error_id" in answer:
        told = one_line(text(answer, "error_message"))[:200]
        if answer["error_id"] == _THROTTLED:
            raise StageError("rate_limited", told or "too many requests", http_status=reply.status)
        if reply.status < HTTPStatus.INTERNAL_SERVER_ERROR:
            raise StageError("server_error", f"{one_line(text(answer, 'error_name'))[:50]}: {told}", http_status=reply.status)
    return hits_of(reply, listed(as_object(reply, answer), "items"), _hit)


def rest_secs(reply: Reply, now: str) -> float:  # noqa: ARG001 - the shape of every engine that asks for rests
    """Its `backoff`, which may come with results, or what the error of a used up quota names."""
    try:
        answer: Any = json.loads(reply.body)
    except (ValueError, RecursionError):
        return 0.0
    told = _AVAILABLE.search(text(answer, "error_message"))
    return float(told[1]) if told else float(number(answer, "backoff")) if isinstance(answer, dict) else 0.0


def _hit(row: dict[str, Any]) -> Hit | None:
    url, title = web_address(text(row, "link")), plain(text(row, "title"))
    if not url or not title:
        return None
    asked = day_of_epoch(row.get("creation_date"))
    return Hit(
        url=url,
        title=title,
        snippet=plain(text(row, "body"))[:1000],
        published=asked,
        published_trust="trusted" if asked else "",
    )
