"""Which texts of a PDF page somebody sees: judged object by object, in the order in which they are painted.

Rules of the painter's model. Text is hidden when its render mode paints nothing and no picture covers the page (a scan with a
layer of recognised text is honest), when it is transparent, tiny, off the page, of the colour of what lies under it, or under
something opaque that was painted later. What is under it may be unknown (a picture, a shading): then it stays.
"""

from __future__ import annotations

import ctypes
from bisect import bisect_left
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

from msgspec import Struct

from stages.formats.pdf_boxes import UNIT, Box, Matrix, contains, cut, meets, moved, page_box, share, times
from stages.formats.pdf_boxes import matrix as matrix_of
from stages.formats.pdf_ink import LEAST_ALPHA, Colour, contrast, drawn_by_hand, fill_of, points, stroke_of, width
from stages.formats.pdf_layers import kept_back, painted, stands_for_more, unpainted

UNPAINTED_MODES = frozenset({3, 7})
STROKED_MODES = frozenset({1, 5})
OUTLINED_MODES = frozenset({1, 2, 5, 6})
SAME_COLOUR = "text in the colour of what is under it"
LINE = -1
"""The kind of a path that is only stroked."""
PATTERN = (191, 191, 191)
"""What pdfium says where a pattern of tiles is the colour."""
_FIRST_CLIPPING = 4
"""The first render mode that clips what comes after."""
_THICK_LINE = 6.0
MAX_VEILS = 50
_LEAST_SHARE, _MOST_OF_IT = 0.2, 0.6
"""Of the width and of the height of a text."""
MAX_OBJECTS = 50_000
MAX_FORM_DEPTH = 8
_LEAST_POINTS = 1.0
_LEAST_CONTRAST = 1.15
_SCAN_SHARE = 0.6
_MAX_COVER_SEGMENTS = 6
"""A rectangle has five."""
MAX_COMPARISONS = 3_000_000
"""Of a text with something else on its page: about a second."""


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
    in_doubt: bool = False
    """Whether something may keep a text back that is not its own paint."""
    outline: Colour | None = None
    """The colour of its stroke, where it has one."""
    veil: bool = False
    """Whether it may lie over a text although it is no plain box: a thick line, a shading."""


class Judged(Struct, frozen=True):
    """Why texts are hidden, by the address of the text object; not `whole` where a page was too rich to be judged all over."""

    reasons: dict[int, str]
    whole: bool


def hidden_texts(page: Any) -> Judged:
    """Judge the texts of a page, which is pypdfium2's."""
    return _Page(page).judged()


class _Page:
    def __init__(self, page: Any) -> None:
        self._page = page
        self._visible = page_box(page)
        self._painted = list(_walk(page))
        self._grounds = [
            (at, one)
            for at, one in enumerate(self._painted)
            if one.kind not in (_raw().FPDF_PAGEOBJ_TEXT, LINE) and one.alpha >= LEAST_ALPHA
        ]
        self._covers = [(at, one) for at, one in self._grounds if one.opaque]
        self._scanned = any(map(self._is_scan, self._painted))
        self._left = MAX_COMPARISONS

    def judged(self) -> Judged:
        """Every text against the page, and against what was painted before and after it."""
        found: dict[int, str] = {}
        for at, one in enumerate(self._painted):
            if one.kind == _raw().FPDF_PAGEOBJ_TEXT:
                reason = self._unpainted(one) or self._blended(one, at)
                found |= {one.address: reason} if reason else {}
        found |= dict.fromkeys(self._kept_back(found), "text that is kept from being painted")
        for address in self._painted_after_all(found):
            del found[address]
        return Judged(found, whole=self._left > 0 and len(self._painted) < MAX_OBJECTS)

    def _kept_back(self, found: dict[int, str]) -> set[int]:
        """Texts that leave no trace on the page, of those that a layer, a clip or the like may keep back."""
        texts = [one for one in self._painted if one.kind == _raw().FPDF_PAGEOBJ_TEXT]
        clips = next((at for at, one in enumerate(self._painted) if one.mode >= _FIRST_CLIPPING), len(self._painted))
        veils = [(at, one) for at, one in enumerate(self._painted) if one.veil]
        asked = [
            one
            for at, one in enumerate(self._painted)
            if one.kind == _raw().FPDF_PAGEOBJ_TEXT
            and (one.in_doubt or at > clips or any(later > at and _lies_over(veil, one) for later, veil in veils[:MAX_VEILS]))
            and one.address not in found
            and one.mode not in UNPAINTED_MODES
        ]
        if self._left <= 0:
            return set()
        return unpainted(self._page, [(one.item, one.box) for one in texts], [(one.address, one.box) for one in asked])

    def _painted_after_all(self, found: dict[int, str]) -> set[int]:
        """Texts that were taken for one with what is under them, and are told from it on the page: a pattern fills them."""
        asked = [one for one in self._painted if found.get(one.address) == SAME_COLOUR]
        return painted(self._page, [(one.item, one.box, one.address) for one in asked])

    def _is_scan(self, one: Painted) -> bool:
        """Whether it is a picture of the whole page, over or under which recognised text may lie."""
        return one.kind == _raw().FPDF_PAGEOBJ_IMAGE and share(one.box, self._visible) >= _SCAN_SHARE

    def _unpainted(self, text: Painted) -> str:
        if text.mode in UNPAINTED_MODES:
            return "" if self._scanned else "text that is not painted"
        if text.alpha < LEAST_ALPHA:
            return "transparent text"
        if stands_for_more(text.item, text.box[2] - text.box[0], text.points):
            return "text that stands for another"
        if 0 < text.points < _LEAST_POINTS:
            return "text smaller than a point"
        drawn = text.box[2] > text.box[0] or text.box[3] > text.box[1]
        return "text off the page" if drawn and not meets(text.box, self._visible) else ""

    def _blended(self, text: Painted, at: int) -> str:
        if text.mode in UNPAINTED_MODES:
            return ""
        box = cut(text.box, self._visible)
        if self._covered(box, at):
            return "text under something opaque"
        paints = [one for one in (text.colour if text.mode not in STROKED_MODES else None, text.outline) if one is not None]
        ground = self._ground(box, at) if paints else None
        hidden = ground is not None and all(contrast(one, ground) < _LEAST_CONTRAST for one in paints)
        return SAME_COLOUR if hidden else ""

    def _covered(self, box: Box, at: int) -> bool:
        later = self._covers[bisect_left(self._covers, at, key=itemgetter(0)) :] if self._left > 0 else []
        self._left -= len(later)
        return any(contains(one.box, box) and not self._is_scan(one) and self._is_opaque(one) for _, one in later)

    def _ground(self, box: Box, at: int) -> Colour | None:
        """The colour of what was painted last beneath the box: paper is white; None where it is not known."""
        place = bisect_left(self._grounds, at, key=itemgetter(0))
        while place and self._left > 0:
            place -= 1
            self._left -= 1
            one = self._grounds[place][1]
            if meets(one.box, box):
                return one.colour if contains(one.box, box) else None
        return (255, 255, 255) if self._left > 0 else None

    def _is_opaque(self, one: Painted) -> bool:
        """A picture may be a stamp with holes: its own pixels say."""
        if one.kind != _raw().FPDF_PAGEOBJ_IMAGE:
            return True
        import pypdfium2 as pdfium

        drawn = _raw().FPDFImageObj_GetRenderedBitmap(self._page.pdf, self._page, one.item)
        if not drawn:
            return False
        bitmap = pdfium.PdfBitmap.from_raw(drawn)
        try:
            alphas = bytes(bitmap.buffer)[3::4] if bitmap.n_channels == 4 else b"\xff"  # noqa: PLR2004
            return bool(alphas) and min(alphas) > 255 - LEAST_ALPHA
        finally:
            bitmap.close()


def _lies_over(veil: Painted, text: Painted) -> bool:
    """Whether something may take a text away that is no box around all of it; a line under a text does not."""
    if veil.kind != _raw().FPDF_PAGEOBJ_PATH or not meets(veil.box, text.box):
        return veil.kind != _raw().FPDF_PAGEOBJ_PATH and meets(veil.box, text.box)
    left, bottom, right, top = cut(veil.box, text.box)
    wide, tall = text.box[2] - text.box[0], text.box[3] - text.box[1]
    return right - left >= wide * _LEAST_SHARE and top - bottom >= tall * _MOST_OF_IT


def _walk(page: Any) -> Iterator[Painted]:
    """Every object, those of forms too, in painting order."""
    raw = _raw()
    count = raw.FPDFPage_CountObjects(page)
    left = [MAX_OBJECTS]
    for number in range(min(count, MAX_OBJECTS)):
        yield from _objects(raw.FPDFPage_GetObject(page, number), UNIT, 0, left)


def _objects(item: Any, matrix: Matrix, depth: int, left: list[int]) -> Iterator[Painted]:
    raw = _raw()
    if not item or left[0] <= 0:
        return
    left[0] -= 1
    kind = raw.FPDFPageObj_GetType(item)
    if kind == raw.FPDF_PAGEOBJ_FORM:
        if depth < MAX_FORM_DEPTH:
            inner = times(matrix_of(item), matrix)
            for number in range(raw.FPDFFormObj_CountObjects(item)):
                yield from _objects(raw.FPDFFormObj_GetObject(item, number), inner, depth + 1, left)
        return
    painted = _painted(item, kind, matrix, depth)
    if painted is not None:
        yield painted


def _painted(item: Any, kind: int, matrix: Matrix, depth: int) -> Painted | None:
    raw = _raw()
    edges = [ctypes.c_float() for _ in range(4)]
    if not raw.FPDFPageObj_GetBounds(item, *edges):
        return None
    box = moved(tuple(edge.value for edge in edges), matrix)
    colour, alpha = fill_of(item)
    if kind == raw.FPDF_PAGEOBJ_TEXT:
        return Painted(
            kind,
            box,
            colour,
            alpha,
            opaque=False,
            mode=raw.FPDFTextObj_GetTextRenderMode(item),
            address=_address(item),
            points=points(item, matrix),
            item=item,
            in_doubt=kept_back(item, box, depth) or colour == PATTERN or drawn_by_hand(item),
            outline=stroke_of(item) if raw.FPDFTextObj_GetTextRenderMode(item) in OUTLINED_MODES else None,
        )
    if kind == raw.FPDF_PAGEOBJ_PATH:
        mode, stroke = ctypes.c_int(), ctypes.c_int()
        filled = bool(raw.FPDFPath_GetDrawMode(item, mode, stroke)) and mode.value != 0
        plain = raw.FPDFPath_CountSegments(item) <= _MAX_COVER_SEGMENTS
        solid = filled and plain and alpha == 255 and not raw.FPDFPageObj_HasTransparency(item)  # noqa: PLR2004
        if not filled:
            return Painted(LINE, box, None, 255, opaque=False, veil=True) if stroke.value and width(item) >= _THICK_LINE else None
        veil = alpha == 255 and not raw.FPDFPageObj_HasTransparency(item)  # noqa: PLR2004
        return Painted(kind, box, colour if plain else None, alpha, opaque=solid, veil=veil)
    if kind == raw.FPDF_PAGEOBJ_SHADING:
        return Painted(kind, box, None, 255, opaque=False, veil=True)
    opaque = kind == raw.FPDF_PAGEOBJ_IMAGE and not raw.FPDFPageObj_HasTransparency(item)
    return Painted(kind, box, None, 255, opaque=opaque, item=item)


def _address(item: Any) -> int:
    return ctypes.addressof(item.contents)


def _raw() -> Any:
    from pypdfium2 import raw

    return raw


def text_address(item: Any) -> int:
    """The address by which `hidden_texts` names a text object; 0 for none."""
    return _address(item) if item else 0


__all__ = ["Judged", "hidden_texts", "text_address"]
