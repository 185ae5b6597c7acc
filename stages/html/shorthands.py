"""How values of properties and shorthands are read: longhand -> value, nothing where a browser would ignore the declaration."""

from __future__ import annotations

import re
from collections.abc import Callable

from stages.html.colours import colour
from stages.html.values import Scale, length, number, pieces

GLOBAL = frozenset({"inherit", "initial", "unset", "revert", "revert-layer"})
_SIZES = frozenset(
    {"xx-small", "x-small", "small", "medium", "large", "x-large", "xx-large", "xxx-large", "smaller", "larger", "math"}
)
DISPLAY = frozenset({
    "none", "contents", "block", "inline", "inline-block", "flow", "flow-root", "flex", "grid", "inline-flex", "inline-grid",
    "table", "inline-table", "table-row", "table-cell", "list-item", "table-caption", "table-column", "table-column-group",
    "table-row-group", "table-header-group", "table-footer-group", "ruby", "ruby-text", "ruby-base", "math", "run-in",
    "-webkit-box", "-webkit-inline-box", "-webkit-flex", "-ms-flexbox", "-ms-grid",
})  # fmt: skip
Expand = Callable[[str], dict[str, str]]


_BARE_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?")
_SIZING = re.compile(r"(?:fit-content|anchor|anchor-size|calc-size|var|env|attr|if|random|sibling-index)\(")
_LENGTH_WORDS = frozenset({
    "auto", "none", "normal", "content", "min-content", "max-content", "fit-content", "stretch", "-webkit-fill-available",
    "-webkit-min-content", "-webkit-max-content", "-webkit-fit-content", "intrinsic", "min-intrinsic",
})  # fmt: skip


def display(value: str) -> dict[str, str]:
    """How a box is laid out: one word, or one for outside and one for inside."""
    parts = pieces(value)
    if not parts or not all(part in DISPLAY for part in parts):
        return {}
    if len(parts) > 1 and not ({"block", "inline", "run-in"} & set(parts) and set(parts) <= _TWO):
        return {}
    inline = "inline" in parts and parts[-1] in ("flex", "grid", "table")
    return {"display": f"inline-{parts[-1]}" if inline else parts[-1]}


_TWO = frozenset({"block", "inline", "run-in", "flow", "flow-root", "flex", "grid", "table", "ruby", "math", "list-item"})


def keywords(name: str, *words: str) -> Expand:
    """One of these words."""
    allowed = frozenset(words)
    return lambda value: {name: value} if value in allowed else {}


def as_it_is(name: str) -> Expand:
    """Any value, judged where it is used."""
    return lambda value: {name: value}


def is_length(text: str) -> bool:
    """A length or percentage; a bare number is one only when it is zero."""
    value = length(text, Scale(percent=1.0))
    return value is not None and (value == 0 or not _BARE_NUMBER.fullmatch(text))


def a_length(name: str, negative: bool = True) -> Expand:
    """A length, or a word that stands for one."""

    def expand(value: str) -> dict[str, str]:
        if not is_length(value):
            return {name: "auto"} if value in _LENGTH_WORDS or _SIZING.match(value) else {}
        return {} if not negative and value.startswith("-") else {name: value}

    return expand


def font_size(value: str) -> dict[str, str]:
    """A size of letters; never negative."""
    return {"font-size": value} if value in _SIZES or (is_length(value) and not value.startswith("-")) else {}


def a_number(name: str) -> Expand:
    """A number or percentage."""
    return lambda value: {name: value} if number(value) is not None else {}


def a_colour(name: str) -> Expand:
    """A colour, or a function that may be one."""

    def expand(value: str) -> dict[str, str]:
        known = value == "currentcolor" or colour(value) is not None or "(" in value
        return {name: value} if known else {}

    return expand


def sides(names: tuple[str, ...], each: Callable[[str], Expand]) -> Expand:
    """Top, right, bottom, left; or start and end."""

    def expand(value: str) -> dict[str, str]:
        parts = pieces(value)
        if not 1 <= len(parts) <= len(names):
            return {}
        for missing in range(len(parts), len(names)):
            parts.append(parts[max(missing - 2, 0)])  # what is missing is taken from the opposite side
        found: dict[str, str] = {}
        for name, part in zip(names, parts, strict=True):
            one = {name: part} if part in GLOBAL else each(name)(part)
            if not one:
                return {}
            found |= one
        return found

    return expand


def overflow(name: str) -> Expand:
    """One axis of `overflow`."""
    return keywords(name, "visible", "hidden", "clip", "scroll", "auto", "overlay")


_BACKGROUND_WORDS = frozenset({
    "none", "repeat", "no-repeat", "repeat-x", "repeat-y", "space", "round", "scroll", "fixed", "local", "center", "top",
    "bottom", "left", "right", "cover", "contain", "auto", "border-box", "padding-box", "content-box", "text", "border-area",
})  # fmt: skip


_REPEATS = frozenset({"repeat", "no-repeat", "repeat-x", "repeat-y", "space", "round"})
_IMAGES = ("url(", "image(", "image-set(", "-webkit-image-set(", "cross-fade(", "element(", "paint(")
_LAYERED = (
    ("background-image", "none"),
    ("background-repeat", "repeat"),
    ("background-position", "0"),
    ("background-size", "auto"),
)


def background(value: str) -> dict[str, str]:
    """Colour, images and clip of all layers."""
    found = {"background-color": "transparent", "background-clip": "border-box"}
    layers = []
    for text in pieces(value, ","):
        layer = _layer(text)
        if layer is None:
            return {}
        layers.append(layer)
        found |= {name: layer[name] for name in found if name in layer}
    images = any("background-image" in layer for layer in layers)
    for name, initial in _LAYERED:
        found[name] = ",".join(layer.get(name, initial) for layer in layers) if images else initial
    return found


def _layer(text: str) -> dict[str, str] | None:
    """What one layer of a background declares; None for what a browser would not take."""
    found: dict[str, str] = {}
    sides = [pieces(side) for side in pieces(text, "/")]
    for part in [part for side in sides for part in side]:
        name = _told(part)
        if name is None:
            return None
        found[name] = f"{found[name]} {part}" if name == "background-repeat" and name in found else part
    for name, side in zip(("background-position", "background-size"), sides, strict=False):
        lengths = [part for part in side if part == "auto" or is_length(part)]
        if lengths:
            found[name] = " ".join(lengths)
    return found


def _told(part: str) -> str | None:
    """Which longhand a part of a background is of; empty for one that says nothing here, None for one that is wrong."""
    if part.startswith(_IMAGES) or "gradient(" in part:
        return "background-image"
    if part in _REPEATS:
        return "background-repeat"
    if part in _BACKGROUND_WORDS:
        return "background-clip" if part == "text" else ""
    if part == "currentcolor" or colour(part) is not None or _COLOUR.match(part):
        return "background-color"
    return "" if is_length(part) else None


_COLOUR = re.compile(r"(?:rgb|hsl|hwb|lab|lch|ok|color|light-dark)")


def font(value: str) -> dict[str, str]:
    """Size and line height."""
    parts = pieces(value)
    for at, part in enumerate(parts):
        size, _, line = part.partition("/")
        if font_size(size) and at + 1 < len(parts):  # a family has to follow
            return {"font-size": size, "line-height": line or "normal"}
    return {}


_TIMING = re.compile(
    r"[\d.]+m?s|ease(?:-in)?(?:-out)?|linear|step-(?:start|end)|running|paused|(?:steps|cubic-bezier|linear)\(.*\)|auto",
    re.DOTALL,
)


def animation(value: str) -> dict[str, str]:
    """Names, and what they leave behind."""
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


def rows(value: str) -> dict[str, str]:
    """The rows and columns of a grid."""
    parts = pieces(value, "/")
    if not parts:
        return {}
    return {"grid-template-rows": parts[0]} | ({"grid-template-columns": parts[1]} if len(parts) > 1 else {})


def flex(value: str) -> dict[str, str]:
    """Whether a box grows along the line that it stands in, and what size it starts from."""
    if value in ("none", "auto", "initial"):
        return {"flex-grow": "1" if value == "auto" else "0", "flex-basis": "auto"}
    parts = pieces(value)
    numbers = [part for part in parts if _BARE_NUMBER.fullmatch(part)]
    basis = [part for part in parts if not _BARE_NUMBER.fullmatch(part)] or numbers[2:]
    return {"flex-grow": numbers[0] if numbers else "1", "flex-basis": basis[0] if basis else "0"}


def direction(value: str) -> dict[str, str]:
    """Which way the line runs that boxes stand in."""
    found = [part for part in pieces(value) if part.startswith(("row", "column"))]
    return {"flex-direction": found[0]} if found else {}


def indent(value: str) -> dict[str, str]:
    """How far a first line is moved; a hanging one is not."""
    words = pieces(value)
    return {"text-indent": "0"} if "hanging" in words else a_length("text-indent")(words[0]) if words else {}
