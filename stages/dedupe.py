"""Fuse the rankings of all engines and queries into one, with one hit for each page and each text.

Reads Hit, writes Hit, best first, with `score` and its parts. A hit whose page is already there, or whose text is there from
another place, becomes a Drop (duplicate); one past `limit`, or past `per_domain` of its site, a Drop (over_limit). Every hit read
has gone into a hit written or has its own Drop. No failures.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import Meta

from stages.core.stage import Options as StageOptions
from stages.core.stage import whole
from stages.records import Drop, Hit

if TYPE_CHECKING:
    from stages.engines.fusion import Page

_TEXT = 0.5
"""What the text weighs against the rankings. Alike from a third to two thirds (bench/hits.py): neither is good alone."""
_MOST_QUERIES = 32
"""By weight; the text of a hit that only others found counts nothing."""
_DATED = ("trusted", "semi")


class Options(StageOptions, frozen=True):
    """Options of `dedupe`."""

    limit: Annotated[int, Meta(ge=1, le=100, description="Hits that go on at most.")] = 8
    per_domain: Annotated[int, Meta(ge=0, le=100, description="Hits of one registered domain at most; 0 for any number.")] = 0
    formula: Annotated[
        Literal["ranks", "published"],
        Meta(description="ranks: rankings and text alike; published: 0.5 text + 0.2 domain + 0.2 recency + 0.1 provider."),
    ] = "ranks"


def _finished(hit: Hit) -> bool:
    """Fused, or asked for by its address: no engine ranked it, so there is nothing to fuse."""
    return hit.score is not None or not hit.found


@whole(finished=_finished)
def dedupe(hits: list[Hit], options: Options) -> list[Hit | Drop]:
    """All hits, one for each page, best first; then what was dropped, in the order read."""
    from stages.engines.fusion import fuse
    from stages.text.urls import canonical_key

    groups: dict[tuple[str, str], list[tuple[int, Hit]]] = defaultdict(list)
    for at, hit in enumerate(hits):
        groups[hit.kind, hit.image_url or canonical_key(hit.url)].append((at, hit))
    pages = [fuse(members) for members in groups.values()]
    scored = (_by_ranks if options.formula == "ranks" else _by_published)(pages)
    for page, parts in zip(pages, scored, strict=True):
        score = round(sum(parts.values()), 6)
        page.hit = msgspec.structs.replace(page.hit, score=score, parts={name: round(value, 6) for name, value in parts.items()})
    ordered = _without_copies(sorted(pages, key=lambda page: -(page.hit.score or 0.0)))
    kept, over = _cut(ordered, options)
    drops = {
        at: Drop(stage="dedupe", subject=url, reason="duplicate", message=why) for page in ordered for at, url, why in page.others
    }
    drops |= {page.at: Drop(stage="dedupe", subject=page.hit.url, reason="over_limit", message=why) for page, why in over}
    return [*(page.hit for page in kept), *(drops[at] for at in sorted(drops))]


def _by_ranks(pages: list[Page]) -> list[dict[str, float]]:
    """Rankings and text, each against the best of all."""
    most = max((page.ranks for page in pages), default=1.0)
    return [
        {"ranks": (1 - _TEXT) * page.ranks / most} | ({"text": _TEXT * text} if text else {})
        for page, text in zip(pages, _texts(pages, share=False), strict=True)
    ]


def _by_published(pages: list[Page]) -> list[dict[str, float]]:
    """The published formula. The newest date told stands for today; where the day matters to nobody it is left out of account."""
    from stages.engines.fusion import queries
    from stages.text.standing import UNKNOWN, WEIGHTS, asks_for_news, domain_tier, recency

    most = max((page.ranks for page in pages), default=1.0)
    days = [page.hit.published if page.hit.published_trust in _DATED else "" for page in pages]
    timely, today = any(map(asks_for_news, queries(pages))), max(days, default="")
    return [
        {
            "text": WEIGHTS["text"] * text,
            "domain": WEIGHTS["domain"] * domain_tier(page.hit.url),
            "recency": WEIGHTS["recency"] * (recency(day, today) if timely else UNKNOWN),
            "provider": WEIGHTS["provider"] * page.ranks / most,
        }
        for page, text, day in zip(pages, _texts(pages, share=True), days, strict=True)
    ]


def _texts(pages: list[Page], *, share: bool) -> list[float]:
    """How well each page's title and snippets fit the query that found it; of several the best, by their weights."""
    from stages.engines.fusion import queries
    from stages.text.listing import fitness, word_share

    shown = [page.shown for page in pages]
    best = [0.0] * len(pages)
    weights = queries(pages)
    heaviest = max(weights.values(), default=1.0) or 1.0
    for query in sorted(weights, key=lambda text: -weights[text])[:_MOST_QUERIES]:
        fits = (word_share if share else fitness)(query, shown)
        for at, page in enumerate(pages):
            if any(place.query == query for place in page.hit.found):
                best[at] = max(best[at], fits[at] * weights[query] / heaviest)
    return best


def _without_copies(pages: list[Page]) -> list[Page]:
    """One page for each text: the one published first, where dates are told; it takes the best place of them."""
    from stages.text.similarity import copies

    groups: dict[int, list[Page]] = defaultdict(list)
    for page, like in zip(pages, copies([page.shown for page in pages]), strict=True):
        groups[like if page.hit.kind == "web" else -len(groups) - 1].append(page)
    kept = []
    for group in groups.values():
        first = min(group, key=lambda page: page.hit.published if page.hit.published_trust in _DATED else "9")
        first.hit = msgspec.structs.replace(first.hit, score=group[0].hit.score, parts=group[0].hit.parts)
        first.others += [(page.at, page.hit.url, f"same text as {first.hit.url}") for page in group if page is not first]
        first.others += [other for page in group if page is not first for other in page.others]
        kept.append(first)
    return kept


def _cut(pages: list[Page], options: Options) -> tuple[list[Page], list[tuple[Page, str]]]:
    """Those that go on, and the others with why not."""
    from stages.text.urls import registrable_domain

    kept: list[Page] = []
    over: list[tuple[Page, str]] = []
    seen: Counter[str] = Counter()
    for place, page in enumerate(pages, 1):
        domain = registrable_domain(page.hit.url) if options.per_domain else ""
        seen[domain] += 1
        if options.per_domain and seen[domain] > options.per_domain:
            over.append((page, f"{seen[domain]} of {domain}"))
        elif len(kept) == options.limit:
            over.append((page, f"{place} of {len(pages)}"))
        else:
            kept.append(page)
    return kept, over
