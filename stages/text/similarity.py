"""Whether two entries of a list are one text at two places: syndicated copies, and one page under two addresses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from stages.text.urls import host
from stages.text.words import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stages.text.listing import Shown

RUN = 5
"""Words that follow one another, of which texts are compared."""
_ALIKE = 0.8
_ALIKE_TITLES = 0.5
"""A copy may have a headline of its own; with nothing in common in it the texts are of one template."""
_LEAST_WORDS = 12
"""A shorter snippet may be the same by chance."""
_DAY = re.compile(r"/(?:19|20)\d\d/\d\d?/\d\d?/")
_NUMBER = re.compile(r"\d+")


def copies(shown: Sequence[Shown]) -> list[int]:
    """For each entry the place of the first one that it is a copy of: its own, if of none."""
    runs = [runs_of(page.snippet, _LEAST_WORDS) for page in shown]
    holders: dict[tuple[str, ...], list[int]] = {}
    first: list[int] = []
    for at, page in enumerate(shown):
        near = {other for run in runs[at] for other in holders.get(run, ())}
        same = (other for other in sorted(near) if first[other] == other and _same(page, shown[other], runs[at], runs[other]))
        first.append(next(same, at))
        for run in runs[at]:
            holders.setdefault(run, []).append(at)
    return first


def _same(one: Shown, other: Shown, runs: set[tuple[str, ...]], others: set[tuple[str, ...]]) -> bool:
    """Numbers tell editions, parts and years apart; within one host those of the address do too."""
    if in_common(runs, others) < _ALIKE:
        return False
    titles = set(words(one.title)), set(words(other.title))
    if len(titles[0] & titles[1]) < _ALIKE_TITLES * min(map(len, titles)):
        return False
    if _NUMBER.findall(one.title) != _NUMBER.findall(other.title):
        return False
    if host(one.url) != host(other.url):
        return True
    # a text word for word, with its headline, may come again under another day
    kept = "/" if runs == others and titles[0] == titles[1] else r"\g<0>"
    numbers = [sorted(_NUMBER.findall(_DAY.sub(kept, page.url))) for page in (one, other)]
    return numbers[0] == numbers[1]


def runs_of(text: str, least: int) -> set[tuple[str, ...]]:
    """All runs of words of a text; none of one with fewer words than `least`, which may be like another by chance."""
    listed = words(text)
    return {tuple(listed[at : at + RUN]) for at in range(len(listed) - RUN + 1)} if len(listed) >= least else set()


def in_common(one: set[tuple[str, ...]], other: set[tuple[str, ...]]) -> float:
    """The share of all runs that two texts have in common, 0 to 1."""
    return len(one & other) / max(1, len(one | other))
