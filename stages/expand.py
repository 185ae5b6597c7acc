"""Turn a question into several ways to ask it: as it stands, and as keywords.

Reads Question, writes Query. The original comes first and weighs most. No failures.
"""

from __future__ import annotations

import re
from typing import Annotated

from msgspec import Meta

from stages.core.stage import Options as StageOptions
from stages.core.stage import each
from stages.records import Query, Question, record_id

_QUOTED = re.compile(
    '"([^"]{1,200})"|[\u201c\u201e]([^\u201c\u201d\u201e]{1,200})[\u201c\u201d]|\u00ab([^\u00ab\u00bb]{1,200})\u00bb'
)
_LOOSE_ENDS = "?!.,;:()[]{}\u2026\u3002\uff1f\uff01\u3001\u00bf\u00a1'\u2019\u2018*_"
_KEYWORDS_WEIGHT = 0.7
_MIN_KEYWORDS = 2


class Options(StageOptions, frozen=True):
    """Options of `expand`."""

    queries: Annotated[int, Meta(ge=1, le=8, description="Queries made of one question at most.")] = 4


@each(keeps=True)
def expand(question: Question, options: Options) -> list[Query]:
    """One question, its queries, best first."""
    from stages.text.words import guess_language

    text = " ".join(question.text.split())
    language = question.language or guess_language(text)
    variants = [("original", text, 1.0), ("keywords", _keywords(text, language), _KEYWORDS_WEIGHT)]
    seen: set[str] = set()
    queries = []
    for derived, variant, weight in variants:
        form = " ".join(variant.casefold().strip(_LOOSE_ENDS).split())
        if variant and form not in seen:
            seen.add(form)
            queries.append(_query(question, language, derived, variant, weight))
    return queries[: options.queries]


def _query(question: Question, language: str, derived: str, text: str, weight: float) -> Query:
    return Query(
        text=text,
        derived=derived,
        weight=weight,
        question=record_id(question),
        language=language,
        region=question.region,
        freshness=question.freshness,
        include_domains=question.include_domains,
        exclude_domains=question.exclude_domains,
        published_after=question.published_after,
    )


def _keywords(text: str, language: str) -> str:
    """The text without stop words. Phrases in quotes (made straight), numbers and capitalised words inside a sentence stay.

    Empty when one word is left, which would be a vaguer question.
    """
    kept: list[str] = []
    at = 0
    for quoted in _QUOTED.finditer(text):
        kept += _plain_keywords(text[at : quoted.start()], language, starts=at == 0)
        kept.append(f'"{(quoted[1] or quoted[2] or quoted[3]).strip()}"')
        at = quoted.end()
    kept += _plain_keywords(text[at:], language, starts=at == 0)
    return " ".join(kept) if len(kept) >= _MIN_KEYWORDS else ""


def _plain_keywords(text: str, language: str, *, starts: bool) -> list[str]:
    from stages.text.words import fold, stop_words

    stop = stop_words(text, language)
    kept = []
    sentence_start = starts
    for token in text.split():
        word = token.strip(_LOOSE_ENDS)
        named = word[:1].isupper() and not sentence_start and (len(word) > 1 or word != "I")
        if word and (named or not _is_stop(fold(word), stop)):
            kept.append(_without_possessive(word))
        sentence_start = token[-1:] in ".?!:"
    return kept


def _is_stop(word: str, stop: frozenset[str]) -> bool:
    """`l'eau` is kept, `what's` is not: every part has to be a stop word."""
    return all(part in stop for part in re.split(r"['\u2019]", word) if part)


def _without_possessive(word: str) -> str:
    return re.sub(r"['\u2019]s$", "", word)
