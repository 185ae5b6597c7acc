"""Word documents (.docx): paragraphs, headings, lists, tables, links and notes, in the order of the text.

Hidden, deleted and moved-away text, codes of fields, and text that its looks or its box keep from being seen are left out; all
but tracked deletions is reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from stages.formats.docx_looks import Looks, ground_of, is_squeezed_row, looks_of, paragraph_looks, styles_of
from stages.formats.markup import Converted, Hidden, document, escaped, heading, link, nested_list, paragraph, plain, table
from stages.formats.zipped import Parts, attribute, local, number

if TYPE_CHECKING:
    from lxml.etree import _Element

READER = "docx/1"
MAIN = "word/document.xml"
MAX_DEPTH = 40
"""Of tables and text boxes in one another."""

_GONE = frozenset({"del", "moveFrom", "Fallback", "instrText", "delText", "pict", "rPr", "pPr"})
_WRAPPERS = frozenset({
    "sdt", "sdtContent", "ins", "moveTo", "smartTag", "fldSimple", "customXml", "dir", "bdo", "AlternateContent", "Choice",
    "ruby", "rubyBase",
})  # fmt: skip
_FAR = 10_800_000
"""Thirty centimetres: a box so far from its place is on no page."""
_NO_BOX = re.compile(r"visibility:hidden|display:none|(?:^|;)(?:width|height):0(?:pt)?(?:;|$)")
_LEAST_EXTENT = 25_400
"""Two points, in the units of drawings."""


def read_docx(body: bytes) -> Converted:
    """The document as HTML. Raises StageError."""
    return _Docx(Parts(body)).converted()


class _Docx:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._links = parts.relations(MAIN)
        self._styles = styles_of(parts.xml("word/styles.xml"))
        self._numbered = _numbered(parts.xml("word/numbering.xml"))
        self._hidden = Hidden("hidden_attribute")
        self._title = ""
        self._fields: list[bool] = []
        """Fields that are open, each with whether its code is read: what follows the code is shown."""

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
        at = min(max(number(level), 0), 8)
        return at, (chosen, at) in self._numbered, self._inline(element)

    def _paragraph(self, element: _Element, depth: int) -> str:
        level, inner = self._level(element), self._inline(element)
        if level and not self._title:
            self._title = plain(inner)[:300]
        boxes = "".join(part for box in self._seen_boxes(element) if depth < MAX_DEPTH for part in self._blocks(box, depth + 1))
        return (heading(inner, level) if level else paragraph(inner)) + boxes

    def _table(self, element: _Element, depth: int) -> str:
        if depth >= MAX_DEPTH:
            return ""
        rows = (row for row in element.iterchildren("{*}tr", "{*}sdt"))
        return table(self._row(row, element, depth) for row in rows)

    def _row(self, row: _Element, whole: _Element, depth: int) -> list[str]:
        if is_squeezed_row(row):
            self._hidden.add("a hidden row", "".join(row.itertext("{*}t")))
            return []
        return [self._cell(cell, depth) for cell in row.iter("{*}tc") if _owner(cell) is whole]

    def _seen_boxes(self, element: _Element) -> Iterator[_Element]:
        for box in _boxes(element):
            if _is_unseen_box(box):
                self._hidden.add("a hidden box", "".join(box.itertext("{*}t")))
            else:
                yield box

    def _cell(self, cell: _Element, depth: int) -> str:
        return "".join(self._blocks(cell, depth + 1))

    def _style(self, element: _Element, path: str) -> Looks:
        named = element.find(path)
        return self._styles.get(attribute(named, "val"), Looks()) if named is not None else Looks()

    def _level(self, element: _Element) -> int:
        outline = element.find("{*}pPr/{*}outlineLvl")
        level = number(attribute(outline, "val")) if outline is not None else -1
        if 0 <= level < 9:  # noqa: PLR2004 - nine is body text
            return level + 1
        return self._style(element, "{*}pPr/{*}pStyle").level or 0

    def _inline(self, element: _Element) -> str:
        """The runs of a paragraph, without what its text boxes hold."""
        self._fields = [code for code in self._fields if not code]
        whole = self._style(element, "{*}pPr/{*}pStyle").over(self._styles.get("", Looks()))
        return "".join(self._pieces(element, paragraph_looks(element.find("{*}pPr")).over(whole)))

    def _pieces(self, element: _Element, looks: Looks) -> Iterator[str]:
        for child in element:
            name = local(child)
            if name in _GONE or name == "txbxContent":
                continue
            if name == "r":
                yield self._run(child, looks)
            elif name == "hyperlink":
                yield link("".join(self._pieces(child, looks)), self._links.get(attribute(child, "id"), ""))
            elif name in ("oMath", "oMathPara"):
                yield escaped("".join(child.itertext("{*}t")))
            elif name in _WRAPPERS:
                yield from self._pieces(child, looks)

    def _run(self, run: _Element, looks: Looks) -> str:
        text = "".join(self._shown(child) for child in run)
        looks = looks_of(run.find("{*}rPr")).over(self._style(run, "{*}rPr/{*}rStyle").over(looks))
        reason = looks.unseen(ground_of(run)) if text else ""
        if reason:
            self._hidden.add(reason, text)
            return ""
        bases = run.iterfind("{*}ruby/{*}rubyBase")
        return escaped(text).replace("\n", "<br>") + "".join(piece for one in bases for piece in self._pieces(one, looks))

    def _shown(self, child: _Element) -> str:
        """What of a run's child is seen; the code of a field is not."""
        if local(child) == "fldChar":
            self._note_field(attribute(child, "fldCharType"))
        text = _shown(child)
        if any(self._fields):
            self._hidden.add("text within the code of a field", text)
            return ""
        return text

    def _note_field(self, kind: str) -> None:
        if kind == "begin":
            self._fields.append(True)
        elif self._fields and kind == "separate":
            self._fields[-1] = False
        elif self._fields and kind == "end":
            self._fields.pop()


def _shown(child: _Element) -> str:
    name = local(child)
    if name in ("t", "delText"):
        return (child.text or "") if name == "t" else ""
    return {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011"}.get(name, "")


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


def _is_unseen_box(box: _Element) -> bool:
    """Whether the drawing that holds the box is hidden, has no extent, or lies off every page."""
    for above in box.iterancestors("{*}anchor", "{*}inline", "{*}shape", "{*}rect"):
        said = "".join(above.get("style", "").lower().split())
        named, extent = above.find("{*}docPr"), above.find("{*}extent")
        if _NO_BOX.search(said) or (named is not None and attribute(named, "hidden") in ("1", "true", "on")):
            return True
        if extent is not None and min(number(attribute(extent, side)) for side in ("cx", "cy")) < _LEAST_EXTENT:
            return True
        if any(_is_far(one.text or "") for one in above.iter("{*}posOffset")):
            return True
    return False


def _is_far(offset: str) -> bool:
    """Whether a place in units of drawings is off every page."""
    bare = offset.strip().removeprefix("-")
    return bare.isdecimal() and (len(bare) > len(str(_FAR)) or int(bare) > _FAR)


def _distance(inner: _Element, outer: _Element) -> int:
    return next((number for number, one in enumerate(inner.iterancestors()) if one is outer), 0)


def _owner(cell: _Element) -> _Element | None:
    return next((one for one in cell.iterancestors() if local(one) == "tbl"), None)


def _numbered(root: _Element | None) -> frozenset[tuple[str, int]]:
    """List and level of those that count; the others have bullets."""
    if root is None:
        return frozenset()
    kinds = {
        attribute(one, "abstractNumId"): {
            max(number(attribute(level, "ilvl")), 0)
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
