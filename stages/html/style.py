"""Computed style, as far as it decides whether text is seen: inherited and added up from the root down."""

from __future__ import annotations

import re

from stages.html.backing import PICTURES
from stages.html.computing import Computing
from stages.html.containers import holding
from stages.html.functions import place, stands_for
from stages.html.properties import INHERITED
from stages.html.sheets import Declaration, Frames
from stages.html.shorthands import GLOBAL
from stages.html.state import NOT_RENDERED, OWN_LOOK, SPECIAL, State, fresh
from stages.html.tree import Element
from stages.html.values import number
from stages.html.winning import Named, in_order, winners

Keyframes = dict[str, Frames]
_INITIAL = {
    "visibility": "visible",
    "font-size": "medium",
    "color": "canvastext",
    "text-fill": "currentcolor",
    "display": "inline",
}
_CHANGING = frozenset({"hidden", "popover", "open", "fill", "stroke"})
"""Attributes that change how an element is shown; `href` besides."""


_DRAWN = frozenset({"text", "tspan", "foreignObject", "textPath", "g", "svg", "a"})
_SHAPES = frozenset({"path", "rect", "circle", "ellipse", "line", "polygon", "polyline", "use", "stop", "image"})
_CHOOSING = frozenset({"switch", "maction"})
"""Elements that show one of their children."""


class Styling:
    """Computes the states of a page's elements, each kind once."""

    def __init__(self, keyframes: Keyframes, fresh: dict[str, str], queried: bool) -> None:
        self.queried = queried
        """Whether some rules hold in some containers only."""
        self.keyframes = keyframes
        self.fresh = fresh
        """Custom properties that are not inherited."""
        self._named: dict[tuple[int, ...], Named] = {}
        self._found: dict[tuple[int, ...], dict[str, str]] = {}

    def below(self, element: Element, parent: State) -> State:
        """The state of an element below one of state `parent`; the same object for siblings that are styled alike."""
        tag, attributes = element.tag, element.attributes
        if element.declared and self.queried:
            element.declared = holding(element)
        changing = attributes and not _CHANGING.isdisjoint(attributes)
        if element.drawn:
            changing = changing or tag in _DRAWN
            if tag in _SHAPES and not element.children:
                return self._plain(parent)  # no text is inside it, and it is written out as nothing
        if element.parent is not None and element.parent.tag in _CHOOSING:
            changing = True
        if not (element.declared or changing or element.pseudo or tag in SPECIAL):
            if tag not in NOT_RENDERED:
                return self._plain(parent)
            state = fresh(parent)
            state.hidden, state.cause = f"<{tag}>", element
            state.paints = tag in PICTURES
            return state
        rules = tuple(map(id, element.declared))
        key = (tag, element.pseudo, "href" in attributes, rules)
        known = parent.alike.get(key) if not changing else None
        if known is None:
            known = self._computed(element, parent, rules)
            if (
                not (changing or known.hidden or (known.paints and tag != "img"))
                and known.owner is parent.owner
                and known.cause is parent.cause
                and known.window is parent.window
                and not any(
                    "attr(" in value or "sibling-" in value for _, declared in element.declared for _, value, _ in declared
                )
            ):
                parent.alike[key] = known
        return known

    @staticmethod
    def _plain(parent: State) -> State:
        if parent.plain is None:
            parent.plain = fresh(parent)
        return parent.plain

    def _computed(self, element: Element, parent: State, key: tuple[int, ...]) -> State:
        found, variables = self._winners(element, parent, key)
        if self.keyframes and "animation-name" in found:
            ended = _ended(found, self.keyframes)
            if ended:
                kept = {name for _, declared in element.declared for name, _, important in declared if important}
                named = self._named[key] + [(name, value, None) for name, value, _ in ended if name not in kept]
                found, variables = winners(named, parent.variables, element.attributes, self.fresh)
        state = fresh(parent)
        state.variables = variables
        state.passing = "animation-name" in found and _passes(found, self.keyframes)
        if element.tag in OWN_LOOK and "all" not in found:
            found = OWN_LOOK[element.tag] | found
        state.styles = _resolved(found, parent) if found else found
        Computing(element, state, parent).run()
        return state

    def _winners(self, element: Element, parent: State, key: tuple[int, ...]) -> tuple[dict[str, str], dict[str, str]]:
        if not key:
            return {}, parent.variables | self.fresh if self.fresh else parent.variables
        found = self._found.get(key)
        if found is not None:
            return found, parent.variables
        named = self._named.get(key)
        if named is None:
            named = self._named[key] = in_order(element.declared)
        attributes = element.attributes
        if any("sibling-" in value for _, value, _ in named):
            attributes = attributes | place(element)
        found, variables = winners(named, parent.variables, attributes, self.fresh)
        if not any(name.startswith("--") or stands_for(value) for name, value, _ in named):
            self._found[key] = found
        return found, variables


def _ended(found: dict[str, str], keyframes: Keyframes) -> tuple[Declaration, ...]:
    """What an animation leaves behind: its last keyframe where it fills, what every keyframe says where it never ends.

    One that goes with scrolling is seen at its start as well as at its end: what only one of both hides is not hidden.
    """
    names = found["animation-name"].split(",")
    ended: list[Declaration] = []
    for at, name in enumerate(names):
        frames = keyframes.get(name.strip().strip("\"'"))
        if not frames:
            continue
        fill, count, direction = (
            (found.get(f"animation-{part}", default).split(",") * len(names))[at].strip()
            for part, default in (("fill-mode", "none"), ("iteration-count", "1"), ("direction", "normal"))
        )
        if count == "infinite" and {0.0, 100.0} <= {offset for offset, _ in frames}:  # else it comes from what is declared
            ended += [each for each in frames[0][1] if all(each in inside for _, inside in frames)]
        elif count != "infinite" and fill in ("forwards", "both"):
            even = (number(count) or 0.0) % 2 == 0
            backwards = (number(count) == 0) != (
                direction == "reverse" or (direction == "alternate" and even) or (direction == "alternate-reverse" and not even)
            )
            last = 0.0 if backwards else 100.0
            left = [each for offset, inside in frames if offset == last for each in inside]
            if found.get("animation-timeline", "auto") != "auto":
                begun = next((inside for offset, inside in frames if offset == 100.0 - last), ())
                left = [each for each in left if each in begun or (each[0] in found and not begun)]
            ended += left
    return tuple(ended)


def _passes(found: dict[str, str], keyframes: Keyframes) -> bool:
    """Whether an animation without end moves a box far enough to show what lies beside it."""
    if "infinite" not in found.get("animation-iteration-count", ""):
        return False
    names = [name.strip().strip("\"'") for name in found["animation-name"].split(",")]
    return any(
        name in MOVING and any(abs(float(number)) >= LEAST[unit] for number, unit in _FAR.findall(value))
        for each in names
        for _, frame in keyframes.get(each, ())
        for name, value, _ in frame
    )


MOVING = frozenset({"transform", "translate", "left", "right", "top", "margin-left", "margin-top", "text-indent"})
LEAST = {"%": 50.0, "px": 100.0, "vw": 20.0, "em": 10.0, "rem": 10.0}
_FAR = re.compile(r"(-?\d+\.?\d*)(%|px|vw|r?em)")


def _resolved(found: dict[str, str], parent: State) -> dict[str, str]:
    """`inherit` and its kin replaced; what then stands for the initial value is left out."""
    everything = found.get("all")
    if not everything and GLOBAL.isdisjoint(found.values()):
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
