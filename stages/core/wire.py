"""NDJSON in and out. Lenient: a line whose type is unknown, or that no stage here reads, passes byte for byte.

A line is decoded by the first stage that reads it, so what merely passes costs one look at its `type`.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from stages.core.errors import InputError
from stages.records import BY_TAG, Record, encode, tag

MAX_LINE_BYTES = 128 << 20
"""A page of 64 MB in base64, and room. A longer line is refused before it fills the memory."""


class Line(Struct, frozen=True):
    """A record as it came: its type, its bytes without the newline, and its number in the input."""

    tag: str
    raw: bytes
    number: int = 0


Item = Record | Line
"""What flows between stages."""


class _Head(Struct):
    type: str


_head = msgspec.json.Decoder(_Head)
_decoders: dict[str, msgspec.json.Decoder[Any]] = {}


def item_tag(item: Item) -> str:
    """The type of what flows, decoded or not."""
    return item.tag if isinstance(item, Line) else tag(item)


def parse_line(raw: bytes, number: int) -> Line:
    """A line of JSON with its type looked up, nothing more. Raises InputError."""
    try:
        return Line(_head.decode(raw).type, raw, number)
    except msgspec.ValidationError:
        raise InputError(
            number, 'no "type": every line is an object with a "type", such as {"type":"question","text":"…"}'
        ) from None
    except msgspec.DecodeError as error:
        raise InputError(number, f"not JSON ({str(error).removeprefix('JSON is malformed: ')})") from None


def decoded(item: Item) -> Record:
    """The record behind a line whose type is known. Raises InputError for one with wrong fields."""
    if not isinstance(item, Line):
        return item
    decoder = _decoders.get(item.tag)
    if decoder is None:
        decoder = _decoders[item.tag] = msgspec.json.Decoder(BY_TAG[item.tag])
    try:
        record: Record = decoder.decode(item.raw)
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise InputError(item.number, f"not a {item.tag}: {error}") from None
    return record


def encoded(item: Item) -> bytes:
    """One line with its newline."""
    return (item.raw if isinstance(item, Line) else encode(item)) + b"\n"
