"""Whether an answer is about the query at all: engines answer 200 with a page about something else, for other people's words.

Every rule has to spare honest answers: compounds and inflections (a word's beginning counts), scripts without spaces (pairs of
characters), short queries (fewer rules), snippets that show a part of the words.
"""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING
from urllib.parse import unquote

from stages.core.errors import StageError
from stages.text.urls import registrable_domain
from stages.text.words import content_words, fold

if TYPE_CHECKING:
    from stages.records import Hit
    from stages.text.query import Asked

_BEGINNING = 5
"""Letters of a longer word that speak for it: `Versicherungen` is in `Haftpflichtversicherung`."""
_FEW = 5
"""Hits of which less can be said than of a full page."""
_MANY_WORDS = 4
_HALF = 0.5
_NEARLY_NONE = 0.2
_NEARLY_ALL = 0.8


def check_relevance(hits: list[Hit], asked: Asked, language: str) -> None:
    """Raise StageError `irrelevant` for results that have nothing to do with the query."""
    needles = _needles(asked, language)
    if not needles or not hits:
        return
    covered = [_covered(hit, needles) for hit in hits]
    if not any(covered):
        raise StageError("irrelevant", "no result has any word of the query")
    if len(hits) < _FEW or len(needles) == 1 or _headlines(hits):
        return
    with_any = sum(map(bool, covered)) / len(hits)
    if with_any <= _NEARLY_NONE:
        raise StageError("irrelevant", f"{sum(map(bool, covered))} of {len(hits)} results have any word of the query")
    shown = set().union(*covered)
    if len(shown) == 1 and len(needles) >= _MANY_WORDS and all(needle.isascii() for needle in needles):
        raise StageError("irrelevant", f"all results are about {shown.pop()!r} alone")
    site, count = Counter(registrable_domain(hit.url) for hit in hits).most_common(1)[0]
    alone = count >= _NEARLY_ALL * len(hits) and not asked.sites and not any(needle in site for needle in needles)
    if alone and median(map(len, covered)) < _HALF * len(needles):
        raise StageError("irrelevant", f"{count} of {len(hits)} results are of {site}, and few words of the query are in them")


def _headlines(hits: list[Hit]) -> bool:
    """Whether these are reports of which only the headline is shown: that need not have the words of the report."""
    return hits[0].kind == "news" and sum(not hit.snippet for hit in hits) > _HALF * len(hits)


def _needles(asked: Asked, language: str) -> list[str]:
    words = content_words(" ".join([asked.text, *(term.text for term in asked.intitle)]), language)
    return list(dict.fromkeys(word[:_BEGINNING] if word.isalpha() and len(word) > _BEGINNING else word for word in words))


def _covered(hit: Hit, needles: list[str]) -> set[str]:
    text = fold(f"{hit.title} {hit.snippet} {unquote(hit.url)}")
    return {needle for needle in needles if needle in text}
