"""Boxes drawn in an image before and after a text: what lies under it, and whether one lies over it."""

from __future__ import annotations

import re
from itertools import pairwise

from stages.html.colours import Colour, colour
from stages.html.drawing import Window
from stages.html.effects import FAINT
from stages.html.inking import SHAPES
from stages.html.tree import Element
from stages.html.values import Scale, length

MAX_SHAPES = 200
WIDEST, BELOW = 0.75, 0.3
"""Times the font size: what a letter takes at most, and how far it hangs below its line."""
_UNSEEN = frozenset({"defs", "symbol", "clippath", "mask", "pattern", "marker", "lineargradient", "radialgradient", "filter"})
_PLAIN = frozenset({"x", "y", "width", "height", "fill", "rx", "ry", "stroke", "id", "cx", "cy", "r", "d", "points"})
"""Attributes of a shape about which all is known."""
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?", re.IGNORECASE)
_STEPS = re.compile(r"([a-df-z])([^a-df-z]*)", re.IGNORECASE)
_BEFORE = {"start": 0.0, "middle": 0.5, "end": 1.0}
"""The share of a text that stands before its place, by `text-anchor`."""
CORNERS, INSIDE = 4, 0.7
"""Of a box; and the share of a radius that a box inside of a circle reaches along each side."""
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
    if inside is not None:
        left, top = -inside[0], -inside[1]
        box = max(box[0], left), max(box[1], top), min(box[2], left + inside[2]), min(box[3], top + inside[3])
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
    before = _BEFORE.get(text.attributes.get("text-anchor", "start"))
    if moved or shifted or x is None or y is None or before is None:
        return None
    wide = font * WIDEST * len(text.text().strip())
    return x - before * wide, y - font, x + (1 - before) * wide, y + font * BELOW


def _shapes(image: Element, text: Element) -> list[Element]:
    """What is drawn, in order, the text among it."""
    return [
        each
        for each in image.walk()
        if (each is text or each.tag in SHAPES)
        and not any(above.tag.lower() in _UNSEEN for above in each.ancestors() if above.drawn)
    ]


def _opaque(shape: Element, inside: Window | None) -> tuple[Box, Colour] | None:
    """The box and the colour of a shape that lets nothing through."""
    attributes, around = shape.attributes, shape.parent.state if shape.parent is not None else None
    if around is None or around.hidden or not around.visible or around.opacity < 1 - FAINT or shape.declared:
        return None
    if not attributes.keys() <= _PLAIN or any(_changes(each) for each in shape.ancestors() if each.drawn):
        return None
    said = attributes.get("fill", around.fill).strip().lower()
    fill = around.colour if said == "currentcolor" else colour(said, around.dark)
    whole = inside[2:] if inside is not None else (0.0, 0.0)
    box = _filled(shape, whole) if fill is not None and fill[3] >= 1 else None
    return (box, fill) if box is not None and fill is not None else None


def _filled(shape: Element, whole: tuple[float, float]) -> Box | None:
    """A box that the shape fills all of; None where that is not known."""
    attributes, tag = shape.attributes, shape.tag
    if tag == "polygon":
        return _corners([float(number) for number in _NUMBER.findall(attributes.get("points", ""))])
    if tag == "path":
        return _corners(_walked(attributes.get("d", "")))
    names = {"rect": ("x", "y", "width", "height"), "circle": ("cx", "cy", "r", "r"), "ellipse": ("cx", "cy", "rx", "ry")}
    sides = [
        length(attributes.get(side, "0").strip(), Scale(percent=size))
        for side, size in zip(names.get(tag, ()), (*whole, *whole), strict=False)
    ]
    if not sides or None in sides:
        return None
    x, y, width, height = (side or 0.0 for side in sides)
    if tag == "rect":
        return x, y, x + width, y + height
    across, down = width * INSIDE, height * INSIDE
    return x - across, y - down, x + across, y + down


def _corners(numbers: list[float]) -> Box | None:
    """The box whose four corners, and nothing else, are given one after the other."""
    corners = list(zip(numbers[::2], numbers[1::2], strict=False))
    if len(corners) == CORNERS + 1 and corners[0] == corners[-1]:
        corners.pop()
    xs, ys = ([corner[at] for corner in corners] for at in (0, 1))
    if len(corners) != CORNERS or len(set(xs)) != 2 or len(set(ys)) != 2 or len(set(corners)) != CORNERS:  # noqa: PLR2004
        return None
    beside = all(len({one[0], two[0]}) + len({one[1], two[1]}) == 3 for one, two in pairwise([*corners, corners[0]]))  # noqa: PLR2004
    return (min(xs), min(ys), max(xs), max(ys)) if beside else None


def _walked(path: str) -> list[float]:
    """The corners of a path of straight lines; none of any other."""
    found: list[float] = []
    x = y = 0.0
    for command, said in _STEPS.findall(path):
        numbers = [float(number) for number in _NUMBER.findall(said)]
        if command in "Zz":
            continue
        if command.lower() not in "mlhv" or not numbers:
            return []
        alone = command.lower() in "hv"
        pairs = zip(numbers, numbers, strict=True) if alone else zip(numbers[::2], numbers[1::2], strict=False)
        for one, two in pairs:
            start_x, start_y = (x, y) if command.islower() else (0.0, 0.0)
            x = x if command in "vV" else start_x + one
            y = y if command in "hH" else start_y + two
            found += [x, y]
    return found


def _changes(group: Element) -> bool:
    return not {"transform", "opacity", "style", "class", "fill", "clip-path", "mask", "display"}.isdisjoint(group.attributes)


def _holds(outer: Box, inner: Box) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]
