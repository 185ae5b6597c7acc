"""Which pages are accounts of their own: a story that several outlets reprint is one, and so is what one host says twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from stages.text.similarity import in_common, runs_of
from stages.text.urls import host

if TYPE_CHECKING:
    from collections.abc import Sequence

ALIKE = 0.4
"""Share of all runs that two texts have in common, from which one is made of the other."""
LEAST_WORDS = 20
"""Shorter texts may be the same by chance."""
MOST_CHARS = 200_000
"""Of a text, looked at."""


class Account(Struct, frozen=True):
    """Of one page: the number of its account, from 0 in their order, and the place of the page that it repeats, if any."""

    number: int
    copy_of: int | None = None


def accounts(pages: Sequence[tuple[str, str]]) -> list[Account]:
    """One for each page, given as address and text, best first: the first of several copies is the original."""
    runs = [runs_of(text[:MOST_CHARS], LEAST_WORDS) for _, text in pages]
    hosts = [host(url).removeprefix("www.") for url, _ in pages]
    first = list(range(len(pages)))
    copies: dict[int, int] = {}
    for later in range(len(pages)):
        for earlier in range(later):
            copied = in_common(runs[earlier], runs[later]) >= ALIKE
            if copied:
                copies.setdefault(later, copies.get(earlier, earlier))
            if copied or (hosts[earlier] and hosts[earlier] == hosts[later]):
                joined, gone = sorted((first[earlier], first[later]))
                first = [joined if one == gone else one for one in first]
    numbers = {one: number for number, one in enumerate(dict.fromkeys(first))}
    return [Account(numbers[one], copies.get(at)) for at, one in enumerate(first)]


__all__ = ["Account", "accounts"]
