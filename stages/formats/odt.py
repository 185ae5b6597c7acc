"""OpenDocument texts (.odt): headings, paragraphs, lists, tables, links and notes.

Hidden sections, rows and text, text that its looks keep from being seen, and tracked deletions are left out; all but the last is
reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stages.formats.markup import Converted, Hidden, document, escaped, heading, link, paragraph, plain, table
from stages.formats.odt_looks import Styles
from stages.formats.zipped import Parts, attribute, local, number

if TYPE_CHECKING:
    from lxml.etree import _Element

READER = "odt/1"
MAX_DEPTH = 60

_SKIPPED = frozenset({
    "tracked-changes", "annotation", "annotation-end", "sequence-decls", "forms", "title", "desc", "bookmark", "change",
    "soft-page-break",
})  # fmt: skip
_SIGNS = {"s": " ", "tab": "\t", "line-break": "<br>", **dict.fromkeys(_SKIPPED, "")}
_GROUPS = frozenset(
    {"section", "index-body", "table-of-content", "frame", "text-box", "list-header", "index-title", "numbered-paragraph"}
)


def read_odt(body: bytes) -> Converted:
    """The document as HTML. Raises StageError."""
    parts = Parts(body)
    roots = [parts.xml("content.xml"), parts.xml("styles.xml")]
    reader = _Odt(Styles(roots))
    text = roots[0].find("{*}body/{*}text") if roots[0] is not None else None
    made = reader.blocks(text, 0) if text is not None else []
    return Converted(document(reader.title, [*made, *reader.notes]), READER, reader.hidden.threats())


class _Odt:
    def __init__(self, styles: Styles) -> None:
        self._styles = styles
        self.hidden = Hidden("hidden_attribute")
        self.title = ""
        self.notes: list[str] = []

    def blocks(self, parent: _Element, depth: int) -> list[str]:
        """Markup of the blocks below this one."""
        return [self._block(child, depth + 1) for child in parent] if depth < MAX_DEPTH else []

    def _block(self, element: _Element, depth: int) -> str:
        name = local(element)
        reason = _unseen_block(element)
        if reason:
            self.hidden.add(reason, "".join(element.itertext()))
            return ""
        if name == "h":
            inner, level = self._inline(element, depth), attribute(element, "outline-level")
            self.title = self.title or plain(inner)[:300]
            return heading(inner, number(level))
        if name == "p":
            return paragraph(self._inline(element, depth))
        if name == "list":
            items = ("".join(self.blocks(item, depth)) for item in element.iterchildren("{*}list-item", "{*}list-header"))
            return paragraph("".join(paragraph(item, "li") for item in items), "ul")
        if name == "table":
            return table(self._rows(element, depth))
        return "".join(self.blocks(element, depth)) if name in _GROUPS else ""

    def _rows(self, element: _Element, depth: int) -> Iterator[list[str]]:
        for row in element.iterchildren("{*}table-row", "{*}table-header-rows", "{*}table-rows", "{*}table-row-group"):
            if attribute(row, "visibility") == "collapse":
                self.hidden.add("a hidden row", "".join(row.itertext()))
            elif local(row) == "table-row":
                yield ["".join(self.blocks(cell, depth)) for cell in row.iterchildren("{*}table-cell", "{*}covered-table-cell")]
            elif depth < MAX_DEPTH:
                yield from self._rows(row, depth + 1)

    def _inline(self, element: _Element, depth: int) -> str:
        """Text and markup within a paragraph."""
        parts = [self._text(element.text, element)]
        for child in element:
            if depth < MAX_DEPTH:
                parts.append(self._piece(child, depth + 1))
            parts.append(self._text(child.tail, element))
        return "".join(parts)

    def _text(self, text: str | None, element: _Element) -> str:
        """Text right in an element, where somebody sees it."""
        reason = self._styles.unseen(element) if text else ""
        if reason:
            self.hidden.add(reason, text or "")
        return "" if reason else escaped(text or "")

    def _piece(self, child: _Element, depth: int) -> str:
        name = local(child)
        if name in _SIGNS:
            return _SIGNS[name] * _spaces(child)
        if name == "a":
            return link(self._inline(child, depth), attribute(child, "href"))
        if name == "note":
            body = child.find("{*}note-body")
            self.notes += self.blocks(body, depth) if body is not None else []
            return ""
        if name in ("hidden-text", "hidden-paragraph"):
            self.hidden.add("text marked as hidden", attribute(child, "string-value") or "".join(child.itertext()))
            return ""
        if name in _GROUPS:
            return " ".join("".join(one.itertext()) and self._block(one, depth) for one in child)
        return self._inline(child, depth)


def _unseen_block(element: _Element) -> str:
    """Why nobody sees a section or a paragraph; empty when somebody does."""
    if local(element) == "section" and attribute(element, "display") in ("none", "condition"):
        return "a hidden section"
    field = element.find("{*}hidden-paragraph")
    return "text marked as hidden" if field is not None and attribute(field, "is-hidden") != "false" else ""


def _spaces(element: _Element) -> int:
    count = attribute(element, "c")
    return min(number(count), 100) if local(element) == "s" and number(count) >= 0 else 1


__all__ = ["READER", "read_odt"]
