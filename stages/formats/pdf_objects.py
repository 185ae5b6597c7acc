"""What lies on a PDF page, object by object in the order in which it is painted; forms are unfolded."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from stages.formats.boxes import UNIT, Box, Matrix, moved, times
from stages.formats.shades import Colour

UNPAINTED_MODES = frozenset({3, 7})
STROKED_MODES = frozenset({1, 2, 5, 6})
MAX_OBJECTS = 50_000
MAX_FORM_DEPTH = 8
OPAQUE = 255
_MAX_COVER_SEGMENTS = 6
"""A rectangle has five."""

_LAYER = "OC\0".encode("utf-16-le")
_THIN_LINE = 3.0
_OF_PATTERNS = 191, 191, 191
"""The colour that pdfium gives for a pattern, whatever it looks like."""


class Painted(Struct):
    """An object on the page. `colour` is None where it cannot be known."""

    kind: int
    box: Box
    colour: Colour | None
    alpha: int
    opaque: bool
    """Hides what lies beneath its box."""
    mode: int = 0
    address: int = 0
    points: float = 0.0
    item: Any = None
    ink: Colour | None = None
    """The colour that a text covers what is under it with; None where something may change it."""
    in_doubt: bool = False
    """Whether something may keep a text back that is not its own paint."""


def raw() -> Any:
    """What pdfium itself can do; loading it takes a while."""
    from pypdfium2 import raw as functions

    return functions


def painted_objects(page: Any) -> list[Painted]:
    """Every object, those of forms too, in painting order."""
    left = [MAX_OBJECTS]
    count = min(raw().FPDFPage_CountObjects(page), MAX_OBJECTS)
    return [one for number in range(count) for one in _objects(raw().FPDFPage_GetObject(page, number), UNIT, 0, left)]


def page_box(page: Any) -> Box:
    """What of the page is shown: its CropBox within its MediaBox."""
    media, crop = page.get_mediabox(), page.get_cropbox()
    return max(media[0], crop[0]), max(media[1], crop[1]), min(media[2], crop[2]), min(media[3], crop[3])


def text_address(item: Any) -> int:
    """The address that names an object of the page; 0 for none."""
    return ctypes.addressof(item.contents) if item else 0


def _matrix(item: Any) -> Matrix:
    """The matrix of an object."""
    found = raw().FS_MATRIX()
    if not raw().FPDFPageObj_GetMatrix(item, found):
        return UNIT
    return found.a, found.b, found.c, found.d, found.e, found.f


def _objects(item: Any, matrix: Matrix, depth: int, left: list[int], *, clear: bool = True) -> Iterator[Painted]:
    """An object, or those of a form; `clear` says that no form around it is transparent."""
    if not item or left[0] <= 0:
        return
    left[0] -= 1
    kind = raw().FPDFPageObj_GetType(item)
    if kind == raw().FPDF_PAGEOBJ_FORM:
        if depth < MAX_FORM_DEPTH:
            inner = times(_matrix(item), matrix)
            clear = clear and not raw().FPDFPageObj_HasTransparency(item)
            for number in range(raw().FPDFFormObj_CountObjects(item)):
                yield from _objects(raw().FPDFFormObj_GetObject(item, number), inner, depth + 1, left, clear=clear)
        return
    painted = _painted(item, kind, matrix, depth)
    if painted is not None and not clear:
        painted.ink = None
    if painted is not None:
        yield painted


def _painted(item: Any, kind: int, matrix: Matrix, depth: int) -> Painted | None:
    edges = [ctypes.c_float() for _ in range(4)]
    if not raw().FPDFPageObj_GetBounds(item, *edges):
        return None
    box = moved(tuple(edge.value for edge in edges), matrix)
    if kind == raw().FPDF_PAGEOBJ_TEXT:
        return _text(item, box, matrix, depth)
    if kind == raw().FPDF_PAGEOBJ_PATH:
        return _path(item, box)
    clear = not raw().FPDFPageObj_HasTransparency(item)
    return Painted(kind, box, None, OPAQUE, opaque=clear and kind == raw().FPDF_PAGEOBJ_IMAGE, item=item)


def _path(item: Any, box: Box) -> Painted | None:
    """A shape that may lie over or under a text: a filled one, or a line of some width."""
    mode, stroke, width = ctypes.c_int(), ctypes.c_int(), ctypes.c_float()
    filled = bool(raw().FPDFPath_GetDrawMode(item, mode, stroke)) and mode.value != 0
    wide = bool(stroke.value) and bool(raw().FPDFPageObj_GetStrokeWidth(item, width)) and width.value > _THIN_LINE
    if not filled and not wide:
        return None
    colour, alpha = _fill(item) if filled else (None, OPAQUE)
    plain = raw().FPDFPath_CountSegments(item) <= _MAX_COVER_SEGMENTS
    solid = filled and plain and alpha == OPAQUE and not raw().FPDFPageObj_HasTransparency(item)
    return Painted(raw().FPDF_PAGEOBJ_PATH, box, colour if plain else None, alpha, opaque=solid, item=item)


def _text(item: Any, box: Box, matrix: Matrix, depth: int) -> Painted:
    colour, alpha = _fill(item)
    mode = raw().FPDFTextObj_GetTextRenderMode(item)
    covers = mode == 0 and alpha == OPAQUE and not raw().FPDFPageObj_HasTransparency(item)
    return Painted(
        raw().FPDF_PAGEOBJ_TEXT,
        box,
        None if mode in STROKED_MODES else colour,
        alpha,
        opaque=False,
        mode=mode,
        address=text_address(item),
        points=_points(item, matrix),
        item=item,
        ink=(colour or _OF_PATTERNS) if covers else None,
        in_doubt=bool(depth) or _kept_back(item, box),
    )


def _kept_back(item: Any, box: Box) -> bool:
    """Whether something may keep a text back: a layer, transparency, or a clip."""
    if _is_in_layer(item) or raw().FPDFPageObj_HasTransparency(item):
        return True
    path = raw().FPDFPageObj_GetClipPath(item)
    return bool(path) and raw().FPDFClipPath_CountPaths(path) > 0 and box[2] > box[0]


def _is_in_layer(item: Any) -> bool:
    size, name = ctypes.c_ulong(), (ctypes.c_ushort * 4)()
    for number in range(max(raw().FPDFPageObj_CountMarks(item), 0)):
        mark = raw().FPDFPageObj_GetMark(item, number)
        if raw().FPDFPageObjMark_GetName(mark, name, ctypes.sizeof(name), size) and bytes(name)[: size.value] == _LAYER:
            return True
    return False


def _points(item: Any, matrix: Matrix) -> float:
    """How tall the text is set, in points, or how wide where that is less."""
    size = ctypes.c_float()
    if not raw().FPDFTextObj_GetFontSize(item, size):
        return 0.0
    a, b, c, d, _, _ = times(_matrix(item), matrix)
    return float(abs(size.value) * min(a * a + b * b, c * c + d * d) ** 0.5)


def _fill(item: Any) -> tuple[Colour | None, int]:
    parts = [ctypes.c_uint() for _ in range(4)]
    if not raw().FPDFPageObj_GetFillColor(item, *parts):
        return None, OPAQUE
    red, green, blue, alpha = (part.value for part in parts)
    return None if (red, green, blue) == _OF_PATTERNS else (red, green, blue), alpha


__all__ = ["Painted", "page_box", "painted_objects", "raw", "text_address"]
