"""One element's state from what is declared for it and its parent's state."""

from __future__ import annotations

import re

from stages.html import geometry
from stages.html.colours import colour, colours, gradient, over
from stages.html.state import FAINT, NOT_RENDERED, SPECIAL, WHITE, State
from stages.html.tree import Element
from stages.html.values import WIDTH, Scale, length, number, pieces

LINK, DARK = (0.0, 0.0, 0.93, 1.0), (0.07, 0.07, 0.07, 1.0)
CLAMP = 6.0
"""What browsers raise sizes to that hang on no absolute one."""
SHAPES = frozenset({"rect", "path", "circle", "ellipse", "polygon", "image", "use"})
INLINE = frozenset({
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd",
    "label", "mark", "nobr", "q", "rb", "rt", "ruby", "s", "samp", "slot", "small", "span", "strike", "strong", "sub", "sup",
    "time", "tt", "u", "var", "wbr", "img", "br",
})  # fmt: skip
PICTURES = frozenset({"img", "picture", "video", "canvas", "svg", "iframe", "embed", "object"})
_SIZES = {
    "xx-small": 9.0,
    "x-small": 10.0,
    "small": 13.0,
    "medium": 16.0,
    "large": 18.0,
    "x-large": 24.0,
    "xx-large": 32.0,
    "xxx-large": 48.0,
}


_INTEGER = re.compile(r"[+-]?\d{1,9}")
_RELATIVE = re.compile(r"\d(?:em|rem|ex|ch|%)")
_OPACITY = re.compile(r"opacity\(([^()]*(?:\([^()]*\))?)\)")

_BACKGROUND = frozenset({"background-color", "background-image", "background-clip", "color-scheme"})
_LAYERS = frozenset({"opacity", "filter", "mask", "mask-image", "mix-blend-mode", "z-index"})
_PLACE = frozenset({
    "position", "clip", "clip-path", "margin-left", "margin-top", "left", "right", "top", "bottom", "width", "height",
    "max-width", "max-height", "transform", "translate", "scale", "rotate", "overflow-x", "overflow-y", "line-height",
})  # fmt: skip


class Computing:
    """One element's state, worked out."""

    def __init__(self, element: Element, state: State, parent: State) -> None:
        self.element, self.state, self.parent = element, state, parent
        self.get = state.styles.get

    def run(self) -> None:
        """All of it, in the order of dependence."""
        state = self.state
        self.box()
        if state.hidden:
            return
        if state.styles or self.element.tag in SPECIAL or self.element.drawn:
            self.font()
            self.text()
        if self.element.pseudo or self.element.tag in SPECIAL or not _BACKGROUND.isdisjoint(state.styles):
            self.background()
        if not _LAYERS.isdisjoint(state.styles):
            self.layers()
        if not _PLACE.isdisjoint(state.styles) or self.parent.styles.get("grid-template-rows"):
            self.place()

    def hide(self, reason: str) -> None:
        """Nothing inside shows; the first reason counts."""
        if not self.state.hidden:
            self.state.hidden, self.state.cause = reason, self.element

    def box(self) -> None:
        """Position and display."""
        element, state, get = self.element, self.state, self.get
        state.position = get("position", "static").removeprefix("-webkit-")
        state.z = int(z) if re.fullmatch(r"[+-]?\d{1,9}", z := get("z-index", "auto")) else 0
        display = get("display")
        if display is None:
            display = "inline" if element.tag in INLINE else "block"
            self.unasked()
        elif element.tag in NOT_RENDERED and element.tag not in ("title", "rp"):
            self.hide(f"<{element.tag}>")
        elif display == "none" or display.startswith("table-column"):
            self.hide(f"display: {display}")
        state.display = display
        outer = state.position in ("absolute", "fixed") or get("float", "none") != "none"
        laid_out = self.parent.display in ("flex", "grid", "inline-flex", "inline-grid")
        state.box = outer or laid_out or display not in ("inline", "contents")
        if get("content-visibility") == "hidden" and state.box:
            self.hide("content-visibility: hidden")
        if "url(" in get("content", ""):
            self.hide("content: url()")

    def unasked(self) -> None:
        """What a browser's own stylesheet hides as long as the page's does not show it."""
        tag, attributes = self.element.tag, self.element.attributes
        if tag in NOT_RENDERED:
            self.hide(f"<{tag}>")
        elif "hidden" in attributes and attributes["hidden"].lower() != "until-found":
            self.hide("hidden attribute")
        elif tag == "dialog" and "open" not in attributes:
            self.hide("closed dialog")
        elif "popover" in attributes:
            self.hide("popover")

    def font(self) -> None:
        """Font size in pixels."""
        state, parent, value = self.state, self.parent, self.get("font-size")
        if value in _SIZES:
            state.font = _SIZES[value]
        elif value in ("smaller", "larger"):
            state.font = parent.font * (1.2 if value == "larger" else 1 / 1.2)
        elif value is not None:
            size = length(value, Scale(parent.font, parent.font))
            state.font = parent.font if size is None else max(size, 0.0)
            state.absolute = parent.absolute or not _RELATIVE.search(value)
        if 0 < state.font < CLAMP and not state.absolute:
            state.font = CLAMP

    def text(self) -> None:
        """What text is painted with."""
        state, get = self.state, self.get
        if "visibility" in state.styles:
            state.visible = get("visibility") == "visible"
            state.cause = state.cause if state.visible else self.element
        if "color" in state.styles:
            value = get("color", "")
            state.colour = self.parent.colour if value == "currentcolor" else colour(value)
        elif self.element.tag == "a" and "href" in self.element.attributes:
            state.colour = LINK
        state.fill = get("text-fill", state.fill)
        if self.element.drawn or self.element.tag == "svg":
            self.drawn()
        state.shadow = get("text-shadow", state.shadow)
        state.stroke = get("text-stroke", state.stroke)
        if "text-indent" in state.styles:
            state.indent = length(get("text-indent", "0"), Scale(state.font, 600.0)) or 0.0
        line = get("line-height")
        if line is not None:
            state.line_zero = length(line, Scale(state.font, state.font)) == 0

    def drawn(self) -> None:
        """SVG text is painted with `fill` and `stroke`, over shapes that nobody lays out here."""
        state, element = self.state, self.element
        if element.tag == "svg":
            state.fill = "black"
            if any(each.tag in SHAPES for each in element.walk()):
                state.backdrop = None
        if element.tag.lower() == "foreignobject":
            state.fill = "currentcolor"
        fill = self.get("fill", element.attributes.get("fill", "")).strip().lower()
        if fill:
            state.fill = "transparent" if fill == "none" else fill
        stroke = self.get("stroke", element.attributes.get("stroke", "")).strip().lower()
        if stroke:
            state.stroke = "none" if stroke == "none" else f"1px {stroke}"

    def background(self) -> None:
        """What lies behind the text, as far as it is known."""
        state, get = self.state, self.get
        if get("color-scheme", "").replace("only", "").strip() == "dark" and self.element.tag in ("html", "body"):
            state.backdrop = state.known = DARK
            state.colour = WHITE if "color" not in state.styles else state.colour
        image, solid = get("background-image", "none"), colour(get("background-color", "transparent"))
        if get("background-color") == "currentcolor":
            solid = state.colour
        if "text" in get("background-clip", ""):
            state.clip_text = True if image != "none" or solid is None else solid
            return
        if self.element.pseudo or self.element.tag in PICTURES:
            state.paints = True
        if self.element.pseudo:
            state.backdrop = None
        if image != "none":
            only = gradient(image)
            solid = only or None
        if solid is None:
            state.backdrop, state.paints, state.owner = None, True, self.element
        elif solid[3] > FAINT:
            opaque = solid[3] >= 1 - FAINT
            state.paints, state.opaque, state.owner = True, opaque, self.element
            state.backdrop = solid if opaque else over(solid, state.backdrop) if state.backdrop else None
            state.known = over(solid, state.known)

    def layers(self) -> None:
        """Opacity, masks, blending, stacking."""
        state, get = self.state, self.get
        faded = 1.0
        if "opacity" in state.styles:
            value = number(get("opacity", "1"))
            faded = min(max(1.0 if value is None else value, 0.0), 1.0)
        for amount in _OPACITY.findall(get("filter", "")):
            faded *= min(max(number(amount.strip() or "1") or 0.0, 0.0), 1.0)
        if faded < 1 and state.display != "contents":
            state.opacity *= faded
            state.cause = self.element if faded <= state.opacity * 2 and state.opacity <= FAINT else state.cause
        mask = get("mask-image", get("mask", "none"))
        shades = [colour(part) for part in colours(mask)]
        if "gradient(" in mask and shades and all(shade is not None and shade[3] <= FAINT for shade in shades):
            self.hide("mask")
        self.blend(get("mix-blend-mode", "normal"))
        if state.z < 0 and state.position != "static":
            self.under()

    def blend(self, mode: str) -> None:
        """A blend mode that leaves nothing but the backdrop."""
        backdrop = self.parent.backdrop
        if backdrop is None or mode == "normal":
            return
        if (mode in ("lighten", "screen", "color-dodge", "plus-lighter") and min(backdrop[:3]) > 1 - FAINT) or (
            mode in ("darken", "multiply", "color-burn") and max(backdrop[:3]) < FAINT
        ):
            self.hide("mix-blend-mode")

    def under(self) -> None:
        """A negative z-index puts a box beneath the background of what holds it."""
        for ancestor in self.element.ancestors():
            state: State | None = ancestor.state
            if ancestor.tag in ("html", "body") or state is None:
                return
            stacks = (state.position != "static" and "z-index" in state.styles) or {"transform", "filter", "isolation"} & set(
                state.styles
            )
            if stacks or "opacity" in state.styles:
                return
            if state.opaque and state.owner is ancestor:
                self.hide("z-index beneath a background")
                return

    def place(self) -> None:
        """Where the box is and what of it shows."""
        state, get, font = self.state, self.get, self.state.font
        position = state.position
        if geometry.clipped(state.styles, font, position):
            self.hide("clipped")
        if state.room and (position == "fixed" or (position == "absolute" and not state.room[1])):
            state.room = None
        x, y = geometry.offset(state.styles, font, position)
        width = length(get("width", "auto"), Scale(font, WIDTH))
        if state.box:
            turned = geometry.transform(state.styles, font)
            x, y = x + turned.x, y + turned.y
            state.scale *= min(abs(turned.scale_x), abs(turned.scale_y))
            if turned.flat:
                self.hide("transform")
            elif (
                turned.back
                and get("backface-visibility") == "hidden"
                and self.parent.styles.get("transform-style") != "preserve-3d"
            ):
                self.hide("backface-visibility: hidden")
            self.room()
        if x or y:
            state.x, state.y = self.parent.x + x, self.parent.y + y
            state.cause = self.element
            if width is not None and state.x + width > 0:
                state.x = max(state.x, geometry.OFF + 1)
        clips = {get("overflow-x", "visible"), get("overflow-y", "visible")} & {"hidden", "clip"}
        state.x_clip = state.x_clip or get("overflow-x", "visible") in ("hidden", "clip")
        if clips and state.line_zero and "height" not in state.styles:
            state.flat = True

    def room(self) -> None:
        """Whether what is inside has room to be seen."""
        state = self.state
        rows = [
            length(part, Scale()) if not part.endswith("fr") else float(part[:-2] or 1)
            for part in pieces(self.parent.styles.get("grid-template-rows", ""))
        ]
        flat_row = (
            self.parent.display in ("grid", "inline-grid") and rows == [0.0] and self.get("overflow-y", "visible") != "visible"
        )
        if flat_row or geometry.no_room(state.styles, state.font, self.growing()):
            state.room = ("a box without room", state.position != "static")
            state.cause = self.element

    def growing(self) -> str:
        """The side along which the box takes what room is left, whatever size it declares."""
        if self.parent.display not in ("flex", "inline-flex") or not number(self.get("flex-grow", "0")):
            return ""
        return "height" if self.parent.styles.get("flex-direction", "row").startswith("column") else "width"
