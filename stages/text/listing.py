"""How well what a list shows of pages (title, snippet, address) fits a query: BM25 with fields, as for passages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from msgspec import Struct

from stages.text.bm25 import Field, Query, bm25
from stages.text.query import Asked, parse
from stages.text.words import guess_language, words

if TYPE_CHECKING:
    from collections.abc import Sequence

FIELDS = (Field(2.0, 0.5), Field(1.0, 0.75), Field(0.5, 0.5))
"""Title, snippet, path of the address. None of the weights is sharp (bench/hits.py)."""
_PHRASE_SHARE = 0.25
"""What of the measure hangs on the phrases in quotes: a snippet is cut, so that one may be missing there alone."""
_ENOUGH = 20
"""Pages that tell the language of a query too short to do so."""
_TITLE, _SNIPPET = 1.0, 0.7
"""What a word counts in the plain share of words."""


class Shown(Struct, frozen=True):
    """What a list shows of a page."""

    url: str
    title: str
    snippet: str


def fitness(query: str, shown: Sequence[Shown]) -> list[float]:
    """One number for each page, from 0 to 1 for the best."""
    asked = parse(query)
    terms, found = _found(asked, shown)
    gains, _ = bm25(found, FIELDS, len(terms.terms))
    phrases = [words(term.text) for group in asked.groups for term in group if term.phrase]
    raw = [sum(row) * _with_phrases(page, phrases) for row, page in zip(gains, shown, strict=True)]
    most = max(raw, default=0.0)
    return [value / most if most else 0.0 for value in raw]


def word_share(query: str, shown: Sequence[Shown]) -> list[float]:
    """The share of the query's words in title and snippet, by how rare they are among the pages; a title counts more."""
    terms, found = _found(parse(query), shown)
    _, idf = bm25(found, FIELDS, len(terms.terms))
    total = sum(idf) or 1.0
    shares = []
    for title, snippet, _ in found:
        in_title, in_snippet = set(title.terms), set(snippet.terms)
        held = (
            weight * (_TITLE if term in in_title else _SNIPPET if term in in_snippet else 0.0) for term, weight in enumerate(idf)
        )
        shares.append(sum(held) / total)
    return shares


def _found(asked: Asked, shown: Sequence[Shown]) -> tuple[Query, list[tuple]]:  # type: ignore[type-arg]
    told = guess_language(asked.text) or guess_language(" ".join(f"{page.title} {page.snippet}" for page in shown[:_ENOUGH]))
    terms = Query(asked.text, asked.language or told or "en")
    return terms, [(terms.find(page.title), terms.find(page.snippet), terms.find(_path(page.url))) for page in shown]


def _path(url: str) -> str:
    return re.sub(r"[^\w]+|_", " ", unquote(url.partition("//")[2].partition("/")[2]))


def _with_phrases(page: Shown, phrases: list[list[str]]) -> float:
    if not phrases:
        return 1.0
    told = words(f"{page.title} \u2016 {page.snippet}")
    held = sum(any(told[at : at + len(phrase)] == phrase for at in range(len(told))) for phrase in phrases)
    return 1 - _PHRASE_SHARE + _PHRASE_SHARE * held / len(phrases)
