"""The properties that can hide or show text: shorthands unfolded, invalid declarations ignored as a browser ignores them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from stages.html.values import MAX_VALUE, Scale, angle, colour, length, number

GLOBAL = frozenset({"inherit", "initial", "unset", "revert", "revert-layer"})
_SIZES = frozenset(
    {"xx-small", "x-small", "small", "medium", "large", "x-large", "xx-large", "xxx-large", "smaller", "larger", "math"}
)
_DISPLAY = frozenset(
    [
        "none",
        "contents",
        "block",
        "inline",
        "inline-block",
        "flow",
        "flow-root",
        "flex",
        "grid",
        "inline-flex",
        "inline-grid",
        "table",
        "inline-table",
        "table-row",
        "table-cell",
        "list-item",
        "table-caption",
        "table-column",
        "table-column-group",
        "table-row-group",
        "table-header-group",
        "table-footer-group",
        "ruby",
        "ruby-text",
        "ruby-base",
        "math",
        "run-in",
        "-webkit-box",
        "-webkit-inline-box",
        "-webkit-flex",
        "-ms-flexbox",
        "-ms-grid",
    ]
)
_Expand = Callable[[str], dict[str, str]]


_BARE_NUMBER = re.compile(r"[+-]?[\d.]+(?:e[+-]?\d+)?")
_WORD = re.compile(r"[a-z-]+(?:\(.*\))?", re.DOTALL)


def pieces(text: str, separator: str = " ") -> list[str]:
    """The parts between blanks, or commas, or slashes, outside brackets and quotes."""
    parts: list[str] = []
    depth, start, quote = 0, 0, ""
    for at, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter == "(":
            depth += 1
        elif letter == ")":
            depth -= 1
        elif depth <= 0 and (letter == separator or (separator == " " and letter.isspace())):
            parts.append(text[start:at].strip())
            start = at + 1
    parts.append(text[start:].strip())
    return [part for part in parts if part]


def _keywords(name: str, *words: str) -> _Expand:
    allowed = frozenset(words)
    return lambda value: {name: value} if value in allowed else {}


def _as(name: str) -> _Expand:
    return lambda value: {name: value}


def _is_length(text: str) -> bool:
    """A length or percentage; a bare number is one only when it is zero."""
    value = length(text, Scale(percent=1.0))
    return value is not None and (value == 0 or not _BARE_NUMBER.fullmatch(text))


def _length(name: str, negative: bool = True) -> _Expand:
    def expand(value: str) -> dict[str, str]:
        if not _is_length(value):
            return {name: "auto"} if _WORD.fullmatch(value) else {}
        return {} if not negative and value.startswith("-") else {name: value}

    return expand


def _font_size(value: str) -> dict[str, str]:
    return {"font-size": value} if value in _SIZES or (_is_length(value) and not value.startswith("-")) else {}


def _number(name: str) -> _Expand:
    return lambda value: {name: value} if number(value) is not None else {}


def _colour(name: str) -> _Expand:
    def expand(value: str) -> dict[str, str]:
        known = value == "currentcolor" or colour(value) is not None or "(" in value
        return {name: value} if known else {}

    return expand


def _sides(names: tuple[str, ...], each: Callable[[str], _Expand]) -> _Expand:
    """Top, right, bottom, left; or start and end."""

    def expand(value: str) -> dict[str, str]:
        parts = pieces(value)
        if not 1 <= len(parts) <= len(names):
            return {}
        if len(names) == 4:  # noqa: PLR2004 - four sides
            parts = [
                parts[0],
                parts[min(1, len(parts) - 1)],
                parts[2 if len(parts) > 2 else 0],
                parts[3 if len(parts) > 3 else min(1, len(parts) - 1)],
            ]
        else:
            parts = [parts[0], parts[-1]]
        found: dict[str, str] = {}
        for name, part in zip(names, parts, strict=True):
            one = {name: part} if part in GLOBAL else each(name)(part)
            if not one:
                return {}
            found |= one
        return found

    return expand


def _overflow(name: str) -> _Expand:
    return _keywords(name, "visible", "hidden", "clip", "scroll", "auto", "overlay")


_BACKGROUND_WORDS = frozenset(
    [
        "none",
        "repeat",
        "no-repeat",
        "repeat-x",
        "repeat-y",
        "space",
        "round",
        "scroll",
        "fixed",
        "local",
        "center",
        "top",
        "bottom",
        "left",
        "right",
        "cover",
        "contain",
        "auto",
        "border-box",
        "padding-box",
        "content-box",
        "text",
        "border-area",
    ]
)


def _background(value: str) -> dict[str, str]:
    found = {"background-color": "transparent", "background-image": "none", "background-clip": "border-box"}
    images = []
    layers = pieces(value, ",")
    for layer in layers:
        for part in pieces(layer.replace("/", " ")) if "(" not in layer else pieces(layer):
            if (
                part.startswith(("url(", "image(", "image-set(", "-webkit-image-set(", "cross-fade(", "element(", "paint("))
                or "gradient(" in part
            ):
                images.append(part)
            elif part in _BACKGROUND_WORDS:
                if part == "text":
                    found["background-clip"] = "text"
            elif (
                part == "currentcolor"
                or colour(part) is not None
                or re.match(r"(?:rgb|hsl|hwb|lab|lch|ok|color|light-dark)", part)
            ):
                found["background-color"] = part
            elif part != "/" and not _is_length(part.strip("/")) and "/" not in part:
                return {}
    return found | ({"background-image": ",".join(images)} if images else {})


def _font(value: str) -> dict[str, str]:
    for part in pieces(value):
        size, _, line = part.partition("/")
        if _font_size(size):
            return {"font-size": size, "line-height": line or "normal"}
    return {}


_TIMING = re.compile(
    r"[\d.]+m?s|ease(?:-in)?(?:-out)?|linear|step-(?:start|end)|running|paused|(?:steps|cubic-bezier|linear)\(.*\)|auto",
    re.DOTALL,
)


def _animation(value: str) -> dict[str, str]:
    names, fills, counts, directions = [], [], [], []
    for one in pieces(value, ","):
        name, fill, count, direction = "none", "none", "1", "normal"
        for part in pieces(one):
            if part in ("forwards", "backwards", "both"):
                fill = part
            elif part == "infinite" or number(part) is not None:
                count = part
            elif part in ("reverse", "alternate", "alternate-reverse", "normal"):
                direction = part
            elif not _TIMING.fullmatch(part.lower()):
                name = part
        names.append(name)
        fills.append(fill)
        counts.append(count)
        directions.append(direction)
    return {
        "animation-name": ",".join(names),
        "animation-fill-mode": ",".join(fills),
        "animation-iteration-count": ",".join(counts),
        "animation-direction": ",".join(directions),
    }


def _rows(value: str) -> dict[str, str]:
    return {"grid-template-rows": pieces(value, "/")[0]} if pieces(value, "/") else {}


_SIDES = ("top", "right", "bottom", "left")
_EXPAND: dict[str, _Expand] = {
    "display": lambda value: {"display": pieces(value)[-1]} if value and all(part in _DISPLAY for part in pieces(value)) else {},
    "visibility": _keywords("visibility", "visible", "hidden", "collapse"),
    "content-visibility": _keywords("content-visibility", "visible", "hidden", "auto"),
    "backface-visibility": _keywords("backface-visibility", "visible", "hidden"),
    "transform-style": _keywords("transform-style", "flat", "preserve-3d"),
    "position": _keywords("position", "static", "relative", "absolute", "fixed", "sticky", "-webkit-sticky"),
    "float": _keywords("float", "none", "left", "right", "inline-start", "inline-end"),
    "opacity": _number("opacity"),
    "zoom": _number("zoom"),
    "font-size": _font_size,
    "font": _font,
    "line-height": _as("line-height"),
    "color": _colour("color"),
    "-webkit-text-fill-color": _colour("text-fill"),
    "-webkit-text-stroke": _as("text-stroke"),
    "-webkit-text-stroke-width": _as("text-stroke"),
    "text-shadow": _as("text-shadow"),
    "background": _background,
    "background-color": _colour("background-color"),
    "background-image": _as("background-image"),
    "background-clip": _as("background-clip"),
    "inset": _sides(_SIDES, _length),
    "inset-inline": _sides(("left", "right"), _length),
    "inset-block": _sides(("top", "bottom"), _length),
    "margin": _sides(tuple(f"margin-{side}" for side in _SIDES), _length),
    "margin-inline": _sides(("margin-left", "margin-right"), _length),
    "margin-block": _sides(("margin-top", "margin-bottom"), _length),
    "padding": _sides(tuple(f"padding-{side}" for side in _SIDES), _length),
    "padding-inline": _sides(("padding-left", "padding-right"), _length),
    "padding-block": _sides(("padding-top", "padding-bottom"), _length),
    "text-indent": lambda value: _length("text-indent")(pieces(value)[0]) if value else {},
    "overflow": _sides(("overflow-y", "overflow-x"), _overflow),
    "overflow-x": _overflow("overflow-x"),
    "overflow-y": _overflow("overflow-y"),
    "overflow-inline": _overflow("overflow-x"),
    "overflow-block": _overflow("overflow-y"),
    "animation": _animation,
    "grid-template-rows": _rows,
    "grid-template": _rows,
    "grid": _rows,
    "color-scheme": _as("color-scheme"),
    "mix-blend-mode": _as("mix-blend-mode"),
    "all": lambda value: {"all": value} if value in GLOBAL else {},
    "rotate": lambda value: {"rotate": value} if value == "none" or angle(pieces(value)[-1]) is not None else {},
}
for _side, _start in (("top", "block-start"), ("right", "inline-end"), ("bottom", "block-end"), ("left", "inline-start")):
    for _name in (_side, f"inset-{_start}"):
        _EXPAND[_name] = _length(_side)
    for _box in ("margin", "padding"):
        for _name in (f"{_box}-{_side}", f"{_box}-{_start}"):
            _EXPAND[_name] = _length(f"{_box}-{_side}", negative=_box == "margin")
for _prefix in ("", "max-", "min-"):
    for _name, _to in (("width", "width"), ("height", "height"), ("inline-size", "width"), ("block-size", "height")):
        _EXPAND[_prefix + _name] = _length(_prefix + _to, negative=False)
for _name in (
    "transform", "translate", "scale", "filter", "clip", "clip-path", "mask", "mask-image", "z-index", "content", "animation-name",
    "animation-fill-mode", "animation-iteration-count", "animation-direction", "fill", "fill-opacity", "stroke", "text-transform",
):  # fmt: skip
    _EXPAND[_name] = _as(_name)
for _name in ("transform", "filter", "clip-path", "mask", "mask-image", "background-clip", "animation", "animation-name", "animation-fill-mode",
              "animation-iteration-count", "backface-visibility"):  # fmt: skip
    _EXPAND[f"-webkit-{_name}"] = _EXPAND[_name]

WATCHED = frozenset(_EXPAND)
"""What a stylesheet's declarations are kept for; custom properties besides."""
INHERITED = frozenset({"visibility", "font-size", "line-height", "color", "text-fill", "text-stroke", "text-shadow", "text-indent", "color-scheme", "fill", "fill-opacity", "stroke"})  # fmt: skip


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
