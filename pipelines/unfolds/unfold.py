"""What an unfold is: a typed request of a published interface, and a pure function to what the stages are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from pipelines.cursor import Result
from stages.records import Notice, Record


class Unfolded(Struct, frozen=True, kw_only=True):
    """What a request comes to. `values` are what the file's `"$name"` stand for; `deadline_secs` of None leaves the file's."""

    records: tuple[Record, ...]
    values: dict[str, Any] = {}
    deadline_secs: float | None = None
    notices: tuple[Notice, ...] = ()


class Unfold(Struct, frozen=True, kw_only=True):
    """An unfold by its name. `gives` are the names of its values, `feeds` the kinds of its records."""

    name: str
    arguments: type[Struct]
    gives: tuple[str, ...]
    feeds: tuple[type[Record], ...]
    call: Callable[[Any], Unfolded]
    """Raises Rejected for what the published interface refuses as a whole."""
    cursors: Callable[[Any], tuple[str, ...]] | None = None
    """From the request: the cursors in it that are to be looked up. Raises Rejected."""
    resume: Callable[[Any, Mapping[str, Result]], Unfolded] | None = None
    """In place of `call` where there are `cursors`: the request, and what each of them leads into, if that is still kept."""
    refusal: str = ""
    """The first line that the published interface answers arguments with that do not fit; our own where it is empty."""


def lowered(option: str, asked: object, used: object) -> Notice:
    """What a clamped argument leaves behind."""
    message = f"{option} was {asked}, and {used} is used"
    return Notice(stage="request", code="limit_lowered", message=message, option=option, asked=str(asked), used=str(used))


def clamped(option: str, asked: int, default: int, limits: tuple[int, int], notices: list[Notice]) -> int:
    """The value moved inside of its limits, with a Notice; the default for zero and less."""
    if asked <= 0:
        return default
    used = min(max(asked, limits[0]), limits[1])
    if used != asked:
        notices.append(lowered(option, asked, used))
    return used


__all__ = ["Unfold", "Unfolded", "clamped", "lowered"]
