"""Images and formulas written in the page: which of their texts are drawn, and what their attributes declare."""

from __future__ import annotations

import re

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
_BARE = re.compile(r"[+-]?[\d.]+")
_MOVE = re.compile(r"\s*(translate|scale)\(\s*([-+.\de]+)(?:[\s,]+([-+.\de]+))?\s*\)")
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
        elif name == "transform" and "scale(0" in value.replace(" ", ""):
            found.append((name, "scale(0)" if re.search(r"scale\(\s*0*\.?0*\s*[,)]", value) else "none", False))
    return found


def measure(text: str | None) -> float | None:
    """A number of an attribute, in user units."""
    return length(text.strip().lower(), Scale()) if text else None


def window(svg: Element, styles: dict[str, str]) -> tuple[Window | None, float]:
    """The view box of an outermost image, None where its size is not known, and what it scales letters by."""
    attributes = svg.attributes
    width, height = (measure(styles.get(side)) or measure(attributes.get(side)) for side in ("width", "height"))
    box = [float(part) for part in re.findall(r"[-+]?[\d.]+(?:e[-+]?\d+)?", attributes.get("viewBox", "")) if _BARE.match(part)]
    if len(box) == 4 and box[2] > 0 and box[3] > 0:  # noqa: PLR2004 - x, y, width, height
        scales = [size / side for size, side in ((width, box[2]), (height, box[3])) if size]
        return (-box[0], -box[1], box[2], box[3]), min(scales, default=1.0)
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
    if inside is None or not value:
        return inside
    match = _MOVE.fullmatch(value)
    if match is None or match[1] != "translate":
        return None
    x, y, width, height = inside
    try:
        return x + float(match[2]), y + float(match[3] or 0), width, height
    except ValueError:
        return None


def outside(element: Element, inside: Window | None, font: float) -> bool:
    """Whether a text begins where the image does not show it, and ends there."""
    if inside is None or element.tag != "text":
        return False
    x, y = (measure((element.attributes.get(side, "0").split() or ["0"])[0]) for side in ("x", "y"))
    if x is None or y is None or any(name in element.attributes for name in ("dx", "dy", "rotate")):
        return False
    x, y, (_, _, width, height) = x + inside[0], y + inside[1], inside
    anchored = element.attributes.get("text-anchor", "start") == "start"
    wide = font * len(element.text().strip())
    return y < -font / 2 or y > height + font * 1.2 or (anchored and (x > width or x + wide < 0)) or (not anchored and x < -wide)


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
