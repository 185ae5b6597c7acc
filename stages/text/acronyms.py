"""Acronyms and what they stand for, from a small list (acronyms.txt) and from texts that explain their own."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

_EXPLAINED = re.compile(r"\(([A-Za-z0-9&-]{2,10})\)")
_MOST_WORDS = 8


def other_forms(text: str) -> list[str]:
    """The text with each acronym written out, and with each long form shortened; what it explains itself goes first."""
    return [*_explained(text), *_listed(text)]


def _explained(text: str) -> list[str]:
    """`Retrieval Augmented Generation (RAG)`: once without the acronym, once without what it stands for."""
    for found in _EXPLAINED.finditer(text):
        before = text[: found.start()].rstrip()
        long_form = _long_form(before, found[1])
        if long_form:
            after = text[found.end() :]
            start = before[: len(before) - len(long_form)]
            return [" ".join(f"{start}{form}{after}".split()) for form in (long_form, found[1])]
    return []


def _long_form(before: str, acronym: str) -> str:
    """The last words of the text, if their initials are the acronym. Small words between them need not count."""
    letters = re.sub(r"[^a-z0-9]", "", acronym.casefold())
    words = list(re.finditer(r"[^\s-]+", before))
    for count in range(2, min(_MOST_WORDS, len(words)) + 1):
        chosen = [word[0] for word in words[-count:]]
        initials = "".join(word[0] for word in chosen).casefold()
        content = "".join(word[0] for word in chosen if len(word) > 3 or word[0].isupper()).casefold()  # noqa: PLR2004
        if letters and letters in (initials, content) and initials[0] == letters[0]:
            return before[words[-count].start() :]
    return ""


def _listed(text: str) -> list[str]:
    forms, folded = [], text.casefold()
    for short, long_form in _list():
        for pattern, other in ((short, long_form), (long_form, short)):
            exact = pattern is short
            if pattern.casefold() not in folded:  # each pattern costs as much to compile as the rest of the question
                continue
            found = re.search(rf"(?<![\w-]){re.escape(pattern)}(s?)(?![\w-])", text, 0 if exact else re.IGNORECASE)
            if found is not None and not _EXPLAINED.search(text):
                forms.append(f"{text[: found.start()]}{other}{found[1]}{text[found.end() :]}")
    return forms


@lru_cache(maxsize=1)
def _list() -> tuple[tuple[str, str], ...]:
    lines = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    return tuple((short, long_form) for short, _, long_form in (line.partition("|") for line in lines if line[:1] != "#"))
