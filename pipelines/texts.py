"""What is no record becomes one: plain words and lines, and files where a page is read."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import NoReturn
from urllib.parse import quote

from pipelines.options import is_text
from pipelines.reading import whole
from stages.core.errors import InputError, UsageError
from stages.core.wire import Item
from stages.records import Hit, Page, Query, Question, record_id

MAX_FILE_BYTES = 64 << 20

TextRule = Callable[[str, int], list[Item]]
"""A line of text and its number to records. Raises InputError."""

_MEDIA_TYPES = {
    ".html": "text/html", ".htm": "text/html", ".xhtml": "application/xhtml+xml", ".csv": "text/csv",
    ".tsv": "text/tab-separated-values", ".txt": "text/plain", ".md": "text/markdown", ".json": "application/json",
    ".xml": "application/xml", ".rss": "application/rss+xml", ".atom": "application/atom+xml",
}  # fmt: skip


def question(text: str, _number: int = 0) -> list[Item]:
    """What `expand` makes of a line."""
    return [Question(text=text)]


def query(text: str, _number: int = 0) -> list[Item]:
    """What `search` makes of a line: it asks as given, and keeps the question for the stage that ranks."""
    asked = Question(text=text)
    return [asked, Query(text=text, question=record_id(asked))]


def hit(text: str, number: int = 0) -> list[Item]:
    """What `fetch` makes of a line: a URL, whose scheme may be left out. Raises InputError."""
    if re.search(r"\s", text):
        raise InputError(number, "neither a record nor a URL; give one URL a line")
    return [Hit(url=text if re.match(r"(?i)[a-z][a-z0-9+.-]*:(?!\d)", text) else f"https://{text}")]


RULES: dict[str, TextRule] = {"expand": question, "search": query, "fetch": hit}
"""By the stage that stands first."""


def refusal(stage: str, *, takes_files: bool, takes_question: bool) -> TextRule:
    """The rule of a stage that cannot do anything with plain text."""
    helps = "records as the stage before it writes them"
    helps += ", or file names as arguments" if takes_files else ""
    helps += "; give the question with --question" if takes_question else ""

    def refuse(_text: str, number: int) -> NoReturn:
        raise InputError(number, f"not a record; `cribble {stage}` reads {helps}")

    return refuse


def from_words(stage: str, words: tuple[str, ...]) -> list[Item] | None:
    """Arguments of a stage that reads text: words are one text; a URL is one, and a file of URLs one a line. None for others.

    Raises UsageError.
    """
    rule = RULES.get(stage)
    if rule is None:
        return None
    if not all(map(is_text, words)):
        raise UsageError(f"{' '.join(words)!r} is not text in UTF-8")
    if rule is hit:
        return [item for word in words if word.strip() for item in _addresses(word.strip())]
    text = " ".join(words).strip()
    return rule(text, 0) if text else []


def _addresses(word: str) -> list[Item]:
    """One URL, or those in a file of this name: what stands in the folder is no host. Raises UsageError."""
    if not os.path.isfile(word):  # noqa: PTH113 - a long URL is no name at all, which Path raises for
        try:
            return hit(word)
        except InputError:
            raise UsageError(f"{word!r} holds a space: give one URL an argument") from None
    try:
        lines = whole(word, MAX_FILE_BYTES).decode("utf-8-sig").splitlines()
        return [item for number, line in enumerate(lines, 1) if line.strip() for item in _listed(line.strip(), number)]
    except (InputError, UnicodeDecodeError) as error:
        told = error if isinstance(error, InputError) else "not text in UTF-8"
        raise UsageError(f"{word}: {told}; records go to standard input: cribble fetch < {word}") from None


def _listed(line: str, number: int) -> list[Item]:
    if line.startswith("{"):
        raise InputError(number, "not a URL")
    return hit(line, number)


def page(path: str) -> Page:
    """The page that a file holds. Raises UsageError for one that cannot be read, or is larger than 64 MB."""
    body = whole(path, MAX_FILE_BYTES)
    absolute = path.startswith("/")
    return Page(
        url=("file://" if absolute else "file:") + quote(os.fsencode(path)),
        asked=os.fsencode(path).decode("utf-8", "replace"),
        media_type=_media_type(path, body),
        body=body,
        tier="file",
        sha256=sha256(body).hexdigest(),
    )


def _media_type(path: str, body: bytes) -> str:
    """By the first bytes where they are telling, or else by the name. Our own table: the system's differs."""
    from stages.text.magic import magic_type

    proven = magic_type(body)
    if proven:
        return proven
    head = body[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if head.startswith((b"<!doctype html", b"<html")):
        return "text/html"
    named = _MEDIA_TYPES.get(Path(path).suffix.lower())
    return named or ("text/html" if head.startswith(b"<") else "text/plain")
