"""What people search for, in eleven languages (phrases.txt): to say a query's words in another one, or otherwise in the same."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from stages.text.words import fold, stems

if TYPE_CHECKING:
    from collections.abc import Sequence

UNSPACED = frozenset({"ja", "zh"})
_SIGNS = "?!.,;:()[]\u2026\u3002\uff1f\uff01\u3001\u00bf\u00a1\"'"


class Phrase(Struct, frozen=True):
    """A thing of the book at `start:end` of the words; `way` is the number of the way in which it is said there."""

    start: int
    end: int
    thing: int
    way: int


@lru_cache(maxsize=1)
def _book() -> tuple[tuple[str, ...], tuple[tuple[tuple[str, ...], ...], ...]]:
    """The languages, and each thing's ways to say it by language."""
    lines = Path(__file__).with_name("phrases.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split("|") for line in lines if line[:1] != "#"]
    return tuple(rows[0]), tuple(tuple(tuple(cell.split(",")) for cell in row) for row in rows[1:])


def languages() -> tuple[str, ...]:
    """Those of the book (ISO 639-1)."""
    return _book()[0]


def ways(thing: int, language: str) -> tuple[str, ...]:
    """How to say it, best first."""
    return _book()[1][thing][languages().index(language)]


def pieces(text: str, language: str) -> list[str]:
    """The words of a text as the book compares them: of scripts without spaces each character."""
    return [sign for sign in text if not sign.isspace()] if language in UNSPACED else text.split()


def find(words: Sequence[str], language: str) -> list[Phrase]:
    """The things that are named, the longest first where they overlap; inflections count as the same."""
    known = _index(language)
    told = _forms(words, language)
    found: list[Phrase] = []
    start = 0
    while start < len(told):
        for end in range(min(len(told), start + known.longest), start, -1):
            place = known.things.get(tuple(told[start:end]))
            if place is not None:
                found.append(Phrase(start, end, *place))
                start = end
                break
        else:
            start += 1
    return found


class _Index(Struct, frozen=True):
    things: dict[tuple[str, ...], tuple[int, int]]
    longest: int


@lru_cache(maxsize=16)
def _index(language: str) -> _Index:
    things: dict[tuple[str, ...], tuple[int, int]] = {}
    for thing in range(len(_book()[1])):
        for way, said in enumerate(ways(thing, language)):
            things.setdefault(tuple(_forms(pieces(said, language), language)), (thing, way))
    return _Index(things, max(map(len, things)))


def _forms(words: Sequence[str], language: str) -> list[str]:
    folded = [fold(word).strip(_SIGNS) for word in words]
    return folded if language in UNSPACED else stems(folded, language)
