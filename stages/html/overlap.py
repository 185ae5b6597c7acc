"""Opaque boxes that are drawn up over the text right before them, far enough to cover it however its lines break."""

from __future__ import annotations

import math

from stages.html.matrix import transform
from stages.html.outside import MARGINED, MOST
from stages.html.state import State
from stages.html.tree import Element
from stages.html.values import WIDTH, Scale, length

NARROW = 320.0
"""Pixels that a column of text is wide at least."""
WIDEST, TALLEST = 0.62, 1.7
"""Times the font size: what letters take on average at most, and what a line takes at most where nothing is declared."""


def before(cover: Element) -> Element | None:
    """The text that a box right behind it is drawn over; None where it leaves some of it to be seen, or is not painted above."""
    state: State = cover.state
    if (
        state.display != "block"
        or state.styles.get("float", "none") != "none"
        or state.position in ("absolute", "fixed", "sticky")
    ):
        return None
    if any(
        side in state.styles for side in ("width", "max-width", "margin-left", "margin-right", "left", "right", "border-radius")
    ):
        return None
    drawn_up, tall = _drawn_up(state), length(state.styles.get("height", "auto"), Scale(state.font))
    text = _previous(cover) if drawn_up > 0 and tall is not None and tall >= drawn_up else None
    return text if text is not None and _height(text) <= drawn_up else None


def _drawn_up(state: State) -> float:
    """How many pixels higher than it would stand, if that lifts it above the text."""
    styles, scale = state.styles, Scale(state.font, WIDTH)
    up = transform(styles, state.font, 0.0).y
    if state.position == "relative":
        up += length(styles.get("top", "0"), scale) or 0.0
    elif not {"transform", "translate", "opacity", "filter"} & styles.keys():
        return 0.0
    margin = length(styles.get("margin-top", "0"), scale) or 0.0
    return -(up + min(margin, 0.0))


def _previous(cover: Element) -> Element | None:
    """The element right before, or the one text in it."""
    parent = cover.parent
    if parent is None:
        return None
    siblings = [child for child in parent.children if isinstance(child, Element) or child.strip()]
    at = siblings.index(cover) - 1
    found = siblings[at] if at >= 0 else None
    while isinstance(found, Element) and not found.size:
        inside = [child for child in found.children if isinstance(child, Element) or child.strip()]
        found = inside[0] if len(inside) == 1 else None
    return found if isinstance(found, Element) and not any(isinstance(child, Element) for child in found.children) else None


def _height(text: Element) -> float:
    """What a text takes with all around it, at most."""
    state: State = text.state
    styles, scale = state.styles, Scale(state.font, WIDTH)
    if state.position != "static" or state.z or "height" in styles or "min-height" in styles:
        return math.inf
    lines = math.ceil(text.size * WIDEST * state.font / NARROW)
    own = state.font * MOST if text.tag in MARGINED else 0.0
    around = sum(length(styles.get(f"padding-{side}", "0"), scale) or 0.0 for side in ("top", "bottom"))
    around += max(length(styles.get("margin-bottom", "auto"), scale) or own, 0.0)
    return lines * max(state.line or 0.0, state.font * TALLEST) + around
