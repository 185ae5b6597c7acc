"""Boxes that are turned about a point and lie wholly outside of what shows them, however large they are."""

from __future__ import annotations

from stages.html.matrix import corners
from stages.html.state import State
from stages.html.tree import Element
from stages.html.values import HEIGHT, WIDTH, Scale, length, pieces

SIZES = ((40.0, 16.0), (300.0, 60.0), (WIDTH, HEIGHT))
"""What a box of unknown size is tried with."""
_TURNS = frozenset({"rotate", "scale", "transform-origin"})
_MOVED = frozenset({"transform", "translate", "rotate", "scale"})
_KEYWORDS = {"left": "0%", "top": "0%", "center": "50%", "right": "100%", "bottom": "100%"}
MARGINED = {
    **dict.fromkeys(("p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "dl", "pre", "menu", "dir", "hr"), 0.0),
    **dict.fromkeys(("blockquote", "figure", "dd"), 40.0),
}  # fmt: skip
"""Elements with margins of their own, and how wide those are at the sides;"""
MOST = 2.4
"""above and below they are at most so many times the font size."""
Span = tuple[float, float]


def outside(element: Element, state: State) -> bool:
    """Whether no part of a box is where the screen, the page, or the box that clips it could show it."""
    styles = state.styles
    if _TURNS.isdisjoint(styles) and "rotate" not in styles.get("transform", ""):
        return False  # `beside` tells where it is
    if state.position == "fixed":
        return _everywhere(element, styles, state.font, ((WIDTH, HEIGHT),), bounded=True)
    if state.position != "absolute":
        return _slid(element, state)
    holder = next((above for above in element.ancestors() if _holds(above.state)), None)
    if holder is None:
        return _everywhere(element, styles, state.font, ((WIDTH, HEIGHT),), bounded=False)
    return clips(holder.state) and _everywhere(element, styles, state.font, SIZES, bounded=True)


def _holds(state: State) -> bool:
    return state.position != "static" or not _MOVED.isdisjoint(state.styles)


def clips(state: State) -> bool:
    """Whether a box shows nothing outside of itself, and nobody can scroll to it."""
    return {state.styles.get("overflow-x", "visible"), state.styles.get("overflow-y", "visible")} <= {"hidden", "clip"}


def _slid(element: Element, state: State) -> bool:
    """Whether a block as wide as the box around it, which clips, is moved by all of its own width."""
    parent, styles = element.parent, state.styles
    if parent is None or _MOVED.isdisjoint(styles) or state.position != "static" or not clips(parent.state):
        return False
    around = parent.state
    if (
        around.display != "block"
        or state.display != "block"
        or "float" in styles
        or styles.get("width", "100%") not in ("100%", "auto")
    ):
        return False
    if any(styles.get(f"margin-{side}", "0") != "0" for side in ("left", "right")) or "max-width" in styles:
        return False
    padded = any((length(around.styles.get(f"padding-{side}", "0"), Scale()) or 0.0) > 0 for side in ("left", "right"))
    return not padded and all(
        _beyond(_span(corners(styles, state.font, (wide, tall), origin_of(styles, (wide, tall))), 0, 0.0), wide, True)
        for wide, tall in SIZES
    )


def _everywhere(element: Element, styles: dict[str, str], font: float, holders: tuple[Span, ...], bounded: bool) -> bool:
    if _MOVED.isdisjoint(styles) and not any(_far(styles.get(side, "auto")) for side in ("left", "right", "top", "bottom")):
        return False
    return all(_gone(element, styles, font, holder, size, bounded) for holder in holders for size in _sizes(styles, font, holder))


def _far(value: str) -> bool:
    return value.startswith("-") or (value.endswith("%") and len(value) > len("99%")) or "(" in value


def _sizes(styles: dict[str, str], font: float, holder: Span) -> list[Span]:
    """The sizes that a box may have."""
    known = []
    for at, side in enumerate(("width", "height")):
        scale = Scale(font, holder[at])
        said, most = length(styles.get(side, "auto"), scale), length(styles.get(f"max-{side}", "none"), scale)
        known.append(said if most is None else most if said is None else min(said, most))
    return list(
        {(known[0] if known[0] is not None else wide, known[1] if known[1] is not None else tall) for wide, tall in SIZES}
    )


def _gone(element: Element, styles: dict[str, str], font: float, holder: Span, size: Span, bounded: bool) -> bool:  # noqa: PLR0917
    box = corners(styles, font, size, origin_of(styles, size))
    for at, (start, end) in enumerate((("left", "right"), ("top", "bottom"))):
        scale = Scale(font, holder[at])
        first, last = length(styles.get(start, "auto"), scale), length(styles.get(end, "auto"), scale)
        before, after = (_margin(element, styles, each, font) for each in (start, end))
        place = first + before if first is not None else holder[at] - last - size[at] - after if last is not None else None
        if place is not None and _beyond(_span(box, at, place), holder[at], bounded):
            return True
    return False


def _margin(element: Element, styles: dict[str, str], side: str, font: float) -> float:
    """What is declared, or as much as a browser's own stylesheet may give."""
    said = length(styles.get(f"margin-{side}", "auto"), Scale(font, WIDTH))
    if said is not None or element.tag not in MARGINED:
        return said or 0.0
    return font * MOST if side in ("top", "bottom") else MARGINED[element.tag]


def _span(box: list[Span], at: int, place: float) -> Span:
    along = [corner[at] for corner in box]
    return min(along) + place, max(along) + place


def _beyond(span: Span, whole: float, bounded: bool) -> bool:
    return span[1] <= 0 or (bounded and span[0] >= whole)


def origin_of(styles: dict[str, str], size: Span) -> Span:
    """The point that stays where it is."""
    words = [_KEYWORDS.get(word, word) for word in pieces(styles.get("transform-origin", "50% 50%"))]
    words = [*words, "50%", "50%"][:2]
    x, y = (length(word, Scale(16.0, side)) for word, side in zip(words, size, strict=True))
    return (x if x is not None else size[0] / 2), (y if y is not None else size[1] / 2)
