"""What of a slide is seen: where its shapes lie, what lies over them, and the looks of their text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from stages.formats.boxes import Box, contains, meets
from stages.formats.shades import Colour, alike, hex_colour
from stages.formats.zipped import Parts, attribute, local

if TYPE_CHECKING:
    from lxml.etree import _Element

_LEAST_SIZE = 150
"""Hundredths of a point."""
_LEAST_ALPHA = 5000
"""Thousandths of a per cent."""
_PLAIN_GROUND = "1001"
_NAMES = {"bg1": "lt1", "tx1": "dk1", "bg2": "lt2", "tx2": "dk2"}
_RECTANGLES = frozenset({"rect", "roundRect"})
_FILLS = "{*}solidFill", "{*}gradFill", "{*}blipFill", "{*}pattFill"


class Scheme(Struct, frozen=True):
    """The colours that a slide calls by name."""

    colours: dict[str, Colour] = {}
    names: dict[str, str] = {}

    def of(self, fill: _Element | None) -> Colour | None:
        """The colour of a fill, or None where it is changed or not known."""
        inner = next(iter(fill), None) if fill is not None else None
        if inner is None or any(local(one) != "alpha" for one in inner):
            return None
        value = inner.get("val", "")
        if local(inner) == "schemeClr":
            return self.colours.get(self.names.get(value, value))
        return hex_colour(inner.get("lastClr", value))


class Setting(Struct):
    """What a slide stands on: the size of the show, its scheme, and the colour of its ground where that is known."""

    page: Box
    scheme: Scheme
    ground: Colour | None
    animated: bool


def setting(parts: Parts, name: str, slide: _Element, page: Box) -> Setting:
    """Of one slide, by its layout and its master."""
    layout, layout_name = _above(parts, name, "slideLayout")
    master, master_name = _above(parts, layout_name, "slideMaster")
    theme, _ = _above(parts, master_name, "theme")
    scheme = _scheme(theme, master)
    above = [one for one in (layout, master) if one is not None]
    decorated = any(next(one.iter("{*}pic"), None) is not None or _is_filled(one) for one in above)
    ground = None if decorated or not above else _ground([slide, *above], scheme)
    return Setting(page, scheme, ground, slide.find("{*}timing") is not None)


def _above(parts: Parts, name: str, kind: str) -> tuple[_Element | None, str]:
    target = next((path for path in parts.relations(name).values() if f"/{kind}" in path), "") if name else ""
    return (parts.xml(target) if target in parts else None), target


def _scheme(theme: _Element | None, master: _Element | None) -> Scheme:
    entries = next(theme.iter("{*}clrScheme"), ()) if theme is not None else ()
    known = {local(entry): Scheme().of(entry) for entry in entries}
    names = master.find("{*}clrMap") if master is not None else None
    mapped = {str(key): str(value) for key, value in names.attrib.items()} if names is not None else _NAMES
    return Scheme({key: colour for key, colour in known.items() if colour is not None}, mapped)


def _ground(pages: list[_Element], scheme: Scheme) -> Colour | None:
    """The colour of the nearest background that one of the pages has."""
    found = next((one for page in pages if (one := page.find("{*}cSld/{*}bg")) is not None), None)
    if found is None:
        return None
    named = found.find("{*}bgRef")
    if named is not None:
        return scheme.of(named) if named.get("idx") == _PLAIN_GROUND else None
    return scheme.of(found.find("{*}bgPr/{*}solidFill"))


def _is_filled(page: _Element) -> bool:
    return any(one.find(f"{{*}}spPr/{fill}") is not None for one in page.iter("{*}sp") for fill in _FILLS)


def unseen_shape(shape: _Element, later: list[_Element], where: Setting) -> str:
    """Why nobody sees a shape, whatever its text looks like; empty when somebody does."""
    box = place(shape)
    if box is None:
        return ""
    if not meets(box, where.page) and box[2] > box[0] and box[3] > box[1]:
        return "a shape off the slide"
    covered = not where.animated and any(_covers(one, box) for one in later)
    return "a shape under another" if covered else ""


def place(shape: _Element) -> Box | None:
    """Where a shape lies on the slide; None for one that its layout places, and for what is turned."""
    frame = shape.find("{*}spPr/{*}xfrm")
    frame = shape.find("{*}xfrm") if frame is None else frame
    box = _box(frame, "off", "ext")
    for group in shape.iterancestors("{*}grpSp"):
        outer = group.find("{*}grpSpPr/{*}xfrm")
        inner, drawn = _box(outer, "chOff", "chExt"), _box(outer, "off", "ext")
        if box is None or inner is None or drawn is None or inner[0] == inner[2] or inner[1] == inner[3]:
            return None
        across, down = (drawn[2] - drawn[0]) / (inner[2] - inner[0]), (drawn[3] - drawn[1]) / (inner[3] - inner[1])
        left, top = drawn[0] - inner[0] * across, drawn[1] - inner[1] * down
        box = box[0] * across + left, box[1] * down + top, box[2] * across + left, box[3] * down + top
    return box


def _box(frame: _Element | None, corner: str, extent: str) -> Box | None:
    if frame is None or frame.get("rot", "0") != "0":
        return None
    first, size = frame.find(f"{{*}}{corner}"), frame.find(f"{{*}}{extent}")
    if first is None or size is None:
        return None
    try:
        x, y, width, height = (int(one.get(key, "")) for one, key in ((first, "x"), (first, "y"), (size, "cx"), (size, "cy")))
    except ValueError:
        return None
    return x, y, x + width, y + height


def _covers(shape: _Element, box: Box) -> bool:
    """Whether a shape hides what lies in the box."""
    own = place(shape)
    if own is None or not contains(own, box):
        return False
    if local(shape) == "pic":
        return shape.find("{*}spPr/{*}prstGeom") is not None and next(shape.iter("{*}alphaModFix"), None) is None
    looks = shape.find("{*}spPr")
    form = looks.find("{*}prstGeom") if looks is not None else None
    if looks is None or form is None or form.get("prst") not in _RECTANGLES:
        return False
    fill = looks.find("{*}solidFill")
    return fill is not None and next(fill.iter("{*}alpha"), None) is None


def unseen_run(run: _Element, shape: _Element, earlier: list[_Element], where: Setting) -> str:
    """Why nobody sees a run of a shape's text; empty when somebody does."""
    looks = run.find("{*}rPr")
    if looks is None:
        return ""
    size = attribute(looks, "sz")
    if size.isdecimal() and int(size) <= _LEAST_SIZE:
        return "text too small to be read"
    fill, outlined = looks.find("{*}solidFill"), looks.find("{*}ln") is not None
    alpha = next(fill.iter("{*}alpha"), None) if fill is not None else None
    faint = alpha is not None and alpha.get("val", "").isdecimal() and int(alpha.get("val", "")) <= _LEAST_ALPHA
    if not outlined and (faint or looks.find("{*}noFill") is not None):
        return "transparent text"
    colour, ground = where.scheme.of(fill), _ground_of(shape, earlier, where)
    same = not outlined and colour is not None and ground is not None and alike(colour, ground)
    return "text in the colour of what is under it" if same else ""


def _ground_of(shape: _Element, earlier: list[_Element], where: Setting) -> Colour | None:
    """The colour under a shape's text: its own fill, or the slide's where nothing else lies under it."""
    looks = shape.find("{*}spPr")
    own = looks.find("{*}solidFill") if looks is not None else None
    if own is not None:
        return where.scheme.of(own) if next(own.iter("{*}alpha"), None) is None else None
    if looks is None or shape.find("{*}style") is not None or any(looks.find(fill) is not None for fill in _FILLS):
        return None
    box = place(shape)
    clear = box is not None and all((other := place(one)) is not None and not meets(other, box) for one in earlier)
    return where.ground if clear or not earlier else None


__all__ = ["Setting", "setting", "unseen_run", "unseen_shape"]
