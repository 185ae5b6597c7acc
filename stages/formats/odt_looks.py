"""How the text of an OpenDocument file looks: by its styles, those that they are based on, and what lies around it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from stages.formats.shades import WHITE, Colour, alike, hex_colour
from stages.formats.zipped import attribute, local

if TYPE_CHECKING:
    from lxml.etree import _Element

_LEAST_POINTS = 1.5
_LEAST_SCALE = 5
_POINTS = {"pt": 1.0, "cm": 72 / 2.54, "mm": 72 / 25.4, "in": 72.0, "px": 0.75}
_LENGTH = re.compile(r"(\d{1,5}(?:\.\d{1,5})?)(pt|cm|mm|in|px)")
_PER_CENT = re.compile(r"(\d{1,4})(?:\.\d{1,4})?%")


class Looks(Struct, frozen=True):
    """What of a style's looks matters; None where it says nothing."""

    gone: bool | None = None
    points: float | None = None
    colour: str | None = None
    ground: str | None = None
    scale: int | None = None
    opacity: int | None = None

    def over(self, base: Looks) -> Looks:
        """These looks, and those of the base where they say nothing."""
        said = {name: value for name in self.__struct_fields__ if (value := getattr(self, name)) is not None}
        return msgspec.structs.replace(base, **said)

    def unseen(self, ground: Colour | None) -> str:
        """Why nobody sees a text of these looks on a ground, None for one that is not known; empty when somebody does."""
        if self.gone:
            return "text marked as hidden"
        if self.opacity is not None and self.opacity <= _LEAST_SCALE:
            return "transparent text"
        small = self.points is not None and self.points < _LEAST_POINTS
        if small or (self.scale is not None and self.scale <= _LEAST_SCALE):
            return "text too small to be read"
        own = hex_colour(self.colour or "")
        ground = hex_colour(self.ground) if self.ground else ground
        same = own is not None and ground is not None and alike(own, ground)
        return "text in the colour of what is under it" if same else ""


class Styles:
    """The looks of a document's styles, and of its elements."""

    def __init__(self, roots: Iterable[_Element | None]) -> None:
        self._own: dict[str, Looks] = {}
        self._based: dict[str, str] = {}
        for root in roots:
            for style in root.iter("{*}style") if root is not None else ():
                name = attribute(style, "name")
                self._own[name], self._based[name] = _looks(style), attribute(style, "parent-style-name")
        self._known: dict[tuple[str, ...], str] = {}

    def unseen(self, element: _Element) -> str:
        """Why nobody sees the text right in an element; empty when somebody does."""
        names, boxed = _names(element)
        key = (*names, "boxed" if boxed else "")
        if key not in self._known:
            looks = Looks()
            for name in names:
                looks = looks.over(self._inherited(name))
            self._known[key] = looks.unseen(None if boxed else WHITE)
        return self._known[key]

    def _inherited(self, name: str) -> Looks:
        looks, seen = Looks(), set[str]()
        while name in self._own and name not in seen:
            seen.add(name)
            looks = looks.over(self._own[name])
            name = self._based[name]
        return looks


def _names(element: _Element) -> tuple[list[str], bool]:
    """Styles of the element and of what it lies in, from within; and whether it lies in a box, whose ground is not known."""
    names = [attribute(element, "style-name")]
    for above in element.iterancestors():
        if local(above) == "text-box":
            return names, True
        names.append(attribute(above, "style-name"))
    return [name for name in names if name], False


def _looks(style: _Element) -> Looks:
    text = style.find("{*}text-properties")
    around = next((one for one in style if local(one) in ("paragraph-properties", "table-cell-properties")), None)
    ground = next((found for one in (text, around) if one is not None and (found := attribute(one, "background-color"))), "")
    ground = "" if ground == "transparent" else ground
    if text is None:
        return Looks(ground=ground or None)
    display = attribute(text, "display")
    return Looks(
        gone={"none": True, "true": False}.get(display),
        points=_points(attribute(text, "font-size")),
        colour=attribute(text, "color") or None,
        ground=ground or None,
        scale=_per_cent(attribute(text, "text-scale")),
        opacity=_per_cent(attribute(text, "opacity")),
    )


def _points(length: str) -> float | None:
    match = _LENGTH.fullmatch(length)
    return float(match[1]) * _POINTS[match[2]] if match else None


def _per_cent(value: str) -> int | None:
    match = _PER_CENT.fullmatch(value)
    return int(match[1]) if match else None


__all__ = ["Styles"]
