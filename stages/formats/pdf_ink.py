"""Sizes and colours of the objects of a PDF page."""

from __future__ import annotations

import ctypes
from typing import Any

from stages.formats.pdf_boxes import Matrix, times
from stages.formats.pdf_boxes import matrix as matrix_of

LEAST_ALPHA = 13
"""Of 255: one part in twenty."""
Colour = tuple[int, int, int]


def raw() -> Any:
    """The functions of pdfium."""
    from pypdfium2 import raw

    return raw


def points(item: Any, matrix: Matrix) -> float:
    """How tall the text is set, in points, or how wide where that is less."""
    size = ctypes.c_float()
    if not raw().FPDFTextObj_GetFontSize(item, size):
        return 0.0
    a, b, c, d, _, _ = times(matrix_of(item), matrix)
    return float(abs(size.value) * min(a * a + b * b, c * c + d * d) ** 0.5)


def width(item: Any) -> float:
    """How wide its line is, in points."""
    wide = ctypes.c_float()
    return float(wide.value) if raw().FPDFPageObj_GetStrokeWidth(item, wide) else 0.0


def stroke_of(item: Any) -> Colour | None:
    """The colour of its outline; None where that is not seen."""
    parts = [ctypes.c_uint() for _ in range(4)]
    if not raw().FPDFPageObj_GetStrokeColor(item, *parts):
        return None
    red, green, blue, alpha = (part.value for part in parts)
    return (red, green, blue) if alpha >= LEAST_ALPHA else None


def drawn_by_hand(item: Any) -> bool:
    """Whether its letters are little drawings (a font of Type 3, which has no name), so that they may be empty."""
    name = ctypes.create_string_buffer(2)
    font = raw().FPDFTextObj_GetFont(item)
    return bool(font) and raw().FPDFFont_GetBaseFontName(font, name, len(name)) <= 1


def fill_of(item: Any) -> tuple[Colour | None, int]:
    """The colour that fills it, and how much of it is seen, of 255."""
    parts = [ctypes.c_uint() for _ in range(4)]
    if not raw().FPDFPageObj_GetFillColor(item, *parts):
        return None, 255
    red, green, blue, alpha = (part.value for part in parts)
    return (red, green, blue), alpha


def contrast(one: Colour, two: Colour) -> float:
    """By WCAG: from 1, no difference, to 21."""
    high, low = sorted((_luminance(one), _luminance(two)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: Colour) -> float:
    red, green, blue = (part / 3294.6 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in colour)  # noqa: PLR2004
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
