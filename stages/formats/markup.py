"""The HTML that readers write: escaped text in paragraphs, headings and tables."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

from msgspec import Struct

from stages.records import Threat
from stages.vocabulary import ThreatKind

MAX_EXCERPT_CHARACTERS = 2000
_TAG = re.compile(r"<[^>]*>")


class Converted(Struct, frozen=True):
    """A document as HTML that is still to be sanitised; `reader` names what read it, `threats` what it left out."""

    html: str
    reader: str
    threats: tuple[Threat, ...] = ()


class Hidden:
    """Text that a reader of the document does not see, folded by reason and place."""

    def __init__(self, kind: ThreatKind) -> None:
        self._kind = kind
        self._found: dict[tuple[str, str], list[str]] = {}
        self._degraded: list[Threat] = []

    def add(self, reason: str, text: str, place: str = "") -> None:
        """One piece that was left out. White space is nothing."""
        if text.strip():
            self._found.setdefault((reason, place), []).append(text)

    def unread(self, reason: str, place: str) -> None:
        """A piece that was left out and whose text is not known."""
        self._found.setdefault((reason, place), []).append("")

    def degraded(self, reason: str, place: str) -> None:
        """Where hidden text may have been missed."""
        self._degraded.append(Threat(kind="detection_degraded", reason=reason, place=place))

    def threats(self) -> tuple[Threat, ...]:
        """One a reason and place, in the order in which they were found; excerpts cleaned and short."""
        from stages.text.unicode import clean

        found = tuple(
            Threat(
                kind=self._kind,
                reason=reason,
                excerpt=" ".join(clean(" ".join(texts)[:MAX_EXCERPT_CHARACTERS]).split())[:80],
                place=place,
                count=len(texts),
            )
            for (reason, place), texts in self._found.items()
        )
        return (*found, *self._degraded)


def document(title: str, parts: Iterable[str], language: str = "") -> str:
    """A whole page around the parts."""
    lang = f' lang="{html.escape(language)}"' if language else ""
    return (
        f'<!doctype html><html{lang}><head><meta charset="utf-8"><title>{escaped(title)}</title></head>'
        f"<body><main>{''.join(parts)}</main></body></html>"
    )


def escaped(text: str) -> str:
    """Text as it may stand in an element or an attribute."""
    return html.escape(text)


def plain(inner: str) -> str:
    """The text of markup that readers wrote."""
    return html.unescape(_TAG.sub("", inner))


def paragraph(inner: str, tag: str = "p") -> str:
    """An element around markup; nothing around nothing."""
    return f"<{tag}>{inner}</{tag}>" if inner.strip() else ""


def heading(inner: str, level: int) -> str:
    """A heading; levels beyond six are six."""
    return paragraph(inner, f"h{min(max(level, 1), 6)}")


def link(inner: str, url: str) -> str:
    """Inner markup as a link, where there is an address of the web."""
    return f'<a href="{escaped(url)}">{inner}</a>' if url.startswith(("http://", "https://")) and inner.strip() else inner


def table(rows: Iterable[Iterable[str]], caption: str = "") -> str:
    """Cells are markup; the first row is the head. Empty rows, and columns that are empty everywhere, are left out."""
    filled = [row for row in (list(row) for row in rows) if any(cell.strip() for cell in row)]
    if not filled:
        return ""
    width = max(map(len, filled))
    filled = [row + [""] * (width - len(row)) for row in filled]
    used = [column for column in range(width) if any(row[column].strip() for row in filled)]
    lines = ["".join(f"<{tag}>{row[column]}</{tag}>" for column in used) for tag, row in zip(_tags(filled), filled, strict=True)]
    inner = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table>{paragraph(escaped(caption), 'caption')}{inner}</table>"


def nested_list(items: Iterable[tuple[int, bool, str]]) -> str:
    """Items with their level (from 0), whether they are numbered, and their markup."""
    parts: list[str] = []
    open_tags: list[str] = []
    for level, numbered, inner in items:
        kind = "ol" if numbered else "ul"
        while len(open_tags) > level + 1 or (len(open_tags) == level + 1 and open_tags[-1] != kind):
            parts.append(f"</li></{open_tags.pop()}>")
        parts += ["</li>"] if len(open_tags) == level + 1 else []
        while len(open_tags) < level + 1:
            open_tags.append(kind)
            parts.append(f"<{open_tags[-1]}>" + ("<li>" if len(open_tags) <= level else ""))
        parts.append(f"<li>{inner}")
    parts += [f"</li></{tag}>" for tag in reversed(open_tags)]
    return "".join(parts)


def _tags(rows: list[list[str]]) -> list[str]:
    return ["th", *["td"] * (len(rows) - 1)]


__all__ = ["Converted", "Hidden", "document", "escaped", "heading", "link", "nested_list", "paragraph", "plain", "table"]
