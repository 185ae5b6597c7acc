"""What a page refers to by `url(#name)`: clip paths, masks, filters and gradients that leave nothing, or one colour."""

from __future__ import annotations

import re

from stages.html.tree import Element
from stages.html.values import Scale, length, pieces

_URL = re.compile(r"url\(\s*[\"']?#([^)\"'\s]+)[\"']?\s*\)\s*(.*)", re.DOTALL | re.IGNORECASE)
SHAPES = frozenset(
    {"rect", "circle", "ellipse", "path", "polygon", "polyline", "line", "text", "use", "image", "g", "foreignobject"}
)
_SIDES = {
    "rect": ("width", "height"),
    "circle": ("r",),
    "ellipse": ("rx", "ry"),
    "path": ("d",),
    "polygon": ("points",),
    "text": (),
}
"""What a shape has no area without."""
_BLACK = frozenset({"black", "#000", "#000000", "none", "transparent"})
AWAY = 2000.0
"""Pixels that leave nothing of a box where it was."""
_ALPHA_ROW = slice(15, 20)
"""What a colour matrix makes alpha of."""


def named(value: str) -> str:
    """The name that a value refers to; empty when it does to none."""
    match = _URL.match(value.strip())
    return match[1] if match else ""


def fallback(value: str) -> str:
    """What stands behind a reference, for the case that there is nothing of that name."""
    match = _URL.match(value.strip())
    return match[2].strip() if match else ""


def target(element: Element, name: str) -> Element | None:
    """The element of a name."""
    root = element
    for root in element.ancestors():  # noqa: B007 - the last one is wanted
        pass
    known: dict[str, Element] | None = root.names
    if known is None:
        known = root.names = {}
        for each in root.walk():
            if "id" in each.attributes:
                known.setdefault(each.attributes["id"], each)
    return known.get(name)


def _inside(element: Element) -> list[Element]:
    return [child for child in element.children if isinstance(child, Element)]


def clips_all(element: Element, value: str) -> bool:
    """Whether a `clip-path` refers to one that has no area."""
    path = target(element, named(value)) if "url(" in value else None
    return path is not None and path.tag.lower() == "clippath" and not any(_has_area(shape) for shape in _inside(path))


def _has_area(shape: Element) -> bool:
    tag = shape.tag.lower()
    if tag not in SHAPES or shape.attributes.get("display") == "none":
        return False
    sides = [shape.attributes.get(side, "").strip() for side in _SIDES.get(tag, ())]
    if "style" in shape.attributes or tag not in _SIDES:
        return True
    return all(side and length(side, Scale(percent=1.0)) != 0 for side in sides)


def masks_all(element: Element, value: str) -> bool:
    """Whether a `mask` refers to one that lets nothing through: there is none of the name, it is empty, or black."""
    name = named(value) if "url(" in value and len(pieces(value, ",")) == 1 else ""
    if not name:
        return False
    mask = target(element, name)
    return mask is None or (mask.tag.lower() == "mask" and not any(_lets_through(shape) for shape in _inside(mask)))


def _lets_through(shape: Element) -> bool:
    plain = not ({"style", "class", "stroke"} & shape.attributes.keys()) and shape.tag in (
        "rect",
        "circle",
        "ellipse",
        "path",
        "polygon",
    )
    black = plain and (shape.attributes.get("fill", "black").lower() in _BLACK or shape.attributes.get("opacity") == "0")
    return _has_area(shape) and not black


def filters_all(element: Element, value: str) -> bool:
    """Whether a `filter` refers to one that leaves nothing."""
    found = target(element, named(value)) if "url(" in value else None
    if found is None or found.tag.lower() != "filter":
        return False
    steps = _inside(found)
    return not steps or (len(steps) == 1 and _leaves_nothing(steps[0]))


def _leaves_nothing(step: Element) -> bool:
    tag, attributes = step.tag.lower(), step.attributes
    if tag == "feflood":
        return length(attributes.get("flood-opacity", "1"), Scale(percent=1.0)) == 0
    if tag == "feoffset":
        return any(abs(length(attributes.get(side, "0"), Scale()) or 0.0) >= AWAY for side in ("dx", "dy"))
    if tag == "fecolormatrix" and attributes.get("type", "matrix") == "matrix":
        row = attributes.get("values", "").replace(",", " ").split()[_ALPHA_ROW]
        return len(row) == 5 and all(length(number, Scale()) == 0 for number in row)  # noqa: PLR2004 - four channels and a constant
    if tag == "fecomponenttransfer":
        alpha = next((each.attributes for each in _inside(step) if each.tag.lower() == "fefunca"), {})
        return (alpha.get("type") == "linear" and length(alpha.get("slope", "1"), Scale()) == 0 and "intercept" not in alpha) or (
            alpha.get("type") in ("table", "discrete") and set(alpha.get("tableValues", "1").split()) == {"0"}
        )
    return False


def paint(element: Element, value: str) -> str:
    """A `fill` with the colour in place of what it refers to, where that is one; as it is where that is not known."""
    name = named(value)
    if not name:
        return value
    found = target(element, name)
    if found is None:
        return fallback(value) or "none"
    if not found.tag.lower().endswith("gradient"):
        return value
    stops = [_stop(each) for each in _inside(found) if each.tag.lower() == "stop"]
    if not stops and not ({"href", "xlink:href"} & found.attributes.keys()):
        return "none"
    return stops[0] if stops and stops[0] and len(set(stops)) == 1 else value


def _stop(stop: Element) -> str:
    if "style" in stop.attributes or "class" in stop.attributes:
        return ""
    if length(stop.attributes.get("stop-opacity", "1"), Scale(percent=1.0)) == 0:
        return "transparent"
    return stop.attributes.get("stop-color", "black").strip().lower()
