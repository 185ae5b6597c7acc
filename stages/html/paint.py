"""Whether text is painted so that somebody could read it, and if not, why."""

from __future__ import annotations

import re

from stages.html import geometry
from stages.html.colours import Colour, colour, colours, contrast, over
from stages.html.guard import Shares, is_shell
from stages.html.state import FAINT, State
from stages.html.style import Keyframes, Styling
from stages.html.tree import Element
from stages.html.values import HEIGHT, WIDTH, Scale, length, pieces

READABLE_PX = 4.0
"""Smaller letters nobody reads; scaled down, half of that."""
SAME = 1.15
"""Contrast below which a text is as good as not there."""
REVEALED = frozenset({"elementor-invisible", "wow", "aos-init", "js-reveal", "et-waypoint", "et_animated", "animate-on-scroll"})
REVEALING = ("data-aos", "data-sal", "data-w-id", "data-framer-appear-id", "v-cloak", "data-animate-on-scroll")
"""Marks by which the well-known libraries that fade text in find it: what only opacity or visibility hides is kept, and said."""
_MOVED_IN = re.compile(
    r"(?=[^\0]*\bopacity:\s*0(?:\.0+)?\s*(?:;|\Z))(?=[^\0]*\btransform:\s*(?:translate|matrix|scale3d\(1))(?![^\0]*\b(?:position|visibility|display):)"
)
MAX_FIRST_STATE = 800
"""The first state, and its length at most, that animation libraries write into a style attribute: faded, and moved away."""
MAX_OVERLAYS, MAX_COVERS, MAX_LOOKED = 400, 40, 1000
"""How many boxes may lie over others, over the whole of others, and how often that is asked, in one page."""
WANTED = frozenset({"title", "head", "script", "html"})
"""What is not page text, and is judged where it is written out."""


class Painting:
    """The states and verdicts of a composed tree."""

    def __init__(self, elements: list[Element], keyframes: Keyframes, variables: dict[str, str], missing: bool) -> None:
        self.variables = variables
        """What custom properties are registered with."""
        self.missing = missing
        """Whether stylesheets are: then a background that nobody declared is not known."""
        self.elements = elements
        """In document order, the root first."""
        self.verdicts: dict[Element, str] = {}
        """Element -> why the text directly inside it is not seen."""
        self.uncertain: list[Element] = []
        """Kept because what lies behind is not known."""
        self.spared: list[tuple[str, Element]] = []
        """Reasons that the guard set aside, with the element they began at."""
        self._overlays: list[Element] | None = None
        self._covers: list[tuple[Element, Element]] | None = None
        self._looked = 0
        self._compute(Styling(keyframes))
        self._texts = [element for element in elements if element.size and element.tag not in WANTED]
        self._judge()
        self.shell = is_shell(self._texts, self.verdicts)
        """Whether the page is nothing without its script, and says so in `noscript`."""
        self._guard()

    def _compute(self, styling: Styling) -> None:
        start = State()
        start.variables = self.variables
        below, root = styling.below, self.elements[0]
        for number, element in enumerate(self.elements):
            element.position = number
            above = element.parent
            parent: State = start if element is root or above is None else above.state
            element.state = parent if parent.hidden else below(element, parent)
            if above is not None and above.tag == "details" and "open" not in above.attributes and element.tag != "summary":
                self._closed(element, above)

    @staticmethod
    def _closed(element: Element, details: Element) -> None:
        """A closed `details` can be opened, unless what one would click is itself hidden."""
        summaries = [child for child in details.children if isinstance(child, Element) and child.tag == "summary"]
        first = summaries[0].state if summaries else None
        if first is not None and first.hidden and not element.state.hidden:
            element.state = first

    def _judge(self) -> None:
        covers = self.covers
        for element in self._texts:
            state: State = element.state
            if state.clear is None:
                state.clear = _clear(state)
            reason = "" if state.clear and not covers else self._reason(element, state)
            if reason:
                self.verdicts[element] = reason

    def _guard(self) -> None:
        if all(reason[0] == "<" for reason in self.verdicts.values()):
            return
        shares = Shares(self.elements)
        for element in self._texts:
            reason = self.verdicts.get(element)
            if not reason:
                shares.sees(element)
            elif reason[0] != "<":
                shares.takes(element, (reason, signature(element.state.cause or element)))
        for key in shares.waiting():
            self.spared.append((key[0], shares.cause(key)))
            for element in shares.taken[key]:
                self.verdicts[element] = self._reason(element, element.state, key[0])

    def _reason(self, element: Element, state: State, but: str = "") -> str:
        """Why text directly inside is not seen, but for one reason; empty when it is."""
        for reason in (state.hidden, self._faded(element, state), _squeezed(state)):
            if reason and reason != but:
                return reason
        return self._colour(element, state) or self._covered(element)

    def _faded(self, element: Element, state: State) -> str:
        if state.visible and state.opacity > FAINT:
            return ""
        if state.cause is not None and _revealed(state.cause):
            self.uncertain.append(element)
            return ""
        return "opacity" if state.visible else "visibility: hidden"

    def _colour(self, element: Element, state: State) -> str:
        fill = state.colour if state.fill == "currentcolor" else colour(state.fill)
        if fill is None or (state.clip_text is True and fill[3] < 1):
            return ""
        if isinstance(state.clip_text, tuple):
            fill = (*over(fill, state.clip_text)[:3], max(fill[3], state.clip_text[3]))
        if fill[3] > FAINT and contrast(over(fill, state.known), state.known) >= SAME:
            return ""
        if _outlined(state):
            return ""
        if fill[3] <= FAINT:
            return "transparent text"
        if state.backdrop is None or (self.missing and state.owner is not element) or self._overlaid(element):
            self.uncertain.append(element)
            return ""
        return "text in the colour of its background"

    @property
    def overlays(self) -> list[Element]:
        """Elements that paint something of their own, or lie over others."""
        if self._overlays is None:
            found = (
                element
                for element in self.elements
                if not element.state.hidden and element.state.paints and element.tag not in ("html", "body")
            )
            self._overlays = [element for element, _ in zip(found, range(MAX_OVERLAYS), strict=False)]
        return self._overlays

    def _overlaid(self, element: Element) -> bool:
        """Whether a picture or another box may lie between the text and the background that it inherits."""
        self._looked += 1
        if self._looked > MAX_LOOKED:
            return True
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
            floats = other.state.position in ("absolute", "fixed") and _below(element, _container(other))
            if (floats and beneath) or (
                lifted is not None and other.position < lifted.position and _below(other, _container(lifted))
            ):
                return True
        return False

    @property
    def covers(self) -> list[tuple[Element, Element]]:
        """Opaque boxes that are stretched over the whole of the box they are placed in, and that box."""
        if self._covers is None:
            self._covers = []
            for other in self.overlays:
                state = other.state
                opaque = state.opaque and state.owner is other and state.opacity >= 1 - FAINT and state.visible
                if state.position == "absolute" and opaque and state.z >= 0 and _stretched(state.styles):
                    box = _container(other)
                    if box is not None and box.tag not in ("html", "body"):
                        self._covers.append((other, box))
        return self._covers

    def _covered(self, element: Element) -> str:
        """Whether an opaque box lies over the whole box that the text is in."""
        for other, box in self.covers[:MAX_COVERS]:
            if not _below(element, box) or element is other or _below(element, other):
                continue
            between = [each for each in (element, *element.ancestors()) if _below(each, box)]
            if all(each.state.position == "static" and "transform" not in each.state.styles for each in between):
                return "covered by another box"
        return ""


def _clear(state: State) -> bool:
    """Whether text in this state is seen as long as nothing lies over it."""
    if state.hidden or not state.visible or state.opacity <= FAINT or _squeezed(state):
        return False
    fill = state.colour if state.fill == "currentcolor" else colour(state.fill)
    if fill is None or (state.clip_text is True and fill[3] < 1):
        return True
    return state.clip_text is False and fill[3] > FAINT and contrast(over(fill, state.known), state.known) >= SAME


def _revealed(cause: Element) -> bool:
    return (
        not REVEALED.isdisjoint(cause.classes())
        or any(name in cause.attributes for name in REVEALING)
        or _MOVED_IN.match(cause.attributes.get("style", "")[:MAX_FIRST_STATE]) is not None
    )


def _squeezed(state: State) -> str:
    if state.font < READABLE_PX or state.font * state.scale < READABLE_PX / 2:
        return "font size"
    if state.room:
        return state.room[0]
    if state.line_zero and state.flat:
        return "line-height: 0"
    return "off-screen" if _off(state) else ""


def _off(state: State) -> bool:
    if state.x <= geometry.OFF or state.y <= geometry.OFF or state.indent <= geometry.OFF:
        return True
    fixed = state.position == "fixed"
    return (state.x >= WIDTH and (state.x_clip or fixed)) or (state.y >= HEIGHT and fixed)


def _outlined(state: State) -> bool:
    """Whether a shadow or a stroke paints letters that their own colour does not."""
    for value, own in ((state.shadow, state.colour), (state.stroke, state.colour)):
        if value in ("none", "") or (
            value is state.stroke and not any((length(part, Scale()) or 0) > 0 for part in pieces(value))
        ):
            continue
        found: list[Colour | None] = [colour(part) for part in colours(value)] or [own]
        if any(
            shade is not None and shade[3] > FAINT and contrast(over(shade, state.known), state.known) >= SAME for shade in found
        ):
            return True
    return False


def _shifted(element: Element) -> bool:
    styles: dict[str, str] = element.state.styles
    return "transform" in styles or any(styles.get(f"margin-{side}", "0").startswith("-") for side in ("top", "left", "bottom"))


def _stretched(styles: dict[str, str]) -> bool:
    zero = {side for side in ("top", "right", "bottom", "left") if length(styles.get(side, "auto"), Scale(percent=100.0)) == 0}
    wide = {"left", "right"} <= zero or ("left" in zero and styles.get("width") == "100%")
    return wide and ({"top", "bottom"} <= zero or ("top" in zero and styles.get("height") == "100%"))


def _container(element: Element) -> Element | None:
    """The box that an absolutely positioned element is placed in; None is the whole page."""
    if element.state.position in ("fixed", "sticky"):
        return None
    return next((each for each in element.ancestors() if each.state.position != "static"), None)


def _below(element: Element, ancestor: Element | None) -> bool:
    return ancestor is None or any(each is ancestor for each in element.ancestors())


def signature(element: Element) -> str:
    """How elements that one rule styles alike are told: tag and classes, and the id where it has no class."""
    names = ".".join(element.classes()[:3])
    return (
        f"{element.tag}.{names}"
        if names
        else f"{element.tag}#{element.attributes['id']}"
        if "id" in element.attributes
        else element.tag
    )
