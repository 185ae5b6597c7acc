"""Presentational attributes as the declarations that they stand for."""

from __future__ import annotations

import re

from stages.html.css import Declaration
from stages.html.properties import expand
from stages.html.tree import Element

_HINTS = {
    "bgcolor": ("background-color", frozenset({"body", "table", "tr", "td", "th", "thead", "tbody", "tfoot"})),
    "text": ("color", frozenset({"body"})),
    "color": ("color", frozenset({"font"})),
    "background": ("background-image", frozenset({"body", "table", "td", "th"})),
}
HINTED = frozenset({"body", "table", "tr", "td", "th", "thead", "tbody", "tfoot", "font"})
"""The elements that have any."""


def hints(element: Element) -> tuple[Declaration, ...]:
    """What presentational attributes declare."""
    found: list[Declaration] = []
    for attribute, value in element.attributes.items():
        name, tags = _HINTS.get(attribute, ("", frozenset()))
        if value and element.tag in tags:
            value = "url(x)" if attribute == "background" else f"#{value}" if re.fullmatch(r"[0-9a-fA-F]{6}", value) else value  # noqa: PLW2901
            if expand(name, value):
                found.append((name, value, False))
    return tuple(found)
