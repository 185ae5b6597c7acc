"""What lies behind an element's text and what is done to it as a layer."""

from __future__ import annotations

import re

from stages.html import covers, effects, referring
from stages.html.colours import Colour, colour, over
from stages.html.effects import FAINT
from stages.html.state import WHITE, State
from stages.html.tree import Element
from stages.html.values import number

DARK = (0.07, 0.07, 0.07, 1.0)
PICTURES = frozenset({"img", "picture", "video", "canvas", "svg", "iframe", "embed", "object"})
_OPACITY = re.compile(r"opacity\(([^()]*(?:\([^()]*\))?)\)")
_STACKING = {
    "transform": "none", "translate": "none", "scale": "none", "rotate": "none", "filter": "none", "backdrop-filter": "none",
    "perspective": "none", "clip-path": "none", "mask": "none", "mask-image": "none", "mix-blend-mode": "normal",
    "isolation": "auto",    "opacity": "1",
}  # fmt: skip
"""Properties that make a box stack what is in it, but for the value that does not."""


class Backing:
    """One element's background and layer, worked out once its letters are."""

    def __init__(self, element: Element, state: State, parent: State) -> None:
        self.element, self.state, self.parent = element, state, parent
        self.get = state.styles.get

    def background(self) -> None:
        """What lies behind the text, as far as it is known."""
        state, get = self.state, self.get
        if state.dark and self.element.tag == "html" and "color-scheme" in state.styles:
            state.backdrop = state.known = DARK
            state.colour = WHITE if "color" not in state.styles else state.colour
        if state.display == "contents":
            return
        image, solid = effects.image(state.styles, state.colour), self.solid()
        if "text" in get("background-clip", ""):
            state.clip_text = image or (True if solid is None else solid)
            return
        state.paints = state.paints or bool(self.element.pseudo) or self.element.tag in PICTURES
        sheets = self.sheets()
        if image is True:
            state.known = solid if solid and solid[3] >= 1 - FAINT else state.known  # where the image is not, or not yet
            solid = None
        elif image:
            solid = over(image, solid) if solid and solid[3] >= 1 - FAINT else image
        self.filled(solid)
        for _, level, ground in sheets:
            if level >= 0 or _stacks(state):
                self.above(ground)

    def sheets(self) -> list[covers.Sheet]:
        """Pseudo-elements that are stretched over the box; with any other it is not known what lies behind."""
        if not self.element.pseudo:
            return []
        state, found = self.state, covers.sheets(self.element, self.state)
        state.backdrop = None
        state.veils = (*state.veils, *covers.veils(self.element, found))
        return found

    def filled(self, solid: Colour | None) -> None:
        """The box is filled with a colour, or with what is not known."""
        state = self.state
        if solid is None:
            state.backdrop, state.paints, state.owner = None, True, self.element
            state.opaque = effects.opaque(state.styles)
        elif solid[3] > FAINT:
            opaque = solid[3] >= 1 - FAINT
            state.paints, state.opaque, state.owner = True, opaque, self.element
            state.backdrop = solid if opaque else over(solid, state.backdrop) if state.backdrop else None
            state.known = over(solid, state.known)
            state.behind = len(state.filters) + len(effects.filters(self.get("filter", "")))

    def above(self, ground: Colour | None) -> None:
        """A pseudo-element of that colour lies over the box's own background, and behind its text."""
        state = self.state
        if ground is None:
            state.backdrop = None
        elif ground[3] > FAINT:
            known = state.backdrop is not None or ground[3] >= 1 - FAINT
            state.backdrop = over(ground, state.backdrop or WHITE) if known else None
            state.known = over(ground, state.known)

    def solid(self) -> Colour | None:
        """The colour that the box is filled with, by its background or by a shadow inside it; None when it is not known."""
        inside = effects.shadow_inside(self.get("box-shadow", "none"), self.state.dark)
        if inside and inside[3] >= 1 - FAINT:
            return inside
        value = self.get("background-color", "transparent")
        return self.state.colour if value == "currentcolor" else colour(value, self.state.dark)

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
        mask = get("mask-image", get("mask", "none"))
        if effects.masked(state.styles) or referring.masks_all(self.element, mask):
            self.state.hide("mask", self.element)
        if referring.filters_all(self.element, get("filter", "none")) or effects.blurred(get("filter", "none")):
            self.state.hide("filter", self.element)
        mode = get("mix-blend-mode", "normal")
        if self.parent.owner is not None and mode != "normal":
            if self.parent.backdrop is not None and effects.blended_away(mode, self.parent.backdrop):
                self.state.hide("mix-blend-mode", self.element)
            state.blends = (*state.blends, (mode, self.parent.known, self.parent.owner))
        if state.z < 0 and (state.position != "static" or "flex" in self.parent.display or "grid" in self.parent.display):
            self.under()

    def under(self) -> None:
        """A negative z-index puts a box beneath the background of what holds it."""
        for ancestor in self.element.ancestors():
            state: State | None = ancestor.state
            if state is None or ancestor.tag == "html" or (ancestor.tag == "body" and not _own_canvas(ancestor)):
                return
            if _stacks(state):
                return
            if state.opaque and state.owner is ancestor:
                self.state.hide("z-index beneath a background", self.element)
                return


def _own_canvas(body: Element) -> bool:
    """Whether the page's canvas is painted by its root, so that the body's background is one like any other."""
    root: State | None = body.parent.state if body.parent is not None else None
    return root is not None and root.owner is body.parent


def _stacks(state: State) -> bool:
    styles = state.styles
    return (
        (state.position != "static" and styles.get("z-index", "auto") != "auto")
        or state.position in ("fixed", "sticky")
        or any(styles.get(name, plain) != plain for name, plain in _STACKING.items())
        or any(word in styles.get("will-change", "") for word in ("transform", "opacity", "filter", "position", "z-index"))
        or any(word in styles.get("contain", "") for word in ("layout", "paint", "strict", "content"))
    )
