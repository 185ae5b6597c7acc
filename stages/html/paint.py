"""Whether text is painted so that somebody could read it, and if not, why."""

from __future__ import annotations

import re

from stages.html import drawing, flow, geometry, layering
from stages.html.backing import DARK
from stages.html.colours import Colour, over
from stages.html.covers import Covers, veiled
from stages.html.effects import FAINT, shades
from stages.html.guard import Shares, is_shell
from stages.html.letters import drawn_over, outlined, painted, stands_out
from stages.html.state import OWN_LOOK, WHITE, State
from stages.html.style import Styling
from stages.html.tree import Element
from stages.html.values import HEIGHT, WIDTH

READABLE_PX = 4.0
"""Smaller letters nobody reads; scaled down, half of that."""
REVEALED = frozenset({"elementor-invisible", "wow", "aos-init", "js-reveal", "et-waypoint", "et_animated", "animate-on-scroll"})
REVEALING = ("data-aos", "data-sal", "data-w-id", "data-framer-appear-id", "v-cloak", "data-animate-on-scroll")
"""Marks by which the well-known libraries that fade text in find it: what only opacity or visibility hides is kept, and said."""
_MOVED_IN = re.compile(
    r"(?=[^\0]*\bopacity:\s*0(?:\.0+)?\s*(?:;|\Z))(?=[^\0]*\btransform:\s*(?:translate|matrix|scale3d\(1))(?![^\0]*\b(?:position|visibility|display):)"
)
MAX_FIRST_STATE = 800
"""The first state, and its length at most, that animation libraries write into a style attribute: faded, and moved away."""
LISTED = frozenset({"select", "optgroup", "option"})
GROUNDS = frozenset({each["background-color"] for each in OWN_LOOK.values()})
"""Backgrounds that a browser gives, where a stylesheet that is missing may give another."""
LOOKED_AT = frozenset({"svg", "details"})
"""Elements whose own text is not shown as it is."""
WANTED = frozenset({"title", "head", "script", "html"})
"""What is not page text, and is judged where it is written out."""


class Painting:
    """The states and verdicts of a composed tree."""

    def __init__(self, elements: list[Element], styling: Styling, variables: dict[str, str], missing: bool) -> None:
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
        self._covers = Covers(elements)
        self._compute(styling)
        self.elements += [
            part for element in elements if element.size and element.state.window is element for part in flow.parted(element)
        ]
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
            if above is not None and above.tag == "details" and "open" not in above.attributes:
                self._closed(element, above)

    @staticmethod
    def _closed(element: Element, details: Element) -> None:
        """A closed `details` can be opened, unless what one would click is itself hidden."""
        hidden = _summary(details)
        if not hidden:
            return
        first = next(each for each in details.children if isinstance(each, Element) and each.tag == "summary")
        for child in details.children if element is first else (element,):
            if not isinstance(child, Element) or child is first:
                continue
            for each in child.walk() if element is first else (child,):
                if each.state is not None and not each.state.hidden:
                    each.state = first.state

    def _judge(self) -> None:
        covers = self._covers.covers
        for element in self._texts:
            state: State = element.state
            if state.clear is None:
                state.clear = _clear(state)
            reason = (
                ""
                if state.clear and not covers and not element.drawn and element.tag not in LOOKED_AT
                else self._reason(element, state)
            )
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
        if element.tag == "details" and "open" not in element.attributes and (closed := _summary(element)):
            return closed
        if (element.drawn or element.tag == "svg") and element.tag.lower() not in drawing.TEXTS and not _in_text(element):
            return "<svg>"
        if element.tag not in drawing.TOKENS and (state.formula or (state.hidden and _in_formula(element))):
            return "<math>"
        if flow.pushed_out(element, state) and but != "clipped":
            return "clipped"
        return (self._in_image(element, state) if element.drawn else self._colour(element, state)) or (
            "covered by another box" if veiled(element) or self._covers.covered(element) else ""
        )

    def _faded(self, element: Element, state: State) -> str:
        if state.visible and state.opacity > FAINT:
            return ""
        if state.cause is not None and _revealed(state.cause):
            self.uncertain.append(element)
            return ""
        return "opacity" if state.visible else "visibility: hidden"

    def _in_image(self, element: Element, state: State) -> str:
        """Why a text drawn in an image is not told from the boxes drawn there, or from what lies behind them."""
        over_it, ground = layering.around(element, state.drawing, state.font)
        if over_it:
            return "covered by another box"
        fill = painted(state)[0]
        if ground is None or fill is None or state.stroke not in ("none", ""):
            return self._colour(element, state)
        return "" if stands_out(over(fill, ground), ground) else "text in the colour of its background"

    def _colour(self, element: Element, state: State) -> str:
        fill, ground = painted(state)
        if fill is None or (state.clip_text is True and fill[3] < 1):
            return ""
        if isinstance(state.clip_text, tuple):
            fill = (*over(fill, state.clip_text)[:3], max(fill[3], state.clip_text[3]))
        if fill[3] > FAINT and any(stands_out(over(fill, each), each) for each in (ground, *_unfolded(element, state))):
            return "covered by its outline" if state.backdrop is not None and drawn_over(state, ground) else ""
        if outlined(state):
            return ""
        if fill[3] <= FAINT:
            return "transparent text"
        between = self._covers.overlaid(element) if state.backdrop is not None else state.owner
        if between is not None or state.backdrop is None or (self.missing and not _grounded(element, state)):
            if between is None or self.missing or not _told_from(fill, between):
                self.uncertain.append(element)
            return ""
        return "text in the colour of its background"


def _told_from(fill: Colour, ground: Element) -> bool:
    """Whether letters are told from whatever colour a box has."""
    state: State = ground.state
    grounds = [state.backdrop] if state.opaque and state.owner is ground and state.backdrop else shades(state.styles)
    return bool(grounds) and all(stands_out(over(fill, each), each) for each in grounds)


def _unfolded(element: Element, state: State) -> tuple[Colour, ...]:
    """What lies behind an option once its list is open, where neither declares it."""
    own = state.owner is not None and state.owner.tag in LISTED
    return () if own or element.tag not in LISTED else (DARK if state.dark else WHITE,)


def _grounded(element: Element, state: State) -> bool:
    """Whether the page itself declares what lies behind an element's text."""
    return state.owner is element and state.styles.get("background-color") not in GROUNDS


def _summary(details: Element) -> str:
    """Why nobody sees what one would click to open it; empty where it is seen, or is the browser's own."""
    first = next((child for child in details.children if isinstance(child, Element) and child.tag == "summary"), None)
    state: State | None = first.state if first is not None else None
    if first is None or state is None or state.hidden:
        return state.hidden if state is not None else ""
    if state.opacity <= FAINT:
        return "opacity"
    bare = first.size and not first.pseudo and not any(isinstance(child, Element) for child in first.children)
    return ("visibility: hidden" if not state.visible else _squeezed(state)) if bare else ""


def _in_formula(element: Element) -> bool:
    """Of an element that takes its state from one that is hidden."""
    first = next((each.tag for each in (element, *element.ancestors()) if each.tag in ("math", "mtext")), "")
    return first == "math"


def _in_text(element: Element) -> bool:
    return any(each.tag.lower() in drawing.TEXTS for each in element.ancestors() if each.drawn)


def _clear(state: State) -> bool:
    """Whether text in this state is seen as long as nothing lies over it."""
    if (
        state.hidden
        or not state.visible
        or state.opacity <= FAINT
        or state.formula
        or state.window
        or state.veils
        or _squeezed(state)
    ):
        return False
    fill, ground = painted(state)
    if state.stroke not in ("none", ""):
        return False
    if fill is None or (state.clip_text is True and fill[3] < 1):
        return True
    return state.clip_text is False and fill[3] > FAINT and stands_out(over(fill, ground), ground)


def _revealed(cause: Element) -> bool:
    return (
        not REVEALED.isdisjoint(cause.classes())
        or any(name in cause.attributes for name in REVEALING)
        or _MOVED_IN.match(cause.attributes.get("style", "")[:MAX_FIRST_STATE]) is not None
    )


def _squeezed(state: State) -> str:
    enlarged = max(state.scale, 1.0) if state.drawing else 1.0
    if state.font * enlarged < READABLE_PX or state.font * state.scale < READABLE_PX / 2:
        return "font size"
    if state.secret:
        return "dots in place of letters"
    if state.room:
        return state.room[0]
    if state.line_zero and state.flat:
        return "line-height: 0"
    return "off-screen" if _off(state) else ""


def _off(state: State) -> bool:
    if state.x <= geometry.OFF or state.y <= geometry.OFF or state.indent <= geometry.OFF:
        return True
    fixed = state.position == "fixed"
    return (state.x >= WIDTH and (state.x_clip or fixed)) or (state.y >= HEIGHT and (state.y_clip or fixed))


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
