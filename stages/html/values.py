"""CSS values as numbers: lengths, angles, and what the mathematical functions make of them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

WIDTH, HEIGHT = 1280.0, 900.0
MAX_VALUE = 4000
"""Characters of a value that is looked at."""

_ABSOLUTE = {"px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6}
_VIEW = {"vw": WIDTH / 100, "vh": HEIGHT / 100, "vmin": HEIGHT / 100, "vmax": WIDTH / 100, "vi": WIDTH / 100, "vb": HEIGHT / 100}
_ANGLES = {"deg": 1.0, "rad": 180 / math.pi, "turn": 360.0, "grad": 0.9, "": 1.0}
_TOKEN = re.compile(
    r"\s*(?:([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z%]*)|([a-z0-9-]+)?(\()|([-+]?(?:pi|e|infinity|nan))\b|([-+*/,)])"
    r"|(up|down|nearest|to-zero)\s*,)"
)


_DIMENSION = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z%]*)")
_ADDED = re.compile(r"\s*([+-])\s+|\s+([+-])\s*")
_TIMES = re.compile(r"\s*([*/])")


class Scale:
    """What relative units are measured against, in pixels; `bare` is what a number without a unit is multiplied by."""

    __slots__ = ("bare", "em", "percent", "rem")

    def __init__(self, em: float = 16.0, percent: float = 0.0, rem: float = 16.0, bare: float = 1.0) -> None:
        self.em, self.percent, self.rem, self.bare = em, percent, rem, bare

    def pixels(self, number: float, unit: str) -> float | None:  # noqa: PLR0911 - one kind of unit after the other
        """A dimension in pixels; a bare number stays what it is."""
        if not unit:
            return number * self.bare
        if unit in _ABSOLUTE:
            return number * _ABSOLUTE[unit]
        if unit == "%":
            return number * self.percent / 100
        if unit in ("em", "ic", "lh"):
            return number * self.em * (1.2 if unit == "lh" else 1)
        if unit in ("rem", "rlh", "ric", "rex", "rch", "rcap"):
            return number * self.rem / (2 if unit in ("rex", "rch", "rcap") else 1)
        if unit in ("ex", "ch", "cap"):
            return number * self.em / 2
        if unit[1:] in _VIEW and unit[0] in "sld":
            unit = unit[1:]
        if unit in _VIEW:
            return number * _VIEW[unit]
        if unit.startswith("cq"):
            return number * WIDTH / 100
        return number * _ANGLES[unit] if unit in _ANGLES else None


_PLAIN = {"auto": None, "none": None, "0": 0.0, "0px": 0.0}
"""What most lengths are."""


def length(text: str, scale: Scale) -> float | None:
    """A length, percentage or number, `calc()` worked out; None when it is none, such as `auto`."""
    if text in _PLAIN:
        return _PLAIN[text]
    text = text[:MAX_VALUE]
    match = _DIMENSION.fullmatch(text)
    if match:
        return scale.pixels(float(match[1]), match[2])
    if "(" not in text:
        return None
    try:
        value, rest = _sum(text, 0, scale, 0)
    except (ValueError, ZeroDivisionError, OverflowError, TypeError):
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
    if match[5]:
        sign = -1 if match[5][0] == "-" else 1
        return sign * {"pi": math.pi, "e": math.e, "nan": 0.0}.get(match[5].lstrip("+-"), math.inf), match.end()
    if not match[4]:
        raise ValueError(text)
    return _called(match[3] or "calc", text, match.end(), scale, depth)


def _called(name: str, text: str, at: int, scale: Scale, depth: int) -> tuple[float, int]:
    """A function whose bracket was just opened, and where it ends."""
    if name not in _FUNCTIONS:
        raise ValueError(text)
    if name in ("sin", "cos", "tan"):
        scale = Scale(scale.em, scale.percent, scale.rem, 180 / math.pi)
    strategy = ""
    if name == "round" and (said := _next(text, at))[7]:
        strategy, at = said[7], said.end()
    arguments = []
    while True:
        value, at = _sum(text, at, scale, depth + 1)
        arguments.append(value)
        end = _next(text, at)
        at = end.end()
        if end[6] == ")":
            return (_rounded(strategy, *arguments) if name == "round" else _FUNCTIONS[name](*arguments)), at
        if end[6] != ",":
            raise ValueError(text)


def _half_up(number: float) -> int:
    return math.floor(number + 0.5)


_WAYS: dict[str, Callable[[float], int]] = {
    "": _half_up, "nearest": _half_up, "up": math.ceil, "down": math.floor, "to-zero": math.trunc,
}  # fmt: skip


def _rounded(strategy: str, value: float, step: float = 1.0) -> float:
    return _WAYS[strategy](value / step) * step


def _same(low: float, high: float, *_: float) -> float:
    """`random()`, where there is nothing to choose from."""
    if low != high:
        raise ValueError
    return low


_FUNCTIONS: dict[str, Callable[..., float]] = {
    "calc": lambda value: value,
    "-webkit-calc": lambda value: value,
    "-moz-calc": lambda value: value,
    "min": lambda *values: min(values),
    "max": lambda *values: max(values),
    "clamp": lambda low, value, high: max(low, min(value, high)),
    "abs": abs,
    "sign": lambda value: float((value > 0) - (value < 0)),
    "round": _rounded,
    "mod": lambda value, step: value - math.floor(value / step) * step,
    "rem": math.fmod,
    "sin": lambda value: math.sin(math.radians(value)),
    "cos": lambda value: math.cos(math.radians(value)),
    "tan": lambda value: math.tan(math.radians(value)),
    "asin": lambda value: math.degrees(math.asin(value)),
    "acos": lambda value: math.degrees(math.acos(value)),
    "atan": lambda value: math.degrees(math.atan(value)),
    "atan2": lambda one, other: math.degrees(math.atan2(one, other)),
    "pow": math.pow,
    "sqrt": math.sqrt,
    "hypot": math.hypot,
    "log": math.log,
    "exp": math.exp,
    "random": _same,
    "progress": lambda value, start, end: (value - start) / (end - start) if end != start else 0.0,
}


def number(text: str) -> float | None:
    """A number or percentage as a fraction."""
    return length(text, Scale(percent=1.0))


def angle(text: str) -> float | None:
    """An angle in degrees."""
    return length(text, Scale())


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
