"""Whether a result is what was asked for: engines take operators loosely, so what a title and an address can tell is checked."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from stages.text.urls import host
from stages.text.words import fold, stems, words

if TYPE_CHECKING:
    from stages.text.query import Asked

_PAGE_ENDINGS = frozenset({"html", "htm"})


def fits(asked: Asked, url: str, title: str, language: str = "") -> bool:
    """Sites, name endings, and words that the title or address must or must not have. Snippets are cut: they prove nothing."""
    if not at_site(url, asked.sites, asked.not_sites) or not _has_ending(url, asked.filetypes):
        return False
    address = fold(unquote(url))
    if not all(fold(part) in address for part in asked.inurl):
        return False
    if not asked.minus and not asked.intitle:
        return True
    told = stems(words(title), language or "en")
    return all(_holds(told, term.text, language) for term in asked.intitle) and not any(
        _holds(told, term.text, language) for term in asked.minus
    )


def at_site(url: str, sites: tuple[str, ...], not_sites: tuple[str, ...] = ()) -> bool:
    """Whether the address is at one of the sites, if any are named, and at none of the others."""
    name = host(url)
    return (not sites or any(_within(name, site) for site in sites)) and not any(_within(name, site) for site in not_sites)


def _within(name: str, site: str) -> bool:
    """Whether the host is the site or inside of it; `www.` on either side is not a place inside."""
    site = _ascii(site)
    return bool(site) and (name.removeprefix("www.") == site.removeprefix("www.") or name.endswith(f".{site}"))


@lru_cache(maxsize=256)
def _ascii(site: str) -> str:
    site = site.casefold().removeprefix("*").strip(".")
    return host(f"https://{site}/") or site


def _has_ending(url: str, filetypes: tuple[str, ...]) -> bool:
    try:
        name = urlsplit(url).path.rpartition("/")[2].casefold()
    except ValueError:
        return not filetypes
    ending = name.rpartition(".")[2] if "." in name else ""
    return not filetypes or ending in filetypes or (not ending and not _PAGE_ENDINGS.isdisjoint(filetypes))


def _holds(told: list[str], text: str, language: str) -> bool:
    """Whether the words stand together among those told."""
    wanted = stems(words(text), language or "en")
    return bool(wanted) and any(told[at : at + len(wanted)] == wanted for at in range(len(told) - len(wanted) + 1))


def in_time(published: str, after: str, before: str) -> bool:
    """Whether a day (ISO) is on or after one and before the other; an empty bound is none."""
    day = published[:10]
    return (not after or day >= after) and (not before or day < before)
