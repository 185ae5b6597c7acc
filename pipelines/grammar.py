"""The tables of a pipeline file and of a prompt, format 1, as structs: what may stand where."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

FORMAT = 1
Form = Literal["markdown", "json", "brief"]
Size = Annotated[int, Meta(ge=0, le=1_000_000)]


class Table(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of every table of the file."""


class Input(Table, frozen=True, kw_only=True):
    """`[input.NAME]`: an argument of the tool. Type, limits, default and description are those of what it is bound to."""

    description: str = ""
    default: Any = UNSET
    required: bool = False
    minimum: int | float | UnsetType = UNSET
    maximum: int | float | UnsetType = UNSET
    min_length: Size | UnsetType = UNSET
    max_length: Size | UnsetType = UNSET
    min_items: Size | UnsetType = UNSET
    max_items: Size | UnsetType = UNSET
    pattern: str | UnsetType = UNSET
    choices: Annotated[tuple[str, ...], Meta(min_length=1)] | UnsetType = UNSET


class Annotations(Table, frozen=True, kw_only=True):
    """`[annotations]`: what a client may take for granted."""

    read_only: bool = True
    open_world: bool


class Request(Table, frozen=True, kw_only=True):
    """`[request]`: arguments that do not map one to one, by the name of their unfold."""

    unfold: str


class File(Table, frozen=True, kw_only=True):
    """The whole file. `feed`, `stage` and `reply` hold options, so that they are checked by what they name.

    Without any stage the reply tells of the server itself, and nothing is fed.
    """

    format: Literal[1]
    name: Annotated[str, Meta(pattern="^[a-z][a-z0-9_]{1,40}$")]
    title: Annotated[str, Meta(min_length=1)]
    description: Annotated[str, Meta(min_length=40)]
    deadline_secs: Annotated[float, Meta(gt=0, le=600)]
    reserve_secs: Annotated[float, Meta(ge=0, le=600)]
    annotations: dict[str, Any]
    input: dict[str, dict[str, Any]] = {}
    feed: dict[str, Any] = {}
    request: dict[str, Any] = {}
    stage: tuple[dict[str, Any], ...] = ()
    reply: dict[str, Any]
    example: tuple[dict[str, Any], ...] = ()


class PromptArgument(Table, frozen=True, kw_only=True):
    """`[argument.NAME]` of a prompt: a text that must be given."""

    description: Annotated[str, Meta(min_length=1)]
    pattern: str | UnsetType = UNSET


class PromptFile(Table, frozen=True, kw_only=True):
    """A whole prompt. `say` are the paragraphs of its message."""

    format: Literal[1]
    name: Annotated[str, Meta(pattern="^[a-z][a-z0-9_]{1,40}$")]
    title: Annotated[str, Meta(min_length=1)]
    description: Annotated[str, Meta(min_length=20)]
    say: Annotated[tuple[Annotated[str, Meta(min_length=1)], ...], Meta(min_length=1)]
    argument: dict[str, dict[str, Any]] = {}


def reference(value: object) -> str:
    """The name in `"$name"`; empty for anything else. `"$$"` stands for a dollar."""
    return value[1:] if isinstance(value, str) and value.startswith("$") and not value.startswith("$$") else ""


def literal(value: Any) -> Any:
    """A value that is no reference, as it is meant."""
    return value[1:] if isinstance(value, str) and value.startswith("$$") else value


__all__ = [
    "FORMAT", "Annotations", "File", "Form", "Input", "PromptArgument", "PromptFile", "Request", "literal", "reference",
]  # fmt: skip
