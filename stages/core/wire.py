"""NDJSON in and out. Lenient: a line whose type is unknown, or that no stage here reads, passes byte for byte.

A line is decoded by the first stage that reads it, so what merely passes costs one look at its `type`.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from stages.core.errors import InputError
from stages.records import BY_TAG, Page, Record, encode, tag

MAX_LINE_BYTES = 128 << 20
"""A page of 64 MB in base64, and room. A longer line is refused before it fills the memory."""


class Line(Struct, frozen=True):
    """A record as it came: its type and its bytes without the newline; `record` where a stage here reads that type."""

    tag: str
    raw: bytes
    record: Record | None = None


Item = Record | Line
"""What flows between stages."""


class _Head(Struct):
    type: str


_head = msgspec.json.Decoder(_Head)
_decoders: dict[str, msgspec.json.Decoder[Any]] = {}


def item_tag(item: Item) -> str:
    """The type of what flows, decoded or not."""
    return item.tag if isinstance(item, Line) else tag(item)


def parse_line(raw: bytes, number: int, wanted: frozenset[str]) -> Line:
    """A line of JSON; decoded now if its type is `wanted`, so that a wrong field is found where the line number is known."""
    try:
        kind = _head.decode(raw).type
        return Line(kind, raw, _decoder(kind).decode(raw) if kind in wanted else None)
    except msgspec.ValidationError as error:
        raise InputError(number, _explained(raw, error)) from None
    except msgspec.DecodeError as error:
        raise InputError(number, f"not JSON ({str(error).removeprefix('JSON is malformed: ')})") from None
    except RecursionError:
        raise InputError(number, "nested too deep to be a record") from None


def _decoder(kind: str) -> msgspec.json.Decoder[Any]:
    if kind not in _decoders:
        _decoders[kind] = msgspec.json.Decoder(BY_TAG[kind])
    return _decoders[kind]


def _explained(raw: bytes, error: msgspec.ValidationError) -> str:
    try:
        return f"not a {_head.decode(raw).type}: {error}"
    except msgspec.ValidationError:
        return 'no "type": every line is an object with a "type", such as {"type":"question","text":"…"}'


def decoded(item: Item) -> Record:
    """The record behind an item whose type some stage of this process reads."""
    if not isinstance(item, Line):
        return item
    record: Record = item.record if item.record is not None else _decoder(item.tag).decode(item.raw)
    return record


def weight(item: Item) -> int:
    """Bytes that it keeps in memory, about."""
    if isinstance(item, Line):
        return len(item.raw)
    return len(item.body) + 1024 if isinstance(item, Page) else 1024


def encoded(item: Item) -> bytes:
    """One line with its newline."""
    return (item.raw if isinstance(item, Line) else encode(item)) + b"\n"
