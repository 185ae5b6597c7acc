"""Tables of data as markdown; tables that only lay out a page are told apart from them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_CELL_CHARS = 1_000
"""A longer cell holds prose: the table is layout."""
MAX_CELLS = 20_000

_space = re.compile(r"\s+")


def data_table(table: LexborNode) -> str:
    """The table's rows as a markdown table; empty for layout: a table in it, one column, prose or sections in a cell."""
    if table.attributes.get("role") in ("presentation", "none") or table.css_first("table table, section, article, h1, h2, pre"):
        return ""
    rows: list[list[str]] = []
    cells = 0
    for row in table.css("tr"):
        texts = [_cell(cell) for cell in row.css("td, th")]
        cells += len(texts)
        if cells > MAX_CELLS or any(len(text) > MAX_CELL_CHARS for text in texts):
            return ""
        if any(texts):
            rows.append(texts)
    width = max((len(row) for row in rows), default=0)
    return _markdown(rows, width, table) if width > 1 else ""


def _markdown(rows: list[list[str]], width: int, table: LexborNode) -> str:
    lines = [f"| {' | '.join(row + [''] * (width - len(row)))} |" for row in rows]
    lines.insert(1, "|" + " --- |" * width)
    caption = table.css_first("caption")
    title = _space.sub(" ", caption.text(deep=True)).strip() if caption else ""
    return "\n".join([title, "", *lines] if title else lines)


def _cell(cell: LexborNode) -> str:
    return _space.sub(" ", cell.text(deep=True, separator=" ")).strip().replace("|", "\\|")
