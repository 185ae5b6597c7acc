"""How the runs of a Word document look: by the document's defaults, their paragraph's style, their own style and themselves."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from stages.formats.shades import WHITE, Colour, alike, hex_colour
from stages.formats.zipped import attribute, local, number

if TYPE_CHECKING:
    from lxml.etree import _Element

_OFF = frozenset({"0", "false", "off", "none"})
_LEAST_HALF_POINTS = 3
_LEAST_SCALE = 5
"""Of a letter's width, in per cent."""
_LEAST_LINE = 40
"""Twentieths of a point: lines set exactly so high are cut to nothing, and so are rows."""
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_MARKERS = {
    "black": "000000", "blue": "0000FF", "cyan": "00FFFF", "green": "00FF00", "magenta": "FF00FF", "red": "FF0000",
    "yellow": "FFFF00", "white": "FFFFFF", "darkBlue": "000080", "darkCyan": "008080", "darkGreen": "008000",
    "darkMagenta": "800080", "darkRed": "800000", "darkYellow": "808000", "darkGray": "808080", "lightGray": "C0C0C0",
}  # fmt: skip


class Looks(Struct, frozen=True):
    """What of a run's or a style's looks matters; None where it says nothing. `level` is that of a heading, 0 for none."""

    level: int | None = None
    vanish: bool | None = None
    half_points: int | None = None
    colour: str | None = None
    marker: str | None = None
    scale: int | None = None
    clear: bool | None = None
    line: int | None = None

    def over(self, base: Looks) -> Looks:
        """These looks, and those of the base where they say nothing."""
        said = {name: value for name in self.__struct_fields__ if (value := getattr(self, name)) is not None}
        return msgspec.structs.replace(base, **said)

    def unseen(self, ground: Colour | None) -> str:
        """Why nobody sees a text of these looks on a ground, None for one that is not known; empty when somebody does."""
        if self.vanish:
            return "text marked as hidden"
        if self.clear:
            return "transparent text"
        if _is_within(self.half_points, _LEAST_HALF_POINTS):
            return "text too small to be read"
        if (self.scale is not None and 0 <= self.scale <= _LEAST_SCALE) or (
            self.line is not None and 0 <= self.line <= _LEAST_LINE
        ):
            return "text squeezed to nothing"
        own = hex_colour(self.colour or "")
        ground = hex_colour(self.marker) if self.marker else ground
        same = own is not None and ground is not None and alike(own, ground)
        return "text in the colour of what is under it" if same else ""


def _is_within(value: int | None, most: int) -> bool:
    return value is not None and 0 <= value <= most


def looks_of(element: _Element | None) -> Looks:
    """What the properties of a run say, or those of a style: `rPr`, and `pPr` beside it."""
    if element is None:
        return Looks()
    colour, size, scale = (_value(element, name) for name in ("color", "sz", "w"))
    fill = element.find("{*}textFill")
    return Looks(
        vanish=_switch(element.find("{*}vanish")),
        half_points=number(size) if size else None,
        colour=colour or None,
        marker=_marker(element),
        scale=number(scale.rstrip("%")) if scale else None,
        clear=None if fill is None else _is_clear(fill),
    )


def paragraph_looks(element: _Element | None) -> Looks:
    """What the properties of a paragraph say of all its runs."""
    spacing = element.find("{*}spacing") if element is not None else None
    exact = spacing is not None and attribute(spacing, "lineRule") == "exact"
    return Looks(line=number(attribute(spacing, "line")) if exact and spacing is not None else None, marker=_marker(element))


def styles_of(root: _Element | None) -> dict[str, Looks]:
    """The looks of every style with all that it is based on; under no name those of the document."""
    if root is None:
        return {}
    found: dict[str, Looks] = {}
    based: dict[str, str] = {}
    for style in root.iterchildren("{*}style"):
        key = attribute(style, "styleId")
        own = looks_of(style.find("{*}rPr")).over(paragraph_looks(style.find("{*}pPr")))
        found[key] = msgspec.structs.replace(own, level=_level(style))
        based[key] = _value(style, "basedOn")
    whole = looks_of(root.find("{*}docDefaults/{*}rPrDefault/{*}rPr"))
    return {"": whole} | {key: _inherited(key, found, based) for key in found}


def _inherited(key: str, found: dict[str, Looks], based: dict[str, str]) -> Looks:
    looks, seen = Looks(), set[str]()
    while key in found and key not in seen:
        seen.add(key)
        looks = looks.over(found[key])
        key = based[key]
    return looks


def _level(style: _Element) -> int | None:
    label = _value(style, "name")
    match = _HEADING.fullmatch(label)
    return int(match[1]) if match else (1 if label.lower() == "title" else None)


def is_squeezed_row(row: _Element) -> bool:
    """Whether a row of a table is hidden, or set so low that it shows nothing."""
    looks = row.find("{*}trPr")
    if looks is None:
        return False
    height = looks.find("{*}trHeight")
    exact = height is not None and attribute(height, "hRule") == "exact" and 0 <= number(attribute(height, "val")) <= _LEAST_LINE
    return exact or bool(_switch(looks.find("{*}hidden")))


def ground_of(run: _Element) -> Colour | None:
    """What lies under a run beside its own marker: the fill of its cell, or white; None where it is not known."""
    for element in run.iterancestors():
        name = local(element)
        if name == "tc":
            filled = _marker(element.find("{*}tcPr"))
            if filled:
                return hex_colour(filled)
        if name == "txbxContent" or (name == "tbl" and element.find("{*}tblPr/{*}tblStyle") is not None):
            return None
    root = run.getroottree().getroot()
    return WHITE if root.find("{*}background") is None else None


def _marker(element: _Element | None) -> str | None:
    """The fill behind a text, `auto` for one that is not known."""
    if element is None:
        return None
    named = _MARKERS.get(_value(element, "highlight"), "")
    shade = element.find("{*}shd")
    if named or shade is None:
        return named or None
    fill, pattern = attribute(shade, "fill"), attribute(shade, "val")
    if pattern not in ("", "clear", "nil"):
        return attribute(shade, "color") if pattern == "solid" else "auto"
    return fill if fill.lower() not in ("", "auto") else None


def _is_clear(fill: _Element) -> bool:
    return fill.find("{*}noFill") is not None or any(attribute(one, "val") == "100000" for one in fill.iter("{*}alpha"))


def _switch(element: _Element | None) -> bool | None:
    return None if element is None else attribute(element, "val") not in _OFF


def _value(element: _Element, name: str) -> str:
    found = element.find(f"{{*}}{name}")
    return attribute(found, "val") if found is not None else ""


__all__ = ["Looks", "ground_of", "is_squeezed_row", "looks_of", "paragraph_looks", "styles_of"]
