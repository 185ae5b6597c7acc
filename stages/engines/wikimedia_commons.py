"""Wikimedia Commons: pictures under free licences, each with its size, its licence and who made it."""

from __future__ import annotations

from typing import Any

from stages.core.env import Reply, Request, Settings
from stages.core.errors import StageError
from stages.engines import wikipedia
from stages.engines.answers import ask, cut, hits_of, number, plain, read_object, text
from stages.engines.engine import Passport, one_line, query_text, web_address
from stages.records import Hit, Query

PASSPORT = Passport(
    name="wikimedia_commons",
    family="wikimedia",
    kinds=("image",),
    identity="api",
    default=True,
    operators=frozenset({"phrase", "minus", "intitle"}),
    budget=wikipedia.PASSPORT.budget,
    terms="As Wikipedia's. The licence of each picture applies; most want their maker named.",
)

_MAX_QUERY = 280


def request(query: Query, settings: Settings, now: str) -> Request:  # noqa: ARG001 - the shape of every engine
    """A search among files that are pictures."""
    fields = {
        "action": "query", "generator": "search", "gsrnamespace": "6", "gsrlimit": "20",
        "gsrsearch": f"filetype:bitmap|drawing {cut(query_text(query, PASSPORT), _MAX_QUERY)}",
        "prop": "imageinfo", "iiprop": "url|size|mime|extmetadata", "iiurlwidth": "320",
        "iiextmetadatafilter": "LicenseShortName|Artist|ImageDescription", "format": "json", "maxlag": "5",
    }  # fmt: skip
    return ask("https://commons.wikimedia.org/w/api.php", fields, PASSPORT.budget, settings)


def parse(reply: Reply, query: Query, now: str) -> list[Hit]:  # noqa: ARG001 - the shape of every engine
    """Pictures in order. Raises StageError."""
    answer = read_object(reply, engine_host="wikimedia.org")
    wikipedia.check_mediawiki(answer, reply.status)
    return hits_of(reply, _pages(answer), _hit)


def _pages(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """The files by `index`: they come keyed by number. A search without results has no `query` at all."""
    found = answer.get("query", {} if "batchcomplete" in answer else None)
    pages = found.get("pages", {}) if isinstance(found, dict) else None
    rows = pages.values() if isinstance(pages, dict) else pages
    if not isinstance(rows, (list, type({}.values()))):
        raise StageError("parse_changed", "an answer without pages", http_status=200)
    return sorted((row for row in rows if isinstance(row, dict)), key=lambda row: number(row, "index"))


def _hit(page: dict[str, Any]) -> Hit | None:
    about = page.get("imageinfo")
    info = about[0] if isinstance(about, list) and about and isinstance(about[0], dict) else {}
    url, image = web_address(text(info, "descriptionurl")), web_address(text(info, "url"))
    title = one_line(text(page, "title")).partition(":")[2].rpartition(".")[0]
    if not url or not image or not title:
        return None
    meta = info.get("extmetadata")
    return Hit(
        url=url,
        title=title,
        snippet=plain(text(meta, "ImageDescription", "value"))[:500],
        kind="image",
        image_url=image,
        thumbnail_url=web_address(text(info, "thumburl")),
        width=number(info, "width"),
        height=number(info, "height"),
        source="Wikimedia Commons",
        license=one_line(text(meta, "LicenseShortName", "value"))[:100],
        creator=plain(text(meta, "Artist", "value"))[:200],
    )
