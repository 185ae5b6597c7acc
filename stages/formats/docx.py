"""Word documents (.docx): paragraphs, headings, lists, tables, links and notes, in the order of the text.

Hidden, deleted and moved-away text, and text in white on white or smaller than a point, is left out; all but tracked deletions
is reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from stages.formats.markup import Converted, Hidden, document, escaped, heading, link, nested_list, paragraph, table
from stages.formats.zipped import Parts, attribute, local

if TYPE_CHECKING:
    from lxml.etree import _Element

READER = "docx/1"
MAIN = "word/document.xml"
MAX_DEPTH = 40
"""Of tables and text boxes in one another."""

_GONE = frozenset({"del", "moveFrom", "Fallback", "instrText", "delText", "pict", "rPr", "pPr"})
_OFF = frozenset({"0", "false", "off", "none"})
_WHITE = frozenset({"FFFFFF", "FEFEFE", "FDFDFD"})
_LEAST_HALF_POINTS = 2
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)


class Style(Struct, frozen=True):
    """What of a style matters. `level` is that of a heading, 0 for none."""

    level: int = 0
    hidden: bool = False


def read_docx(body: bytes) -> Converted:
    """The document as HTML. Raises StageError."""
    return _Docx(Parts(body)).converted()


class _Docx:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._links = parts.relations(MAIN)
        self._styles = _styles(parts.xml("word/styles.xml"))
        self._numbered = _numbered(parts.xml("word/numbering.xml"))
        self._hidden = Hidden("hidden_attribute")
        self._title = ""

    def converted(self) -> Converted:
        root = self._parts.xml(MAIN)
        body = next((child for child in root if local(child) == "body"), None) if root is not None else None
        parts = self._blocks(body, 0) if body is not None else []
        for kind in ("footnote", "endnote"):
            parts += self._notes(kind)
        return Converted(document(self._title, parts), READER, self._hidden.threats())

    def _notes(self, kind: str) -> list[str]:
        root = self._parts.xml(f"word/{kind}s.xml")
        found: list[str] = []
        for note in root if root is not None else ():
            if attribute(note, "type") in ("", "normal"):
                found += self._blocks(note, 0)
        return found

    def _blocks(self, parent: _Element, depth: int) -> list[str]:
        """Markup of the blocks; paragraphs of a list that follow one another are one list."""
        parts: list[str] = []
        items: list[tuple[int, bool, str]] = []
        for element in _block_elements(parent):
            item = self._item(element)
            if item is not None:
                items += [item] if item[2].strip() else []
                continue
            parts += [nested_list(items)] if items else []
            items = []
            parts.append(self._table(element, depth) if local(element) == "tbl" else self._paragraph(element, depth))
        return [*parts, nested_list(items)] if items else parts

    def _item(self, element: _Element) -> tuple[int, bool, str] | None:
        numbering = element.find("{*}pPr/{*}numPr")
        if local(element) != "p" or numbering is None or self._level(element):
            return None
        chosen, level = (
            attribute(one, "val") if (one := numbering.find(f"{{*}}{name}")) is not None else "" for name in ("numId", "ilvl")
        )
        if chosen == "0":
            return None
        at = min(int(level), 8) if level.isdecimal() else 0
        return at, (chosen, at) in self._numbered, self._inline(element)

    def _paragraph(self, element: _Element, depth: int) -> str:
        level, inner = self._level(element), self._inline(element)
        if level and not self._title:
            self._title = "".join(element.itertext("{*}t"))[:300]
        boxes = "".join(part for box in _boxes(element) if depth < MAX_DEPTH for part in self._blocks(box, depth + 1))
        return (heading(inner, level) if level else paragraph(inner)) + boxes

    def _table(self, element: _Element, depth: int) -> str:
        if depth >= MAX_DEPTH:
            return ""
        rows = (row for row in element.iterchildren("{*}tr", "{*}sdt"))
        return table([self._cell(cell, depth) for cell in row.iter("{*}tc") if _owner(cell) is element] for row in rows)

    def _cell(self, cell: _Element, depth: int) -> str:
        return "".join(self._blocks(cell, depth + 1))

    def _style(self, element: _Element, path: str) -> Style:
        named = element.find(path)
        return self._styles.get(attribute(named, "val"), Style()) if named is not None else Style()

    def _level(self, element: _Element) -> int:
        outline = element.find("{*}pPr/{*}outlineLvl")
        value = attribute(outline, "val") if outline is not None else ""
        if value.isdecimal() and int(value) < 9:  # noqa: PLR2004 - nine is body text
            return int(value) + 1
        return self._style(element, "{*}pPr/{*}pStyle").level

    def _inline(self, element: _Element) -> str:
        """The runs of a paragraph, without what its text boxes hold."""
        whole = self._style(element, "{*}pPr/{*}pStyle").hidden
        return "".join(self._pieces(element, hidden=whole))

    def _pieces(self, element: _Element, *, hidden: bool) -> Iterator[str]:
        for child in element:
            name = local(child)
            if name in _GONE or name == "txbxContent":
                continue
            if name == "r":
                yield self._run(child, hidden=hidden)
            elif name == "hyperlink":
                yield link("".join(self._pieces(child, hidden=hidden)), self._links.get(attribute(child, "id"), ""))
            elif name in ("sdt", "sdtContent", "ins", "moveTo", "smartTag", "fldSimple", "oMath", "oMathPara", "customXml"):
                yield from self._pieces(child, hidden=hidden)

    def _run(self, run: _Element, *, hidden: bool) -> str:
        text = "".join(_shown(child) for child in run)
        reason = "its style is hidden" if hidden else self._unseen(run)
        if reason:
            self._hidden.add(reason, text)
            return ""
        return escaped(text).replace("\n", "<br>")

    def _unseen(self, run: _Element) -> str:
        """Why nobody sees the run; empty when somebody does."""
        looks = run.find("{*}rPr")
        if looks is None:
            return ""
        vanish = looks.find("{*}vanish")
        if (vanish is not None and attribute(vanish, "val") not in _OFF) or self._style(run, "{*}rPr/{*}rStyle").hidden:
            return "text marked as hidden"
        size, colour = looks.find("{*}sz"), looks.find("{*}color")
        if size is not None and attribute(size, "val").isdecimal() and int(attribute(size, "val")) <= _LEAST_HALF_POINTS:
            return "text smaller than a point"
        white = colour is not None and attribute(colour, "val").upper() in _WHITE
        return "white text on white" if white and not _shaded(run) else ""


def _shown(child: _Element) -> str:
    name = local(child)
    if name in ("t", "delText"):
        return (child.text or "") if name == "t" else ""
    return {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011"}.get(name, "")


def _shaded(run: _Element) -> bool:
    """Whether something darker may lie behind the run: a fill or highlight of it, its paragraph, cell, table or text box."""
    element: _Element | None = run
    while element is not None:
        for looks in element.iterchildren("{*}rPr", "{*}pPr", "{*}tcPr", "{*}tblPr"):
            for one in looks.iter("{*}shd", "{*}highlight"):
                if (attribute(one, "fill") or attribute(one, "val")).upper() not in (
                    "",
                    "AUTO",
                    "CLEAR",
                    "FFFFFF",
                    "WHITE",
                    "NONE",
                ):
                    return True
            if looks.find("{*}tblStyle") is not None or looks.find("{*}pStyle") is not None:
                return True  # a style may fill: not looked into
        if local(element) in ("txbxContent", "background"):
            return True
        element = element.getparent()
    return False


def _block_elements(parent: _Element) -> Iterator[_Element]:
    """Paragraphs and tables, also those in content controls and tracked insertions."""
    for child in parent:
        name = local(child)
        if name in ("p", "tbl"):
            yield child
        elif name in ("sdt", "sdtContent", "ins", "moveTo", "customXml"):
            yield from _block_elements(child)


def _boxes(element: _Element) -> Iterator[_Element]:
    """Text boxes of a paragraph, not those within them; the old form of the same box is left out."""
    for box in element.iter("{*}txbxContent"):
        above = [local(one) for one in box.iterancestors() if one is not element][: _distance(box, element)]
        if "txbxContent" not in above and "Fallback" not in above:
            yield box


def _distance(inner: _Element, outer: _Element) -> int:
    return next((number for number, one in enumerate(inner.iterancestors()) if one is outer), 0)


def _owner(cell: _Element) -> _Element | None:
    return next((one for one in cell.iterancestors() if local(one) == "tbl"), None)


def _styles(root: _Element | None) -> dict[str, Style]:
    found: dict[str, Style] = {}
    based: dict[str, str] = {}
    for style in root.iterchildren("{*}style") if root is not None else ():
        name = style.find("{*}name")
        label = attribute(name, "val") if name is not None else ""
        match = _HEADING.fullmatch(label)
        vanish = style.find("{*}rPr/{*}vanish")
        key, base = attribute(style, "styleId"), style.find("{*}basedOn")
        level = int(match[1]) if match else int(label.lower() == "title")
        found[key] = Style(level, vanish is not None and attribute(vanish, "val") not in _OFF)
        based[key] = attribute(base, "val") if base is not None else ""
    return {key: _inherited(key, found, based) for key in found}


def _inherited(key: str, found: dict[str, Style], based: dict[str, str]) -> Style:
    level, hidden, seen = 0, False, set[str]()
    while key in found and key not in seen:
        seen.add(key)
        level, hidden = level or found[key].level, hidden or found[key].hidden
        key = based[key]
    return Style(level, hidden)


def _numbered(root: _Element | None) -> frozenset[tuple[str, int]]:
    """List and level of those that count; the others have bullets."""
    if root is None:
        return frozenset()
    kinds = {
        attribute(one, "abstractNumId"): {
            int(attribute(level, "ilvl") or 0)
            for level in one.iterchildren("{*}lvl")
            if (form := level.find("{*}numFmt")) is not None and attribute(form, "val") not in ("bullet", "none")
        }
        for one in root.iterchildren("{*}abstractNum")
    }
    pairs = ((attribute(one, "numId"), one.find("{*}abstractNumId")) for one in root.iterchildren("{*}num"))
    return frozenset(
        (number, level) for number, kind in pairs if kind is not None for level in kinds.get(attribute(kind, "val"), ())
    )


__all__ = ["READER", "read_docx"]
