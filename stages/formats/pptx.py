"""Presentations (.pptx): slide by slide, in the order of the show; what of it is not seen is left out and reported.

Speaker notes are no part of the show and are left out as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stages.formats.boxes import Box
from stages.formats.markup import Converted, Hidden, document, escaped, heading, link, nested_list, paragraph, table
from stages.formats.pptx_looks import Setting, setting, unseen_run, unseen_shape
from stages.formats.zipped import Parts, attribute, local, number

if TYPE_CHECKING:
    from lxml.etree import _Element

READER = "pptx/1"
MAIN = "ppt/presentation.xml"

MAX_COMPARED = 300
"""Shapes of a slide that are looked at in pairs; what lies under and over those of a richer one is not judged."""

_TITLES = frozenset({"title", "ctrTitle"})
_FURNITURE = frozenset({"sldNum", "dt", "ftr", "hdr"})


def read_pptx(body: bytes) -> Converted:
    """The presentation as HTML, a section a slide. Raises StageError."""
    parts = Parts(body)
    root, targets = parts.xml(MAIN), parts.relations(MAIN)
    names = [targets.get(_relation(one), "") for one in root.iter("{*}sldId")] if root is not None else []
    hidden, title, page = Hidden("hidden_attribute"), "", _page(root)
    sections: list[str] = []
    for at, name in enumerate(names, 1):
        slide = parts.xml(name)
        if slide is None:
            continue
        if slide.get("show") in ("0", "false"):
            hidden.add("a hidden slide", " ".join(slide.itertext("{*}t")), f"slide {at}")
            continue
        shapes = list(_shapes(slide, setting(parts, name, slide, page), hidden, f"slide {at}"))
        title = title or next((_plain(shape) for shape in shapes if _place(shape) in _TITLES), "")
        shapes.sort(key=lambda shape: _place(shape) not in _TITLES)
        links = parts.relations(name)
        inner = "".join(_shape(shape, links) for shape in shapes)
        sections.append(f'<section id="slide-{at}">{inner}</section>')
    return Converted(document(title, sections), READER, hidden.threats())


def _page(root: _Element | None) -> Box:
    """The size of a slide in units of drawings; 16:9 where it is not said."""
    size = root.find("{*}sldSz") if root is not None else None
    width, height = (number(size.get(side, "")) if size is not None else -1 for side in ("cx", "cy"))
    return 0, 0, (width if width > 0 else 12_192_000), (height if height > 0 else 6_858_000)


def _relation(element: _Element) -> str:
    return next((value for key, value in element.attrib.items() if key.endswith("}id")), "")


def _shapes(slide: _Element, where: Setting, hidden: Hidden, place: str) -> Iterator[_Element]:
    """Shapes with text and tables, in the order in which they are drawn, without text that is not seen."""
    drawn: list[_Element] = []
    for shape in slide.iter("{*}sp", "{*}graphicFrame", "{*}pic"):
        if next(shape.iterancestors("{*}Fallback"), None) is None:
            drawn.append(shape)
            if _is_switched_off(shape):
                hidden.add("a hidden shape", _plain(drawn.pop()), place)
    for at, shape in enumerate(drawn):
        reason = unseen_shape(shape, drawn[at + 1 :] if len(drawn) <= MAX_COMPARED else [], where)
        if reason:
            hidden.add(reason, _plain(shape), place)
        elif _place(shape) not in _FURNITURE and local(shape) != "pic":
            _drop_unseen(shape, drawn[:at] if len(drawn) <= MAX_COMPARED else drawn[:MAX_COMPARED], where, hidden, place)
            yield shape


def _is_switched_off(shape: _Element) -> bool:
    """Whether the shape or a group around it is hidden."""
    named = next(shape.iter("{*}cNvPr"), None)
    above = (next(one.iter("{*}cNvPr"), None) for one in shape.iterancestors("{*}grpSp"))
    return any(one is not None and one.get("hidden") in ("1", "true") for one in (named, *above))


def _drop_unseen(shape: _Element, earlier: list[_Element], where: Setting, hidden: Hidden, place: str) -> None:
    for run in list(shape.iter("{*}r", "{*}fld")):
        reason = unseen_run(run, shape, earlier, where)
        if reason:
            hidden.add(reason, "".join(run.itertext("{*}t")), place)
            for text in run.iterchildren("{*}t"):
                text.text = ""


def _place(shape: _Element) -> str:
    """The placeholder that the shape fills; empty for none."""
    found = shape.find("{*}nvSpPr/{*}nvPr/{*}ph")
    return "" if found is None else found.get("type", "body")


def _plain(shape: _Element) -> str:
    return " ".join(text for text in shape.itertext("{*}t") if text.strip())


def _shape(shape: _Element, links: dict[str, str]) -> str:
    if local(shape) == "graphicFrame":
        rows = shape.iter("{*}tr")
        return table([paragraph_of_cell(cell, links) for cell in row.iterchildren("{*}tc")] for row in rows)
    lines = [(_level(one), _inline(one, links)) for one in shape.iterfind("{*}txBody/{*}p")]
    lines = [line for line in lines if line[1].strip()]
    if _place(shape) in _TITLES:
        return heading(" ".join(inner for _, inner in lines), 2)
    if len(lines) > 1 and _place(shape):
        return nested_list((level, False, inner) for level, inner in lines)
    return "".join(paragraph(inner) for _, inner in lines)


def paragraph_of_cell(cell: _Element, links: dict[str, str]) -> str:
    """The text of a table's cell as markup."""
    return "<br>".join(filter(None, (_inline(one, links) for one in cell.iterfind("{*}txBody/{*}p"))))


def _level(element: _Element) -> int:
    looks = element.find("{*}pPr")
    value = looks.get("lvl", "0") if looks is not None else "0"
    return min(max(number(value), 0), 8)


def _inline(element: _Element, links: dict[str, str]) -> str:
    parts: list[str] = []
    for run in element:
        if local(run) == "br":
            parts.append("<br>")
        elif local(run) in ("r", "fld"):
            text = "".join(one.text or "" for one in run.iterchildren("{*}t"))
            clicked = run.find("{*}rPr/{*}hlinkClick")
            parts.append(link(escaped(text), links.get(attribute(clicked, "id"), "") if clicked is not None else ""))
    return "".join(parts)


__all__ = ["READER", "read_pptx"]
