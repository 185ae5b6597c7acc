"""What is measured of the words of each block, whatever stands around it."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from stages.text.words import unspaced

if TYPE_CHECKING:
    from stages.html.markdown import Block

Columns = dict[str, Any]
"""Name -> one number a block."""
KINDS = ("text", "heading", "item", "quote", "code", "table")
MAX_SAID = 300
"""Characters of a block in which the words of a site's furniture are looked for: a longer one is text."""
STARTS = 200
"""Characters in which digits and capitals are counted."""
_word = re.compile(r"\w+")
_mark = re.compile(r"[.,;:!?\u2026\u3002\uff0c\u3001\uff1b\uff1a\uff01\uff1f\u0964]")
_price = re.compile(r"[$\u20ac\u00a3\u00a5\u20b9] ?\d|\d ?[\u20ac\u00a3]")
ENDS = frozenset('.?!\u2026\u3002"\u201d')
_FURNITURE = re.compile(
    r"\u00a9|copyright|rights reserved|\bcookies?\b|consent|privacy|terms (?:of|and)|subscribe|newsletter|sign up|your email"
    r"|\blog ?in\b|\bsign in\b|password|my account|register|\bshare\b|\btweet\b|facebook|twitter|linkedin|whatsapp|pinterest"
    r"|instagram|youtube|follow us|(?:read|learn|view|see|show|load|find out|explore|discover) (?:more|all)|continue reading"
    r"|more (?:info|details)|related|recommended|popular|trending|latest|you (?:may|might)|also (?:like|bought|viewed)|more from"
    r"|(?:read|up) next|(?:next|previous) (?:post|article)|recently|add to (?:cart|bag|basket|wishlist)|in stock|free shipping"
    r"|sold out|checkout|buy now|leave a|permalink|upvote|report (?:abuse|post)|skip to|back to|table of contents|on this page"
    r"|jump to|sort by|filter|\bhome\b|\bmenu\b|site ?map|advertis|sponsored|affiliate|commission|click here|contact us|request a"
    r"|book a|get started|free trial|call us|join us|apply now|javascript|please (?:enable|wait)|no results|datenschutz|impressum"
    r"|alle rechte|weiterlesen|mehr erfahren|teilen|anmelden|abonn|todos los derechos|tous droits|confidentialit",
    re.IGNORECASE,
)
"""What pages of English, and some of German, Spanish and French, say around their text."""


def worded(blocks: list[Block], title: str) -> Columns:
    """The columns, each with a number a block; `title` is what the page calls itself."""
    wanted = frozenset(_word.findall(title.lower()))
    often = Counter(block.text for block in blocks)
    seen: Counter[str] = Counter()
    rows = []
    for block in blocks:
        rows.append({
            **_counted(block, wanted), "often": often[block.text], "seen": seen[block.text], "aside": block.aside,
            "lines": block.text.count("\n"), **_said(block.text.lstrip("#>-*` ")), **{kind: block.kind == kind for kind in KINDS},
        })  # fmt: skip
        seen[block.text] += 1
    return {name: np.asarray([row[name] for row in rows], np.float32) for name in rows[0]}


def _counted(block: Block, wanted: frozenset[str]) -> dict[str, float]:
    text = block.text.lstrip("#>-*` ")
    lower = text.lower()
    words = _word.findall(lower)
    number = len(words) + unspaced(lower) // 2  # a word of Chinese has two letters
    count, size, start = max(1, number), max(1, len(text)), text[:STARTS] or " "
    known = set(words)
    shared = len(known & wanted)
    return {
        "words": number,
        "characters": len(text),
        "linked": min(1.0, block.linked / size),
        "marks": len(_mark.findall(text)) / count,
        "ends": text[-1:] in ENDS,
        "capital": text[:1].isupper(),
        "digits": sum(map(str.isdigit, start)) / len(start),
        "capitals": sum(map(str.isupper, start)) / len(start),
        "long words": size / count,
        "different": len(known) / count,
        "heading": len(block.text) - len(block.text.lstrip("#")) if block.kind == "heading" else 0,
        "title": shared / count,
        "of the title": shared / max(1, len(wanted)),
    }


def _said(text: str) -> dict[str, float]:
    if len(text) > MAX_SAID:
        return {"says": 0, "price": False}
    return {"says": len(_FURNITURE.findall(text)), "price": _price.search(text) is not None}
