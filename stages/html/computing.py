"""One element's state from what is declared for it and its parent's state."""

from __future__ import annotations

import re

from stages.html import drawing, geometry
from stages.html.backing import PICTURES, Backing
from stages.html.beside import WIDEST
from stages.html.colours import colour
from stages.html.inking import ink
from stages.html.placing import Placing
from stages.html.state import INLINE_TAGS, NOT_RENDERED, SPECIAL, State
from stages.html.tree import Element
from stages.html.values import WIDTH, Scale, length, number

LINK = (0.0, 0.0, 0.93, 1.0)
CLAMP = 6.0
"""What browsers raise sizes to that hang on no absolute one."""
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

_BACKGROUND = frozenset({"background-color", "background-image", "background-clip", "color-scheme", "box-shadow"})
_LAYERS = frozenset({"opacity", "filter", "mask", "mask-image", "mix-blend-mode", "z-index"})
_PLACE = frozenset({
    "position", "clip", "clip-path", "margin-left", "margin-top", "left", "right", "top", "bottom", "width", "height",
    "max-width", "max-height", "transform", "translate", "scale", "rotate", "overflow-x", "overflow-y", "line-height", "contain",
    "offset-path", "flex-basis", "padding-top", "aspect-ratio", "padding-left", "direction",
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
            if state.hidden != f"<{self.element.tag}>":
                return
            state.paints = self.element.tag in PICTURES
        if state.styles or self.element.tag in SPECIAL or self.element.drawn:
            self.font()
            self.text()
        if self.element.pseudo or self.element.tag in SPECIAL or not _BACKGROUND.isdisjoint(state.styles):
            Backing(self.element, state, self.parent).background()
        if not _LAYERS.isdisjoint(state.styles):
            Backing(self.element, state, self.parent).layers()
        if (
            not _PLACE.isdisjoint(state.styles)
            or "dir" in self.element.attributes
            or "grid" in self.parent.display
            or "flex" in self.parent.display
        ):
            Placing(self.element, state, self.parent).place()

    def hide(self, reason: str) -> None:
        """Nothing inside shows; the first reason counts."""
        self.state.hide(reason, self.element)

    def box(self) -> None:
        """Position and display."""
        element, state, get = self.element, self.state, self.get
        if element.parent is not None and element.parent.tag in ("switch", "maction") and drawing.unchosen(element):
            self.hide("another part is shown")
        if element.tag in ("math", "mtext"):
            state.formula = element.tag == "math"
        state.position = get("position", "static").removeprefix("-webkit-")
        state.z = int(z) if re.fullmatch(r"[+-]?\d{1,9}", z := get("z-index", "auto")) else 0
        display = get("display")
        if display == "contents":
            state.position = "static"
        if display is None:
            display = "inline" if element.tag in INLINE_TAGS else "block"
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
        elif self.element.drawn or tag in ("svg", "math"):
            return  # what follows are attributes of HTML
        elif (
            "hidden" in attributes
            and attributes["hidden"].lower() != "until-found"
            and not (tag == "option" and chosen(self.element))
        ):
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
        if self.element.tag == "mphantom":
            state.visible, state.cause = False, self.element
        if "color" in state.styles:
            value = get("color", "")
            state.colour = self.parent.colour if value == "currentcolor" else colour(value, state.dark)
        elif self.element.tag == "a" and "href" in self.element.attributes:
            state.colour = LINK
        state.fill = get("text-fill", state.fill)
        if self.element.drawn or self.element.tag == "svg":
            ink(self.element, state, self.parent)
        self.letters()

    def letters(self) -> None:
        """What else is done to letters and lines."""
        state, get = self.state, self.get
        state.secret = get("text-security", "disc" if state.secret else "none") != "none"
        if "fill-opacity" in state.styles:
            state.fill_opacity = min(max(number(get("fill-opacity", "1")) or 0.0, 0.0), 1.0)
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
        long = len(self.element.text().strip()) * self.state.font * WIDEST if clips and wide < 0 else 0.0
        if long and wide + long <= 0:
            self.state.cause = self.element
            return geometry.OFF
        clips = clips and self.get("white-space", "") in ("nowrap", "pre")
        padding = length(self.get("padding-left", "0"), Scale(self.state.font, WIDTH)) or 0.0
        return geometry.OFF if clips and wide >= WIDTH else wide + (padding if padding >= -geometry.OFF else 0.0)


def chosen(option: Element) -> bool:
    """Whether a closed list shows an option, hidden or not: the last that is selected, else the first that can be."""
    box = next((each for each in option.ancestors() if each.tag == "select"), None)
    if box is None or not {"multiple", "size"}.isdisjoint(box.attributes):
        return False
    options = [each for each in box.walk() if each.tag == "option"]
    selected = [each for each in options if "selected" in each.attributes]
    able = [each for each in options if "disabled" not in each.attributes]
    return (selected or [*able[:1], *options[:1]][:1])[-1] is option
