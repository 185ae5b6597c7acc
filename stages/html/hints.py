"""Presentational attributes as the declarations that they stand for."""

from __future__ import annotations

import re

from stages.html import drawing
from stages.html.properties import expand
from stages.html.sheets import Declaration
from stages.html.tree import Element

_HINTS = {
    "bgcolor": ("background-color", frozenset({"marquee", "body", "table", "tr", "td", "th", "thead", "tbody", "tfoot"})),
    "text": ("color", frozenset({"body"})),
    "color": ("color", frozenset({"font"})),
    "width": ("width", frozenset({"marquee"})),
    "height": ("height", frozenset({"marquee"})),
    "background": ("background-image", frozenset({"body", "table", "td", "th"})),
}
HINTED = frozenset({"marquee", "body", "table", "tr", "td", "th", "thead", "tbody", "tfoot", "font"})
"""The elements that have any; those of images besides, and"""
HINTED_FORMULA = frozenset(
    {"svg", "math", "mi", "mn", "mo", "mtext", "ms", "mrow", "mstyle", "mfrac", "msup", "msub", "semantics", "mpadded"}
)
"""those of formulas."""


def hints(element: Element) -> tuple[Declaration, ...]:
    """What presentational attributes declare."""
    drawn = [one for one in drawing.hints(element) if expand(one[0], one[1])]
    if drawn:
        return tuple(drawn)
    found: list[Declaration] = []
    for attribute, value in element.attributes.items():
        name, tags = _HINTS.get(attribute, ("", frozenset()))
        if value and element.tag in tags:
            value = f"{value}px" if name in ("width", "height") and value.isdigit() else value  # noqa: PLW2901
            value = "url(x)" if attribute == "background" else f"#{value}" if re.fullmatch(r"[0-9a-fA-F]{6}", value) else value  # noqa: PLW2901
            if expand(name, value):
                found.append((name, value, False))
    return tuple(found)
