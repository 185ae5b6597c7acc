"""Openverse: pictures under open licences from many collections."""

from __future__ import annotations

from typing import Any

from stages.core.env import Budget, Reply, Request, Settings
from stages.engines.answers import ask, cut, hits_of, listed, number, read_object, text
from stages.engines.engine import Passport, one_line, query_text, web_address
from stages.records import Hit, Query

PASSPORT = Passport(
    name="openverse",
    family="openverse",
    kinds=("image",),
    identity="api",
    default=True,
    operators=frozenset({"phrase", "minus"}),
    budget=Budget("openverse", per_minute=200 / 1440, burst=20),
    terms="Without a key 20 requests a minute and 200 a day. The licence of each picture applies.",
)

_MAX_QUERY = 200


def request(query: Query, settings: Settings, now: str) -> Request:  # noqa: ARG001 - the shape of every engine
    """One page of pictures, the largest that is answered without a key."""
    fields = {"q": cut(query_text(query, PASSPORT), _MAX_QUERY), "page_size": "20", "format": "json"}
    return ask("https://api.openverse.org/v1/images/", fields, PASSPORT.budget, settings)


def parse(reply: Reply, query: Query, now: str) -> list[Hit]:  # noqa: ARG001 - the shape of every engine
    """Pictures in order. Raises StageError."""
    answer = read_object(reply, engine_host="openverse.org")
    return hits_of(reply, listed(answer, "results"), _hit)


def _hit(row: dict[str, Any]) -> Hit | None:
    url, image = web_address(text(row, "foreign_landing_url")), web_address(text(row, "url"))
    title = one_line(text(row, "title")) or one_line(text(row, "creator"))
    if not url or not image or not title:
        return None
    terms = " ".join(filter(None, (text(row, "license").upper(), text(row, "license_version"))))
    return Hit(
        url=url,
        title=title,
        kind="image",
        image_url=image,
        thumbnail_url=web_address(text(row, "thumbnail")),
        width=number(row, "width"),
        height=number(row, "height"),
        source=one_line(text(row, "source"))[:100],
        license=one_line(terms if terms.startswith(("CC0", "PDM")) else f"CC {terms}" if terms else "")[:100],
        creator=one_line(text(row, "creator"))[:200],
    )
