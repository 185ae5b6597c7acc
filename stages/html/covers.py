"""What lies over a text, and what may lie between a text and the background that it inherits."""

from __future__ import annotations

import re

from stages.html import overlap
from stages.html.colours import Colour, colour, gradient
from stages.html.effects import FAINT
from stages.html.state import State
from stages.html.tree import Element
from stages.html.values import Scale, length, number
from stages.html.winning import in_order, winners

MAX_OVERLAYS, MAX_COVERS, MAX_LOOKED = 400, 40, 1000
"""How many boxes may lie over others, over the whole of others, and how often that is asked, in one page."""


class Covers:
    """The boxes of one page that paint something of their own."""

    def __init__(self, elements: list[Element]) -> None:
        self.elements = elements
        self._overlays: list[Element] | None = None
        self._covers: list[tuple[Element, Element]] | None = None
        self._looked = 0

    @property
    def overlays(self) -> list[Element]:
        """Elements that paint something of their own, or lie over others."""
        if self._overlays is None:
            found = (
                element
                for element in self.elements
                if (not element.state.hidden or _is_picture(element))
                and element.state.paints
                and element.tag not in ("html", "body")
            )
            self._overlays = [element for element, _ in zip(found, range(MAX_OVERLAYS), strict=False)]
        return self._overlays

    def overlaid(self, element: Element) -> Element | None:
        """A picture or another box that may lie between the text and the background that it inherits; itself for any."""
        self._looked += 1
        if self._looked > MAX_LOOKED:
            return element
        owner = element.state.owner
        chain: list[Element] = []
        for each in (element, *element.ancestors()):
            if each is owner:
                break
            chain.append(each)
        lifted = next((each for each in chain if each.state.position in ("absolute", "fixed", "sticky") or _shifted(each)), None)
        layered = lifted or next(
            (each for each in chain if each.state.position != "static" or "opacity" in each.state.styles), None
        )
        inside = set(chain)
        for other in self.overlays:
            if other is owner or other in inside or not _below(other, owner):
                continue
            beneath = other.state.z < 0 or (layered is not None and other.position < element.position)
            holder = _container(other)
            floats = other.state.position in ("absolute", "fixed") and (holder is element or _below(element, holder))
            if (floats and beneath) or (
                lifted is not None and other.position < lifted.position and _below(other, _container(lifted))
            ):
                return other
            if other.position < element.position and (_overhangs(other) or _shares_a_cell(other, chain)):
                return other
        return None

    @property
    def covers(self) -> list[tuple[Element, Element]]:
        """Opaque boxes that are stretched over the whole of the box they are placed in, and that box."""
        if self._covers is None:
            self._covers = []
            for other in self.overlays:
                state: State = other.state
                opaque = state.opaque and state.owner is other and state.opacity >= 1 - FAINT and state.visible and not state.room
                if (
                    state.position == "absolute"
                    and opaque
                    and state.z >= 0
                    and all(state.styles.get(each, plain) == plain for each, plain in _PLAIN.items())
                    and "border-radius" not in state.styles
                ):
                    box = _container(other)
                    if box is not None and box.tag not in ("html", "body") and _stretched(state.styles, box.state.styles):
                        self._covers.append((other, box))
                elif (
                    opaque and other.parent is not None and "grid" in other.parent.state.display and _cell(state) and state.z >= 0
                ):
                    self._covers.append((other, other.parent))
                elif opaque and (text := overlap.before(other)) is not None:
                    self._covers.append((other, text))
        return self._covers

    def covered(self, element: Element) -> bool:
        """Whether an opaque box lies over the whole box that the text is in."""
        for other, box in self.covers[:MAX_COVERS]:
            if box is element:
                return True  # found right before it
            if not _below(element, box) or element is other or _below(element, other):
                continue
            between = [each for each in (element, *element.ancestors()) if _below(each, box)]
            if other.state.position != "absolute" and not _same_cell(between[-1], other):
                continue
            if all(_under(each, other) for each in between):
                return True
        return False


_BOXES = frozenset({"video", "canvas", "iframe"})
_PLAIN = {
    "transform": "none", "translate": "none", "scale": "none", "clip-path": "none", "mask": "none", "mask-image": "none",
    "filter": "none",    "mix-blend-mode": "normal", "visibility": "visible", "background-clip": "border-box",
}  # fmt: skip


Sheet = tuple[str, int, Colour | None]
"""The name of a pseudo-element, its level, and its colour if that is known."""


def sheets(element: Element, state: State) -> list[Sheet]:
    """Pseudo-elements of an element that are stretched over all of it."""
    found: list[Sheet] = []
    for name, declared in (element.boxes or {}).items():
        styles = winners(in_order(declared), state.variables, element.attributes)[0]
        ground = colour(styles.get("background-color", "transparent"), state.dark)
        if styles.get("background-image", "none") != "none":
            ground = gradient(styles["background-image"])
        level = re.fullmatch(r"[+-]?\d{1,9}", styles.get("z-index", "0"))
        if (
            styles.get("content", "none") not in ("none", "normal")
            and styles.get("position") == "absolute"
            and state.position != "static"
            and styles.get("display", "block") not in ("none", "contents")
            and (number(styles.get("opacity", "1")) or 0.0) >= 1 - FAINT
            and level is not None
            and all(styles.get(each, plain) == plain for each, plain in _PLAIN.items())
            and _stretched(styles, state.styles)
        ):
            found.append((name, int(level[0]), ground))
    return found


def veils(element: Element, sheets: list[Sheet]) -> list[tuple[Element, int, bool]]:
    """Those of them that let nothing through and may lie over the text."""
    return [
        (element, level, name == "after")
        for name, level, ground in sheets
        if level >= 0 and ground is not None and ground[3] >= 1 - FAINT
    ]


def veiled(element: Element) -> bool:
    """Whether a pseudo-element of an element around lies over a text."""
    for owner, level, behind in element.state.veils:
        at = element
        while at is not owner and at.parent is not None:
            state: State = at.state
            lifted = state.position != "static" or bool({"transform", "opacity", "filter"} & state.styles.keys())
            if lifted and (state.z > level or (state.z == level and not behind)):
                break
            at = at.parent
        else:
            return True
    return False


def _is_picture(element: Element) -> bool:
    """Whether it is an element whose box is seen, though what is written inside is not."""
    state: State = element.state
    return (
        element.tag in _BOXES and state.hidden == f"<{element.tag}>" and state.styles.get("display") != "none" and state.visible
    )


def _overhangs(element: Element) -> bool:
    """Whether a box reaches over what follows it."""
    styles: dict[str, str] = element.state.styles
    return any(styles.get(f"margin-{side}", "0").startswith("-") for side in ("right", "bottom"))


def _shares_a_cell(other: Element, chain: list[Element]) -> bool:
    """Whether a text stands in a cell of a grid that another box is put into as well."""
    return (
        other.parent is not None
        and "grid" in other.parent.state.display
        and any(each.parent is other.parent and _lines(each.state) == _lines(other.state) != () for each in chain)
    )


def _same_cell(element: Element, other: Element) -> bool:
    """Whether two boxes of a grid are put into one cell of it, the first of them beneath."""
    one, over = element.state, other.state
    return _lines(one) == _lines(over) and (one.z, element.position) < (over.z, other.position)


def _cell(state: State) -> tuple[str, ...]:
    """Where a box of a grid is put; empty where that is not said, or it does not fill its cell."""
    if {"align-self", "width", "height", "max-width", "max-height", "transform", "border-radius"} & state.styles.keys():
        return ()
    return _lines(state)


def _lines(state: State) -> tuple[str, ...]:
    """The lines of a grid that a box is put between; empty where that is not said."""
    styles = state.styles
    if "grid-area" in styles:
        parts = [part.strip() for part in styles["grid-area"].split("/")]
        rows, columns = "/".join(parts[::2]), "/".join(parts[1::2])
        return (_line(rows), _line(columns)) if len(parts) > 1 else (parts[0],)
    if {"grid-row", "grid-column"} <= styles.keys():
        return (_line(styles["grid-row"]), _line(styles["grid-column"]))
    return ()


def _line(value: str) -> str:
    """`1 / 2` is `1`."""
    start, _, end = (part.strip() for part in value.partition("/"))
    return start if start.isdigit() and end == str(int(start) + 1) else value


def _under(element: Element, cover: Element) -> bool:
    state, over = element.state, cover.state
    if state.position == "static" and not {"transform", "opacity", "filter"} & state.styles.keys() and not state.z:
        return True
    if over.position == "static" and not over.z:
        return False
    return bool(state.z < over.z or (state.z == over.z and element.position < cover.position))


def _shifted(element: Element) -> bool:
    styles: dict[str, str] = element.state.styles
    return "transform" in styles or any(styles.get(f"margin-{side}", "0").startswith("-") for side in ("top", "left", "bottom"))


def _stretched(styles: dict[str, str], box: dict[str, str]) -> bool:
    """Whether a box reaches from side to side, and from top to bottom, of the one it is placed in."""
    for start, end, side in (("left", "right", "width"), ("top", "bottom", "height")):
        first, last = (length(styles.get(each, "auto"), Scale(percent=100.0)) for each in (start, end))
        if first is None or first > 0:
            return False
        size, outer = styles.get(side, "auto"), box.get(side, "auto")
        whole = size == "100%" or (size == outer != "auto" and size.endswith("px"))
        if not (whole and first == 0) and (size != "auto" or last is None or last > 0):
            return False
    return True


def _container(element: Element) -> Element | None:
    """The box that an absolutely positioned element is placed in; None is the whole page."""
    if element.state.position in ("fixed", "sticky"):
        return None
    return next((each for each in element.ancestors() if each.state.position != "static"), None)


def _below(element: Element, ancestor: Element | None) -> bool:
    return ancestor is None or any(each is ancestor for each in element.ancestors())
