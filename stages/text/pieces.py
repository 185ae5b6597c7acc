"""Where a markdown text is cut into pieces of about one size, and under which headings each stands."""

from __future__ import annotations

from msgspec import Struct

from stages.text.blocks import Block, blocks, heading_text, lines, sentences
from stages.text.tokens import count_all, truncate

WHOLE = 3
"""Fences and tables stay whole up to this many times the size asked for."""
ENOUGH = 3
"""A heading ends a piece once that holds one part in three of the size."""

MOST_TOKENS = 4
"""No code point is more tokens than it has bytes in UTF-8."""
WINDOW = 16
"""Characters per token that are looked at to fill a piece: longer tokens are runs of blanks."""


class Span(Struct, frozen=True):
    """A piece: `text[start:end]`, neither beginning nor ending with white space lines; `headings` from the outermost."""

    start: int
    end: int
    headings: tuple[str, ...] = ()


class _Unit(Struct, frozen=True):
    """What packing does not take apart."""

    start: int
    end: int
    tokens: int
    level: int = 0


def pieces(text: str, size: int) -> list[Span]:
    """The spans, in order, without overlap; together they hold every line that is not blank."""
    packer = _Packer(text, size)
    for unit in _units(text, size):
        packer.add(unit)
    return packer.done()


class _Packer:
    """Fills one piece after the other. `_head` counts the headings at its end, which a cut carries over."""

    def __init__(self, text: str, size: int) -> None:
        self._text = text
        self._size = size
        self._spans: list[Span] = []
        self._units: list[_Unit] = []
        self._held = 0
        self._path: list[tuple[int, str]] = []
        self._headings: tuple[str, ...] = ()

    def add(self, unit: _Unit) -> None:
        body = any(not held.level for held in self._units)
        if unit.level:
            if body and self._held * ENOUGH >= self._size:
                self._cut()
            self._path = [part for part in self._path if part[0] < unit.level]
            self._path.append((unit.level, heading_text(self._text[unit.start : unit.end])))
        elif body and self._held + unit.tokens > self._size:
            self._cut()
        if not any(not held.level for held in self._units):
            self._headings = tuple(name for _, name in self._path if name)
        self._units.append(unit)
        self._held += unit.tokens

    def _cut(self) -> None:
        """End the piece; headings that nothing followed yet begin the next one."""
        last = max((n for n, unit in enumerate(self._units) if not unit.level), default=len(self._units) - 1)
        body, self._units = self._units[: last + 1], self._units[last + 1 :]
        self._held = sum(unit.tokens for unit in self._units)
        self._spans.append(Span(body[0].start, body[-1].end, self._headings))

    def done(self) -> list[Span]:
        """The spans; headings at the very end stay with what came before them."""
        if self._units and not any(not unit.level for unit in self._units) and self._spans:
            last = self._spans[-1]
            self._spans[-1] = Span(last.start, self._units[-1].end, last.headings)
        elif self._units:
            self._spans.append(Span(self._units[0].start, self._units[-1].end, self._headings))
        return self._spans


def _units(text: str, size: int) -> list[_Unit]:
    """Blocks, the long ones taken apart."""
    found = blocks(text)
    counts = count_all(text[block.start : block.end] for block in found)
    units: list[_Unit] = []
    for block, tokens in zip(found, counts, strict=True):
        if tokens <= (size * WHOLE if block.kind in ("fence", "table") else size):
            units.append(_Unit(block.start, block.end, tokens, block.level))
        else:
            units += _counted(text, _taken_apart(text, block, size))
    return units


def _counted(text: str, spans: list[tuple[int, int]]) -> list[_Unit]:
    counts = count_all(text[start:end] for start, end in spans)
    return [_Unit(start, end, tokens) for (start, end), tokens in zip(spans, counts, strict=True)]


def _taken_apart(text: str, block: Block, size: int) -> list[tuple[int, int]]:
    """Lines of a table, paragraphs or lines of a fence, else sentences; what is still too long is cut by tokens."""
    parts = lines(text, block.start, block.end)
    if block.kind in ("text", "item"):
        parts = [part for line in parts for part in sentences(text, *line)]
    limit = size * WHOLE
    return [part for span in parts for part in _within(text, span, limit)]


def _within(text: str, span: tuple[int, int], limit: int) -> list[tuple[int, int]]:
    """The span in parts of at most so many tokens, cut after white space where there is some."""
    start, end = span
    parts = []
    while (end - start) * MOST_TOKENS > limit:
        window = text[start : min(end, start + limit * WINDOW)]
        kept = truncate(window, limit)
        if len(kept) == end - start or not kept:
            break
        space = kept.rfind(" ", len(kept) // 2)
        stop = start + (space + 1 if space > 0 else len(kept))
        parts.append((start, stop))
        start = stop
    parts.append((start, end))
    return parts
