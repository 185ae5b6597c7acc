"""Which blocks of a page are its text, by plain rules and the judgement of another extractor.

Losing text is worse than keeping some that is no answer: ranking sets aside what does not answer, and nothing brings back what
was lost. So the other extractor is only asked where the text begins and ends, not what to leave out between.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stages.html.markdown import Block

LINK_SHARE = 0.6
LINK_RUN = 4
"""So many blocks in a row that are mostly links are navigation."""
TRUSTED = 0.5
"""The guide sets bounds only if it knows this share of the page's text outside links; else it has missed the text."""
FIRST_WORDS = 12

_word = re.compile(r"\w+")
_unseen = re.compile("[\u00ad\u0600-\u0605\u061c\u06dd\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")


def without_navigation(blocks: list[Block]) -> list[Block]:
    """The blocks without the page's headers and asides (a first-level heading there is the title) and runs of link blocks."""
    kept = [block for block in blocks if not block.aside or block.text.startswith("# ")]
    result: list[Block] = []
    run: list[Block] = []
    for block in kept:
        if block.kind in ("text", "item", "table") and block.linked > LINK_SHARE * len(block.text):
            run.append(block)
            continue
        result += [*(run if len(run) < LINK_RUN else ()), block]
        run = []
    return result + (run if len(run) < LINK_RUN else [])


def within(blocks: list[Block], guide: str) -> list[Block]:
    """The blocks from the first to the last that the guide also has, with the headings before them; none if it is not trusted."""
    words = " ".join(_word.findall(guide.lower()))
    known = frozenset(words.split())
    flags = [_has(block, words, known) for block in blocks]
    total = sum(len(block.text) - block.linked for block in blocks)
    shared = sum(len(block.text) - block.linked for block, flag in zip(blocks, flags, strict=True) if flag)
    if not any(flags) or shared < TRUSTED * total:
        return []
    first, last = flags.index(True), len(flags) - flags[::-1].index(True)
    while first and blocks[first - 1].kind == "heading":
        first -= 1
    return blocks[first:last]


def _has(block: Block, words: str, known: frozenset[str]) -> bool:
    """Whether the block begins alike in the guide's words; of tables and code, whether nearly all words are known there."""
    own = _word.findall(_unseen.sub("", block.text).lower())
    if not own:
        return False
    if block.kind in ("table", "code"):
        return sum(word in known for word in own) > 0.9 * len(own)
    return " ".join(own[:FIRST_WORDS]) in words
