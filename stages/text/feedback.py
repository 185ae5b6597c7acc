"""A second way to ask, learnt from a first answer that was weak (pseudo relevance feedback, the relevance model RM3).

Words that the better results share, and the query lacks, are likely to be those of the pages that were missed. The query's own
words stay and come first: results that were bad would else lead further away.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from stages.text.listing import fitness, word_share
from stages.text.query import parse, render
from stages.text.urls import host
from stages.text.words import content_words, guess_language, stems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stages.text.listing import Shown

_ENOUGH_WORDS, _ENOUGH_HITS = 0.15, 3
"""An answer is weak when it has fewer hits than this, or none that shows this share of the query's words. Snippets are short and
questions long: a page that answers shows half of the words where others show fewer."""
_READ, _ADDED = 10, 3
"""Results that are learnt from, and words that are taken."""
_LEAST_HOSTS = 2
_LEAST_LETTERS = 4


def is_weak(query: str, shown: Sequence[Shown]) -> bool:
    """Whether there are few results, or none of them has much of the query."""
    return len({page.url for page in shown}) < _ENOUGH_HITS or max(word_share(query, shown)) < _ENOUGH_WORDS


def with_feedback(query: str, shown: Sequence[Shown]) -> str:
    """The query's content words and what the better results add; empty when they share nothing that it lacks."""
    asked = parse(query)
    language = asked.language or guess_language(asked.text)
    own = content_words(asked.text, language)
    known = set(stems(own, language or "en"))
    fits = fitness(query, shown)
    best = sorted(range(len(shown)), key=lambda at: -fits[at])[:_READ]
    weights: dict[str, float] = defaultdict(float)
    hosts: dict[str, set[str]] = defaultdict(set)
    for at in best:
        told = content_words(f"{shown[at].title} {shown[at].snippet}", language)
        for word in told:
            if word.isalpha() and len(word) >= _LEAST_LETTERS and stems((word,), language or "en")[0] not in known:
                weights[word] += fits[at] / len(told)
                hosts[word].add(host(shown[at].url))
    shared = [word for word in weights if len(hosts[word]) >= _LEAST_HOSTS]
    added = sorted(shared, key=lambda word: (-weights[word], word))[:_ADDED]
    rest = render(msgspec.structs.replace(asked, groups=()))
    return " ".join(part for part in (*dict.fromkeys(own), *added, rest) if part) if added else ""
