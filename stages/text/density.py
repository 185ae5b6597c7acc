"""How much a page says for its length: less where it is made of links, repeats itself, or is lines of a word or two.

From 0 to 1, a hint for ranking and no verdict: a short page of links may be what was asked for. No language is presumed.
"""

from __future__ import annotations

import re

from stages.text.blocks import blocks, lines, sentences
from stages.text.words import words

LOW = 0.5
"""Below this a page is thin."""
MAX_CHARS = 200_000
"""Looked at: the rest is taken to be like it."""
_LINKS, _REPEATS, _LABELS, _LENGTH = 0.35, 0.25, 0.3, 0.1
"""What each fault takes off at most."""
_MANY_LINKS = 12
"""For a hundred words: a page of nothing else."""
_LABEL_WORDS = 4
_USUAL, _FAR = 18, 30
"""Words of an ordinary sentence, and how far from that it is as odd as can be."""
_LINK = re.compile(r"!?\[((?:[^\[\]\\]|\\.){0,500})\]\((?:[^()\s]|\([^()\s]{0,200}\)){0,2000}\)")


def density(text: str) -> float:
    """Of a markdown text. Empty: 0."""
    shown, links = _LINK.subn(r"\1", text[:MAX_CHARS])
    length = len(words(shown))
    if not length:
        return 0.0
    prose = [block for block in blocks(shown) if block.kind in ("text", "item")]
    paragraphs = [told for block in prose if len(told := tuple(words(shown[block.start : block.end]))) > _LABEL_WORDS]
    rows = [len(words(shown[start:end])) for block in prose for start, end in lines(shown, block.start, block.end)]
    said = [len(words(shown[start:end])) for block in prose for start, end in sentences(shown, block.start, block.end)]
    faults = (
        _LINKS * min(1.0, 100 * links / length / _MANY_LINKS),
        _REPEATS * (1 - len(set(paragraphs)) / len(paragraphs) if paragraphs else 0.0),
        _LABELS * (sum(row <= _LABEL_WORDS for row in rows) / len(rows) if rows else 0.0),
        _LENGTH * min(1.0, abs(_mean(said) - _USUAL) / _FAR if said else 1.0),
    )
    return round(max(0.0, 1 - sum(faults)), 6)


def _mean(numbers: list[int]) -> float:
    counted = [number for number in numbers if number]
    return sum(counted) / len(counted) if counted else 0.0


__all__ = ["LOW", "density"]
