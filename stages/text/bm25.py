"""BM25 with fields, over any pieces of any pages at once, so that scores of different pages can be compared.

BM25F (Robertson, Zaragoza, Taylor 2004): each field's count is weighted and divided by its length before the counts of a term are
summed and saturated once. What a query term is worth (idf) comes from the pieces themselves.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct

from stages.text.words import content_words, stems, words

if TYPE_CHECKING:
    from collections.abc import Sequence

K1 = 1.2


class Field(Struct, frozen=True):
    """How a field counts: its weight, and how far a long field is held against a term in it (0 not at all, 1 fully)."""

    weight: float
    b: float


class Matches(Struct, frozen=True):
    """Where the query's terms stand in one text: `places[i]` is a word's place, `terms[i]` the number of its term."""

    places: tuple[int, ...]
    terms: tuple[int, ...]
    length: int
    """Words in the text."""


class _Numbers(dict[str, int]):
    """Word -> number of its query term, or -1; a word is looked into when it is first met."""

    def __init__(self, terms: tuple[str, ...], language: str) -> None:
        super().__init__()
        self._language = language
        self._terms = {term: number for number, term in enumerate(terms)}
        self._initials = {term[0] for term in terms}

    def __missing__(self, word: str) -> int:
        """Stemmers rewrite ends: only words that begin as a term does are stemmed (Arabic ones all)."""
        number = -1
        if word[0] in self._initials or self._language == "ar":
            number = self._terms.get(stems((word,), self._language)[0], -1)
        self[word] = number
        return number


class Query:
    """A question's terms, ready to be found in texts. Words are compared by their stems in the question's language."""

    def __init__(self, text: str, language: str) -> None:
        self.terms: tuple[str, ...] = tuple(dict.fromkeys(stems(content_words(text, language), language)))
        self._numbers = _Numbers(self.terms, language)
        self._known: dict[str, Matches] = {}

    def find(self, text: str) -> Matches:
        """Where the terms stand in a text."""
        listed = words(text)
        found = [(place, number) for place, number in enumerate(map(self._numbers.__getitem__, listed)) if number >= 0]
        return Matches(tuple(place for place, _ in found), tuple(number for _, number in found), len(listed))

    def find_again(self, text: str) -> Matches:
        """The same for a text that comes many times: titles, headings."""
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = self.find(text)
        return known


def bm25(found: Sequence[tuple[Matches, ...]], fields: tuple[Field, ...], terms: int) -> tuple[list[list[float]], list[float]]:
    """Per piece the gain of each term, and each term's idf. `found[i]` holds a piece's matches per field."""
    averages = [max(1.0, sum(piece[number].length for piece in found) / max(1, len(found))) for number in range(len(fields))]
    weighted: list[list[float]] = []
    holders = [0] * terms
    for piece in found:
        row = [0.0] * terms
        for field, average, matches in zip(fields, averages, piece, strict=True):
            if matches.terms:
                scale = field.weight / (1 - field.b + field.b * matches.length / average)
                for term, count in Counter(matches.terms).items():
                    row[term] += count * scale
        weighted.append(row)
        for term, value in enumerate(row):
            holders[term] += value > 0
    idf = [math.log(1 + (len(found) - held + 0.5) / (held + 0.5)) for held in holders]
    return [[idf[term] * value * (K1 + 1) / (K1 + value) for term, value in enumerate(row)] for row in weighted], idf
