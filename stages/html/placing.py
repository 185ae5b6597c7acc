"""Where an element's box is and what of it shows."""

from __future__ import annotations

from stages.html import flow, geometry, outside, referring
from stages.html.beside import is_beside, stays
from stages.html.matrix import Transform, corners
from stages.html.state import State
from stages.html.tree import Element
from stages.html.values import WIDTH, Scale, length, number

OUTSIDE = "off-screen"
TABLES = frozenset(
    {"table", "inline-table", "table-cell", "table-row", "table-row-group", "table-header-group", "table-footer-group"}
)
TABLE_PARTS = frozenset({"table", "thead", "tbody", "tfoot", "tr", "td", "th"})
MOVED = 2 * WIDTH
"""Pixels that what passes by begins beside its place at most."""
CLIPPING = frozenset({"textarea", "marquee"})
"""Elements that show nothing outside of themselves."""


class Placing:
    """One element's place, worked out once its letters are."""

    def __init__(self, element: Element, state: State, parent: State) -> None:
        self.element, self.state, self.parent = element, state, parent
        if state.box and any(word in state.styles.get("contain", "") for word in ("paint", "strict", "content")):
            state.styles = {"overflow-x": "clip", "overflow-y": "clip"} | state.styles
        self.get = state.styles.get

    def hide(self, reason: str) -> None:
        """Nothing inside shows; the first reason counts."""
        self.state.hide(reason, self.element)

    def place(self) -> None:
        """Where the box is and what of it shows."""
        state, font = self.state, self.state.font
        position = state.position
        if geometry.clipped(state.styles, font, position) or referring.clips_all(self.element, self.get("clip-path", "none")):
            self.hide("clipped")
        if state.room and state.room[0] == OUTSIDE:
            state.room = state.room if stays(state) else None
        elif state.room and position in ("fixed", "absolute") and not state.room[1 if position == "absolute" else 2]:
            state.room = None
        held = position == "absolute" and any(above.state.position != "static" for above in self.element.ancestors())
        x, y = geometry.offset(state.styles, font, position, held)
        if state.box:
            x, y = self.boxed(x, y)
        if x or y:
            width = length(self.get("width", "auto"), Scale(font, WIDTH))
            state.x, state.y = self.parent.x + x, self.parent.y + y
            state.cause = self.element
            if width is not None and state.x + width > 0:
                state.x = max(state.x, geometry.OFF + 1)
        self.scrolling()
        self.lines()

    def boxed(self, x: float, y: float) -> tuple[float, float]:
        """How far a box that is moved so far by its margins and offsets is moved in all, and what clips it."""
        state, position = self.state, self.state.position
        turned = self.turned()
        x, y = x + turned.x, y + turned.y
        self.room()
        if state.passing and max(abs(x), abs(y)) <= MOVED:
            x = y = 0.0
            state.window = None
        elif is_beside(self.element, state) or outside.outside(self.element, state):
            state.room, state.cause = (OUTSIDE, False, False), self.element
        if flow.clips(state):
            state.window = self.element
        elif position == "fixed" or (position == "absolute" and state.window and state.window.state.position == "static"):
            state.window = None
        return x, y

    def turned(self) -> Transform:
        """The transforms, and what they leave to be read."""
        state = self.state
        turned = geometry.transform(state.styles, state.font, self.parent.styles.get("perspective", "none"))
        if "transform-origin" in state.styles:
            side = geometry.OWN_SIZE
            box = corners(state.styles, state.font, (side, side), outside.origin_of(state.styles, (side, side)))
            turned.x, turned.y = (sum(corner[at] for corner in box) / len(box) - side / 2 for at in (0, 1))
        state.scale *= turned.scale if {"transform", "scale", "rotate"} & state.styles.keys() else 1.0
        if turned.flat:
            self.hide("transform")
        elif (
            turned.back
            and self.get("backface-visibility") == "hidden"
            and self.parent.styles.get("transform-style") != "preserve-3d"
        ):
            self.hide("backface-visibility: hidden")
        return turned

    def lines(self) -> None:
        """Lines that have no height, or stand in the middle of more than the box has."""
        state, get = self.state, self.get
        clips = {get("overflow-x", "visible"), get("overflow-y", "visible")} & {"hidden", "clip"}
        if clips and state.line_zero and "height" not in state.styles:
            state.flat = True
        tall = length(get("height", "auto"), Scale(state.font)) if clips and "%" not in get("height", "%") else None
        if tall and state.line and (state.line - state.font) / 2 >= tall:
            self.hide("clipped")

    def scrolling(self) -> None:
        """Whether what lies outside can be scrolled to."""
        state, get = self.state, self.get
        across, down = get("overflow-x", "visible"), get("overflow-y", "visible")
        if across in ("auto", "scroll"):
            state.x_clip = False
        elif across in ("hidden", "clip"):
            state.x_clip = True
        if self.element.tag in ("html", "body"):
            if get("direction", self.element.attributes.get("dir", "").lower()) == "rtl":
                state.x_clip = True  # what lies right of such a page cannot be scrolled to
            state.y_clip = state.y_clip or down in ("hidden", "clip")
        elif down in ("auto", "scroll"):
            state.y_clip = False

    def room(self) -> None:
        """Whether what is inside has room to be seen."""
        state, parent = self.state, self.parent
        styles = state.styles
        clips = "visible" not in (self.get("overflow-y", "visible"), self.get("overflow-x", "visible"))
        if "grid" in parent.display and clips and geometry.flat_track(parent.styles, self.element, styles):
            state.room, state.cause = (
                ("a box without room", state.position != "static" or geometry.holds_all(styles), geometry.holds_all(styles)),
                self.element,
            )
        if "grid" in state.display and "height" not in styles and geometry.flat_rows(styles):
            styles = styles | {"height": "0"}
        basis = length(self.get("flex-basis", "auto"), Scale(state.font)) if "flex" in parent.display else None
        if basis == 0 and not number(self.get("flex-grow", "0")):
            side = "height" if parent.styles.get("flex-direction", "row").startswith("column") else "width"
            styles = styles | {side: "0"}
        growing = state.grows = self.growing()
        if state.display in TABLES or ("display" not in styles and self.element.tag in TABLE_PARTS):
            return  # as large as what is in it, whatever it declares
        if self.element.tag in CLIPPING:
            styles = {"overflow-x": "clip", "overflow-y": "clip"} | styles
        styles = geometry.by_ratio(self.in_pixels(styles), state.font)
        if geometry.no_room(styles, state.font, growing):
            holds, all_of_it = geometry.holds_all(styles), geometry.no_room(styles, state.font, growing, True)
            state.room = ("a box without room", all_of_it and (holds or state.position != "static"), all_of_it and holds)
            state.cause = self.element

    def in_pixels(self, styles: dict[str, str]) -> dict[str, str]:
        """With a height that is a share of the box around it worked out, where that declares its own."""
        around = self.parent.styles.get("height", "auto")
        tall = None if "%" in around else length(around, Scale(self.parent.font))
        named = [side for side in ("height", "max-height") if "%" in styles.get(side, "")]
        if tall is None or not named:
            return styles
        return styles | {side: f"{length(styles[side], Scale(self.state.font, tall)) or 0.0}px" for side in named}

    def growing(self) -> str:
        """The side along which the box takes what room is left, whatever size it declares."""
        if self.parent.display not in ("flex", "inline-flex") or not number(self.get("flex-grow", "0")):
            return ""
        return "height" if self.parent.styles.get("flex-direction", "row").startswith("column") else "width"
