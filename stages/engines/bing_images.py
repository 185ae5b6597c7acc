"""Bing's pictures: the fragment that its page loads as one scrolls, or the page itself. Each picture carries its own JSON."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus

from stages.core.env import Budget, Reply, Request, Settings
from stages.core.errors import StageError
from stages.engines.answers import text
from stages.engines.engine import (
    Passport,
    accept_language,
    check_body,
    check_layout,
    check_status,
    folded_text,
    no_results,
    one_line,
    query_text,
    web_address,
)
from stages.engines.markup import page_text, shown
from stages.engines.refusals import check_end
from stages.records import Hit, Query
from stages.text.urls import host

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

PASSPORT = Passport(
    name="bing_images",
    family="bing",
    kinds=("image",),
    default=True,
    operators=frozenset({"phrase", "minus", "site"}),
    freshness=frozenset({"day", "week", "month", "year"}),
    budget=Budget("bing", per_minute=6, burst=6),
    terms="No automated use beyond a reader's own.",
)

_AGES = {"day": 1440, "week": 10_080, "month": 44_640, "year": 525_600}
"""In minutes."""
_HIGHLIGHTS = re.compile("[\ue000\ue001]")
_SIZE = re.compile(r"(\d{1,5})\s*[x\u00d7]\s*(\d{1,5})", re.ASCII)


def request(query: Query, settings: Settings, now: str) -> Request:  # noqa: ARG001 - the shape of every engine
    """The first 35 pictures."""
    url = f"https://www.bing.com/images/async?q={quote_plus(query_text(query, PASSPORT))}&async=1&first=1&count=35&adlt=moderate"
    language = accept_language(query)
    if query.language and query.region and language:
        url += f"&mkt={language.partition(',')[0]}"
    if query.freshness:
        url += f"&qft=+filterui:age-lt{_AGES[query.freshness]}"
    headers = (("referer", "https://www.bing.com/images/search"), *((("accept-language", language),) if language else ()))
    return Request(url=url, headers=headers, max_bytes=4 << 20, budget=PASSPORT.budget)


def parse(reply: Reply, query: Query, now: str) -> list[Hit]:  # noqa: ARG001 - the shape of every engine
    """Pictures in order. Raises StageError."""
    from selectolax.lexbor import LexborHTMLParser

    check_status(reply, engine_host="bing.com")
    markup = page_text(reply)
    tree = LexborHTMLParser(markup)
    marks = tree.css("a.iusc[m]")
    if not marks:
        check_body(reply, markup)
        grid = tree.css_first(".dgControl_list, .dgControl")
        check_end(reply, markup)
        raise no_results(reply, shown(tree.body), says_so=grid is not None and grid.css_first("li") is None)
    told = [about for mark in marks if (about := _told(mark)) is not None]
    hits = [hit for mark, about in told if (hit := _hit(mark, about)) is not None]
    check_layout(reply, containers=len(told), readable=len(hits))
    if not hits:
        raise StageError("parse_changed", "pictures without pages", http_status=reply.status)
    return hits


def _told(mark: LexborNode) -> tuple[LexborNode, Any] | None:
    """A picture with its JSON; none for another size of one, which names no page. What cannot be read is a picture too."""
    try:
        about: Any = json.loads(mark.attributes.get("m") or "")
    except (ValueError, RecursionError):
        about = {}
    return None if isinstance(about, dict) and about.get("purl") == "" else (mark, about)


def _hit(mark: LexborNode, about: Any) -> Hit | None:
    url, image = web_address(text(about, "purl")), web_address(text(about, "murl"))
    box = _box(mark)
    named = text(about, "t") or (folded_text(box.css_first(".infnmpt a")) if box is not None else "") or text(about, "desc")
    title = one_line(_HIGHLIGHTS.sub("", named))
    if not url or not image or not title:
        return None
    size = _SIZE.search(folded_text(box.css_first(".imgpt div > span"))) if box is not None else None
    description = one_line(_HIGHLIGHTS.sub("", text(about, "desc")))
    return Hit(
        url=url,
        title=title,
        snippet=description if description != title else "",
        kind="image",
        image_url=image,
        thumbnail_url=web_address(text(about, "turl")),
        width=int(size[1]) if size else 0,
        height=int(size[2]) if size else 0,
        source=host(url),
    )


def _box(mark: LexborNode) -> LexborNode | None:
    """What belongs to one picture: the list item around its mark, if it stands in one."""
    node = mark.parent
    while node is not None and node.tag not in ("li", "body"):
        node = node.parent
    return node if node is not None and node.tag == "li" else None
