"""Order passages by how well they answer the question.

Reads Question (and passes it on) and Passage, writes Passage and Drop. BM25 pooled over all passages of all pages, so that scores
of different pages compare: Unicode words, bigrams for scripts without spaces, stems, stop words left out of the query, fields for
title and headings. Best first, ties by input order; of several questions the best score counts. `parts` says what made the score.
Without any question the order stays and no score is given. Drops: duplicate (the same text again), over_limit (beyond `keep`).
Fails with nothing.
"""

from __future__ import annotations

from collections import Counter
from typing import Annotated

import msgspec
from msgspec import Meta

from stages.core.stage import Options as Base
from stages.core.stage import whole
from stages.records import Drop, Passage, Question
from stages.text.relevance import Piece, Scored, relevance
from stages.text.words import guess_language


class Options(Base, frozen=True):
    """How many passages go on, and what for."""

    keep: Annotated[int, Meta(ge=1, le=200, description="Passages that go on at most.")] = 40
    question: Annotated[str, Meta(max_length=2000, description="A question to rank by, besides those in the input.")] = ""


@whole(keeps=(Question,), lifts=("sanitize", "extract", "chunk"))
def rank(records: list[Question | Passage], options: Options) -> list[Passage | Drop]:
    """Score, order, cut off."""
    passages, drops = _distinct([record for record in records if isinstance(record, Passage)])
    asked = [(record.text, record.language) for record in records if isinstance(record, Question)]
    if options.question.strip():
        asked.append((options.question, ""))
    ranked = _ranked(passages, asked) if asked else passages
    cut = [Drop(stage="rank", subject=passage.url, reason="over_limit", message=passage.id) for passage in ranked[options.keep :]]
    return [*ranked[: options.keep], *drops, *cut]


def _distinct(passages: list[Passage]) -> tuple[list[Passage], list[Drop]]:
    """The first of each text; the others say nothing new."""
    first: dict[str, Passage] = {}
    again = [passage for passage in passages if first.setdefault(passage.text, passage) is not passage]
    return list(first.values()), [
        Drop(stage="rank", subject=passage.url, reason="duplicate", message=f"{passage.id} repeats {first[passage.text].id}")
        for passage in again
    ]


def _ranked(passages: list[Passage], asked: list[tuple[str, str]]) -> list[Passage]:
    pieces = [
        Piece(source=passage.url, text=passage.text, title=passage.title, headings=" ".join(passage.headings))
        for passage in passages
    ]
    best: list[Scored] = []
    spoken = Counter(passage.language for passage in passages if passage.language).most_common(1)
    for text, language in asked:
        known = language.lower().partition("-")[0] or guess_language(text)
        scored = relevance(pieces, text, known or (spoken[0][0] if spoken else "en"))
        best = [max(pair, key=lambda one: one.score) for pair in zip(best, scored, strict=True)] if best else scored
    order = sorted(range(len(passages)), key=lambda place: -best[place].score)
    return [msgspec.structs.replace(passages[place], score=best[place].score, parts=best[place].parts) for place in order]
