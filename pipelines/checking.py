"""What is wrong with values for a struct: every problem at once, in the words of whoever typed them.

Arguments of a call and tables of a pipeline file are both checked here.
"""

from __future__ import annotations

import functools
import re
import reprlib
from collections.abc import Mapping
from typing import Any, Literal, get_args, get_origin

import msgspec
from msgspec import Struct, structs

from pipelines.options import suggestion

_NAMES = {
    "int": "a whole number", "float": "a number", "str": "text", "bool": "true or false", "array": "a list", "object": "a table",
    "null": "nothing",
}  # fmt: skip

_short = reprlib.Repr()
"""A line's worth of any value, however deep or long."""
MOST_NAME = 60
_short.maxstring = MOST_NAME

_SIZES = {"array": "items", "str": "characters"}


@functools.lru_cache(maxsize=256)
def fields_of(struct: type[Struct]) -> dict[str, structs.FieldInfo]:
    """The fields of a struct by the names that callers use. Annotations are resolved once: that is most of what lint costs."""
    return {field.encode_name: field for field in structs.fields(struct)}


def problems_of(
    struct: type[Struct], values: Mapping[str, Any], *, where: str = "", kind: str = "argument", strict: bool = True
) -> list[str]:
    """One line a problem, `where` before each: unknown names with a suggestion, missing ones, values that do not fit.

    Without `strict`, text may stand for numbers, as on a command line.
    """
    fields = fields_of(struct)
    strange = [_line(name) for name in values if name not in fields]
    found = [f"{where}unknown {kind} {name}{suggestion(name, tuple(fields))}" for name in strange]
    for name, field in fields.items():
        if name not in values:
            if field.required:
                found.append(f"{where}{name} is missing{_described(field.type)}")
            continue
        if wrong := misfit(values[name], field.type, strict=strict):
            found.append(f"{where}{name}{wrong}")
    return found


def misfit(value: Any, wanted: Any, *, strict: bool = True) -> str:
    """`: must be at most 20, and 50 is not`, `[2]: expected text, got a number`; empty when the value fits."""
    try:
        msgspec.json.encode(msgspec.convert(value, wanted, strict=strict))
    except UnicodeEncodeError:
        return ": it holds half a character (a lone surrogate), which cannot be written down"
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$")
        place = path.rstrip("`")
        return f"{place}: {_explained(message, value, place, wanted)}"
    return ""


def _explained(message: str, value: Any, place: str, wanted: Any) -> str:
    inner = _at(value, place)
    shown = _short.repr(inner)
    if match := re.fullmatch(r"Expected `([^`]+)`, got `(\w+)`", message):
        kinds = " or ".join(_NAMES.get(part, part) for part in re.split(r"\s*\|\s*", match[1]))
        return f"expected {kinds}, got {_NAMES.get(match[2], match[2])}"
    if match := re.fullmatch(r"Expected `(\w+)` of length (>=|<=) (\d+)", message):
        return f"must have {_bound(match[2])} {match[3]} {_SIZES.get(match[1], 'entries')}, and has {len(inner)}"
    if match := re.fullmatch(r"Expected `\w+` (>=|<=|>|<) (\S+)", message):
        return f"must be {_bound(match[1])} {match[2]}, and {shown} is not"
    if match := re.fullmatch(r"Expected `str` matching regex (.+)", message, re.DOTALL):
        return f"{shown} does not match {match[1]}{_described(wanted)}"
    if message.startswith("Invalid enum value") and (choices := _choices(wanted)):
        near = suggestion(inner, choices) if isinstance(inner, str) else ""
        return f"{shown} is not one of {', '.join(choice or '(empty)' for choice in choices)}{near}"
    return message


def _line(name: str) -> str:
    """A name that somebody made up, short enough and fit to be written."""
    short = name if len(name) <= MOST_NAME else name[: MOST_NAME - 3] + "..."
    return short.encode("utf-8", "replace").decode()


def _bound(sign: str) -> str:
    return {">=": "at least", "<=": "at most", ">": "more than", "<": "less than"}[sign]


def _at(value: Any, place: str) -> Any:
    """The value inside of `value` that a path such as `[2].url` names; the whole where it cannot be followed."""
    for name, number in re.findall(r"\.(\w+)|\[(\d+)\]", place):
        try:
            value = value[int(number)] if number else value[name]
        except (LookupError, TypeError):
            return value
    return value


def _choices(wanted: Any) -> tuple[str, ...]:
    if get_origin(wanted) is Literal:
        return tuple(str(value) for value in get_args(wanted))
    return next((found for part in get_args(wanted) if (found := _choices(part))), ())


def _described(wanted: Any) -> str:
    """The description that a type carries, to say what is missing."""
    for part in get_args(wanted):
        if isinstance(part, msgspec.Meta) and part.description:
            return f": {part.description}"
    return ""


__all__ = ["fields_of", "misfit", "problems_of"]
