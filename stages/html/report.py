"""Findings of one page, folded, capped and ranked fairly, so that decoys cannot push a payload out of the report."""

from __future__ import annotations

import re

from stages.html.paint import signature
from stages.html.tree import Element
from stages.records import Threat
from stages.text.controls import Counts
from stages.text.orders import orders
from stages.text.unicode import clean, reportable
from stages.vocabulary import ThreatKind

MAX_PER_KIND = 20
EXCERPT = 80
FULL_EXCERPT = 2000
"""For who wants to read what was hidden, not only that it was."""
PROSE = 80
"""Characters from which text that never was page text is worth a report."""

_SPACE = re.compile(r"\s+")
_WORDS = re.compile(r"(?<![^\W\d_])[^\W\d_]{2,}+(?:['\u2019-][^\W\d_]++)?+(?=[\s,.;:!?]|\Z)")
_SENTENCE = re.compile(r"(?:[^\s,.;:!?]*+[\s,.;:!?]){7}")
"""As many ends of words as prose has at least; the last word may end with the text."""


_DATA = re.compile(r"\s*[\[{]\s*[\"'{\[\]}\d]")
_MACHINE = re.compile(
    r"\A\s*(?:https?:|mailto:|tel:|sms:|whatsapp:|data:|/|#|\?)"
    r"|=>|[\w)]\s*\{|\}\s*[,;)]|[\w.]:[\w.]+;|\w\([^)\s]*\)|[$@]\w+[.(]|&\w+=|\[\["
)
MIN_WORDS = 8
LOOKED_AT = 2000


def is_prose(text: str, least: int = PROSE) -> bool:
    """Whether it is long and made of words, not code or an identifier."""
    if len(text) < least or _DATA.match(text):
        return False
    if text.isascii() and not _SENTENCE.match(text):
        return False
    words = _WORDS.findall(text[:LOOKED_AT])
    if len(words) < MIN_WORDS:
        return sum(letter > "\u2e80" for letter in text[:LOOKED_AT]) * 2 > min(len(text), LOOKED_AT)
    return sum(map(len, words)) * 2 > min(len(text), LOOKED_AT)


def is_for_machines(value: str) -> bool:
    """Whether an attribute holds an address or code, which has words enough to look like prose; an order is none."""
    return _MACHINE.search(value[:LOOKED_AT]) is not None and not is_order(value)


def threats(counts: Counts) -> tuple[Threat, ...]:
    """The report on the invisible characters of a whole page."""
    return tuple(Threat(kind=kind, reason=reason, count=count) for kind, reason, count in reportable(counts))


_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b[^.]{0,40}\b(?:instruction|prompt|rule|previous|prior|above|everything)"
    r"|\bsystem prompt\b|\b(?:ai|language) (?:assistant|agent|model)s?\b|\bassistants?\b[^.]{0,20}\b(?:must|should|shall)\b"
    "|ignorier|ignorez|ignoren? (?:las|tus)|\u5ffd\u7565|\u65e0\u89c6|\u7121\u8996",
    re.IGNORECASE,
)


def is_order(text: str) -> bool:
    """Whether it is worded as an order to whoever reads for somebody: a label of the page is not. A hint for the report alone."""
    return _ORDER.search(text[:LOOKED_AT]) is not None or orders(text[:LOOKED_AT]) > 0


class Report:
    """Collects findings in document order."""

    def __init__(self, excerpt: int = EXCERPT) -> None:
        """`excerpt` is how many characters of a finding are quoted at most."""
        self._excerpt = excerpt
        self.counts: Counts = Counts()
        """Unicode findings in text that is seen."""
        self._found: dict[tuple[ThreatKind, str, str], list[str | int]] = {}

    def add(self, kind: ThreatKind, reason: str, text: str = "", place: Element | None = None) -> None:
        """One finding. Alike ones are folded into one with a count."""
        where = _SPACE.sub(" ", clean(signature(place)))[:EXCERPT] if place is not None else ""
        entry = self._found.setdefault((kind, reason, where), ["", 0])
        entry[1] = int(entry[1]) + 1
        excerpt = _SPACE.sub(" ", clean(text[:FULL_EXCERPT])).strip()
        if len(excerpt) > len(str(entry[0])):
            entry[0] = excerpt[: self._excerpt]

    def threats(self) -> tuple[tuple[Threat, ...], int]:
        """What goes on the page, and how many findings there were in all."""
        every = [
            Threat(kind=kind, reason=reason, excerpt=str(excerpt), place=place, count=int(count))
            for (kind, reason, place), (excerpt, count) in self._found.items()
        ]
        every += threats(self.counts)
        return capped(tuple(every))


def capped(every: tuple[Threat, ...]) -> tuple[tuple[Threat, ...], int]:
    """At most so many of a kind; what was left out is said last."""
    kept: list[Threat] = []
    number: dict[str, int] = {}
    truncated = sum(threat.count for threat in every if threat.kind == "report_truncated")
    for threat in every:
        number[threat.kind] = number.get(threat.kind, 0) + 1
        if threat.kind == "report_truncated":
            continue
        if number[threat.kind] <= MAX_PER_KIND:
            kept.append(threat)
        else:
            truncated += threat.count
    if truncated:
        kept.append(Threat(kind="report_truncated", reason="findings left out of the report", count=truncated))
    return tuple(kept), sum(threat.count for threat in every)
