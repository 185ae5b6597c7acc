"""CSS values as numbers: lengths, angles, colours."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Any

Colour = tuple[float, float, float, float]
"""sRGB and alpha, each 0 to 1."""

WIDTH, HEIGHT = 1280.0, 900.0
MAX_VALUE = 4000
"""Characters of a value that is looked at."""

_ABSOLUTE = {"px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6}
_VIEW = {"vw": WIDTH / 100, "vh": HEIGHT / 100, "vmin": HEIGHT / 100, "vmax": WIDTH / 100, "vi": WIDTH / 100, "vb": HEIGHT / 100}
_ANGLES = {"deg": 1.0, "rad": 180 / math.pi, "turn": 360.0, "grad": 0.9, "": 1.0}
_TOKEN = re.compile(
    r"\s*(?:([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z%]*)|(calc|min|max|clamp|abs|-webkit-calc)?(\()|([-+*/,)])|(pi|e|infinity))"
)


_DIMENSION = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z%]*)")
_ADDED = re.compile(r"\s*([+-])\s+|\s+([+-])\s*")
_TIMES = re.compile(r"\s*([*/])")


class Scale:
    """What relative units are measured against, in pixels."""

    __slots__ = ("em", "percent", "rem")

    def __init__(self, em: float = 16.0, percent: float = 0.0, rem: float = 16.0) -> None:
        self.em, self.percent, self.rem = em, percent, rem

    def pixels(self, number: float, unit: str) -> float | None:  # noqa: PLR0911 - one kind of unit after the other
        """A dimension in pixels; a bare number stays what it is."""
        if unit in _ABSOLUTE:
            return number * _ABSOLUTE[unit]
        if unit == "%":
            return number * self.percent / 100
        if unit in ("em", "ic", "lh"):
            return number * self.em * (1.2 if unit == "lh" else 1)
        if unit in ("rem", "rlh"):
            return number * self.rem
        if unit in ("ex", "ch", "cap"):
            return number * self.em / 2
        if unit[1:] in _VIEW and unit[0] in "sld":
            unit = unit[1:]
        if unit in _VIEW:
            return number * _VIEW[unit]
        if unit.startswith("cq"):
            return number * WIDTH / 100
        return number * _ANGLES[unit] if unit in _ANGLES else None


def length(text: str, scale: Scale) -> float | None:
    """A length, percentage or number, `calc()` worked out; None when it is none, such as `auto`."""
    text = text[:MAX_VALUE]
    match = _DIMENSION.fullmatch(text)
    if match:
        return scale.pixels(float(match[1]), match[2])
    if "(" not in text:
        return None
    try:
        value, rest = _sum(text, 0, scale, 0)
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
    return value if not text[rest:].strip() else None


def _next(text: str, at: int) -> re.Match[str]:
    match = _TOKEN.match(text, at)
    if not match:
        raise ValueError(text)
    return match


def _sum(text: str, at: int, scale: Scale, depth: int) -> tuple[float, int]:
    value, at = _product(text, at, scale, depth)
    while (match := _ADDED.match(text, at)) is not None:
        term, at = _product(text, match.end(), scale, depth)
        value = value + term if (match[1] or match[2]) == "+" else value - term
    return value, at


def _product(text: str, at: int, scale: Scale, depth: int) -> tuple[float, int]:
    value, at = _factor(text, at, scale, depth)
    while (match := _TIMES.match(text, at)) is not None:
        term, at = _factor(text, match.end(), scale, depth)
        value = value * term if match[1] == "*" else value / term
    return value, at


def _factor(text: str, at: int, scale: Scale, depth: int) -> tuple[float, int]:
    if depth > 32:  # noqa: PLR2004 - nobody nests brackets so deep
        raise ValueError(text)
    match = _next(text, at)
    if match[1] is not None:
        value = scale.pixels(float(match[1]), match[2])
        if value is None:
            raise ValueError(text)
        return value, match.end()
    if match[6]:
        return {"pi": math.pi, "e": math.e}.get(match[6], math.inf), match.end()
    if not match[4]:
        raise ValueError(text)
    arguments = []
    at = match.end()
    while True:
        value, at = _sum(text, at, scale, depth + 1)
        arguments.append(value)
        match_end = _next(text, at)
        at = match_end.end()
        if match_end[5] == ")":
            return _apply(match[3] or "calc", arguments), at
        if match_end[5] != ",":
            raise ValueError(text)


def _apply(name: str, arguments: list[float]) -> float:
    if name in ("min", "max"):
        return min(arguments) if name == "min" else max(arguments)
    if name == "clamp":
        low, value, high = arguments
        return max(low, min(value, high))
    return abs(arguments[0]) if name == "abs" else arguments[0]


def number(text: str) -> float | None:
    """A number or percentage as a fraction."""
    return length(text, Scale(percent=1.0))


def angle(text: str) -> float | None:
    """An angle in degrees."""
    return length(text, Scale())


_SYSTEM: dict[str, Colour] = {
    "canvas": (1, 1, 1, 1), "canvastext": (0, 0, 0, 1), "field": (1, 1, 1, 1), "fieldtext": (0, 0, 0, 1), "window": (1, 1, 1,
    1), "windowtext": (0, 0, 0, 1), "buttonface": (0.94, 0.94, 0.94, 1), "buttontext": (0, 0, 0, 1), "linktext": (0, 0, 0.93,
    1), "graytext": (0.5, 0.5, 0.5, 1), "highlight": (0.7, 0.84, 1, 1), "highlighttext": (0, 0, 0, 1), "mark": (1, 1, 0, 1),
    "marktext": (0, 0, 0, 1), "background": (1, 1, 1, 1), "infobackground": (1, 1, 1, 1), "menu": (1, 1, 1, 1),
}  # fmt: skip


@lru_cache(maxsize=4096)
def colour(text: str) -> Colour | None:
    """A colour; None for what is none or cannot be worked out. `currentcolor` is the caller's."""
    import tinycss2.color5

    text = text.strip().lower()[:MAX_VALUE]
    if text in _SYSTEM:
        return _SYSTEM[text]
    try:
        found: Any = tinycss2.color5.parse_color(_plain(text))
    except (ValueError, TypeError, ZeroDivisionError, AttributeError, RecursionError):
        return _mixed(text)
    if found is None or isinstance(found, str) or not hasattr(found, "space"):
        return _mixed(text)
    values = [0.0 if value is None else float(value) for value in found.coordinates]
    alpha = 1.0 if found.alpha is None else float(found.alpha)
    if found.space in ("oklch", "oklab", "lch", "lab"):
        red, green, blue = _from_lab(found.space, values)
    else:
        try:
            red, green, blue = (float(value) for value in found.to("srgb").coordinates)
        except (NotImplementedError, ValueError, TypeError):
            return None
    return (_unit(red), _unit(green), _unit(blue), _unit(alpha))


def _plain(text: str) -> str:
    """Simple `calc()` inside a colour worked out."""
    return re.sub(r"calc\(([^()]{1,80})\)", lambda match: str(length(match[0], Scale(percent=100.0)) or 0), text)


def _unit(value: float) -> float:
    return min(max(value, 0.0), 1.0)


_MIX = re.compile(r"color-mix\(\s*in\s+[\w -]+,\s*(.+?)(?:\s+([\d.]+)%)?\s*,\s*(.+?)(?:\s+([\d.]+)%)?\s*\)")


def _mixed(text: str) -> Colour | None:
    """`color-mix()`, in sRGB whatever space it names: exact where both are the same or one has all the weight."""
    match = _MIX.fullmatch(text)
    first, second = (colour(match[1]), colour(match[3])) if match else (None, None)
    if match is None or first is None or second is None:
        return None
    share = float(match[2]) / 100 if match[2] else (1 - float(match[4]) / 100 if match[4] else 0.5)
    red, green, blue, alpha = (a * share + b * (1 - share) for a, b in zip(first, second, strict=True))
    return (red, green, blue, alpha)


def _from_lab(space: str, values: list[float]) -> tuple[float, float, float]:
    """To sRGB. CSS Color 4, sample code for the matrices."""
    light, a, b = values
    if space.endswith("lch"):
        a, b = a * math.cos(math.radians(b)), a * math.sin(math.radians(b))
    if space.startswith("ok"):
        light = light / 100 if light > 1 else light
        root = (
            light + 0.3963377774 * a + 0.2158037573 * b,
            light - 0.1055613458 * a - 0.0638541728 * b,
            light - 0.0894841775 * a - 1.291485548 * b,
        )
        l, m, s = (value**3 for value in root)  # noqa: E741 - cone responses
        linear = (
            4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
            -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
            -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
        )
    else:
        fy = (light + 16) / 116
        x, y, z = (_cube(f) * white for f, white in zip((fy + a / 500, fy, fy - b / 200), (0.96422, 1.0, 0.82521), strict=True))
        linear = (
            3.1338561 * x - 1.6168667 * y - 0.4906146 * z,
            -0.9787684 * x + 1.9161415 * y + 0.033454 * z,
            0.0719453 * x - 0.2289914 * y + 1.4052427 * z,
        )
    red, green, blue = (12.92 * c if c <= LINEAR else 1.055 * c ** (1 / 2.4) - 0.055 for c in linear)
    return red, green, blue


def _cube(value: float) -> float:
    return value**3 if value**3 > 216 / 24389 else (116 * value - 16) * 27 / 24389


LINEAR = 0.0031308
"""Where the sRGB transfer function bends."""


def over(top: Colour, bottom: Colour, opacity: float = 1.0) -> Colour:
    """The colour that is seen where `top` lies over an opaque `bottom`."""
    alpha = top[3] * opacity
    red, green, blue = (a * alpha + b * (1 - alpha) for a, b in zip(top[:3], bottom[:3], strict=True))
    return (red, green, blue, 1.0)


def contrast(first: Colour, second: Colour) -> float:
    """WCAG contrast ratio of two opaque colours, 1 to 21."""
    lights = []
    for each in (first, second):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in each[:3]]  # noqa: PLR2004 - sRGB
        lights.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
    return (max(lights) + 0.05) / (min(lights) + 0.05)


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
