"""What is known about an element when its text is judged."""

from __future__ import annotations

from typing import Any

from stages.html.colours import Colour
from stages.html.drawing import Window
from stages.html.effects import Filter
from stages.html.tree import Element

BLACK, WHITE = (0.0, 0.0, 0.0, 1.0), (1.0, 1.0, 1.0, 1.0)
NOT_RENDERED = frozenset({
    "head", "title", "meta", "link", "style", "script", "template", "noscript", "noembed", "noframes", "datalist", "area",
    "base", "param", "source", "track", "rp", "iframe", "object", "video", "audio", "canvas", "embed", "frame", "meter",
    "progress",
})  # fmt: skip
"""Elements whose inside is not shown by a browser that runs scripts and loads what is embedded."""
OWN_LOOK = {
    "button": {"color": "buttontext", "background-color": "buttonface", "font-size": "13.33px"},
    "select": {"color": "fieldtext", "background-color": "field", "font-size": "13.33px"},
    "textarea": {"color": "fieldtext", "background-color": "field", "font-size": "13.33px"},
    "mark": {"color": "marktext", "background-color": "mark"},
    "dialog": {"color": "canvastext", "background-color": "canvas"},
}
"""What a browser's own stylesheet declares for elements that do not take after their parent."""
INLINE_TAGS = frozenset({
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd",
    "label", "mark", "nobr", "q", "rb", "rt", "ruby", "s", "samp", "slot", "small", "span", "strike", "strong", "sub", "sup",
    "time", "tt", "u", "var", "wbr", "img", "br",
})  # fmt: skip
SPECIAL = frozenset({"a", "body", "html", "img", "picture", "svg", "math", "mphantom", "maction", "mtext", "object", *OWN_LOOK})
"""Elements that look otherwise than their parent without anything declared."""


class State:
    """What text directly inside an element is painted with."""

    passing = False
    """Whether an animation without end moves it through its place."""

    def __init__(self) -> None:  # noqa: PLR0915 - one line a fact
        self.variables: dict[str, str] = {}
        self.styles: dict[str, str] = {}
        self.visible = True
        self.font, self.absolute = 16.0, False
        self.rem = 16.0
        """The font size of the root."""
        self.dark = False
        """Whether system colours are those of a dark scheme."""
        self.filters: tuple[Filter, ...] = ()
        self.behind = 0
        """How many of the filters change the backdrop as well."""
        self.fill_opacity = 1.0
        self.window: Element | None = None
        """The box of a set size around it that clips."""
        self.veils: tuple[tuple[Element, int, bool], ...] = ()
        """Elements around with a pseudo-element stretched over them, its z-index, and whether it comes after the text."""
        self.grows = ""
        """The side along which it takes what room is left."""
        self.blends: tuple[tuple[str, Colour, Element | None], ...] = ()
        """Blend modes around, the innermost last, each with the colour that it lies over, and whose that is."""
        self.secret = False
        """Whether letters are shown as dots."""
        self.drawing: Window | None = None
        self.formula = False
        """Whether it is part of a formula, where only some elements show text."""
        self.colour: Colour | None = BLACK
        self.fill = "currentcolor"
        self.shadow = self.stroke = "none"
        self.indent = 0.0
        self.line: float | None = None
        """The height of a line in pixels, where it is declared."""
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
        self.room: tuple[str, bool, bool] | None = None
        """A box without room or beside the page around, and whether it holds positioned boxes, and those of a fixed place."""
        self.x = self.y = 0.0
        self.x_clip = self.y_clip = False
        """Whether nobody can scroll to what lies right of or below the screen."""
        self.width: float | None = None
        self.z = 0
        self.clear: bool | None = None
        """Whether nothing about the state itself hides text; None when nobody has asked."""
        self.plain: State | None = None
        """The state of a child that nothing is declared for."""
        self.alike: dict[Any, State] = {}
        """States of children, by what is declared for them."""

    def hide(self, reason: str, cause: Element) -> None:
        """Nothing inside shows; the first reason counts."""
        if not self.hidden:
            self.hidden, self.cause = reason, cause


def fresh(parent: State) -> State:
    """A child's state before anything is declared for it: what is inherited and what adds up."""
    state = State.__new__(State)
    state.__dict__.update(parent.__dict__)
    state.plain = state.clear = None
    state.alike = {}
    state.styles = {}
    state.display, state.position, state.box = "block", "static", True
    state.paints = state.opaque = False
    state.grows = ""
    state.passing = False
    state.width = None
    state.z = 0
    return state
