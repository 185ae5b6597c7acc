"""The properties that can hide or show text: shorthands unfolded, invalid declarations ignored as a browser ignores them."""

from __future__ import annotations

from functools import lru_cache

from stages.html import shorthands as s
from stages.html.shorthands import GLOBAL, Expand
from stages.html.values import MAX_VALUE, angle, pieces

_SIDES = ("top", "right", "bottom", "left")
_EXPAND: dict[str, Expand] = {
    "display": s.display,
    "visibility": s.keywords("visibility", "visible", "hidden", "collapse"),
    "content-visibility": s.keywords("content-visibility", "visible", "hidden", "auto"),
    "backface-visibility": s.keywords("backface-visibility", "visible", "hidden"),
    "transform-style": s.keywords("transform-style", "flat", "preserve-3d"),
    "position": s.keywords("position", "static", "relative", "absolute", "fixed", "sticky", "-webkit-sticky"),
    "float": s.keywords("float", "none", "left", "right", "inline-start", "inline-end"),
    "opacity": s.a_number("opacity"),
    "-webkit-opacity": s.a_number("opacity"),
    "zoom": s.a_number("zoom"),
    "font-size": s.font_size,
    "font": s.font,
    "line-height": s.as_it_is("line-height"),
    "color": s.a_colour("color"),
    "-webkit-text-fill-color": s.a_colour("text-fill"),
    "-webkit-text-stroke": s.as_it_is("text-stroke"),
    "-webkit-text-stroke-width": s.as_it_is("text-stroke"),
    "text-shadow": s.as_it_is("text-shadow"),
    "background": s.background,
    "background-color": s.a_colour("background-color"),
    "background-image": s.as_it_is("background-image"),
    "background-clip": s.as_it_is("background-clip"),
    "inset": s.sides(_SIDES, s.a_length),
    "inset-inline": s.sides(("left", "right"), s.a_length),
    "inset-block": s.sides(("top", "bottom"), s.a_length),
    "margin": s.sides(tuple(f"margin-{side}" for side in _SIDES), s.a_length),
    "margin-inline": s.sides(("margin-left", "margin-right"), s.a_length),
    "margin-block": s.sides(("margin-top", "margin-bottom"), s.a_length),
    "padding": s.sides(tuple(f"padding-{side}" for side in _SIDES), s.a_length),
    "padding-inline": s.sides(("padding-left", "padding-right"), s.a_length),
    "padding-block": s.sides(("padding-top", "padding-bottom"), s.a_length),
    "text-indent": s.indent,
    "overflow": s.sides(("overflow-x", "overflow-y"), s.overflow),
    "overflow-x": s.overflow("overflow-x"),
    "overflow-y": s.overflow("overflow-y"),
    "overflow-inline": s.overflow("overflow-x"),
    "overflow-block": s.overflow("overflow-y"),
    "animation": s.animation,
    "grid-template-rows": s.rows,
    "grid-template": s.rows,
    "grid": s.rows,
    "flex": s.flex,
    "flex-grow": s.a_number("flex-grow"),
    "flex-flow": s.direction,
    "flex-direction": s.direction,
    "color-scheme": s.as_it_is("color-scheme"),
    "font-size-adjust": s.as_it_is("font-size-adjust"),
    "contain": s.as_it_is("contain"),
    "container": s.as_it_is("container-type"),
    "container-name": s.as_it_is("container-name"),
    "container-type": s.as_it_is("container-type"),
    "paint-order": s.as_it_is("paint-order"),
    "aspect-ratio": s.as_it_is("aspect-ratio"),
    "direction": s.keywords("direction", "ltr", "rtl"),
    "isolation": s.keywords("isolation", "auto", "isolate"),
    "will-change": s.as_it_is("will-change"),
    "perspective": s.as_it_is("perspective"),
    "transform-origin": s.as_it_is("transform-origin"),
    "backdrop-filter": s.as_it_is("backdrop-filter"),
    "box-shadow": s.as_it_is("box-shadow"),
    "box-sizing": s.keywords("box-sizing", "content-box", "border-box"),
    "white-space": s.as_it_is("white-space"),
    "white-space-collapse": s.as_it_is("white-space"),
    "text-wrap": s.as_it_is("white-space"),
    "text-wrap-mode": s.as_it_is("white-space"),
    "flex-basis": s.a_length("flex-basis", negative=False),
    "grid-template-columns": s.as_it_is("grid-template-columns"),
    "grid-auto-rows": s.as_it_is("grid-auto-rows"),
    "grid-area": s.as_it_is("grid-area"),
    "grid-row": s.as_it_is("grid-row"),
    "grid-column": s.as_it_is("grid-column"),
    "align-self": s.as_it_is("align-self"),
    "justify-self": s.as_it_is("align-self"),
    "place-self": s.as_it_is("align-self"),
    "border-radius": s.as_it_is("border-radius"),
    "-webkit-text-stroke-color": s.as_it_is("text-stroke-color"),
    "background-size": s.as_it_is("background-size"),
    "background-position": s.as_it_is("background-position"),
    "background-repeat": s.as_it_is("background-repeat"),
    "mask-size": s.as_it_is("mask-size"),
    "mask-mode": s.as_it_is("mask-mode"),
    "mask-repeat": s.as_it_is("mask-repeat"),
    "mask-position": s.as_it_is("mask-position"),
    "mask-composite": s.as_it_is("mask-composite"),
    "-webkit-mask-composite": s.as_it_is("mask-composite"),
    "-webkit-mask-repeat": s.as_it_is("mask-repeat"),
    "-webkit-mask-position": s.as_it_is("mask-position"),
    "offset-path": s.as_it_is("offset-path"),
    "offset": s.as_it_is("offset-path"),
    "offset-distance": s.as_it_is("offset-distance"),
    "fill-opacity": s.a_number("fill-opacity"),
    "stroke-opacity": s.a_number("stroke-opacity"),
    "-webkit-text-security": s.keywords("text-security", "none", "disc", "circle", "square"),
    "mix-blend-mode": s.as_it_is("mix-blend-mode"),
    "all": lambda value: {"all": value} if value in GLOBAL else {},
    "rotate": lambda value: {"rotate": value} if value == "none" or angle(pieces(value)[-1]) is not None else {},
}
for _side, _start in (("top", "block-start"), ("right", "inline-end"), ("bottom", "block-end"), ("left", "inline-start")):
    for _name in (_side, f"inset-{_start}"):
        _EXPAND[_name] = s.a_length(_side)
    for _box in ("margin", "padding"):
        for _name in (f"{_box}-{_side}", f"{_box}-{_start}"):
            _EXPAND[_name] = s.a_length(f"{_box}-{_side}", negative=_box == "margin")
for _prefix in ("", "max-", "min-"):
    for _name, _to in (("width", "width"), ("height", "height"), ("inline-size", "width"), ("block-size", "height")):
        _EXPAND[_prefix + _name] = s.a_length(_prefix + _to, negative=False)
for _name in (
    "transform", "translate", "scale", "filter", "clip", "clip-path", "mask", "mask-image", "z-index", "content", "fill",
    "stroke", "animation-name", "animation-fill-mode", "animation-iteration-count", "animation-direction", "animation-timeline",
):  # fmt: skip
    _EXPAND[_name] = s.as_it_is(_name)
for _name in (
    "transform", "filter", "clip-path", "mask", "mask-image", "mask-size", "background-clip", "background-size", "animation",
    "animation-name", "animation-fill-mode", "animation-iteration-count", "backface-visibility", "perspective", "flex",
    "flex-direction", "flex-grow", "flex-flow", "flex-basis", "box-sizing", "transform-style", "transform-origin",
):  # fmt: skip
    _EXPAND[f"-webkit-{_name}"] = _EXPAND[_name]

WATCHED = frozenset(_EXPAND)
"""What a stylesheet's declarations are kept for; custom properties besides."""
INHERITED = frozenset({
    "visibility", "font-size", "line-height", "color", "text-fill", "text-stroke", "text-shadow", "text-indent",
    "color-scheme", "fill", "stroke", "fill-opacity", "stroke-opacity", "text-security", "text-stroke-color", "font-size-adjust",
    "white-space",
})  # fmt: skip


@lru_cache(maxsize=16384)
def expand(name: str, value: str) -> dict[str, str]:
    """Longhand -> value in lower case. Empty when a browser would ignore the declaration."""
    if len(value) > MAX_VALUE:
        return {}
    if "animation" not in name:
        value = value.lower()
    if value.lower() in GLOBAL:
        return dict.fromkeys(_longhands(name), value.lower())
    return _EXPAND[name](value) if value else {}


@lru_cache(maxsize=256)
def _longhands(name: str) -> tuple[str, ...]:
    if name == "all":
        return ("all",)
    if name == "font":
        return ("font-size", "line-height")
    probe = {
        "display": "block",
        "background": "none",
        "animation": "x 1s",
        "text-indent": "0",
        "opacity": "1",
        "zoom": "1",
        "font-size": "1px",
    }
    for value in (probe.get(name, ""), "0", "visible", "static", "none", "red", "flat"):
        found = _EXPAND[name](value) if value else {}
        if found:
            return tuple(found)
    return ()
