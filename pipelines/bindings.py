"""Where a pipeline file uses its arguments, and what type, limits and default an argument gets from there."""

from __future__ import annotations

import math
import re
import types
import typing
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import msgspec
from msgspec import NODEFAULT, UNSET, Meta, Struct, structs

from pipelines import folds
from pipelines.checking import fields_of, misfit
from pipelines.grammar import Input, reference
from stages import STAGES, load
from stages.records import BY_TAG

_LOWER = ("ge", "gt", "min_length")
_UPPER = ("le", "lt", "max_length")


class Place(Struct, frozen=True, kw_only=True):
    """One option or field. `each`: one record is made for each item of the list that is bound to it."""

    where: str
    type: Any
    default: Any
    each: bool = False


class Shape(Struct, frozen=True, kw_only=True):
    """A type taken apart: the base, its own limits, and for a list the shape of its items."""

    base: Any
    limits: dict[str, Any]
    description: str = ""
    items: Shape | None = None


def tables(raw: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], type[Struct] | None, tuple[str, ...]]]:
    """Every table of options: what it is called, the table, the struct that it is checked by, and keys that are no options."""
    if feed := raw.get("feed"):
        yield "feed", feed, BY_TAG.get(str(feed.get("record"))), ("record", "each")
    for number, stage in enumerate(raw.get("stage", ()), 1):
        name = str(stage.get("use"))
        yield f"stage {number} ({name})", stage, load(name).options if name in STAGES else None, ("use",)
    reply = raw.get("reply", {})
    fold = folds.by_name(str(reply.get("fold")))
    yield "reply", reply, fold.options if fold else None, ("fold", "text")


def places(raw: dict[str, Any]) -> dict[str, list[Place]]:
    """Where each `"$name"` stands, in the order of the file. What stands at an unknown option is left out."""
    found: dict[str, list[Place]] = {}
    for where, table, struct, extra in tables(raw):
        fields = fields_of(struct) if struct else {}
        for key, value in table.items():
            if key in extra or not (name := reference(value)):
                continue
            known = found.setdefault(name, [])
            if key in fields:
                field = fields[key]
                each = where == "feed" and table.get("each") == key
                known.append(Place(where=f"{where} {key}", type=field.type, default=_default(field), each=each))
    return found


def _default(field: structs.FieldInfo) -> Any:
    return field.default_factory() if field.default_factory is not NODEFAULT else field.default


def shape(hint: Any) -> Shape:
    """Take a type apart. `X | None` counts as X."""
    limits: dict[str, Any] = {}
    description = ""
    while typing.get_origin(hint) is Annotated:
        inner, *metas = typing.get_args(hint)
        for meta in metas:
            if isinstance(meta, Meta):
                description = description or meta.description or ""
                limits |= {key: value for key in (*_LOWER, *_UPPER, "pattern") if (value := getattr(meta, key)) is not None}
        hint = inner
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return shape(next(part for part in typing.get_args(hint) if part is not type(None)))
    items = shape(typing.get_args(hint)[0]) if typing.get_origin(hint) in (tuple, list) else None
    return Shape(base=tuple if items else hint, limits=limits, description=description, items=items)


def typed(made: Shape, description: str = "") -> Any:
    """The type again."""
    base = tuple[typed(made.items), ...] if made.items else made.base  # type: ignore[misc]  # built at run time
    extra = {"description": description} if description else {}
    kept: dict[str, Any] = {**made.limits, **extra}
    return Annotated[base, Meta(**kept)] if made.limits or extra else base


def joined(one: Shape, other: Shape) -> Shape | None:
    """Both at once: the narrower limits. None where they do not agree."""
    literal = typing.get_origin(one.base) is Literal and typing.get_origin(other.base) is Literal
    base = one.base
    if literal and one.base != other.base:
        shared = tuple(value for value in typing.get_args(one.base) if value in typing.get_args(other.base))
        base = Literal[shared] if shared else None
    elif one.base != other.base:
        return None
    items = joined(one.items, other.items) if one.items and other.items else None
    if base is None or (one.items is not None and items is None):
        return None
    limits = dict(one.limits)
    for key, value in other.limits.items():
        narrower = max if key in _LOWER else min
        limits[key] = narrower(limits[key], value) if key in limits and key != "pattern" else value
    return Shape(base=base, limits=limits, description=one.description or other.description, items=items)


def argument(name: str, given: Input, bound: list[Place]) -> tuple[Any, Any, list[str]]:
    """Type and default (NODEFAULT: it is required) of an argument, and what is wrong with how the file narrows it."""
    made = _bound_shape(bound)
    if made is None:
        return (
            Any,
            NODEFAULT,
            [f"input.{name}: it is bound to {' and '.join(place.where for place in bound)}, whose types differ"],
        )
    problems = [f"input.{name}: {problem}" for problem in _loose(given, made)]
    made = _narrowed(given, made) if not problems else made
    default = given.default
    if default is UNSET:
        default = NODEFAULT if given.required else next((one.default for one in bound if not one.each), NODEFAULT)
    elif wrong := misfit(default, typed(made)):
        problems.append(f"input.{name}.default{wrong}")
    if default is not NODEFAULT and made.items and isinstance(default, list):
        default = tuple(default)
    if given.default is UNSET and default is not NODEFAULT and (wrong := misfit(msgspec.to_builtins(default), typed(made))):
        problems.append(f"input.{name}: the default of {bound[0].where} is outside of the limits{wrong}; give one, or required")
    return typed(made, given.description or made.description), default, problems


def _bound_shape(bound: list[Place]) -> Shape | None:
    found: Shape | None = None
    for place in bound:
        own = shape(place.type)
        own = Shape(base=tuple, limits={}, items=own) if place.each else own
        found = own if found is None else joined(found, own)
        if found is None:
            return None
    return found


_KEYS = {
    "minimum": ("ge", (int, float)), "maximum": ("le", (int, float)), "min_items": ("min_length", (tuple,)),
    "max_items": ("max_length", (tuple,)), "min_length": ("min_length", (str,)), "max_length": ("max_length", (str,)),
    "pattern": ("pattern", (str,)),
}  # fmt: skip
"""Key of an input: the limit that it sets, and what it may be set on. Those of text go to the items of a list."""


def _target(key: str, made: Shape) -> Shape:
    return made.items if made.items and key in ("min_length", "max_length", "pattern") else made


def _loose(given: Input, made: Shape) -> Iterator[str]:
    """Limits that do not apply, leave nothing, or are wider than those of what the argument is bound to."""
    for key, (limit, bases) in _KEYS.items():
        value, target = getattr(given, key), _target(key, made)
        if value is not UNSET and (wrong := _wrong_limit(value, limit, target, bases)):
            yield f"{key} {wrong}"
    for low, high in (("minimum", "maximum"), ("min_length", "max_length"), ("min_items", "max_items")):
        least, most = getattr(given, low), getattr(given, high)
        if least is not UNSET and most is not UNSET and least > most:
            yield f"{low} = {least} leaves nothing of {high} = {most}"
    if given.choices is not UNSET:
        known = typing.get_args(made.base) if typing.get_origin(made.base) is Literal else None
        if known is None:
            yield "choices does not apply to what it is bound to"
        elif strange := [choice for choice in given.choices if choice not in known]:
            yield f"choices: {strange[0]!r} is not one of {', '.join(map(str, known))}"


def _wrong_limit(value: Any, limit: str, target: Shape, bases: tuple[type, ...]) -> str:
    """What is wrong with one limit; empty when it narrows."""
    if target.base not in bases:
        return "does not apply to what it is bound to"
    if wrong := _no_limit(value, target.base):
        return f"= {value}: {wrong}"
    edge, above = target.limits.get(limit), target.limits.get("gt")
    if limit == "ge" and above is not None and value <= above:
        return f"= {value} is looser than what it is bound to, which must be more than {above}"
    if edge is not None and limit != "pattern" and (value < edge if limit in _LOWER else value > edge):
        return f"= {value} is looser than the {edge} of what it is bound to"
    return ""


def _no_limit(value: Any, base: Any) -> str:
    """Why a value cannot be a limit at all."""
    if isinstance(value, float) and (not math.isfinite(value) or (base is int and not value.is_integer())):
        return "a limit of a whole number is one itself" if base is int else "a limit is a finite number"
    if base is str and isinstance(value, str):
        try:
            re.compile(value)
        except (re.error, OverflowError, RecursionError) as error:
            return f"not a regular expression: {error}"
    return ""


def _narrowed(given: Input, made: Shape) -> Shape:
    for key, (limit, _) in _KEYS.items():
        value = getattr(given, key)
        if value is UNSET:
            continue
        value = int(value) if isinstance(value, float) and made.base is int else value
        kept = {name: own for name, own in _target(key, made).limits.items() if (name, limit) != ("gt", "ge")}
        target = structs.replace(_target(key, made), limits={**kept, limit: value})
        made = structs.replace(made, items=target) if _target(key, made) is made.items else target
    return made if given.choices is UNSET else structs.replace(made, base=Literal[given.choices])


__all__ = ["Place", "argument", "places", "tables"]
