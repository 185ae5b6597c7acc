"""Boxes that lie wholly beside the page, or beside a box that clips, wherever nobody can scroll.

Sizes that nobody declares are taken for anything between nothing and what the text takes at most, so that a box is outside only
if it is with every one of them.
"""

from __future__ import annotations

import math
from itertools import islice

from stages.html.matrix import transform
from stages.html.outside import clips
from stages.html.state import State
from stages.html.tree import Element
from stages.html.values import HEIGHT, WIDTH, Scale, length

ANY = 1e6
WIDEST, TALLEST = 0.75, 1.4
"""Times the font size: what a letter and a line take at most."""
BORDER = 8.0
"""Pixels that the body may stand away from the page's edge."""
FLOWING = frozenset({"a", "abbr", "b", "br", "code", "div", "em", "i", "li", "mark", "p", "small", "span", "strong", "u", "ul"})
"""Elements whose text is all that takes room in them."""
LONG, FEW = 400, 40
"""Characters and elements that a box is measured by at most."""
OWN = 100.0
"""Pixels of a declared size that what is inside is taken to keep to."""
PLAIN = frozenset({"a", "article", "aside", "body", "button", "div", "footer", "header", "main", "nav", "section", "span"})
"""Elements without a margin of the browser's own, but for the body's."""
INDENTED = frozenset({"blockquote", "figure", "dd"})
INDENT, SLIVER = 40.0, 48.0
"""Pixels of a browser's own margin at most; and of a box in which, at the page's edge, there is no word."""
_HOLDING = (
    "transform", "translate", "scale", "rotate", "filter", "backdrop-filter", "perspective", "contain", "will-change",
    "container-type",
)  # fmt: skip
_MOVES, _PLACES = frozenset({"transform", "translate"}), frozenset({"left", "right", "top", "bottom"})
_SHIFTS = ("left", "top", "margin-left", "margin-top", "padding-left", "padding-top", "text-indent")
LARGE = 40.0
"""Pixels of a letter that may reach farther than was measured."""
_AXES = (("left", "right", "width", WIDTH), ("top", "bottom", "height", HEIGHT))


def is_beside(element: Element, state: State) -> bool:
    """Whether a box that is positioned, or moved by its whole width, shows nothing."""
    styles = state.styles
    moved = [transform(styles, state.font, size) for size in (0.0, 1000.0)] if not _MOVES.isdisjoint(styles) else []
    if moved and (moved[1].scale < 1 or moved[1].back or not {"rotate", "scale"}.isdisjoint(styles)):
        return False
    first, other = ((each.x, each.y) for each in moved) if moved else ((0.0, 0.0), (0.0, 0.0))
    by = [(start, (end - start) / 1000) for start, end in zip(first, other, strict=True)]
    if state.position in ("absolute", "fixed"):
        return _placed(element, state, by)
    return state.position == "static" and state.display == "block" and _beside(element, state, *by[0])


def stays(state: State) -> bool:
    """Whether a box inside of one that is outside stays there, as far as is known."""
    styles = state.styles
    if not _MOVES.isdisjoint(styles) or state.font > LARGE:
        return False
    if state.position in ("absolute", "fixed"):
        return _PLACES.isdisjoint(styles)
    return all((length(styles.get(name, "0"), Scale(state.font, WIDTH)) or 0.0) < OWN for name in _SHIFTS)


def _beside(element: Element, state: State, across: float, times: float) -> bool:
    """Whether a box in the flow of its parent is moved out of it, or out of the page, to the side."""
    parent, styles = element.parent, state.styles
    if parent is None or parent.state.display != "block" or styles.get("float", "none") != "none":
        return False
    margin = length(styles.get("margin-left", "0"), Scale(state.font, WIDTH)) or 0.0
    if margin >= 0 and not (across or times):
        return False
    wide = _sizes(element, state, "width")[0]
    if wide:
        left = _left(element) if margin + across < 0 or times < 0 else None
        return left is not None and wide > OWN and left + margin + across + (1 + times) * wide <= 0
    if "width" in styles or "nowrap" in styles.get("white-space", "") or margin:
        return False
    clipped = parent.state.styles.get("overflow-x") in ("hidden", "clip")
    if times >= 1 and across >= 0:
        return clipped
    return times <= -1 and across <= 0 and (clipped or (_left(element) or ANY) <= SLIVER)


def _left(element: Element) -> float | None:
    """How far from the page's left edge a box in the flow begins at most; None where that is not known."""
    left = BORDER
    for each in element.ancestors():
        state: State = each.state
        styles = state.styles
        if each.tag == "html":
            return None if _leftwards(each) else left
        if (
            each.tag not in PLAIN
            or state.display != "block"
            or state.position != "static"
            or not {"width", "max-width", "float", "columns", *_MOVES}.isdisjoint(styles)
            or "auto" in (styles.get("margin-left"), styles.get("margin-right"))
        ):
            return None
        left += sum(length(styles.get(f"{name}-left", "0"), Scale(state.font, WIDTH)) or 0.0 for name in ("margin", "padding"))
    return left


def _placed(element: Element, state: State, by: list[tuple[float, float]]) -> bool:
    box = next((each for each in element.ancestors() if _holds(each, state.position)), None)
    page = box is None or box.tag in ("html", "body")
    if box is not None and (_apart(box.state) if page else not clips(box.state)):
        return False
    edge = -BORDER if page and box is not None else 0.0
    scrolls = page and state.position == "absolute" and _leftwards([element, *element.ancestors()][-1])
    for axis, shift in zip(_AXES, by, strict=True):
        rooms = (axis[3], axis[3]) if page else (0.0, ANY)
        behind = state.position == "fixed" or not page or (axis[2] == "width" and state.x_clip)
        sizes = _sizes(element, state, axis[2])
        spans = [span for room in rooms for size in sizes if (span := _span((element.tag, state), axis, room, size, shift))]
        before = not (scrolls and axis[2] == "width")
        if not spans:
            continue
        if (before and all(last <= edge for _, last, _ in spans)) or (behind and all(first >= room for first, _, room in spans)):
            return True
    return False


def _span(
    box: tuple[str, State], axis: tuple[str, str, str, float], room: float, size: float, shift: tuple[float, float]
) -> tuple[float, float, float] | None:
    """Where a box of that size begins at least and ends at most in a room; None where its place is not declared."""
    tag, state = box
    styles, scale = state.styles, Scale(state.font, room)
    first, last = (length(styles.get(name, "auto"), scale) for name in axis[:2])
    if first is not None and last is not None and styles.get(axis[2], "auto") == "auto":
        size = max(size, room - first - last)  # stretched from side to side
    if axis[2] == "height" and "%" in styles.get("height", ""):
        size = max(size, length(styles["height"], scale) or 0.0)
    if first is not None:
        margin = length(styles.get(f"margin-{axis[0]}", "auto"), scale)
        own = tag in INDENTED if axis[2] == "width" else tag not in PLAIN
        begin, slack = first + (margin or 0.0), max(state.font, INDENT) if margin is None and own else 0.0
    elif last is not None:
        begin, slack = room - last - (length(styles.get(f"margin-{axis[1]}", "0"), scale) or 0.0) - size, 0.0
    else:
        return None
    begin += shift[0] + shift[1] * size
    return begin, begin + slack + size, room


def _sizes(element: Element, state: State, side: str) -> tuple[float, float]:
    """The least and the most that a box takes along a side."""
    styles, scale = state.styles, Scale(state.font, WIDTH)
    ends = ("left", "right") if side == "width" else ("top", "bottom")
    padding = sum(length(styles.get(f"padding-{end}", "0"), scale) or 0.0 for end in ends)
    size = styles.get(side, "auto")
    declared = None if side == "height" and "%" in size else length(size, scale)
    if declared is not None:
        declared += 0.0 if styles.get("box-sizing") == "border-box" else padding
        if styles.get(f"overflow-{'x' if side == 'width' else 'y'}", "visible") != "visible":
            return declared, declared
    if declared is not None and declared > OWN and "nowrap" not in styles.get("white-space", ""):
        return declared, declared
    most = padding + _taken(element, state, side)
    return (0.0, most) if declared is None else (declared, max(declared, most))


def _taken(element: Element, state: State, side: str) -> float:
    """What the text inside takes along a side at most."""
    inside = list(islice(element.walk(), FEW + 1))
    if len(inside) > FEW or sum(each.size for each in inside) > LONG or any(each.tag not in FLOWING for each in inside[1:]):
        return ANY
    font = max(state.font, 16.0)
    long = len(" ".join(element.text().split())) * font * WIDEST
    if side == "width":
        return long
    wide = length(state.styles.get("width", "auto"), Scale(state.font, WIDTH)) or WIDTH
    return (math.ceil(long / max(wide, 1.0)) + len(inside) - 1) * max(state.line or 0.0, font * TALLEST)


def _leftwards(root: Element) -> bool:
    """Whether the page is written from right to left, so that one can scroll to what is left of it."""
    return root.attributes.get("dir", "").strip().lower() == "rtl"


def _holds(element: Element, position: str) -> bool:
    """Whether what is positioned inside an element is placed by it."""
    state: State = element.state
    return (position == "absolute" and state.position != "static") or any(
        state.styles.get(name, "none") not in ("none", "normal", "auto") for name in _HOLDING
    )


def _apart(state: State) -> bool:
    """Whether a body that what is inside is placed by does not lie at the page's edges."""
    styles = state.styles
    margins = (length(styles.get(f"margin-{side}", "0"), Scale(state.font, WIDTH)) for side in ("left", "right", "top"))
    return "width" in styles or "max-width" in styles or any(margin is None or margin > BORDER for margin in margins)
