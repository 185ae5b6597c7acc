"""Boxes drawn in an image before and after a text: what lies under it, and whether one lies over it."""

from __future__ import annotations

from stages.html.colours import Colour, colour
from stages.html.drawing import Window
from stages.html.inking import SHAPES
from stages.html.tree import Element
from stages.html.values import Scale, length

MAX_SHAPES = 200
WIDEST, BELOW = 0.75, 0.3
"""Times the font size: what a letter takes at most, and how far it hangs below its line."""
_UNSEEN = frozenset({"defs", "symbol", "clippath", "mask", "pattern", "marker", "lineargradient", "radialgradient", "filter"})
_PLAIN = frozenset({"x", "y", "width", "height", "fill", "rx", "ry", "stroke", "id"})
"""Attributes of a box about which all is known."""
Box = tuple[float, float, float, float]


def around(element: Element, inside: Window | None, font: float) -> tuple[bool, Colour | None]:
    """Whether a box lies over a text, and the colour of the one that lies right under it, None where that is not known."""
    text = next((each for each in (element, *element.ancestors()) if each.tag == "text"), None)
    image = next((each for each in element.ancestors() if each.tag == "svg" and not each.drawn), None)
    box = _of_text(text, element, font) if text is not None else None
    if image is None or text is None or box is None:
        return False, None
    ground: Colour | None = None
    after = False
    for shape, _ in zip(_shapes(image, text), range(MAX_SHAPES), strict=False):
        after = after or shape is text
        found = _opaque(shape, inside)
        holds = found is not None and _holds(found[0], box)
        if after and holds:
            return True, None
        if not after:
            ground = found[1] if found is not None and holds else None
    return False, ground


def _of_text(text: Element, element: Element, font: float) -> Box | None:
    moved = any("transform" in each.attributes for each in (text, *text.ancestors()) if each.drawn)
    shifted = element is not text and not {"x", "y", "dx", "dy"}.isdisjoint(element.attributes)
    x, y = (length(text.attributes.get(side, "0").strip(), Scale()) for side in ("x", "y"))
    if moved or shifted or x is None or y is None or text.attributes.get("text-anchor", "start") != "start":
        return None
    return x, y - font, x + font * WIDEST * len(text.text().strip()), y + font * BELOW


def _shapes(image: Element, text: Element) -> list[Element]:
    """What is drawn, in order, the text among it."""
    return [
        each
        for each in image.walk()
        if (each is text or each.tag in SHAPES)
        and not any(above.tag.lower() in _UNSEEN for above in each.ancestors() if above.drawn)
    ]


def _opaque(shape: Element, inside: Window | None) -> tuple[Box, Colour] | None:
    """The box and the colour of a rectangle that lets nothing through."""
    attributes = shape.attributes
    if shape.tag != "rect" or not attributes.keys() <= _PLAIN or any(_changes(each) for each in shape.ancestors() if each.drawn):
        return None
    fill = colour(attributes.get("fill", "black"))
    whole = inside[2:] if inside is not None else (0.0, 0.0)
    sides = [
        length(attributes.get(side, "0").strip(), Scale(percent=size))
        for side, size in zip(("x", "y", "width", "height"), (*whole, *whole), strict=True)
    ]
    if fill is None or fill[3] < 1 or None in sides:
        return None
    x, y, width, height = (side or 0.0 for side in sides)
    return (x, y, x + width, y + height), fill


def _changes(group: Element) -> bool:
    return not {"transform", "opacity", "style", "class", "fill", "clip-path", "mask", "display"}.isdisjoint(group.attributes)


def _holds(outer: Box, inner: Box) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]
