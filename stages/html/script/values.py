"""Values of scripts: numbers, strings, lists, records, functions, and what is not known, with the operators over them."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

MAX_STRING, MAX_LIST = 20_000, 5_000


class Unknown:
    """A value that nobody can tell from the page."""

    def __repr__(self) -> str:
        return "unknown"


UNKNOWN = Unknown()


class ThrownError(Exception):
    """What a script throws."""


MISUSED = (TypeError, AttributeError, LookupError, ValueError, ArithmeticError)
"""What comes of calling what is written here in a way that only a browser understands."""


class Host:
    """An object that the browser gives to scripts."""

    def __init__(self, own: dict[str, Any] | None = None) -> None:
        self.own = own or {}
        """What scripts put on it."""

    def get(self, name: str) -> Any:
        """A property: what a script put there, a method `js_name`, or what `its_name` works out."""
        if name in self.own:
            return self.own[name]
        method = getattr(self, f"js_{name}", None)
        if method is not None:
            return method
        worked_out = getattr(self, f"its_{name}", None)
        return UNKNOWN if worked_out is None else worked_out()

    def set(self, name: str, value: Any) -> None:
        """Put a property on it."""
        self.own[name] = value


def truth(value: Any) -> Any:
    """Whether a value counts as true; UNKNOWN where that is not known."""
    if value is UNKNOWN:
        return UNKNOWN
    if isinstance(value, list | dict):
        return True
    if isinstance(value, float):
        return value != 0 and not math.isnan(value)
    return True if isinstance(value, Host) else bool(value)


def text(value: Any) -> Any:
    """A value as a string."""
    if isinstance(value, str):
        return value
    if value is None:
        return "undefined"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else "NaN" if math.isnan(value) else f"{value:.15g}"  # noqa: PLR2004
    if isinstance(value, list):
        parts = [text(part) for part in value]
        return UNKNOWN if UNKNOWN in parts else ",".join(parts)
    return UNKNOWN


def amount(value: Any) -> Any:
    """A value as a number."""
    if isinstance(value, bool | float):
        return float(value)
    if isinstance(value, str):
        try:
            return float(value.strip() or 0)
        except ValueError:
            return math.nan
    return math.nan if value is None else UNKNOWN


def whole(value: Any) -> int:
    """A number as an index."""
    found = amount(value)
    return int(found) if found is not UNKNOWN and math.isfinite(found) else 0


_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda a, b: a / b if b else math.copysign(math.inf, a) if a else math.nan,
    "%": lambda a, b: math.fmod(a, b) if b and math.isfinite(a) else math.nan,
    "**": lambda a, b: math.pow(a, b) if abs(a) < 1e6 and abs(b) < 50 else math.nan,  # noqa: PLR2004
    "|": lambda a, b: float(int(a) | int(b)),
    "&": lambda a, b: float(int(a) & int(b)),
    "^": lambda a, b: float(int(a) ^ int(b)),
    "<<": lambda a, b: float(int(a) << (int(b) & 31)),
    ">>": lambda a, b: float(int(a) >> (int(b) & 31)),
    ">>>": lambda a, b: float((int(a) & 0xFFFFFFFF) >> (int(b) & 31)),
}
_ORDER: dict[str, Callable[[Any, Any], bool]] = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}


def added(left: Any, right: Any) -> Any:
    """`+`: strings are joined, numbers added."""
    if isinstance(left, float | bool) and isinstance(right, float | bool):
        return float(left) + float(right)
    one, other = text(left), text(right)
    if one is UNKNOWN or other is UNKNOWN or len(one) + len(other) > MAX_STRING:
        return UNKNOWN
    return one + other


def binary(sign: str, left: Any, right: Any) -> Any:  # noqa: PLR0911 - one kind after the other
    """The value of an operator between two values."""
    if left is UNKNOWN or right is UNKNOWN:
        return UNKNOWN
    if sign == "+":
        return added(left, right)
    if sign in ("===", "!=="):
        return same(left, right) == (sign == "===")
    if sign in ("==", "!="):
        return loosely(left, right) == (sign == "==")
    if sign in _ORDER and isinstance(left, str) and isinstance(right, str):
        return _ORDER[sign](left, right)
    one, other = amount(left), amount(right)
    if one is UNKNOWN or other is UNKNOWN:
        return UNKNOWN
    if sign in _ORDER:
        return _ORDER[sign](one, other)
    try:
        return _ARITHMETIC[sign](one, other)
    except (ValueError, OverflowError):
        return math.nan


def same(left: Any, right: Any) -> bool:
    """`===`."""
    plain = (str, float, bool)
    if isinstance(left, plain) and isinstance(right, plain):
        return isinstance(left, bool) == isinstance(right, bool) and left == right
    return left is right


def loosely(left: Any, right: Any) -> bool:
    """`==`."""
    if (
        isinstance(left, str) != isinstance(right, str)
        and isinstance(left, str | float | bool)
        and isinstance(right, str | float | bool)
    ):
        return bool(amount(left) == amount(right))
    return same(left, right) or (
        isinstance(left, float | bool) and isinstance(right, float | bool) and float(left) == float(right)
    )


def kind_of(value: Any) -> Any:
    """`typeof`."""
    if value is UNKNOWN:
        return UNKNOWN
    for types, name in ((bool, "boolean"), (str, "string"), (float, "number"), ((list, dict, Host), "object")):
        if isinstance(value, types):
            return name
    return "undefined" if value is None else "function"
