"""What text in an SVG image is painted with, and whether the image shows it."""

from __future__ import annotations

from stages.html import drawing, referring
from stages.html.geometry import THIN
from stages.html.state import State
from stages.html.tree import Element
from stages.html.values import Scale, length

SHAPES = frozenset({"rect", "path", "circle", "ellipse", "polygon", "image", "use"})


def is_shape(element: Element) -> bool:
    """Whether it paints an area; a `use` into which its text was put is no more than that."""
    return element.tag in SHAPES and not (element.tag == "use" and element.children)


def ink(element: Element, state: State, parent: State) -> None:
    """SVG text is painted with `fill` and `stroke`, over shapes that nobody lays out here."""
    if element.tag == "svg" and not element.drawn:
        state.fill = "black"
        state.formula = False
        state.drawing, scale = drawing.window(element, state.styles)
        state.scale *= scale
        if any(_narrow(element, side, state.styles) for side in ("width", "height")) or drawing.no_view(element):
            state.hide("an image without room", element)
        if any(is_shape(each) for each in element.walk()):
            state.backdrop = None
    else:
        state.drawing = drawing.moved(element, state.drawing)
    if drawing.outside(element, state.drawing, state.font) and "visible" not in (
        parent.styles.get("overflow-x"),
        element.attributes.get("overflow"),
    ):
        state.hide("outside the image", element)
    _special(element, state)
    fill = state.styles.get("fill", element.attributes.get("fill", "")).strip().lower()
    if fill:
        fill = referring.paint(element, fill)
        state.fill = "transparent" if fill == "none" else fill
    stroke = state.styles.get("stroke", element.attributes.get("stroke", "")).strip().lower()
    if stroke:
        width = state.styles.get("stroke-width", element.attributes.get("stroke-width", "1")).strip()
        state.stroke = "none" if stroke == "none" else f"{width}{'px' if width.isdigit() else ''} {stroke}"


def _narrow(svg: Element, side: str, styles: dict[str, str]) -> bool:
    size = drawing.measure(styles[side] if side in styles else svg.attributes.get(side))
    return size is not None and size <= THIN


def _special(element: Element, state: State) -> None:
    tag = element.tag.lower()
    if tag == "foreignobject":
        state.fill = "currentcolor"
        if not drawing.sized(element, state.styles):
            state.hide("a box without room", element)
    if (
        tag == "svg"
        and element.drawn
        and element.attributes.get("overflow") != "visible"
        and any(_narrow(element, side, state.styles) for side in ("width", "height"))
    ):
        state.hide("an image without room", element)
    if tag == "textpath" and not _along_a_path(element):
        state.hide("no path for the text", element)


def _along_a_path(text: Element) -> bool:
    attributes = text.attributes
    if "%" in attributes.get("startOffset", "") and (length(attributes["startOffset"], Scale(percent=1.0)) or 0.0) >= 1:
        return False
    if "path" in attributes:
        return True
    reference = attributes.get("href", attributes.get("xlink:href", ""))
    return reference.startswith("#") and referring.target(text, reference[1:]) is not None
