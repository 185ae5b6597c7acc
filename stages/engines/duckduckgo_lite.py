"""DuckDuckGo's smallest page: a table, three or four rows a result. One budget with its other pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from stages.core.env import Reply, Request, Settings
from stages.engines import duckduckgo
from stages.engines.duckduckgo import ADS, first_page, further_page, not_challenged, target
from stages.engines.markup import Layout, page_hits

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from stages.records import Hit, Query

PASSPORT = msgspec.structs.replace(duckduckgo.PASSPORT, name="duckduckgo_lite", default=False)

_URL = "https://lite.duckduckgo.com/lite/"
_LAYOUT = Layout(
    host="duckduckgo.com",
    blocks=("tr:has(a.result-link)",),
    titles=("a.result-link",),
    links=("a.result-link[href]",),
    snippets=("td.result-snippet",),
    dates=("span.timestamp",),
    others="tr.result-sponsored",
    nothing=".no-results",
    not_results=ADS,
)


def request(query: Query, settings: Settings, now: str) -> Request:  # noqa: ARG001 - the shape of every engine
    """The form that its own page sends."""
    return first_page(query, _URL)


def parse(reply: Reply, query: Query, now: str) -> list[Hit]:
    """Hits in order, without advertisements. Raises StageError."""
    not_challenged(reply)
    return page_hits(reply, query, now, _LAYOUT, unwrap=target, rows=_rows)


def next_page(reply: Reply, query: Query, page: int, now: str) -> Request | None:  # noqa: ARG001 - the shape of every engine
    """The page's own form for the next one; None when it has none (the last page, and Chinese regions)."""
    return further_page(reply, query, page, _URL)


_MOST_ROWS = 5


def _rows(block: LexborNode) -> list[LexborNode]:
    """A result's rows: its link's and those below, up to the next link or the empty row that divides results."""
    rows, below = [block], block.next
    while below is not None and len(rows) < _MOST_ROWS and below.css_first("a.result-link") is None:
        if below.tag == "tr":
            rows.append(below)
        below = below.next
    return rows
