"""Computed style, as far as it decides whether text is seen: inherited and added up from the root down."""

from __future__ import annotations

from stages.html.cascade import winners
from stages.html.computing import Computing
from stages.html.css import Declaration
from stages.html.properties import INHERITED
from stages.html.shorthands import GLOBAL
from stages.html.state import NOT_RENDERED, SPECIAL, State, fresh
from stages.html.tree import Element

Keyframes = dict[str, tuple[tuple[Declaration, ...], ...]]
_INITIAL = {
    "visibility": "visible",
    "font-size": "medium",
    "color": "canvastext",
    "text-fill": "currentcolor",
    "display": "inline",
}
_CHANGING = frozenset({"hidden", "popover", "open", "href", "fill", "stroke"})
"""Attributes that change how an element is shown."""


def child_state(element: Element, parent: State, keyframes: Keyframes) -> State:
    """The state of an element below one of state `parent`; the same object for siblings that are styled alike."""
    bare = not element.declared and not element.pseudo and not _CHANGING & element.attributes.keys()
    if bare and element.tag not in NOT_RENDERED and element.tag not in SPECIAL:
        if parent.plain is None:
            parent.plain = fresh(parent)
        return parent.plain
    key = (element.tag, element.pseudo, *((priority, id(declarations)) for priority, declarations in element.declared))
    known = parent.alike.get(key) if not bare else None
    if known is None:
        known = _computed(element, parent, keyframes)
        shared = known.owner is parent.owner and known.cause is parent.cause and not known.hidden and not known.paints
        if shared and not _CHANGING & element.attributes.keys():
            parent.alike[key] = known
    return known


def _computed(element: Element, parent: State, keyframes: Keyframes) -> State:
    found, variables = winners(element, parent.variables)
    if "animation-name" in found and keyframes:
        ended = _ended(found, keyframes)
        if ended:
            found, variables = winners(element, parent.variables, ended)
    state = fresh(parent)
    state.variables = variables
    state.raw = found
    state.styles = _resolved(found, parent) if found else found
    Computing(element, state, parent).run()
    return state


def _ended(found: dict[str, str], keyframes: Keyframes) -> tuple[Declaration, ...]:
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
