"""Boxes of a set size that clip: what is pushed out of one for certain, by what is known to stand before it.

Only lower bounds are added up, so that a text is taken for pushed out only where it is.
"""

from __future__ import annotations

from stages.html.matrix import transform
from stages.html.state import State
from stages.html.tree import Element
from stages.html.values import Scale, length

LINES = 3.2
"""Lines of a box up to which lines before count as well: a taller one is a teaser that can be opened."""
EDGE = 2.0
LINE = 1.15
"""Times the font size: what a line takes at least."""
MAX_BEFORE = 40
INLINE = frozenset({"inline", "contents", "none"})


def clips(state: State) -> bool:
    """Whether a box has a height or width in pixels and shows nothing outside of it."""
    styles = state.styles
    return (
        state.box
        and "visible" not in (styles.get("overflow-y", "visible"), styles.get("overflow-x", "visible"))
        and bool(_side(state, "height") or _side(state, "width"))
    )


def _side(state: State, side: str) -> float | None:
    if state.grows == side or styles_scroll(state, "overflow-y" if side == "height" else "overflow-x"):
        return None
    sizes = [
        length(state.styles.get(prefix + side, "auto"), Scale(state.font))
        for prefix in ("", "max-")
        if "%" not in state.styles.get(prefix + side, "")
    ]
    known = [size for size in sizes if size is not None and size > 0]
    if not known:
        return None
    least = length(state.styles.get("min-" + side, "auto"), Scale(state.font)) or 0.0
    return max(min(known), least)


def styles_scroll(state: State, axis: str) -> bool:
    """Whether a person can scroll to what is outside."""
    return state.styles.get(axis, "visible") in ("auto", "scroll", "overlay")


def pushed_out(element: Element, state: State) -> bool:
    """Whether the text of an element begins behind the end of the box of a set size that it is in."""
    box = state.window
    if box is None or box is element:
        return False
    outer: State = box.state
    tall, wide = _side(outer, "height"), _side(outer, "width")
    down, across, lines = _before(element, box, wide)
    if tall is not None:
        tall += length(outer.styles.get("padding-bottom", "0"), Scale(outer.font)) or 0.0
        few = tall <= LINES * outer.font
        if down >= tall - EDGE / 2 or (few and down + lines >= tall - EDGE / 2):
            return True
    return wide is not None and across >= wide + (length(outer.styles.get("padding-right", "0"), Scale(outer.font)) or 0.0)


def _before(element: Element, box: Element, wide: float | None) -> tuple[float, float, float]:
    """Pixels that are declared to be above and left of an element in a box, and those of the lines above it."""
    down = across = lines = 0.0
    at: Element | None = element
    while at is not None and at is not box:
        state: State = at.state
        if state.position in ("fixed", "sticky") or state.styles.get("float", "none") != "none":
            return 0.0, 0.0, 0.0
        scale, styles = Scale(state.font, wide or 0.0), state.styles
        if state.box:
            down += _declared(styles, ("padding-top", "margin-top"), scale)
            across += _declared(styles, ("padding-left", "margin-left"), scale)
        if state.position in ("relative", "absolute"):
            down += _declared(styles, ("top",), Scale(state.font))
            across += _declared(styles, ("left",), scale)
        if "transform" in styles or "translate" in styles:
            down += transform(styles, state.font, 0.0).y
        if state.position == "absolute":
            parent = at.parent
            while parent is not None and parent is not box and parent.state.position == "static":
                parent = parent.parent
            if parent is None or parent.state.position == "static":
                return 0.0, 0.0, 0.0
            at = parent
            continue
        down, lines = _above(at, down, lines)
        at = at.parent
    return down, across, lines


def _declared(styles: dict[str, str], names: tuple[str, ...], scale: Scale) -> float:
    return sum(length(styles.get(name, "0"), scale) or 0.0 for name in names)


def _above(element: Element, down: float, lines: float) -> tuple[float, float]:
    """What its siblings before add."""
    parent = element.parent
    if (
        parent is None
        or parent.state.display in ("flex", "grid", "inline-flex", "inline-grid")
        or len(parent.children) > MAX_BEFORE
    ):
        return down, lines
    for child in parent.children:
        if child is element:
            break
        if isinstance(child, str):
            continue
        state: State = child.state
        if state.hidden or state.position in ("absolute", "fixed") or state.styles.get("float", "none") != "none":
            continue
        if child.tag == "br":
            lines += state.font * LINE
        elif state.display not in INLINE:
            tall = (
                length(state.styles.get("height", "auto"), Scale(state.font))
                if "%" not in state.styles.get("height", "%")
                else None
            )
            down += tall or 0.0
            lines += state.font * LINE if not tall and child.size else 0.0
    return down, lines
