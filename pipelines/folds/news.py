"""News as replies show them: one of each outlet, none older than asked for, day by day."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct, structs

from stages.text.urls import host

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from stages.records import Hit

T = TypeVar("T")


class Chosen(Struct, frozen=True):
    """What is shown, and how many were left out for each reason."""

    hits: list[Hit]
    same_outlet: int
    too_old: int
    undated: int
    over_limit: int


def choose(hits: list[Hit], limit: int, oldest: str = "") -> Chosen:
    """The best of each outlet, in order. With `oldest` (an ISO day) only what bears a date, and none before it."""
    dated = [hit for hit in _addressed(hits) if hit.published or not oldest]
    recent = [hit for hit in dated if not oldest or hit.published[:10] >= oldest]
    seen: set[str] = set()
    distinct = [hit for hit in recent if not (outlet(hit) in seen or seen.add(outlet(hit)))]  # type: ignore[func-returns-value]
    return Chosen(
        hits=distinct[:limit],
        same_outlet=len(recent) - len(distinct),
        too_old=len(dated) - len(recent),
        undated=sum(not hit.published for hit in hits) if oldest else 0,
        over_limit=max(0, len(distinct) - limit),
    )


def _addressed(hits: list[Hit]) -> list[Hit]:
    """An engine's own address gives way, at its place, to the real one of the same report of the same outlet."""
    real = {_report(hit): at for at, hit in reversed(list(enumerate(hits))) if not hit.opaque}
    taken: set[int] = set()
    shown = []
    for at, hit in enumerate(hits):
        own = real.get(_report(hit), at) if hit.opaque else at
        if own not in taken:
            taken.add(own)
            shown.append(hit if own == at else _joined(hit, hits[own]))
    return shown


def _joined(opaque: Hit, real: Hit) -> Hit:
    dated = real if real.published else opaque
    return structs.replace(
        real,
        score=opaque.score,
        published=dated.published,
        published_trust=dated.published_trust,
        found=(*opaque.found, *real.found),
    )


def _report(hit: Hit) -> tuple[str, str]:
    return outlet(hit), " ".join(hit.title.casefold().split())


def outlet(hit: Hit) -> str:
    """The host of who published it; of the outlet's home where the address is the engine's own."""
    return host((hit.source_url if hit.opaque else "") or hit.url).removeprefix("www.")


def days_before(start: str, days: int) -> str:
    """The day so many days before a time (both ISO)."""
    return (date.fromisoformat(start[:10]) - timedelta(days=days)).isoformat()


def by_day(items: Iterable[T], published: Callable[[T], str]) -> dict[str, list[T]]:
    """Newest day first, within a day in the order given; without what bears no date."""
    days: dict[str, list[T]] = {}
    for item in items:
        if day := published(item)[:10]:
            days.setdefault(day, []).append(item)
    return {day: days[day] for day in sorted(days, reverse=True)}


__all__ = ["Chosen", "by_day", "choose", "days_before", "outlet"]
