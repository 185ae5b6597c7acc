"""Computed style, as far as it decides whether text is seen: inherited and added up from the root down."""

from __future__ import annotations

import re
from typing import Any

from stages.html import geometry
from stages.html.cascade import winners
from stages.html.css import Declaration
from stages.html.properties import GLOBAL, INHERITED, expand, pieces
from stages.html.tree import Element
from stages.html.values import Colour, Scale, colour, length, number, over

BLACK, WHITE, LINK, DARK = (0.0, 0.0, 0.0, 1.0), (1.0, 1.0, 1.0, 1.0), (0.0, 0.0, 0.93, 1.0), (0.07, 0.07, 0.07, 1.0)
FAINT = 0.05
"""Opacity that nobody sees."""
CLAMP = 6.0
"""What browsers raise sizes to that hang on no absolute one."""

NOT_RENDERED = frozenset({
    "head", "title", "meta", "link", "style", "script", "template", "noscript", "noembed", "noframes", "datalist", "area", "base", "param", "source",
    "track", "rp", "iframe", "object", "video", "audio", "canvas", "embed", "frame",
})  # fmt: skip
"""Elements whose inside is not shown by a browser that runs scripts and loads what is embedded."""
INLINE = frozenset({
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd", "label", "mark", "nobr",
    "q", "rb", "rt", "ruby", "s", "samp", "slot", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr", "img", "br",
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
_INITIAL = {
    "visibility": "visible",
    "font-size": "medium",
    "color": "canvastext",
    "text-fill": "currentcolor",
    "display": "inline",
}


_INTEGER = re.compile(r"[+-]?\d{1,9}")
_RELATIVE = re.compile(r"\d(?:em|rem|ex|ch|%)")
_OPACITY = re.compile(r"opacity\(([^()]*(?:\([^()]*\))?)\)")


class State:
    """What text directly inside an element is painted with."""

    def __init__(self) -> None:
        self.variables: dict[str, str] = {}
        self.raw: dict[str, str] = {}
        self.styles: dict[str, str] = {}
        self.visible = True
        self.font, self.absolute = 16.0, False
        self.colour: Colour | None = BLACK
        self.fill = "currentcolor"
        self.shadow = self.stroke = "none"
        self.indent = 0.0
        self.line_zero = self.flat = False
        """Whether lines have no height, and whether a box around clips what stands out of them."""
        self.hidden = ""
        """Why nothing inside shows, whatever it declares."""
        self.cause: Element | None = None
        self.opacity = self.scale = 1.0
        self.backdrop: Colour | None = WHITE
        """None when it is not known."""
        self.known: Colour = WHITE
        """The backdrop, or what is known to lie beneath it."""
        self.owner: Element | None = None
        """Whose background the backdrop is."""
        self.opaque = self.paints = False
        self.clip_text: Colour | bool = False
        self.display, self.position, self.box = "block", "static", True
        self.room: tuple[str, bool] | None = None
        """A clipping box without room around, and whether it holds positioned boxes as well."""
        self.x = self.y = 0.0
        self.x_clip = False
        self.width: float | None = None
        self.z = 0
        self.plain: State | None = None
        """The state of a child that nothing is declared for."""
        self.alike: dict[Any, State] = {}
        """States of children, by what is declared for them."""


def child_state(element: Element, parent: State, keyframes: dict[str, tuple[tuple[Declaration, ...], ...]]) -> State:
    """The state of an element below one of state `parent`; the same object for siblings that are styled alike."""
    bare = not element.declared and not element.pseudo and not _CHANGING & element.attributes.keys()
    if bare and element.tag not in NOT_RENDERED and element.tag not in _SPECIAL:
        if parent.plain is None:
            parent.plain = _fresh(parent)
        return parent.plain
    key = (element.tag, element.pseudo, *((priority, id(declarations)) for priority, declarations in element.declared))
    known = parent.alike.get(key) if not bare else None
    if known is None:
        known = _computed(element, parent, keyframes)
        shared = known.owner is parent.owner and known.cause is parent.cause and not known.hidden and not known.paints
        if shared and not _CHANGING & element.attributes.keys():
            parent.alike[key] = known
    return known


_CHANGING = frozenset({"hidden", "popover", "open", "href"})


def _computed(element: Element, parent: State, keyframes: dict[str, tuple[tuple[Declaration, ...], ...]]) -> State:
    found, variables = winners(element, parent.variables)
    if "animation-name" in found and keyframes:
        ended = _ended(found, keyframes)
        if ended:
            found, variables = winners(element, parent.variables, ended)
    state = _fresh(parent)
    state.variables = variables
    state.raw = found
    state.styles = _resolved(found, parent) if found else found
    _Computing(element, state, parent).run()
    return state


_BACKGROUND = frozenset({"background-color", "background-image", "background-clip", "color-scheme"})
_LAYERS = frozenset({"opacity", "filter", "mask", "mask-image", "mix-blend-mode", "z-index"})
_PLACE = frozenset({
    "position", "clip", "clip-path", "margin-left", "margin-top", "left", "right", "top", "bottom", "width", "height", "max-width", "max-height",
    "transform", "translate", "scale", "rotate", "overflow-x", "overflow-y", "line-height",
})  # fmt: skip
_SPECIAL = frozenset({"a", "dialog", "body", "html", "img", "picture", "svg"})


def _fresh(parent: State) -> State:
    state = State.__new__(State)
    state.__dict__.update(parent.__dict__)
    state.plain, state.alike = None, {}
    state.styles, state.raw = {}, {}
    state.display, state.position, state.box = "block", "static", True
    state.paints = state.opaque = False
    state.width = None
    state.z = 0
    return state


def _ended(found: dict[str, str], keyframes: dict[str, tuple[tuple[Declaration, ...], ...]]) -> tuple[Declaration, ...]:
    """What an animation leaves behind: its last keyframe where it fills, what every keyframe says where it never ends."""
    names = found["animation-name"].split(",")
    ended: list[Declaration] = []
    for number_, name in enumerate(names):
        frames = keyframes.get(name.strip().strip("\"'"))
        if not frames:
            continue
        fill, count, direction = (
            (found.get(f"animation-{part}", default).split(",") * len(names))[number_].strip()
            for part, default in (("fill-mode", "none"), ("iteration-count", "1"), ("direction", "normal"))
        )
        if count == "infinite":
            ended += [declaration for declaration in frames[0] if all(declaration in frame for frame in frames)]
        elif fill in ("forwards", "both"):
            ended += frames[0] if direction in ("reverse", "alternate-reverse") else frames[-1]
    return tuple(ended)


def _resolved(found: dict[str, str], parent: State) -> dict[str, str]:
    """`inherit` and its kin replaced; what then stands for the initial value is left out."""
    everything = found.get("all")
    if not everything and not (GLOBAL & set(found.values())):
        return found
    styles: dict[str, str] = {}
    if everything and everything != "inherit":
        styles = {name: _INITIAL[name] for name in ("display",) if everything != "revert"}
        if everything == "initial":
            styles |= {name: value for name, value in _INITIAL.items() if name in INHERITED}
    for name, value in found.items():
        if value not in GLOBAL:
            styles[name] = value
        elif value == "inherit" and name not in INHERITED and name in parent.styles:
            styles[name] = parent.styles[name]
        elif value == "initial" or (value == "unset" and name == "display"):
            if name in _INITIAL:
                styles[name] = _INITIAL[name]
        elif name != "all":
            styles.pop(name, None)
    return styles


class _Computing:
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
        if state.styles or self.element.tag in _SPECIAL:
            self.font()
            self.text()
        if self.element.pseudo or self.element.tag in _SPECIAL or not _BACKGROUND.isdisjoint(state.styles):
            self.background()
        if not _LAYERS.isdisjoint(state.styles):
            self.layers()
        if not _PLACE.isdisjoint(state.styles) or self.parent.styles.get("grid-template-rows"):
            self.place()

    def hide(self, reason: str) -> None:
        if not self.state.hidden:
            self.state.hidden, self.state.cause = reason, self.element

    def box(self) -> None:
        element, state, get = self.element, self.state, self.get
        attributes = element.attributes
        state.position = get("position", "static").removeprefix("-webkit-")
        state.z = int(z) if re.fullmatch(r"[+-]?\d{1,9}", z := get("z-index", "auto")) else 0
        display = get("display")
        if display is None:
            display = "inline" if element.tag in INLINE else "block"
            if element.tag in NOT_RENDERED:
                self.hide(f"<{element.tag}>")
            elif "hidden" in attributes and attributes["hidden"].lower() != "until-found":
                self.hide("hidden attribute")
            elif element.tag == "dialog" and "open" not in attributes:
                self.hide("closed dialog")
            elif "popover" in attributes:
                self.hide("popover")
        elif element.tag in NOT_RENDERED and element.tag not in ("title", "rp"):
            self.hide(f"<{element.tag}>")
        elif display == "none":
            self.hide("display: none")
        elif display.startswith("table-column"):
            self.hide("display: table-column")
        state.display = display
        outer = state.position in ("absolute", "fixed") or get("float", "none") != "none"
        laid_out = self.parent.display in ("flex", "grid", "inline-flex", "inline-grid")
        state.box = outer or laid_out or display not in ("inline", "contents")
        if get("content-visibility") == "hidden" and state.box:
            self.hide("content-visibility: hidden")
        if "url(" in get("content", ""):
            self.hide("content: url()")

    def font(self) -> None:
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
        state.shadow = get("text-shadow", state.shadow)
        state.stroke = get("text-stroke", state.stroke)
        if "text-indent" in state.styles:
            state.indent = length(get("text-indent", "0"), Scale(state.font, 600.0)) or 0.0
        line = get("line-height")
        if line is not None:
            state.line_zero = length(line, Scale(state.font, state.font)) == 0

    def background(self) -> None:
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
            state: Any = ancestor.state
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
        state, get, font = self.state, self.get, self.state.font
        position = state.position
        if geometry.clipped(state.styles, font, position):
            self.hide("clipped")
        if state.room and (position == "fixed" or (position == "absolute" and not state.room[1])):
            state.room = None
        x, y = geometry.offset(state.styles, font, position)
        width = length(get("width", "auto"), Scale(font, geometry.WIDTH))
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
        state = self.state
        rows = [
            length(part, Scale()) if not part.endswith("fr") else float(part[:-2] or 1)
            for part in pieces(self.parent.styles.get("grid-template-rows", ""))
        ]
        flat_row = (
            self.parent.display in ("grid", "inline-grid") and rows == [0.0] and self.get("overflow-y", "visible") != "visible"
        )
        if flat_row or geometry.no_room(state.styles, state.font):
            state.room = ("a box without room", state.position != "static")
            state.cause = self.element


def gradient(image: str) -> Colour | None:
    """The one colour of a gradient whose stops are all alike; None for any other image."""
    if "url(" in image or "gradient(" not in image:
        return None
    shades = [colour(part) for part in colours(image)]
    return shades[0] if shades and all(shade == shades[0] for shade in shades) else None


_COLOUR = re.compile(r"#[0-9a-f]{3,8}|(?:rgba?|hsla?|hwb|ok(?:lch|lab)|lch|lab|color)\([^()]*\)|\b[a-z]{3,24}\b")


def colours(text: str) -> list[str]:
    """What in a gradient or a shadow is a colour."""
    return [part for part in _COLOUR.findall(text) if part[0] == "#" or "(" in part or colour(part) is not None]


_HINTS = {
    "bgcolor": ("background-color", frozenset({"body", "table", "tr", "td", "th", "thead", "tbody", "tfoot"})),
    "text": ("color", frozenset({"body"})),
    "color": ("color", frozenset({"font"})),
    "background": ("background-image", frozenset({"body", "table", "td", "th"})),
}
_HINTED = frozenset({"body", "table", "tr", "td", "th", "thead", "tbody", "tfoot", "font"})


def hints(element: Element) -> tuple[Declaration, ...]:
    """What presentational attributes declare."""
    found: list[Declaration] = []
    if element.tag not in _HINTED:
        return ()
    for attribute, value in element.attributes.items():
        name, tags = _HINTS.get(attribute, ("", frozenset()))
        if value and element.tag in tags:
            value = "url(x)" if attribute == "background" else f"#{value}" if re.fullmatch(r"[0-9a-fA-F]{6}", value) else value  # noqa: PLW2901
            if expand(name, value):
                found.append((name, value, False))
    return tuple(found)
