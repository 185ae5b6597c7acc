"""One element's state from what is declared for it and its parent's state."""

from __future__ import annotations

import re

from stages.html import covers, drawing, effects, flow, geometry
from stages.html.colours import colour, over
from stages.html.effects import FAINT
from stages.html.state import NOT_RENDERED, SPECIAL, WHITE, State
from stages.html.tree import Element
from stages.html.values import WIDTH, Scale, length, number

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
_NUMBER = re.compile(r"[\d.]+")
_RELATIVE = re.compile(r"\d(?:em|ex|ch|%)")
_OPACITY = re.compile(r"opacity\(([^()]*(?:\([^()]*\))?)\)")

_BACKGROUND = frozenset({"background-color", "background-image", "background-clip", "color-scheme", "box-shadow"})
_LAYERS = frozenset({"opacity", "filter", "mask", "mask-image", "mix-blend-mode", "z-index"})
_STACKING = {
    "transform": "none", "translate": "none", "scale": "none", "rotate": "none", "filter": "none", "backdrop-filter": "none",
    "perspective": "none", "clip-path": "none", "mask": "none", "mask-image": "none", "mix-blend-mode": "normal", "isolation": "auto",
    "opacity": "1",
}  # fmt: skip
"""Properties that make a box stack what is in it, but for the value that does not."""
_PLACE = frozenset({
    "position", "clip", "clip-path", "margin-left", "margin-top", "left", "right", "top", "bottom", "width", "height",
    "max-width", "max-height", "transform", "translate", "scale", "rotate", "overflow-x", "overflow-y", "line-height", "contain",
    "offset-path", "flex-basis", "padding-top",
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
        if not _PLACE.isdisjoint(state.styles) or "grid" in self.parent.display or "flex" in self.parent.display:
            self.place()

    def hide(self, reason: str) -> None:
        """Nothing inside shows; the first reason counts."""
        if not self.state.hidden:
            self.state.hidden, self.state.cause = reason, self.element

    def box(self) -> None:
        """Position and display."""
        element, state, get = self.element, self.state, self.get
        if element.tag in ("math", "mtext"):
            state.formula = element.tag == "math"
        state.position = get("position", "static").removeprefix("-webkit-")
        state.z = int(z) if re.fullmatch(r"[+-]?\d{1,9}", z := get("z-index", "auto")) else 0
        display = get("display")
        if display == "contents":
            state.position = "static"
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
        state.box = display != "contents" and (outer or laid_out or display != "inline")
        if get("content-visibility") == "hidden" and state.box:
            self.hide("content-visibility: hidden")
        if re.match(r"(?:url|[a-z-]*gradient|image-set|-webkit-image-set|cross-fade|image|paint|element)\(", get("content", "")):
            self.hide("content: an image")

    def unasked(self) -> None:
        """What a browser's own stylesheet hides as long as the page's does not show it."""
        tag, attributes = self.element.tag, self.element.attributes
        if tag == "object" and not ({"data", "classid", "type"} & attributes.keys()):
            return
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
            size = length(value, Scale(parent.font, parent.font, parent.rem))
            state.font = parent.font if size is None else max(size, 0.0)
            state.absolute = parent.absolute or not _RELATIVE.search(value)
        if 0 < state.font < CLAMP and not state.absolute:
            state.font = CLAMP
        if self.element.tag == "html":
            state.rem = state.font
        if number(self.get("font-size-adjust", "none")) == 0:
            state.font = 0.0
        zoom = number(self.get("zoom", "1"))
        if zoom:
            state.scale *= abs(zoom)

    def text(self) -> None:
        """What text is painted with."""
        state, get = self.state, self.get
        if "color-scheme" in state.styles:
            state.dark = get("color-scheme", "").replace("only", "").strip() == "dark"
        if "visibility" in state.styles:
            state.visible = get("visibility") == "visible"
            state.cause = state.cause if state.visible else self.element
        if "color" in state.styles:
            value = get("color", "")
            state.colour = self.parent.colour if value == "currentcolor" else colour(value, state.dark)
        elif self.element.tag == "a" and "href" in self.element.attributes:
            state.colour = LINK
        state.fill = get("text-fill", state.fill)
        state.secret = get("text-security", "disc" if state.secret else "none") != "none"
        if "fill-opacity" in state.styles:
            state.fill_opacity = min(max(number(get("fill-opacity", "1")) or 0.0, 0.0), 1.0)
        if self.element.drawn or self.element.tag == "svg":
            self.drawn()
        elif self.element.tag == "mphantom":
            state.visible, state.cause = False, self.element
        if (
            self.element.parent is not None
            and self.element.parent.tag in ("switch", "maction")
            and drawing.unchosen(self.element)
        ):
            self.hide("another part is shown")
        state.shadow = get("text-shadow", state.shadow)
        state.stroke = get("text-stroke", state.stroke)
        if "text-stroke-color" in state.styles and state.stroke != "none":
            state.stroke = f"{state.stroke} {get('text-stroke-color')}"
        if "text-indent" in state.styles and state.box:
            state.indent = self.indent(get("text-indent", "0"))
        line = get("line-height")
        if line is not None:
            tall = length(line, Scale(state.font, state.font))
            state.line_zero, state.line = tall == 0, tall * state.font if tall and _NUMBER.fullmatch(line) else tall

    def indent(self, value: str) -> float:
        """How far the first line is moved; one that is moved to the end of a box which clips is gone."""
        wide = length(value, Scale(self.state.font, WIDTH)) or 0.0
        clips = self.parent.x_clip or self.get("overflow-x", "visible") in ("hidden", "clip")
        clips = clips and self.get("white-space", "") in ("nowrap", "pre")
        return geometry.OFF if clips and wide >= WIDTH else wide

    def drawn(self) -> None:
        """SVG text is painted with `fill` and `stroke`, over shapes that nobody lays out here."""
        state, element = self.state, self.element
        if element.tag == "svg" and not element.drawn:
            state.fill = "black"
            state.formula = False
            state.drawing, scale = drawing.window(element, state.styles)
            state.scale *= scale
            if any(
                (drawing.measure(self.get(side)) or drawing.measure(element.attributes.get(side)) or 9.0) <= geometry.THIN
                or drawing.measure(element.attributes.get(side)) == 0
                for side in ("width", "height")
                if side not in state.styles
            ):
                self.hide("an image without room")
            if any(each.tag in SHAPES for each in element.walk()):
                state.backdrop = None
        else:
            state.drawing = drawing.moved(element, state.drawing)
        if drawing.outside(element, state.drawing, state.font) and "visible" not in (
            self.parent.styles.get("overflow-x"),
            element.attributes.get("overflow"),
        ):
            self.hide("outside the image")
        if element.tag.lower() == "foreignobject":
            state.fill = "currentcolor"
            if not drawing.sized(element, state.styles):
                self.hide("a box without room")
        if element.tag.lower() == "textpath" and not ({"href", "xlink:href", "path"} & element.attributes.keys()):
            self.hide("no path for the text")
        fill = self.get("fill", element.attributes.get("fill", "")).strip().lower()
        if fill:
            state.fill = "transparent" if fill == "none" else fill
        stroke = self.get("stroke", element.attributes.get("stroke", "")).strip().lower()
        if stroke:
            state.stroke = "none" if stroke == "none" else f"1px {stroke}"

    def background(self) -> None:
        """What lies behind the text, as far as it is known."""
        state, get = self.state, self.get
        if state.dark and self.element.tag in ("html", "body") and "color-scheme" in state.styles:
            state.backdrop = state.known = DARK
            state.colour = WHITE if "color" not in state.styles else state.colour
        if state.display == "contents":
            return
        image, solid = effects.image(state.styles), colour(get("background-color", "transparent"), state.dark)
        if get("background-color") == "currentcolor":
            solid = state.colour
        if "text" in get("background-clip", ""):
            state.clip_text = image or (True if solid is None else solid)
            return
        if self.element.pseudo or self.element.tag in PICTURES:
            state.paints = True
        if self.element.pseudo:
            state.backdrop = None
            state.veils = (*state.veils, *covers.veils(self.element, state))
        inside = effects.shadow_inside(get("box-shadow", "none"), state.dark)
        if image:
            solid = None if image is True else over(image, solid) if solid and solid[3] >= 1 - FAINT else image
        elif inside and inside[3] >= 1 - FAINT:
            solid = inside
        if solid is None:
            state.backdrop, state.paints, state.owner = None, True, self.element
        elif solid[3] > FAINT:
            opaque = solid[3] >= 1 - FAINT
            state.paints, state.opaque, state.owner = True, opaque, self.element
            state.backdrop = solid if opaque else over(solid, state.backdrop) if state.backdrop else None
            state.known = over(solid, state.known)
            state.behind = len(state.filters) + len(effects.filters(get("filter", "")))

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
        if "filter" in state.styles and state.display != "contents":
            state.filters = state.filters + effects.filters(get("filter", ""))
        if effects.masked(state.styles):
            self.hide("mask")
        above = self.parent
        if (
            above.backdrop is not None
            and above.owner is not None
            and effects.blended_away(get("mix-blend-mode", "normal"), above.backdrop)
        ):
            self.hide("mix-blend-mode")
        if get("mix-blend-mode") in ("difference", "exclusion") and above.owner is not None:
            state.differs = not state.differs
        if state.z < 0 and state.position != "static":
            self.under()

    def under(self) -> None:
        """A negative z-index puts a box beneath the background of what holds it."""
        for ancestor in self.element.ancestors():
            state: State | None = ancestor.state
            if ancestor.tag in ("html", "body") or state is None:
                return
            if _stacks(state):
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
        if position == "fixed" and geometry.beside(state.styles, font):
            self.hide("off-screen")
        x, y = geometry.offset(state.styles, font, position)
        width = length(get("width", "auto"), Scale(font, WIDTH))
        if state.box:
            turned = geometry.transform(state.styles, font, self.parent.styles.get("perspective", "none"))
            x, y = x + turned.x, y + turned.y
            state.scale *= turned.scale if {"transform", "scale", "rotate"} & state.styles.keys() else 1.0
            if turned.flat:
                self.hide("transform")
            elif (
                turned.back
                and get("backface-visibility") == "hidden"
                and self.parent.styles.get("transform-style") != "preserve-3d"
            ):
                self.hide("backface-visibility: hidden")
            self.room()
            if flow.clips(state):
                state.window = self.element
            elif position == "fixed" or (position == "absolute" and state.window and state.window.state.position == "static"):
                state.window = None
        if x or y:
            state.x, state.y = self.parent.x + x, self.parent.y + y
            state.cause = self.element
            if width is not None and state.x + width > 0:
                state.x = max(state.x, geometry.OFF + 1)
        clips = {get("overflow-x", "visible"), get("overflow-y", "visible")} & {"hidden", "clip"}
        self.scrolling()
        if clips and state.line_zero and "height" not in state.styles:
            state.flat = True
        tall = length(get("height", "auto"), Scale(font)) if clips and "%" not in get("height", "%") else None
        if tall and state.line and (state.line - font) / 2 >= tall:
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
            state.y_clip = state.y_clip or down in ("hidden", "clip")
        elif down in ("auto", "scroll"):
            state.y_clip = False

    def room(self) -> None:
        """Whether what is inside has room to be seen."""
        state, parent = self.state, self.parent
        styles = state.styles
        if "grid" in parent.display and "visible" not in (self.get("overflow-y", "visible"), self.get("overflow-x", "visible")):
            if geometry.flat_track(parent.styles, self.element):
                state.room, state.cause = ("a box without room", state.position != "static"), self.element
        if "grid" in state.display and "height" not in styles and geometry.flat_rows(styles):
            styles = styles | {"height": "0"}
        basis = length(self.get("flex-basis", "auto"), Scale(state.font)) if "flex" in parent.display else None
        if basis == 0 and not number(self.get("flex-grow", "0")):
            side = "height" if parent.styles.get("flex-direction", "row").startswith("column") else "width"
            styles = styles | {side: "0"}
        growing = state.grows = self.growing()
        if state.display in ("table", "inline-table"):
            return
        if geometry.no_room(styles, state.font, growing):
            state.room = (
                "a box without room",
                state.position != "static" and geometry.no_room(styles, state.font, growing, True),
            )
            state.cause = self.element

    def growing(self) -> str:
        """The side along which the box takes what room is left, whatever size it declares."""
        if self.parent.display not in ("flex", "inline-flex") or not number(self.get("flex-grow", "0")):
            return ""
        return "height" if self.parent.styles.get("flex-direction", "row").startswith("column") else "width"


def _stacks(state: State) -> bool:
    styles = state.styles
    return (
        (state.position != "static" and styles.get("z-index", "auto") != "auto")
        or state.position in ("fixed", "sticky")
        or any(styles.get(name, plain) != plain for name, plain in _STACKING.items())
        or any(word in styles.get("will-change", "") for word in ("transform", "opacity", "filter", "position", "z-index"))
        or any(word in styles.get("contain", "") for word in ("layout", "paint", "strict", "content"))
    )
