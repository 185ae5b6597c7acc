"""How well pieces of pages answer a question: BM25 with fields, how the terms stand together, and what stands around a piece.

An answer often has few words of the question in it: they stand in the paragraph before, or in the page's other paragraphs. So a
piece is lifted by its neighbours and by the best piece of its page. Who asks how much wants a number, and who names a site wants
its pages. The weights were chosen on questions over web pages, whole encyclopedia articles, tables, and paragraphs in six
languages together (bench/reading.py); none of them is sharp.
"""

from __future__ import annotations

from math import sqrt

from msgspec import Struct

from stages.text.asked import asks_for_number, has_number, named_in
from stages.text.bm25 import Field, Matches, Query, bm25
from stages.text.words import stems, words

FIELDS = (Field(1.0, 0.75), Field(2.0, 0.5), Field(1.0, 0.5))
"""Text, title, headings."""
COVERAGE = 0.5
PROXIMITY = 0.15
NEIGHBOURS = 0.3
PAGE = 1.0
NUMBER = 0.3
SITE = 1.0
LEAST = 5e-7
"""What rounds to nothing is left out."""


class Piece(Struct, frozen=True):
    """What is scored; `source` tells which pieces are of one page, in order."""

    source: str
    text: str
    title: str = ""
    headings: str = ""


class Scored(Struct, frozen=True):
    """A score and what it is made of; the parts add up to it but for rounding."""

    score: float
    parts: dict[str, float]


def relevance(pieces: list[Piece], question: str, language: str = "") -> list[Scored]:
    """One score per piece, six digits; words are stemmed in `language` (ISO 639-1).

    The parts: bm25, coverage, proximity, number, neighbours, page, site.
    """
    query = Query(question, language)
    found = [(query.find(piece.text), query.find_again(piece.title), query.find_again(piece.headings)) for piece in pieces]
    gains, idf = bm25(found, FIELDS, len(query.terms))
    total = sum(idf) or 1.0
    parts: list[dict[str, float]] = []
    number = NUMBER if asks_for_number(question) else 0.0
    for row, (text, _, _), piece in zip(gains, found, pieces, strict=True):
        plain = sum(row)
        covered = sum(weight for weight, gain in zip(idf, row, strict=True) if gain > 0) / total
        parts.append({"bm25": plain, "coverage": COVERAGE * plain * covered, "proximity": PROXIMITY * _proximity(text, idf)})
        if number and has_number(piece.text):
            parts[-1]["number"] = number * plain
    own = [sum(part.values()) for part in parts]
    sources = [piece.source for piece in pieces]
    _add_surroundings(parts, own, sources)
    _add_site(parts, sources, words(question), dict(zip(query.terms, idf, strict=True)), language)
    return [
        Scored(round(sum(part.values()), 6), {name: round(value, 6) for name, value in part.items() if value >= LEAST})
        for part in parts
    ]


def _proximity(text: Matches, idf: list[float]) -> float:
    """Each pair of different terms that follow one another counts once, at its closest."""
    best: dict[tuple[int, int], float] = {}
    for place in range(len(text.terms) - 1):
        first, second = text.terms[place], text.terms[place + 1]
        if first != second:
            pair = (first, second) if first < second else (second, first)
            value = min(idf[first], idf[second]) / sqrt(text.places[place + 1] - text.places[place])
            best[pair] = max(value, best.get(pair, 0.0))
    return sum(best.values())


def _add_surroundings(parts: list[dict[str, float]], own: list[float], sources: list[str]) -> None:
    """A share of the better neighbour, then of the page's best piece with its neighbours."""
    best: dict[str, float] = {}
    for place, (part, source) in enumerate(zip(parts, sources, strict=True)):
        beside = [own[other] for other in (place - 1, place + 1) if 0 <= other < len(own) and sources[other] == source]
        part["neighbours"] = NEIGHBOURS * max(beside, default=0.0)
        best[source] = max(best.get(source, 0.0), own[place] + part["neighbours"])
    for part, source in zip(parts, sources, strict=True):
        part["page"] = PAGE * best[source]


def _add_site(parts: list[dict[str, float]], sources: list[str], asked: list[str], idf: dict[str, float], language: str) -> None:
    """What the words are worth by which the question names the site of a page."""
    named = {source: stems(tuple(named_in(asked, source)), language) for source in dict.fromkeys(sources)}
    for part, source in zip(parts, sources, strict=True):
        if named[source]:
            part["site"] = SITE * sum(idf.get(term, 0.0) for term in sorted(set(named[source])))
