"""Images and formulas written in the page: which of their texts are drawn, and what their attributes declare."""

from __future__ import annotations

import re

from stages.html.matrix import transform
from stages.html.sheets import Declaration
from stages.html.tree import Element
from stages.html.values import Scale, length

TEXTS = frozenset({"text", "tspan", "textpath", "tref", "foreignobject", "title", "desc", "style", "script", "metadata"})
"""Elements of an SVG image whose own text is drawn, or judged elsewhere."""
TOKENS = frozenset({"mi", "mn", "mo", "mtext", "ms", "annotation", "annotation-xml"})
"""Elements of a formula whose own text is drawn, or judged elsewhere."""
_SVG_HINTS = frozenset({
    "opacity", "fill-opacity", "stroke-opacity", "visibility", "display", "clip-path", "mask", "filter", "color",
})  # fmt: skip
_MATH_HINTS = {"mathcolor": "color", "mathbackground": "background-color", "mathsize": "font-size"}
_BARE = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)")
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
_MOVE = re.compile(rf"\s*(translate|scale)\(\s*({_NUMBER})(?:[\s,]+({_NUMBER}))?\s*\)")
_ARGUMENTS = re.compile(r"\(([^()]*)\)")
_STARTS = re.compile(r"\s*\d*\.?\d*m?s?\s*")
WIDEST = 0.75
"""Times the font size: what a letter takes at most."""
Window = tuple[float, float, float, float]
"""Where the origin of an image is in its view box, and the width and height of that."""
DEFAULT = (300.0, 150.0)


def hints(element: Element) -> list[Declaration]:
    """What presentational attributes of images and formulas declare."""
    found: list[Declaration] = []
    for name, value in element.attributes.items():
        if name in _MATH_HINTS and not element.drawn:
            found.append((_MATH_HINTS[name], value.strip(), False))
        elif not (element.drawn or element.tag == "svg"):
            continue
        elif name in _SVG_HINTS:
            found.append((name, value.strip(), False))
        elif name == "font-size":
            found.append((name, f"{value.strip()}px" if _BARE.fullmatch(value.strip()) else value.strip(), False))
        elif name == "transform":
            found.append((name, "scale(0)" if _flat(value) else "none", False))
    if element.drawn:
        found += [one for child in element.children if isinstance(child, Element) and (one := _animated(child))]
    return found


def _flat(value: str) -> bool:
    """Whether a list of transforms leaves nothing to be read; commas and blanks are the same in it."""
    spoken = _ARGUMENTS.sub(lambda match: "(" + ",".join(match[1].replace(",", " ").split()) + ")", value)
    return transform({"transform": spoken.lower()}, 16.0, 100.0).flat


def _animated(child: Element) -> Declaration | None:
    """What an animation of the image leaves behind."""
    attributes, tag = child.attributes, child.tag.lower()
    name, to = attributes.get("attributeName", ""), attributes.get("to", attributes.get("values", "").split(";")[-1])
    stays = attributes.get("fill") == "freeze" or (tag == "set" and "dur" not in attributes)
    if not stays or not _STARTS.fullmatch(attributes.get("begin", "0")):
        return None
    if tag == "animatetransform" and attributes.get("type") == "scale":
        return ("transform", "scale(0)" if _flat(f"scale({to})") else "none", True)
    if tag in ("set", "animate") and (name in _SVG_HINTS or name in ("fill", "stroke", "font-size")):
        return (name, to.strip(), True)
    return None


def no_view(svg: Element) -> bool:
    """Whether the view box of an image is empty: then nothing of it is drawn."""
    box = re.split(r"[\s,]+", svg.attributes.get("viewBox", "").strip())
    return len(box) == 4 and 0.0 in (measure(box[2]), measure(box[3]))  # noqa: PLR2004 - x, y, width, height


def measure(text: str | None) -> float | None:
    """A number of an attribute, in user units."""
    return length(text.strip().lower(), Scale()) if text else None


def window(svg: Element, styles: dict[str, str]) -> tuple[Window | None, float]:
    """The view box of an outermost image, None where its size is not known, and what it scales letters by."""
    attributes = svg.attributes
    width, height = (measure(styles.get(side)) or measure(attributes.get(side)) for side in ("width", "height"))
    box = [float(part) for part in re.findall(_NUMBER, attributes.get("viewBox", ""))]
    if len(box) == 4 and box[2] > 0 and box[3] > 0:  # noqa: PLR2004 - x, y, width, height
        scales = [size / side for size, side in ((width, box[2]), (height, box[3])) if size]
        return (-box[0], -box[1], box[2], box[3]), min(scales, default=max(1.0, DEFAULT[0] / box[2]))
    if (
        "viewBox" in attributes
        or "width" in styles
        or "height" in styles
        or any("%" in attributes.get(side, "") for side in ("width", "height"))
    ):
        return None, 1.0
    return (0.0, 0.0, width if width is not None else DEFAULT[0], height if height is not None else DEFAULT[1]), 1.0


def moved(element: Element, inside: Window | None) -> Window | None:
    """The view box as an element with a `transform` sees it; None where that is not known."""
    value = element.attributes.get("transform", "").strip()
    if inside is not None and element.tag == "svg" and "viewBox" not in element.attributes:
        left, top, width, height = inside
        x, y = (
            length(element.attributes.get(at, "0").strip(), Scale(16.0, whole)) for at, whole in (("x", width), ("y", height))
        )
        return left + (x or 0.0), top + (y or 0.0), width, height
    if inside is None or not value:
        return inside
    match = _MOVE.fullmatch(value)
    if match is None or match[1] != "translate":
        return None
    x, y, width, height = inside
    return x + float(match[2]), y + float(match[3] or 0), width, height


def outside(element: Element, inside: Window | None, font: float) -> bool:
    """Whether a text begins where the image does not show it, and ends there."""
    tag = element.tag.lower()
    if inside is None or tag not in ("text", "tspan", "foreignobject"):
        return False
    x, y = _place(element, inside)
    if x is None or y is None or "rotate" in element.attributes:
        return False
    x, y, (_, _, width, height) = x + inside[0], y + inside[1], inside
    if tag == "foreignobject":
        sizes = [measure(element.attributes.get(side)) for side in ("width", "height")]
        return x > width or y > height or any(size is not None and at + size <= 0 for at, size in zip((x, y), sizes, strict=True))
    anchor = element.attributes.get("text-anchor", "start")
    wide = font * WIDEST * len(element.text().strip())
    if y < -font / 2 or y > height + font * 1.2:
        return True
    return {"start": x > width or x + wide < 0, "end": x <= 0 or x - wide > width}.get(anchor, x < -wide)


def _place(element: Element, inside: Window) -> tuple[float | None, float | None]:
    """Where a text begins, in user units; what a part of it does not say is where the text around begins."""
    attributes = element.attributes
    found: list[float | None] = []
    said = element.tag.lower() != "tspan"
    for side, whole in (("x", inside[2]), ("y", inside[3])):
        scale, at = Scale(16.0, whole), element
        while side not in at.attributes and at.tag.lower() in ("tspan", "a") and at.parent is not None:
            at = at.parent
        start, moved = (length(_first(of.attributes.get(name, "0")), scale) for of, name in ((at, side), (element, f"d{side}")))
        said = said or side in attributes or abs(moved or 0.0) >= whole
        found.append(None if start is None or moved is None else start + moved)
    return (found[0], found[1]) if said else (None, None)


def _first(value: str) -> str:
    return (value.lower().replace(",", " ").split() or ["0"])[0]


def unchosen(element: Element) -> bool:
    """Whether a `switch` or an action of a formula shows another of its children."""
    parent = element.parent
    if parent is None or parent.tag not in ("switch", "maction"):
        return False
    shown = [child for child in parent.children if isinstance(child, Element) and (parent.tag == "maction" or _holds(child))]
    try:
        chosen = int(parent.attributes.get("selection", "1")) - 1 if parent.tag == "maction" else 0
    except ValueError:
        chosen = 0
    return not (0 <= chosen < len(shown) and shown[chosen] is element)


def _holds(child: Element) -> bool:
    languages = child.attributes.get("systemLanguage")
    spoken = languages is None or any(part.strip().lower().startswith("en") for part in languages.split(","))
    return spoken and not child.attributes.get("requiredExtensions")


def sized(element: Element, styles: dict[str, str]) -> bool:
    """Whether a foreign object has room; none where nothing says how large it is."""
    return all(
        (measure(styles.get(side)) or measure(element.attributes.get(side)) or 0.0) > 0 or "%" in element.attributes.get(side, "")
        for side in ("width", "height")
    )
