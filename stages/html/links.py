"""Where in a page's markdown its links stand, and where they lead."""

from __future__ import annotations

import re

from stages.html.markdown import Block, between
from stages.text.unicode import clean
from stages.text.urls import MAX_URL_CHARACTERS, joined

MOST = 2000
"""Links of one page that are looked at."""
MAX_LABEL = 160
WINDOW = 200_000
"""How far behind the link before it a label is looked for."""

_PLAIN = re.compile(r"/(?![/.])(?!.*/\.)[\w/%~+=&@:,!()*.?-]*[\w/]", re.ASCII)
"""A reference that stands behind the base's host as it is. Most do, and resolving one takes as long as all else here."""

Link = tuple[str, str, int, int]
"""Address, label, start and end in code points of the text."""


def placed(blocks: list[Block], base: str) -> tuple[Link, ...]:
    """The links of these blocks in the text that `as_markdown` makes of them, without those within the page.

    One whose label has marks in it, as code has, is told by the place of its block.
    """
    found: list[Link] = []
    origin = joined(base, "/").rstrip("/")
    start, left = 0, MOST
    for number, block in enumerate(blocks):
        start += len(between(blocks[number - 1], block)) if number else 0
        cursor = 0
        for label, reference in block.links[:left]:
            at = block.text.find(label, cursor, cursor + WINDOW)
            first, last = (at, at + len(label)) if at >= 0 else (0, len(block.text))
            cursor = last if at >= 0 else cursor
            address = _address(base, origin, reference)
            if address:
                found.append((address, clean(label)[:MAX_LABEL], start + first, start + last))
        left = max(0, left - len(block.links))
        start += len(block.text)
    return tuple(found)


def _address(base: str, origin: str, reference: str) -> str:
    """Over HTTP; empty for any other, and for one that cleaning would make another one."""
    reference = reference.strip()
    if origin and _PLAIN.fullmatch(reference):
        address = origin + reference
    else:
        address = "" if reference.startswith("#") else joined(base, reference)
    fits = address.startswith(("http://", "https://")) and len(address) <= MAX_URL_CHARACTERS and clean(address) == address
    return address if fits else ""


__all__ = ["Link", "placed"]
