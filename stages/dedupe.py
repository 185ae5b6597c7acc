"""Fuse the rankings of all engines and queries into one, with one hit for each page.

Reads Hit, writes Hit, best first, with `score` and its parts; a hit whose page is already there becomes a Drop (duplicate), one
past `limit` a Drop (over_limit). Every hit read has gone into a hit written or has its own Drop. No failures.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from stages.core.stage import Options as StageOptions
from stages.core.stage import whole
from stages.records import Drop, Found, Hit

_RANK_OFFSET = 1
"""The k of reciprocal rank fusion. The usual 60 is for lists of a thousand: of ten places it makes the first and the last nearly
equal, so that any page shown twice beats every page shown first, and what one index lacks is lost."""
_EXTRA_MEMBER = 0.25
"""What another engine of one index family adds to its best one: agreement inside a family is hardly evidence."""
_TRUST = ("trusted", "semi", "untrusted", "")
_CUT = ("\u2026", "...")


class Options(StageOptions, frozen=True):
    """Options of `dedupe`."""

    limit: Annotated[int, Meta(ge=1, le=100, description="Hits that go on at most.")] = 8


def _finished(hit: Hit) -> bool:
    """Fused, or asked for by its address: no engine ranked it, so there is nothing to fuse."""
    return hit.score is not None or not hit.found


@whole(finished=_finished)
def dedupe(hits: list[Hit], options: Options) -> list[Hit | Drop]:
    """All hits, one for each page, best first; then what was dropped, in the order read."""
    from stages.text.urls import canonical_key

    pages: dict[tuple[str, str], list[tuple[int, Hit]]] = defaultdict(list)
    for at, hit in enumerate(hits):
        pages[hit.kind, hit.image_url or canonical_key(hit.url)].append((at, hit))
    fused = sorted((_fuse(members) for members in pages.values()), key=lambda page: -page.score)
    drops: dict[int, Drop] = {}
    for place, page in enumerate(fused, 1):
        for at, url in page.duplicates:
            drops[at] = Drop(stage="dedupe", subject=url, reason="duplicate", message=f"same page as {page.hit.url}")
        if place > options.limit:
            drops[page.at] = Drop(stage="dedupe", subject=page.hit.url, reason="over_limit", message=f"{place} of {len(fused)}")
    return [*(page.hit for page in fused[: options.limit]), *(drops[at] for at in sorted(drops))]


class _Fused(Struct):
    """A page: the hit made of all that are it, the position of the one it stands for, and the others."""

    hit: Hit
    score: float
    at: int
    duplicates: list[tuple[int, str]]


def _fuse(members: list[tuple[int, Hit]]) -> _Fused:
    found = _distinct([place for at, hit in members for place in (hit.found or (_listed(at),))])
    score = round(_reciprocal_ranks(found), 6)
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
        score=score,
        parts={"rrf": score},
    )
    return _Fused(merged, score, at, [(other, hit.url) for other, hit in members if other != at])


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
    """The sum over queries and index families; within a family its best engine, and a little for each other."""
    shares: dict[tuple[str, str], list[float]] = defaultdict(list)
    for place in found:
        # Each family behind a metasearch engine is a witness of its own, at one of the places told.
        ranks = place.ranks or (place.rank,)
        for number, family in enumerate(place.families or (place.family,)):
            share = place.weight / (_RANK_OFFSET + ranks[min(number, len(ranks) - 1)])
            shares[place.query, family].append(share)
    return sum(max(group) * (1 + _EXTRA_MEMBER * (len(group) - 1)) for group in shares.values())


def _best_title(titles: list[str]) -> str:
    """The best placed title that is not cut off; the longest when all are."""
    given = [title for title in titles if title]
    return next((title for title in given if not title.endswith(_CUT)), max(given, key=len, default=""))
