"""The parts of the language's own library that pages use to show and hide."""

from __future__ import annotations

import math
import re
from typing import Any

from stages.html.script import methods
from stages.html.script.later import Maker
from stages.html.script.patterns import Pattern
from stages.html.script.values import MAX_LIST, UNKNOWN, amount, text, truth

_INTEGER = re.compile(r"\s*([+-]?\d{1,15})")


class Borrowed(dict[str, Any]):
    """`Array.prototype`: methods that are called on something else."""

    def __missing__(self, name: str) -> Any:
        return {"call": lambda this=None, *given: _borrowed(name, this, given)}

    def __contains__(self, name: object) -> bool:
        return True


def _borrowed(name: str, this: Any, given: tuple[Any, ...]) -> Any:
    items = methods.listed(this)
    return UNKNOWN if items is None else methods.get(items, name)(*given)


def _from(given: Any = None, function: Any = None) -> Any:
    items = methods.listed(given)
    if items is None:
        return UNKNOWN
    return [function(item, float(at)) for at, item in enumerate(items)] if callable(function) else list(items)


def _assigned(target: Any = None, *more: Any) -> Any:
    for one in more:
        if isinstance(one, dict):
            for name, value in one.items():
                if isinstance(target, dict) and len(target) < MAX_LIST:
                    target[name] = value
                elif hasattr(target, "set"):
                    target.set(name, value)
    return target


def integer(value: Any = None, *_: Any) -> Any:
    """`parseInt`."""
    written = text(value)
    if written is UNKNOWN:
        return UNKNOWN
    match = _INTEGER.match(written)
    return float(match[1]) if match else math.nan


def _numeric(function: Any) -> Any:
    def worked_out(*given: Any) -> Any:
        numbers = [amount(each) for each in given]
        return UNKNOWN if UNKNOWN in numbers else float(function(*numbers))

    return worked_out


MATH: dict[str, Any] = {
    "min": _numeric(min),
    "max": _numeric(max),
    "floor": _numeric(math.floor),
    "ceil": _numeric(math.ceil),
    "round": _numeric(lambda number: math.floor(number + 0.5)),
    "abs": _numeric(abs),
    "random": lambda: UNKNOWN,
}
ARRAY = Maker(
    lambda *_: UNKNOWN,
    **{
        "from": _from,
        "of": lambda *given: list(given),
        "isArray": lambda value=None: isinstance(value, list),
        "prototype": Borrowed(),
    },
)
NODES = {"prototype": Borrowed()}
OBJECT: dict[str, Any] = {
    "keys": lambda value=None: list(value) if isinstance(value, dict) else UNKNOWN,
    "values": lambda value=None: list(value.values()) if isinstance(value, dict) else UNKNOWN,
    "entries": lambda value=None: [[name, each] for name, each in value.items()] if isinstance(value, dict) else UNKNOWN,
    "assign": _assigned,
    "freeze": lambda value=None: value,
}
LANGUAGE: dict[str, Any] = {
    "undefined": None,
    "NaN": math.nan,
    "Infinity": math.inf,
    "parseInt": integer,
    "parseFloat": lambda value=None, *_: amount(value),
    "isNaN": lambda value=None, *_: math.isnan(amount(value)),
    "Number": lambda value=0.0, *_: amount(value),
    "String": Maker(lambda value="", *_: text(value)),
    "Boolean": Maker(lambda value=None, *_: truth(value)),
    "RegExp": Maker(lambda source="", flags="": Pattern(source, flags)),
    "Array": ARRAY,
    "NodeList": NODES,
    "HTMLCollection": NODES,
    "Object": OBJECT,
    "Math": MATH,
    "Event": Maker(lambda kind="", *_: {"type": kind}),
    "CustomEvent": Maker(lambda kind="", *_: {"type": kind}),
}
