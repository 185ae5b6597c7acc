"""How well pieces of pages answer a question: BM25 with fields, and what stands around a piece."""

from __future__ import annotations

from msgspec import Struct

from stages.text.bm25 import Field, Query, bm25
from stages.text.words import guess_language

FIELDS = (Field(1.0, 0.75), Field(1.0, 0.5), Field(0.5, 0.5))
"""Text, title, headings."""


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
    """One score per piece, six digits."""
    query = Query(question, language or guess_language(question) or "en")
    found = [(query.find(piece.text), query.find(piece.title), query.find(piece.headings)) for piece in pieces]
    gains, _ = bm25(found, FIELDS, len(query.terms))
    return [Scored(round(sum(row), 6), {"bm25": round(sum(row), 6)}) for row in gains]
