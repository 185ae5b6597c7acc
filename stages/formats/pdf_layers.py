"""What of a PDF page is kept back by other than its own paint: layers switched off, clips, blending, texts that stand for others.

All that is the renderer's to say: the page is drawn with its texts and without, and a text whose place looks the same in both is
not seen.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

MAX_NAME = 64_000
NARROWEST = 0.12
"""Times its size: what a letter takes at least, so that a text which stands for another can be told from what is drawn."""
SCALE = 1.5
TOLD_APART = 40
"""Of 255: a difference that somebody sees."""
Box = tuple[float, float, float, float]


def _raw() -> Any:
    from pypdfium2 import raw

    return raw


def kept_back(item: Any, box: Box, depth: int) -> bool:
    """Whether something may keep a text back: a layer, a form, transparency, or a clip that does not leave all of its box."""
    raw = _raw()
    if depth or raw.FPDFPageObj_HasTransparency(item) or any(name == "OC" for name, _ in marks(item)):
        return True
    path = raw.FPDFPageObj_GetClipPath(item)
    return bool(path) and raw.FPDFClipPath_CountPaths(path) > 0 and box[2] > box[0]


def unpainted(page: Any, texts: list[tuple[Any, Box]], asked: list[tuple[int, Box]]) -> set[int]:
    """Addresses of those texts that leave no trace. `texts` are all of the page, each with its box, `asked` those in doubt."""
    raw = _raw()
    if not asked:
        return set()
    with_texts = _Picture(page)
    for item, _ in texts:
        raw.FPDFPageObj_SetIsActive(item, False)
    without = _Picture(page)
    for item, _ in texts:
        raw.FPDFPageObj_SetIsActive(item, True)
    return {address for address, box in asked if with_texts.part(box) == without.part(box)}


def painted(page: Any, asked: list[tuple[Any, Box, int]]) -> set[int]:
    """Addresses of those texts that are told from what is under them."""
    raw = _raw()
    if not asked:
        return set()
    with_texts = _Picture(page)
    for item, _, _ in asked:
        raw.FPDFPageObj_SetIsActive(item, False)
    without = _Picture(page)
    for item, _, _ in asked:
        raw.FPDFPageObj_SetIsActive(item, True)
    return {address for _, box, address in asked if _told_apart(with_texts.part(box), without.part(box))}


def _told_apart(one: list[bytes], two: list[bytes]) -> bool:
    return any(
        abs(a - b) >= TOLD_APART
        for row, other in zip(one, two, strict=True)
        if row != other
        for a, b in zip(row, other, strict=True)
    )


class _Picture:
    """A page drawn."""

    def __init__(self, page: Any) -> None:
        self._page = page
        bitmap = page.render(scale=SCALE, may_draw_forms=False)
        self.width, self.height, self._stride = bitmap.width, bitmap.height, bitmap.stride
        self._bytes_a_pixel = bitmap.n_channels
        self._pixels = bytes(bitmap.buffer)
        bitmap.close()

    def part(self, box: Box) -> list[bytes]:
        """The rows of pixels of a box of the page."""
        corners = [self._place(x, y) for x in (box[0], box[2]) for y in (box[1], box[3])]
        left, right = max(min(x for x, _ in corners) - 1, 0), min(max(x for x, _ in corners) + 2, self.width)
        top, bottom = max(min(y for _, y in corners) - 1, 0), min(max(y for _, y in corners) + 2, self.height)
        first, last = left * self._bytes_a_pixel, right * self._bytes_a_pixel
        return (
            [self._pixels[row * self._stride + first : row * self._stride + last] for row in range(top, bottom)]
            if left < right
            else []
        )

    def _place(self, x: float, y: float) -> tuple[int, int]:
        across, down = ctypes.c_int(), ctypes.c_int()
        _raw().FPDF_PageToDevice(self._page, 0, 0, self.width, self.height, 0, x, y, across, down)
        return across.value, down.value


def marks(item: Any) -> Iterator[tuple[str, str]]:
    """Names of the marks around an object, each with the name of its layer or the text that it stands for."""
    raw = _raw()
    for number in range(max(raw.FPDFPageObj_CountMarks(item), 0)):
        mark = raw.FPDFPageObj_GetMark(item, number)
        name = _string(lambda buffer, size, mark=mark: raw.FPDFPageObjMark_GetName(mark, buffer, size, _size))
        key = b"Name" if name == "OC" else b"ActualText"
        yield (
            name,
            _string(
                lambda buffer, size, mark=mark, key=key: raw.FPDFPageObjMark_GetParamStringValue(mark, key, buffer, size, _size)
            ),
        )


_size = ctypes.c_ulong()


def _string(ask: Any) -> str:
    """A string of pdfium's, which is UTF-16 with an end."""
    if not ask(None, 0) or not _size.value:
        return ""
    buffer = (ctypes.c_ushort * (min(_size.value, MAX_NAME) // 2))()
    ask(buffer, ctypes.sizeof(buffer))
    return bytes(buffer).decode("utf-16-le", "replace").rstrip("\0")


def stands_for_more(item: Any, width: float, points: float) -> bool:
    """Whether the text that stands for what is drawn is longer than what is drawn could be."""
    said = next((text for mark, text in marks(item) if mark != "OC" and text), "")
    return len(said) * points * NARROWEST > max(width, points)
