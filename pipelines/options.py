"""What an option struct says about itself: the one source of flags, help, tables and error messages."""

from __future__ import annotations

import re
from typing import Any, Literal, TypeVar

import msgspec
import msgspec.inspect as types
from msgspec import Struct

from stages.core.errors import UsageError

S = TypeVar("S", bound=Struct)
_SURROGATE = re.compile("[\ud800-\udfff]")
Kind = Literal["whole number", "number", "text", "switch", "choice", "list"]


class Option(Struct, frozen=True, kw_only=True):
    """One option. `low` and `high` are None where there is no limit; `above` means that `low` itself is too little."""

    name: str
    kind: Kind
    description: str = ""
    default: Any = None
    required: bool = False
    low: float | None = None
    high: float | None = None
    above: bool = False
    choices: tuple[str, ...] = ()

    @property
    def flag(self) -> str:
        """`--timeout-secs`."""
        return "--" + self.name.replace("_", "-")

    @property
    def limits(self) -> str:
        """`1 to 64`, `above 0, at most 600`, or nothing."""
        low, high = (f"{limit:.12g}" if limit is not None else "" for limit in (self.low, self.high))
        if low and high and not self.above:
            return f"{low} to {high}"
        least = f"{'above' if self.above else 'at least'} {low}" if low else ""
        return ", ".join(part for part in (least, f"at most {high}" if high else "") if part)

    @property
    def words(self) -> tuple[str, ...]:
        """The choices that one would type; the empty one is what leaving the option out says."""
        return tuple(choice for choice in self.choices if choice)

    @property
    def default_text(self) -> str:
        """The default as one would type it; empty when there is nothing to show."""
        if self.required or self.default is None or self.default in ("", ()):
            return ""
        if isinstance(self.default, bool):
            return "yes" if self.default else "no"
        if isinstance(self.default, tuple):
            return ",".join(self.default)
        return f"{self.default:g}" if isinstance(self.default, float) else f"{self.default}"

    @property
    def help(self) -> str:
        """Description, limits and default in one line."""
        default = f"default {self.default_text}" if self.default_text else ""
        extra = ", ".join(part for part in ("required" if self.required else "", self.limits, default) if part)
        return f"{self.description.removesuffix('.')} ({extra})." if extra else self.description


def options_of(struct: type[Struct]) -> tuple[Option, ...]:
    """The options that a struct declares; its own before those that it inherits."""
    bases = [base for base in struct.__mro__[1:] if issubclass(base, Struct) and base is not Struct]
    inherited = {name for base in bases for name in base.__struct_fields__}
    info = types.type_info(struct)
    if not isinstance(info, types.StructType):
        raise TypeError(f"{struct} is no struct")
    return tuple(_option(field) for field in sorted(info.fields, key=lambda field: field.name in inherited))


def _option(field: types.Field) -> Option:
    inner, description = field.type, ""
    if isinstance(inner, types.Metadata):
        description, inner = (inner.extra_json_schema or {}).get("description", ""), inner.type
    if isinstance(inner, types.UnionType):
        inner = next(part for part in inner.types if not isinstance(part, types.NoneType))
    low = high = None
    above = False
    if isinstance(inner, (types.IntType, types.FloatType)):
        above = inner.ge is None and inner.gt is not None
        low, high = inner.gt if above else inner.ge, inner.le
    return Option(
        name=field.name,
        kind=_kind(inner),
        description=description,
        default=None if field.default is msgspec.NODEFAULT else field.default,
        required=field.required,
        low=low,
        high=high,
        above=above,
        choices=tuple(str(value) for value in inner.values) if isinstance(inner, types.LiteralType) else (),
    )


def _kind(inner: types.Type) -> Kind:
    for known, kind in _KINDS.items():
        if isinstance(inner, known):
            return kind
    raise TypeError(f"an option cannot be of type {inner}")


_KINDS: dict[type[types.Type], Kind] = {
    types.IntType: "whole number",
    types.FloatType: "number",
    types.StrType: "text",
    types.BoolType: "switch",
    types.LiteralType: "choice",
    types.VarTupleType: "list",
}


def checked(struct: type[S], values: dict[str, Any], origin: str = "") -> S:
    """A struct from what was typed. Raises UsageError that names the option and its limits."""
    for name, value in values.items():
        if not all(map(is_text, value if isinstance(value, (list, tuple)) else (value,))):
            raise UsageError(f"{origin or '--' + name.replace('_', '-')}: {value!r} is not text in UTF-8")
    try:
        return msgspec.convert(values, struct, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(_complaint(struct, values, str(error), origin)) from None


def is_text(value: object) -> bool:
    """Whether a value that was typed can be written down: bytes that are not UTF-8 arrive as halves of surrogates."""
    return not isinstance(value, str) or not _SURROGATE.search(value)


def _complaint(struct: type[Struct], values: dict[str, Any], message: str, origin: str) -> str:
    place = re.search(r"`\$\.(\w+)", message) or re.search(r"field `(\w+)`", message)
    option = next((option for option in options_of(struct) if place and option.name == place[1]), None)
    if option is None:
        return message
    if option.name not in values:
        return f"{option.flag} is required: {option.description}"
    expected = f"one of {', '.join(option.words)}" if option.choices else f"a {option.kind}"
    limits = f", {option.limits}" if option.limits else ""
    return f"{origin or option.flag}: {values[option.name]!r} is not {expected}{limits}"


def suggestion(word: str, known: tuple[str, ...]) -> str:
    """`; did you mean --parallel?`, or nothing when no known word is near."""
    from difflib import get_close_matches

    near = get_close_matches(word, known, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def alternatives(word: str, known: tuple[str, ...]) -> str:
    """The near word, as `suggestion` has it, or else `; there are …` and all of them."""
    return suggestion(word, known) or f"; there are {', '.join(known)}"
