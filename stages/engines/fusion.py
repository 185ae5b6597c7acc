"""What engines told of one page, put together: its best title and date, and how its places in their rankings add up."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from stages.records import Found, Hit
from stages.text.listing import Shown

if TYPE_CHECKING:
    from collections.abc import Iterable

_RANK_OFFSET = 1
"""The k of reciprocal rank fusion. The usual 60 is for lists of a thousand: of ten places it makes the first and the last nearly
equal, so that any page shown twice beats every page shown first, and what one index lacks is lost."""
_AGREEMENT = 0.6
"""What further witnesses add to the best one. Summing them in full rewards being in every index more than being the answer: half
of the pages that answer are missing from one index or another. Two second places still beat one first."""
_EXTRA_MEMBER = 0.25
"""What another engine of one index family adds to its best one: agreement inside a family is hardly evidence."""
_TRUST = ("trusted", "semi", "untrusted", "")
_CUT = ("\u2026", "...")


class Page(Struct):
    """A page: the hit made of all that are it, the place of the one it stands for, and the others."""

    hit: Hit
    ranks: float
    """Its rankings, added up."""
    at: int
    others: list[tuple[int, str, str]]
    """Place, address and why: what went into this one."""
    snippets: str
    """All that differ, for there are words of the query in each."""

    @property
    def shown(self) -> Shown:
        """What lists show of it."""
        return Shown(self.hit.url, self.hit.title, self.snippets)


def fuse(members: list[tuple[int, Hit]]) -> Page:
    """One page of all its hits, which come with their places in the input."""
    found = _distinct([place for at, hit in members for place in (hit.found or (_listed(at),))])
    ranked = sorted(members, key=lambda member: -max((_share(place) for place in member[1].found), default=0.0))
    at, best = next((member for member in ranked if member[1].url.startswith("https:")), ranked[0])
    dated = min((hit for _, hit in ranked if hit.published), key=lambda hit: _TRUST.index(hit.published_trust), default=best)
    merged = msgspec.structs.replace(
        best,
        title=_best_title([hit.title for _, hit in ranked]),
        snippet=max((hit.snippet for _, hit in ranked), key=len),
        published=dated.published,
        published_trust=dated.published_trust,
        found=tuple(place for place in found if place.engine),
    )
    others = [(other, hit.url, f"same page as {merged.url}") for other, hit in members if other != at]
    snippets = " ".join(dict.fromkeys(hit.snippet for _, hit in ranked))
    return Page(merged, _reciprocal_ranks(found), at, others, snippets)


def queries(pages: Iterable[Page]) -> dict[str, float]:
    """The texts by which pages were found, with their weights."""
    weights: dict[str, float] = {}
    for page in pages:
        for place in page.hit.found:
            weights[place.query] = max(place.weight, weights.get(place.query, 0.0))
    return weights


def _listed(at: int) -> Found:
    """A hit that no engine found was put on a list by somebody: its rank is its place there."""
    return Found(engine="", family="", query="", rank=at + 1)


def _distinct(found: list[Found]) -> list[Found]:
    """The best place for each engine and query, in the order first seen."""
    best: dict[tuple[str, str], Found] = {}
    for place in found:
        known = best.get((place.engine, place.query))
        if known is None or place.rank < known.rank:
            best[place.engine, place.query] = place
    return list(best.values())


def _share(place: Found) -> float:
    return place.weight / (_RANK_OFFSET + place.rank)


def _reciprocal_ranks(found: list[Found]) -> float:
    """The best witness, and a part of each other; within a family and query its best engine, and a little for each other."""
    shares: dict[tuple[str, str], list[float]] = defaultdict(list)
    for place in found:
        # Each family behind a metasearch engine is a witness of its own, at one of the places told.
        ranks = place.ranks or (place.rank,)
        for number, family in enumerate(place.families or (place.family,)):
            share = place.weight / (_RANK_OFFSET + ranks[min(number, len(ranks) - 1)])
            shares[place.query, family].append(share)
    witnesses = sorted((max(group) * (1 + _EXTRA_MEMBER * (len(group) - 1)) for group in shares.values()), reverse=True)
    return witnesses[0] + _AGREEMENT * sum(witnesses[1:])


def _best_title(titles: list[str]) -> str:
    """The best placed title that is not cut off; the longest when all are."""
    given = [title for title in titles if title]
    return next((title for title in given if not title.endswith(_CUT)), max(given, key=len, default=""))
