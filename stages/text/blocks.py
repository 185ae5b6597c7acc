"""Markdown as blocks with exact places: what may be cut apart and what must stay whole.

Only what matters for cutting is told apart; inline markup is left alone. `text[block.start:block.end]` is the block, without the
newline at its end; blocks are in order, do not overlap, and hold every line that is not blank.
"""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

Kind = Literal["heading", "fence", "table", "item", "text"]

_line = re.compile(r"[^\n]*\n|[^\n]+\Z")
_fence = re.compile(r"\s*(?:[-*+] |\d+[.)] |> ?)*(`{3,}|~{3,})")
_heading = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|$)")
_item = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])[ \t]")
_sentence = re.compile(
    "(?<=[.!?\u2026\u061f\u06d4\u0964])[\"'\u201d\u2019\u00bb)\\]]*\\s+|(?<=[\u3002\uff01\uff1f])[\u300d\u300f\u201d\u2019\uff09]*\\s*"
)
"""Where a sentence ends: Latin, Arabic, Urdu and Hindi signs before white space, those of Chinese and Japanese anywhere."""
_closing = " \t#"


class Block(Struct, frozen=True):
    """One block of a text; `level` is that of a heading, 1 to 6."""

    kind: Kind
    start: int
    end: int
    level: int = 0


def blocks(text: str) -> list[Block]:
    """Every block of a markdown text. An item is one line and what is indented below it up to the next item."""
    found: list[Block] = []
    fence, opened = "", 0
    previous: Kind | None = None
    for match in _line.finditer(text):
        start, end = match.start(), match.end() - match.group().endswith("\n")
        line = text[start:end]
        if fence:
            if _closes(line, fence):
                found.append(Block("fence", opened, end))
                fence = ""
            continue
        if not line.strip():
            previous = None
            continue
        kind, level = _kind(line)
        if kind == "fence":
            fence, opened, previous = _fence.match(line)[1], start, None  # type: ignore[index]
        elif (kind == previous and kind in ("text", "table")) or (kind == "text" and previous == "item"):
            found[-1] = Block(found[-1].kind, found[-1].start, end)
        else:
            found.append(Block(kind, start, end, level))
            previous = None if kind == "heading" else kind
    if fence:
        found.append(Block("fence", opened, opened + len(text[opened:].rstrip())))
    return found


def heading_text(line: str) -> str:
    """What a heading says: `## The *end* ##` gives `The *end*`."""
    return line.strip().lstrip("#").strip(_closing)


def lines(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Places of the lines that are not blank within a span."""
    return [(m.start(), m.end()) for m in re.compile(r"[^\n]+").finditer(text, start, end) if m.group().strip()]


def sentences(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Places of the sentences within a span, in any of the scripts that mark their ends."""
    found, begin = [], start
    for match in _sentence.finditer(text, start, end):
        if match.start() > begin:
            found.append((begin, match.start() + len(match.group().rstrip())))
            begin = match.end()
    if text[begin:end].strip():
        found.append((begin, end))
    return found


def _kind(line: str) -> tuple[Kind, int]:
    heading = _heading.match(line)
    if heading:
        return "heading", len(heading[1])
    if _fence.match(line):
        return "fence", 0
    if line.lstrip().startswith("|"):
        return "table", 0
    return ("item" if _item.match(line) else "text"), 0


def _closes(line: str, fence: str) -> bool:
    """A fence ends with at least as many of its own signs, alone on a line."""
    stripped = line.strip(" \t>")
    return len(stripped) >= len(fence) and not stripped.strip(fence[0])
