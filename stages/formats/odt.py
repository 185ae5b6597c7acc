"""OpenDocument texts (.odt): headings, paragraphs, lists, tables, links and notes.

Hidden sections, hidden text and tracked deletions are left out; the hidden ones are reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stages.formats.markup import Converted, Hidden, document, escaped, heading, link, paragraph, table
from stages.formats.zipped import Parts, attribute, local

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
    reader = _Odt(frozenset(name for root in roots if root is not None for name in _hidden_styles(root)))
    text = roots[0].find("{*}body/{*}text") if roots[0] is not None else None
    made = reader.blocks(text, 0) if text is not None else []
    return Converted(document(reader.title, [*made, *reader.notes]), READER, reader.hidden.threats())


def _hidden_styles(root: _Element) -> Iterator[str]:
    for style in root.iter("{*}style"):
        looks = style.find("{*}text-properties")
        if looks is not None and attribute(looks, "display") == "none":
            yield attribute(style, "name")


class _Odt:
    def __init__(self, hidden_styles: frozenset[str]) -> None:
        self._styles = hidden_styles
        self.hidden = Hidden("hidden_attribute")
        self.title = ""
        self.notes: list[str] = []

    def blocks(self, parent: _Element, depth: int) -> list[str]:
        """Markup of the blocks below this one."""
        return [self._block(child, depth + 1) for child in parent] if depth < MAX_DEPTH else []

    def _block(self, element: _Element, depth: int) -> str:
        name = local(element)
        if attribute(element, "display") in ("none", "condition") and name == "section":
            self.hidden.add("a hidden section", "".join(element.itertext()))
            return ""
        if name == "h":
            inner, level = self._inline(element, depth), attribute(element, "outline-level")
            self.title = self.title or "".join(element.itertext())[:300]
            return heading(inner, int(level) if level.isdecimal() else 1)
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
            if local(row) == "table-row":
                yield ["".join(self.blocks(cell, depth)) for cell in row.iterchildren("{*}table-cell", "{*}covered-table-cell")]
            elif depth < MAX_DEPTH:
                yield from self._rows(row, depth + 1)

    def _inline(self, element: _Element, depth: int) -> str:
        """Text and markup within a paragraph."""
        if attribute(element, "style-name") in self._styles:
            self.hidden.add("text marked as hidden", "".join(element.itertext()))
            return ""
        parts = [escaped(element.text or "")]
        for child in element:
            if depth < MAX_DEPTH:
                parts.append(self._piece(child, depth + 1))
            parts.append(escaped(child.tail or ""))
        return "".join(parts)

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


def _spaces(element: _Element) -> int:
    count = attribute(element, "c")
    return min(int(count), 100) if local(element) == "s" and count.isdecimal() else 1


__all__ = ["READER", "read_odt"]
