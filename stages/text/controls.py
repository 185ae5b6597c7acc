"""Joiners and bidi controls: the invisible characters that are orthography in some scripts and a channel in others."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from stages.text import scripts as s

Counts = Counter[str]

_JOINER = re.compile("[\u200c\u200d]+")
_JOINING = re.compile(f"[{s.JOINING}]")
_ARABIC = re.compile(f"[{s.ARABIC_LIKE}]")
_EMOJI = re.compile(f"[{s.EMOJI}]")
_EMOJI_PART = re.compile(f"[{s.EMOJI}\ufe0e\ufe0f\U000e007f\u20e3]")
DENSE_JOINERS = (8, 0.3)
"""More than this many in a line, and more than this share of its letters: a channel, whatever the script."""


def keep_joiners(text: str, counts: Counts) -> str:
    """Joiners stay where they shape a letter or an emoji, one at a time."""
    if not _JOINER.search(text):
        return text
    return "\n".join(_join_line(line, counts) for line in text.split("\n"))


def _join_line(line: str, counts: Counts) -> str:
    runs = [(match.start(), match.end()) for match in _JOINER.finditer(line)]
    if not runs:
        return line
    kept = [start for start, end in runs if end - start == 1 and _joins(line, start)]
    scripted = {start for start in kept if _JOINING.match(line[start - 1 : start]) or _JOINING.match(line[start + 1 : start + 2])}
    if len(scripted) > DENSE_JOINERS[0] and len(scripted) > DENSE_JOINERS[1] * len(_JOINING.findall(line)):
        kept = [start for start in kept if start not in scripted]
    keep, out, last = set(kept), [], 0
    for start, end in runs:
        if start not in keep:
            out.append(line[last:start])
            last = end
            counts["joiners outside their scripts"] += 0 if end - start == 1 and _is_stray(line, start) else end - start
    return "".join([*out, line[last:]])


def _joins(line: str, at: int) -> bool:
    """Whether the joiner at this place shapes what stands beside it."""
    before, after = line[at - 1 : at] if at else "", line[at + 1 : at + 2]
    if _JOINING.match(before) and _JOINING.match(after):
        return True
    if line[at] == "\u200d" and _EMOJI_PART.match(before) and _EMOJI.match(after):
        return True
    if before and unicodedata.combining(before) == unicodedata.combining("\u094d") and not after.isalnum():
        return True  # a chillu or an explicit virama ends a word
    alone = line[at] == "\u200d" and not (before.isalnum() and after.isalnum())
    return alone and bool(_ARABIC.match(before) or _ARABIC.match(after))  # a letter shown in its joined form, as in abbreviations


def _is_stray(line: str, at: int) -> bool:
    """Whether it stands at the edge of a word or on its own, where keyboards and editors leave one behind."""
    before, after = line[at - 1 : at] if at else "", line[at + 1 : at + 2]
    return not (before.isalnum() and after.isalnum()) and not (_JOINING.match(before) and _JOINING.match(after))


_BIDI = re.compile(f"[{s.BIDI}]")
_RIGHT_TO_LEFT = re.compile(f"[{s.RIGHT_TO_LEFT}]")
_MARK_RUN = re.compile("([\u061c\u200e\u200f])[\u061c\u200e\u200f]+")
_IDLE = re.compile("[\u061c\u200e\u200f]{3,}|(?:[\u202a\u202b]\u202c|[\u2066-\u2068]\u2069){2,}")
IDLE_RUN = 4
"""Marks in a row and pairs around nothing from which a line is a channel: they order no text."""
_PAIRS = dict.fromkeys("\u202a\u202b\u202d\u202e", "\u202c") | dict.fromkeys("\u2066\u2067\u2068", "\u2069")


def keep_bidi(text: str, counts: Counts) -> str:
    """Marks and balanced pairs stay in lines with right-to-left letters; overrides, which reorder what is read, never."""
    if not _BIDI.search(text):
        return text
    return "\n".join(_bidi_line(line, counts) if _BIDI.search(line) else line for line in text.split("\n"))


def _bidi_line(line: str, counts: Counts) -> str:
    overrides, unbalanced = _unpaired(line)
    counts["bidi overrides"] += sum(line[at] in "\u202d\u202e" for at in overrides)
    mixed = _RIGHT_TO_LEFT.search(line) is not None
    counts["unbalanced bidi controls"] += 0 if not mixed and _is_copied_along(line, unbalanced) else len(unbalanced)
    idle = sum(len(match[0]) for match in _IDLE.finditer(line))
    counts["idle bidi controls"] += idle if idle >= IDLE_RUN else 0
    if idle >= IDLE_RUN or not mixed:
        return _BIDI.sub("", line)
    line = "".join(character for at, character in enumerate(line) if at not in overrides and at not in unbalanced)
    return _MARK_RUN.sub(r"\1", line)


def _is_copied_along(line: str, unbalanced: set[int]) -> bool:
    """Whether one half of a pair stands at the edge of a line, as copying a telephone number leaves it."""
    bare = line.strip()
    opened, closed = bare[:1] in "\u202a\u2066\u2068", bare[-1:] in "\u202c\u2069"
    return len(unbalanced) == 1 and (opened or closed)


def _unpaired(line: str) -> tuple[set[int], set[int]]:
    """Places of overrides with their ends, and of controls without a partner."""
    overrides: set[int] = set()
    unbalanced: set[int] = set()
    open_: list[int] = []
    for match in _BIDI.finditer(line):
        at = match.start()
        if match[0] in _PAIRS:
            open_.append(at)
        elif match[0] in "\u202c\u2069":
            if open_ and _PAIRS[line[open_[-1]]] == match[0]:
                start = open_.pop()
                if line[start] in "\u202d\u202e":
                    overrides |= {start, at}
            else:
                unbalanced.add(at)
    for at in open_:
        (overrides if line[at] in "\u202d\u202e" else unbalanced).add(at)
    return overrides, unbalanced
