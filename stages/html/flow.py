"""Boxes of a set size that clip: what is pushed out of one for certain, by what is known to stand before it.

Only lower bounds are added up, so that a text is taken for pushed out only where it is.
"""

from __future__ import annotations

from stages.html.matrix import transform
from stages.html.state import INLINE_TAGS, State, fresh
from stages.html.tree import Element
from stages.html.values import WIDTH, Scale, length
from stages.html.winning import in_order, winners

LINES = 3.2
"""Lines of a box up to which lines before count as well: a taller one is a teaser that can be opened."""
EDGE = 2.0
LINE = 1.15
"""Times the font size: what a line takes at least."""
TALLEST, WIDEST = 2.0, 0.75
"""Times the font size: what a line, and what a letter, takes at most."""
SIDE_BY_SIDE = frozenset({"flex", "grid", "inline-flex", "inline-grid"})
MAX_BEFORE = 40
SPACED = frozenset({"p", "dl", "pre", "blockquote", "figure", "h1", "h2", "h3", "h4", "h5", "h6"})
LEAST_MARGIN, NARROWEST = 0.67, 0.22
"""Times the font size: what a browser's own stylesheet puts above those at least, and how wide a letter is at least."""
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


def parted(box: Element) -> list[Element]:
    """Texts right inside a box that clips, behind other elements in it, each made an element of its own to be judged."""
    found: list[Element] = []
    children: list[Element | str] = []
    seen = False
    for child in box.children:
        if isinstance(child, Element):
            seen = True
        elif seen and child.strip():
            part = Element("span", {}, box)
            part.filled([child])
            part.state, part.position = fresh(box.state), box.position
            found.append(part)
            children.append(part)
            continue
        children.append(child)
    if found:
        box.filled(children)
    return found


def styles_scroll(state: State, axis: str) -> bool:
    """Whether a person can scroll to what is outside."""
    return state.styles.get(axis, "visible") in ("auto", "scroll", "overlay")


def pushed_out(element: Element, state: State) -> bool:
    """Whether the text of an element begins behind the end, or ends before the start, of the box of a set size that it is in."""
    box = state.window
    if box is None or box is element:
        return False
    outer: State = box.state
    tall, wide = _side(outer, "height"), _side(outer, "width")
    way = _Way(box, tall, wide)
    if not way.go(element):
        return False
    long = state.font * WIDEST * len(element.text().strip())
    if tall is not None:
        tall += length(outer.styles.get("padding-bottom", "0"), Scale(outer.font)) or 0.0
        few = tall <= LINES * outer.font
        if way.down >= tall - EDGE / 2 or (few and way.down + way.lines >= tall - EDGE / 2):
            return True
        if not way.lines and way.down + (long / (wide or WIDTH) + 1) * max(state.line or 0.0, state.font * TALLEST) <= 0:
            return True
    if wide is None:
        return False
    return (
        way.across >= wide + (length(outer.styles.get("padding-right", "0"), Scale(outer.font)) or 0.0) or way.across + long <= 0
    )


class _Way:
    """From a text up to the box around it: pixels that are declared to be above and left of it, and those of lines above."""

    def __init__(self, box: Element, tall: float | None, wide: float | None) -> None:
        self.box, self.tall, self.wide = box, tall, wide
        self.down = self.across = self.lines = 0.0
        self.one_line = box.state.styles.get("white-space", "") in ("nowrap", "pre")

    def go(self, element: Element) -> bool:
        """Add up; whether it is known where the text is."""
        at: Element | None = element
        if element.tag in SPACED and "margin-top" not in element.state.styles:
            self.down += element.state.font * LEAST_MARGIN
        while at is not None and at is not self.box:
            state: State = at.state
            if state.position in ("fixed", "sticky") or state.styles.get("float", "none") != "none":
                return False
            self._moved(state)
            self._made(at)
            if state.position != "absolute":
                self._above(at)
                at = at.parent
                continue
            at = at.parent
            while at is not None and at is not self.box and at.state.position == "static":
                at = at.parent
            if at is None or at.state.position == "static":
                return False
        if element.state.position != "absolute":
            self._made(self.box)
        return True

    def _moved(self, state: State) -> None:
        styles = state.styles
        across, down = Scale(state.font, self.wide or 0.0), Scale(state.font, self.tall or 0.0)
        own = length(styles.get("width", "auto"), across)
        if state.box:
            self.down += _declared(styles, ("padding-top", "margin-top"), across)
        if state.box or self.one_line:
            self.across += _declared(styles, ("padding-left", "margin-left"), across)
        if state.position in ("relative", "absolute"):
            self.down += _declared(styles, ("top",), down)
            self.across += _declared(styles, ("left",), across)
        if state.position == "absolute":
            right, bottom = length(styles.get("right", "auto"), across), length(styles.get("bottom", "auto"), down)
            if right is not None and self.wide and own is not None and styles.get("left", "auto") == "auto":
                self.across += self.wide - right - own
            if bottom is not None and bottom < 0 and self.tall and styles.get("top", "auto") == "auto":
                self.down += self.tall - bottom - state.font * TALLEST
        if "transform" in styles or "translate" in styles:
            turned = transform(styles, state.font, own or 0.0)
            self.down, self.across = self.down + turned.y, self.across + turned.x

    def _above(self, element: Element) -> None:
        """What its siblings before add."""
        parent = element.parent
        if parent is None or parent.state.display in SIDE_BY_SIDE or len(parent.children) > MAX_BEFORE:
            return
        for child in parent.children:
            if child is element:
                break
            if isinstance(child, str):
                self.lines += EDGE / 4 if child.strip() else 0.0
                self._beside(parent.state.font, child)
                continue
            state: State = child.state
            if state.hidden or state.position in ("absolute", "fixed") or state.styles.get("float", "none") != "none":
                continue
            if child.tag == "br":
                self.lines += state.font * LINE
            elif "display" in state.styles and state.display == "inline-block":
                wide = length(state.styles.get("width", "auto"), Scale(state.font, self.wide or 0.0))
                self.across += (wide or 0.0) if self.one_line else 0.0
            elif state.display in INLINE or (child.tag in INLINE_TAGS and "display" not in state.styles):
                self._beside(state.font, child.text())
            else:
                height = state.styles.get("height", "auto")
                whole = self.tall if parent is self.box and "height" in self.box.state.styles else None
                tall = length(height, Scale(state.font, whole or 0.0)) if whole or "%" not in height else None
                self.down += tall or 0.0
                self.lines += state.font * LINE if not tall and child.size else EDGE / 4

    def _made(self, element: Element) -> None:
        """What stands before all that is inside an element, made by its stylesheet."""
        declared = (element.boxes or {}).get("before")
        if not declared:
            return
        state: State = element.state
        styles = winners(in_order(declared), state.variables, element.attributes)[0]
        if (
            styles.get("content", "none") in ("none", "normal")
            or styles.get("position", "static") != "static"
            or styles.get("float", "none") != "none"
        ):
            return
        scale = Scale(state.font, self.wide or 0.0)
        if styles.get("display", "inline") in ("block", "table", "flex", "grid"):
            height = styles.get("height", "auto")
            self.down += (length(height, Scale(state.font)) if "%" not in height else None) or 0.0
            self.down += _declared(styles, ("padding-top", "padding-bottom"), scale)
        elif self.one_line and styles.get("display", "inline") != "none":
            wide = length(styles.get("width", "auto"), scale) if styles.get("display", "inline") != "inline" else None
            self.across += (wide or 0.0) + _declared(styles, ("padding-left", "padding-right", "margin-left"), scale)

    def _beside(self, font: float, text: str) -> None:
        """What stands before on the same line, where there is but one."""
        self.across += font * NARROWEST * len(text.strip()) if self.one_line else 0.0


def _declared(styles: dict[str, str], names: tuple[str, ...], scale: Scale) -> float:
    return sum(length(styles.get(name, "0"), scale) or 0.0 for name in names)
