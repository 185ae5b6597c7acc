"""Which characters of a PDF page nobody sees.

The renderer says it: the page is drawn with its texts and without, and a letter whose place looks the same in both is not seen,
whatever keeps it back - a layer, a clip, a mask, its colour, a cover, an empty glyph. Two kinds of text paint nothing and are
seen all the same: the recognised text of a scan, which stands where the picture has ink, and letters that a later picture shines
through. Text that is painted so small that nobody could read it is not seen.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

from msgspec import Struct

from stages.formats.boxes import Box, contains, grown, share
from stages.formats.pdf_objects import MAX_OBJECTS, UNPAINTED_MODES, Painted, page_box, raw, text_address
from stages.formats.pdf_paint import KEPT_BACK, Painter
from stages.formats.pdf_pixels import Change, Picture

_LEAST_POINTS = 1.5
TOO_SMALL = "text too small to be read"
_SCAN_SHARE = 0.6
_MOST_OF_A_LETTER = 0.8
"""Of the box around letters that they fill at most."""
_MANY = 0.85
_NOTHING = 0.05
"""Points: a letter without a shape has a box of a thousandth of its size."""
_RUN = 3
"""Characters side by side from which what is hidden within a text is no accident of drawing."""
_CLIP_MODE = 7
MAX_EFFORT = 1500
"""Of one page: about a second."""
_SHADED = 20
MAX_CLIPS = 50
"""Texts of a page that are clips: each is a picture to draw."""
_SPACES = frozenset({*range(33), 0x85, 0xA0, 0x1680, *range(0x2000, 0x200C), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000})


TOO_RICH = "a page too rich to be judged all over"
UNDRAWN = "letters that cannot be drawn here, for want of their font"


class Judged(Struct, frozen=True):
    """Why characters are hidden, by their number, and why some that are may have been missed."""

    reasons: dict[int, str] = {}
    doubts: tuple[str, ...] = ()
    flat: bool = False
    """Whether there are texts of no width or height, which pdfium does not read."""


class Effort(Struct):
    """What of a document may still be drawn, in pages full of paint."""

    left: float = 10_000


def unseen_characters(page: Any, text_page: Any, painted: Sequence[Painted], effort: Effort, *, trusting: bool = False) -> Judged:
    """Judge the characters of a page; it and its texts are pypdfium2's, `painted` is all that lies on it.

    When `trusting`, a page on which everything speaks for its texts is not drawn. One that takes too much effort to draw is
    judged by its paint alone.
    """
    judge = _Page(page, text_page, painted)
    if not judge.texts or (trusting and judge.is_plain()):
        return Judged()
    cost = judge.cost()
    if cost > min(effort.left, MAX_EFFORT):
        return judge.by_paint()
    effort.left -= cost
    return judge.judged()


class _Page:
    def __init__(self, page: Any, text_page: Any, painted: Sequence[Painted]) -> None:
        self._page = page
        self._painted = painted
        self.texts = [(at, one) for at, one in enumerate(painted) if one.kind == raw().FPDF_PAGEOBJ_TEXT]
        self._text_page, self._letters = text_page, _letters(text_page)
        self._unread: dict[Box, list[Painted]] = {}
        for _, one in self.texts:
            if one.address not in self._letters:
                self._unread.setdefault(_place(one), []).append(one)
        self._visible = page_box(page)
        self._painter = Painter(painted, self._visible)
        self._why = {one.address: self._painter.suspicion(one, at) for at, one in self.texts}
        self._images = [one.box for one in painted if one.kind == raw().FPDF_PAGEOBJ_IMAGE]
        self._scanned = _coverage(self._images, self._visible) >= _SCAN_SHARE
        self._undrawn, self._clips = False, MAX_CLIPS

    def is_plain(self) -> bool:
        """Whether everything speaks for every text of the page."""
        plain = all(self._painter.is_plain(one, at) and not _is_set_small(one) for at, one in self.texts)
        return plain and len(self._painted) < MAX_OBJECTS

    def cost(self) -> float:
        """What its pictures take to draw, in pages full of paint; a shading is worked out pixel by pixel."""
        areas = (
            share(one.box, self._visible) * (_SHADED if one.kind == raw().FPDF_PAGEOBJ_SHADING else 1) for one in self._painted
        )
        return 4 * (1 + sum(areas))

    def by_paint(self) -> Judged:
        """Every text by what is painted before and after it."""
        found: dict[int, str] = {}
        for _, one in self.texts:
            letters = self._letters.get(one.address, [])
            reason = TOO_SMALL if letters and self._is_tiny(one, letters) else self._why[one.address]
            found |= dict.fromkeys(letters, reason) if reason and not self._is_on_scan(one) else {}
        return Judged(found, (TOO_RICH,))

    def judged(self) -> Judged:
        """Every text by the pictures of the page."""
        self._draw()
        found: dict[int, str] = {}
        for at, one in self.texts:
            changes = {self._changes[each.address] for each in (one, *self._again(one))}
            hidden = min((self._hidden(one, at, change) for change in changes), key=len)
            reason = TOO_SMALL if _is_set_small(one) else self._why[one.address] or KEPT_BACK
            found |= dict.fromkeys(hidden, reason)
        rich = not self._painter.whole or len(self._painted) >= MAX_OBJECTS
        flat = any(one.points < _NOTHING and one.address not in self._letters for _, one in self.texts)
        return Judged(found, (TOO_RICH,) * rich + (UNDRAWN,) * self._undrawn, flat)

    def _again(self, text: Painted) -> list[Painted]:
        """The same text drawn at the same place, of which pdfium reads the first only."""
        return self._unread.get(_place(text), []) if text.address in self._letters else []

    def _draw(self) -> None:
        """The page with all its texts, and with ever fewer: suspects go first, what is written over them is no proof of them."""
        texts = [one for _, one in self.texts]
        accused = [one for one in texts if self._why[one.address]]
        doubtful = [one for one in texts if not self._why[one.address] and one.in_doubt]
        others = [one for one in texts if not self._why[one.address] and not one.in_doubt]
        self._whole = self._bare = Picture(self._page)
        self._changes: dict[int, Change] = {}
        gone: list[Painted] = []
        for group in filter(None, (accused, doubtful, others)):
            gone += group
            after = _drawn_without(self._page, gone)
            change = Change(self._bare, after)
            self._changes |= {one.address: change for one in group}
            self._bare = after

    def _hidden(self, text: Painted, at: int, change: Change) -> list[int]:
        """Numbers of the text's characters that are not seen."""
        letters = self._letters.get(text.address, [])
        if not letters or self._is_tiny(text, letters):
            return letters
        if all(map(self._shower(change), letters[::_RUN])) and change.stands_out(text.box, text.ink):
            return []
        shaped = self._shaped(text, letters)
        seen = list(map(self._shower(change), shaped))
        self._undrawn |= text.in_doubt and not shaped
        unseen = sum(seen) <= len(seen) * (1 - _MANY) or not change.stands_out(text.box, text.ink)
        if unseen if shaped else self._why[text.address]:
            return [] if self._is_recognised(text) or self._shines_through(text, at) else letters
        runs = (list(run) for shown, run in groupby(zip(seen, shaped, strict=True), lambda pair: pair[0]) if not shown)
        return [number for run in runs if len(run) >= _RUN for _, number in run]

    def _shaped(self, text: Painted, letters: list[int]) -> list[int]:
        """Letters that the renderer has a shape for: of a font that is not in the document it may have none at hand."""
        if raw().FPDFFont_GetIsEmbedded(raw().FPDFTextObj_GetFont(text.item)):
            return letters
        boxes = ((number, self._box(number)) for number in letters)
        return [number for number, box in boxes if min(box[2] - box[0], box[3] - box[1]) > _NOTHING]

    def _is_tiny(self, text: Painted, letters: Sequence[int]) -> bool:
        """Whether it is set small and is small: a font may have letters that are many times its size."""
        if not _is_set_small(text):
            return False
        sizes = sorted(min(box[2] - box[0], box[3] - box[1]) for box in map(self._box, letters))
        return sizes[len(sizes) // 2] < _LEAST_POINTS

    def _shower(self, change: Change) -> Callable[[int], bool]:
        """Whether a letter shows, by its number."""
        return lambda number: change.shows(self._box(number))

    def _box(self, number: int) -> Box:
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        raw().FPDFText_GetCharBox(self._text_page, number, left, right, bottom, top)
        return left.value, bottom.value, right.value, top.value

    def _is_recognised(self, text: Painted) -> bool:
        """Whether it is the text of a scan, and the scan has ink at its place."""
        return self._is_on_scan(text) and self._bare.has_ink(grown(text.box, text.points / 2))

    def _is_on_scan(self, text: Painted) -> bool:
        """Whether it lies within a picture, or several, of the whole page."""
        middle = (text.box[0] + text.box[2]) / 2, (text.box[1] + text.box[3]) / 2
        within = any(box[0] <= middle[0] <= box[2] and box[1] <= middle[1] <= box[3] for box in self._images)
        return self._scanned and within

    def _shines_through(self, text: Painted, at: int) -> bool:
        """Whether the text is a clip, and what was painted later fills its letters and nothing around them."""
        if text.mode != _CLIP_MODE or not self._clips:
            return False
        later = [one for one in self._painted[at:] if one.kind != raw().FPDF_PAGEOBJ_TEXT and contains(one.box, text.box)]
        if not later:
            return False
        self._clips -= 1
        change = Change(self._whole, _drawn_without(self._page, later))
        around = grown(text.box, 3.0)
        inked = change.share(text.box)
        return 0 < inked < _MOST_OF_A_LETTER and change.changed(around) == change.changed(text.box)


def _place(text: Painted) -> Box:
    left, bottom, right, top = map(round, text.box)
    return left, bottom, right, top


def _is_set_small(text: Painted) -> bool:
    return text.points < _LEAST_POINTS and text.mode not in UNPAINTED_MODES


def _drawn_without(page: Any, objects: Sequence[Painted]) -> Picture:
    for one in objects:
        raw().FPDFPageObj_SetIsActive(one.item, False)
    try:
        return Picture(page)
    finally:
        for one in objects:
            raw().FPDFPageObj_SetIsActive(one.item, True)


def _letters(text_page: Any) -> dict[int, list[int]]:
    """Numbers of the characters that are more than space, by the text object that they belong to."""
    found: dict[int, list[int]] = {}
    functions = raw()
    for number in range(functions.FPDFText_CountChars(text_page)):
        if functions.FPDFText_GetUnicode(text_page, number) not in _SPACES:
            address = text_address(functions.FPDFText_GetTextObject(text_page, number))
            found.setdefault(address, []).append(number)
    found.pop(0, None)
    return found


def _coverage(boxes: Sequence[Box], frame: Box, steps: int = 20) -> float:
    """The share of the frame that the boxes cover together, at so many places across and up."""
    if any(share(box, frame) >= _SCAN_SHARE for box in boxes) or not boxes:
        return 1.0 if boxes else 0.0
    across = [frame[0] + (frame[2] - frame[0]) * (step + 0.5) / steps for step in range(steps)]
    up = [frame[1] + (frame[3] - frame[1]) * (step + 0.5) / steps for step in range(steps)]
    hit = sum(any(box[0] <= x <= box[2] and box[1] <= y <= box[3] for box in boxes[:1000]) for x in across for y in up)
    return hit / steps**2


__all__ = ["Judged", "unseen_characters"]
