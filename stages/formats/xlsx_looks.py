"""Formats of a workbook's cells: what a number is shown as, and whether a cell shows anything."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from stages.formats.shades import WHITE, Colour, alike, hex_colour
from stages.formats.zipped import number

if TYPE_CHECKING:
    from lxml.etree import _Element

_Item = TypeVar("_Item")
_DATE_FORMATS = frozenset({*range(14, 18), 22, *range(27, 37), *range(50, 59)})
_TIME_FORMATS = frozenset({*range(18, 22), 45, 46, 47})
_PERCENT_FORMATS = frozenset({9, 10})
_QUOTED = re.compile(r'"[^"]*"|\\.|\[(?!h|m|s)[^\]]*\]', re.IGNORECASE)
_LEAST_POINTS = 1.5
_INDEXED = {0: (0, 0, 0), 1: WHITE, 8: (0, 0, 0), 9: WHITE}
"""Of the old palette, what hides."""
_PATTERNS = frozenset({"", "none", "solid"})


class Format(Struct, frozen=True):
    """Of a cell: `kind` is `date`, `time`, `datetime`, `percent` or nothing."""

    kind: str = ""
    tiny: bool = False
    same: bool = False
    """Whether letters have the colour of their ground."""
    no_numbers: bool = False
    no_texts: bool = False

    def unseen(self, *, text: bool, coloured: bool) -> str:
        """Why the cell shows nothing; empty when it does. `coloured` says that something else may colour it."""
        if self.no_texts if text else self.no_numbers:
            return "cells that are shown as nothing"
        if self.tiny:
            return "cells too small to be read"
        return "cells in the colour of what is under them" if self.same and not coloured else ""


def formats(root: _Element | None, theme: _Element | None) -> list[Format]:
    """The cell formats of a workbook in their order."""
    if root is None:
        return []
    palette = _palette(theme)
    codes = {one.get("numFmtId", ""): one.get("formatCode", "") for one in root.iterfind("{*}numFmts/{*}numFmt")}
    fonts = [_font(one, palette) for one in root.iterfind("{*}fonts/{*}font")]
    fills = [_fill(one, palette) for one in root.iterfind("{*}fills/{*}fill")]
    found = []
    for one in root.iterfind("{*}cellXfs/{*}xf"):
        form = one.get("numFmtId", "0")
        colour, points = _at(fonts, one.get("fontId", "0"), (None, 11.0))
        ground = _at(fills, one.get("fillId", "0"), WHITE)
        same = colour is not None and ground is not None and alike(colour, ground)
        found.append(Format(_kind(number(form), codes.get(form, "")), points < _LEAST_POINTS, same, *_mute(codes.get(form, ""))))
    return found


def _at(items: list[_Item], index: str, default: _Item) -> _Item:
    place = number(index)
    return items[place] if 0 <= place < len(items) else default


def _font(font: _Element, palette: list[Colour | None]) -> tuple[Colour | None, float]:
    size = font.find("{*}sz")
    try:
        points = float(size.get("val", "11")) if size is not None else 11.0
    except ValueError:
        points = 11.0
    return _colour(font.find("{*}color"), palette), points


def _fill(fill: _Element, palette: list[Colour | None]) -> Colour | None:
    """The colour of a cell's ground; None where it is not known."""
    pattern = fill.find("{*}patternFill")
    if pattern is None or pattern.get("patternType", "") not in _PATTERNS:
        return None
    if pattern.get("patternType", "none") in ("", "none"):
        return WHITE
    return _colour(pattern.find("{*}fgColor"), palette)


def _colour(element: _Element | None, palette: list[Colour | None]) -> Colour | None:
    if element is None or element.get("tint") not in (None, "0", "0.0"):
        return None
    if element.get("rgb"):
        return hex_colour(element.get("rgb", ""))
    if element.get("theme"):
        return _at(palette, element.get("theme", ""), None)
    return _INDEXED.get(number(element.get("indexed", "")))


def _palette(theme: _Element | None) -> list[Colour | None]:
    """The colours of the theme in the order in which cells count them: light before dark."""
    scheme = next(theme.iter("{*}clrScheme"), None) if theme is not None else None
    if scheme is None:
        return [WHITE, (0, 0, 0)]
    found = [next((hex_colour(one.get("lastClr") or one.get("val", "")) for one in entry), None) for entry in scheme]
    return [*found[1::-1], *found[3:1:-1], *found[4:]]


def _mute(code: str) -> tuple[bool, bool]:
    """`;;;` shows nothing at all, `;;` no numbers."""
    parts = code.split(";")
    numbers = len(parts) > 1 and not any(part.strip() for part in parts[:2])
    return numbers, len(parts) > 3 and not parts[3].strip()  # noqa: PLR2004 - the fourth is for texts


def _kind(form: int, code: str) -> str:
    if form in _DATE_FORMATS:
        return "datetime"
    if form in _TIME_FORMATS:
        return "time"
    if form in _PERCENT_FORMATS:
        return "percent"
    bare = _QUOTED.sub("", code).partition(";")[0].lower()
    if "%" in bare:
        return "percent"
    day, hour = any(letter in bare for letter in "yd"), any(letter in bare for letter in "hs")
    return {(True, True): "datetime", (True, False): "date", (False, True): "time"}.get((day, hour), "")


__all__ = ["Format", "formats"]
