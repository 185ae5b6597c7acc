"""Where a box is and what of it shows: offsets, transforms, clipping, boxes without room."""

from __future__ import annotations

import re

from stages.html import matrix
from stages.html.matrix import Transform
from stages.html.shaping import points
from stages.html.tree import Element
from stages.html.values import HEIGHT, WIDTH, Scale, length, pieces

OFF = -800.0
"""Pixels left of or above the page from which nothing shows: -1000px, -50em and -100vw are all beyond."""
THIN = 2.0
"""A box of so few pixels shows no letter."""
OWN_SIZE = 200.0
"""What a percentage of an element's own, unknown, size is taken for."""

Styles = dict[str, str]


def transform(styles: Styles, font: float, perspective: str = "none") -> Transform:
    """All transforms of an element, as they look in the perspective of the box around it."""
    if perspective != "none" and "transform" in styles:
        styles = styles | {"transform": f"perspective({perspective}) {styles['transform']}"}
    return matrix.transform(styles, font, OWN_SIZE)


_FUNCTION = re.compile(r"([a-z0-9]+)\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)")


def offset(styles: Styles, font: float, position: str, held: bool = False) -> tuple[float, float]:
    """How far margins and position move a box right and down, in pixels; `held` where shares are not those of the screen."""
    across, down = Scale(font, WIDTH if not held else OWN_SIZE * 2), Scale(font, HEIGHT if not held else OWN_SIZE)
    x = _large(length(styles.get("margin-left", "0"), across))
    y = _large(length(styles.get("margin-top", "0"), across))
    if position in ("relative", "absolute", "fixed"):
        left, right = length(styles.get("left", "auto"), across), length(styles.get("right", "auto"), across)
        top, bottom = length(styles.get("top", "auto"), down), length(styles.get("bottom", "auto"), down)
        x += left if left is not None else -right if right is not None else 0.0
        y += top if top is not None else -bottom if bottom is not None else 0.0
    start, above = (length(styles.get(f"padding-{side}", "0"), across) or 0.0 for side in ("left", "top"))
    x, y = x + (start if start >= WIDTH else 0.0), y + (above if above >= -OFF and y < 0 else 0.0)
    moved = _START.match(styles.get("offset-path", ""))
    if moved:
        x, y = x + float(moved[1]), y + float(moved[2])
        along = styles.get("offset-distance", "") or styles.get("offset-path", "").rpartition(")")[2]
        ended = (
            _END.search(styles["offset-path"])
            if (length(along.strip(), Scale(percent=1.0)) or 0.0) >= 1 and "%" in along
            else None
        )
        if ended:
            x, y = float(ended[2]), float(ended[3] or 0) if ended[1] == "l" else y
    return x, y


_END = re.compile(r"([lh])\s*(-?(?:\d+\.?\d*|\.\d+))(?:[\s,]+(-?(?:\d+\.?\d*|\.\d+)))?\s*[\"']\s*\)")
_START = re.compile(r"path\(\s*[\"']\s*m\s*(-?(?:\d+\.?\d*|\.\d+))[\s,]+(-?(?:\d+\.?\d*|\.\d+))")


def _large(margin: float | None) -> float:
    """Ordinary margins do not add up to a hiding place."""
    return margin if margin is not None and (margin <= -OWN_SIZE or margin >= HEIGHT) else 0.0


def no_room(styles: Styles, font: float, growing: str = "", with_start: bool = False) -> bool:
    """Whether the box clips what is in it and has no room for a letter.

    `growing` is the side that does as it likes. Text stands behind the padding at the start, where only boxes with a place of
    their own (`with_start`) can be.
    """
    contained = styles.get("contain", "")
    if styles.get("container-type") == "size":
        styles = styles | {"contain": f"{contained} size"}
    across, down = styles.get("overflow-x", "visible"), styles.get("overflow-y", "visible")
    paints = any(word in contained for word in ("paint", "strict", "content"))
    clips_down = paints or down != "visible" or across not in ("visible", "clip")
    clips_across = paints or across != "visible" or down not in ("visible", "clip")
    return (clips_down and _thin(styles, "height", ("top", "bottom"), font, growing, with_start)) or (
        clips_across and _thin(styles, "width", ("left", "right"), font, growing, with_start)
    )


def holds_all(styles: Styles) -> bool:
    """Whether a box is what even boxes with a fixed place are placed in, so that it clips them."""
    if any(styles.get(name, "none") != "none" for name in ("transform", "translate", "scale", "rotate", "perspective", "filter")):
        return True
    if any(word in styles.get("will-change", "") for word in ("transform", "filter", "perspective")):
        return True
    return any(word in styles.get("contain", "") for word in ("layout", "paint", "strict", "content"))


def by_ratio(styles: Styles, font: float) -> Styles:
    """With the height that an aspect ratio gives a box of at most so much width, where that is next to nothing."""
    sides = [length(side, Scale()) for side in pieces(styles.get("aspect-ratio", "").replace("auto", " "), "/")]
    if not sides or None in sides or "height" in styles or not sides[0]:
        return styles
    wide = length(styles.get("width", "auto"), Scale(font, WIDTH)) or WIDTH
    tall = wide * (1.0 if len(sides) == 1 else sides[1] or 0.0) / sides[0]
    return styles | {"height": f"{tall}px"} if tall <= THIN else styles


def _thin(styles: Styles, side: str, sides: tuple[str, str], font: float, growing: str, with_start: bool) -> bool:  # noqa: PLR0917
    scale = Scale(font, WIDTH)
    sizes = [_size(styles.get(prefix + side, "auto"), side, scale) for prefix in ("", "max-") if prefix or side != growing]
    known = [size for size in sizes if size is not None]
    if side == "height" and not known and _SIZED.search(styles.get("contain", "")):
        known = [0.0]
    if not known:
        return False
    least = _size(styles.get("min-" + side, "auto"), side, scale) or 0.0
    start, end = (length(styles.get(f"padding-{each}", "0"), scale) or 0.0 for each in sides)
    room = max(min(known), least)
    if styles.get("box-sizing") == "border-box":
        room = max(room - start - end, 0.0)
    return room + end + (start if with_start else 0.0) <= THIN


def flat_rows(styles: Styles) -> bool:
    """Whether all rows of a grid have no height."""
    rows = [*tracks(styles.get("grid-template-rows", "none")), *pieces(styles.get("grid-auto-rows", "auto"))[:1]]
    return all(_flat(track) or track == "none" for track in rows[:-1]) and (_flat(rows[-1]) or _flat(rows[0]))


_REPEAT = re.compile(r"repeat\(\s*(\d{1,2})\s*,((?:[^()]|\([^()]*\))*)\)")


def tracks(value: str) -> list[str]:
    """The rows or columns of a grid, one by one."""
    plain = re.sub(r"\[[^\]]*\]", " ", value)
    return pieces(_REPEAT.sub(lambda match: f"{match[2]} " * int(match[1]), plain)) or ["none"]


def flat_track(styles: Styles, element: Element, own: Styles) -> bool:
    """Whether a box stands in a row or column of a grid that takes no room."""
    rows = tracks(styles.get("grid-template-rows", "none"))
    rows = pieces(styles.get("grid-auto-rows", "auto")) if rows == ["none"] else rows
    if len(rows) == 1 and _flat(rows[0]):
        return True
    columns = tracks(styles.get("grid-template-columns", "none"))
    placed = not {"grid-column", "grid-area"}.isdisjoint(own)
    if not any(_flat(track) for track in columns) or element.parent is None or placed:
        return False
    boxes = [child for child in element.parent.children if not isinstance(child, str)]
    return _flat(columns[boxes.index(element) % len(columns)])


def _flat(track: str) -> bool:
    if track.startswith("minmax(") and track.endswith(")"):
        return all(_flat(part) for part in pieces(track[7:-1], ","))
    return (float(track[:-2]) if _SHARE.fullmatch(track) else length(track, Scale(percent=WIDTH))) == 0.0


_SHARE = re.compile(r"\d*\.?\d+fr")
_SIZED = re.compile(r"\b(?:strict|size)\b")


def _size(text: str, side: str, scale: Scale) -> float | None:
    """In pixels; a percentage of a height that nobody set is `auto`."""
    return None if side == "height" and "%" in text else length(text, scale)


def clipped(styles: Styles, font: float, position: str) -> bool:
    """Whether `clip` or `clip-path` leave nothing."""
    clip = styles.get("clip", "auto")
    if position in ("absolute", "fixed") and clip.startswith("rect("):
        top, right, bottom, left = _four([part for part in re.split(r"[\s,]+", clip[5:-1]) if part], font)
        for start, end in ((top, bottom), (left, right)):
            if (end if end is not None else OWN_SIZE * 2) - (start or 0) <= THIN:
                return True
    match = _FUNCTION.match(_REFERENCE_BOX.sub("", styles.get("clip-path", "none")))
    return bool(match) and _path_empty(match[1], match[2], font) if match else False


_REFERENCE_BOX = re.compile(r"(?:^|(?<=\s))(?:margin|border|padding|content|fill|stroke|view)-box\s*")


def _four(parts: list[str], font: float) -> tuple[float | None, float | None, float | None, float | None]:
    values = [length(part, Scale(font, 100.0)) for part in parts[:4]]
    if len(values) < 4:  # noqa: PLR2004 - four sides
        return None, None, None, None
    return values[0], values[1], values[2], values[3]


SIZE = 1000.0
"""The side of the box that a clip path is worked out for; what leaves less than a hundredth of a side leaves nothing."""


def _path_empty(name: str, arguments: str, font: float) -> bool:  # noqa: PLR0911 - one shape after the other
    scale = Scale(font, SIZE)
    shape = re.split(r"\bround\b|\bat\b", arguments)[0]
    values = [length(part, scale) for part in pieces(shape)]
    if name == "inset" and values and None not in values:
        top, right, bottom, left = (
            ([value or 0.0 for value in values] * 4)[:4]
            if len(values) in (1, 2, 4)
            else [*(value or 0.0 for value in values), values[1] or 0.0]
        )
        return top + bottom > SIZE * 0.985 or left + right > SIZE * 0.985
    if name in ("circle", "ellipse"):
        if any(value is not None and value <= 1 for value in values):
            return True
        known = [value for value in values if value is not None and "%" not in shape]
        return _away(arguments, max(known) if known else 0.0 if not shape.strip() else SIZE / 2, scale)
    if name == "shape":
        corners = points(arguments, scale)
        return corners is not None and _area([[f"{x}px", f"{y}px"] for x, y in corners], scale) < SIZE * SIZE / 10_000
    if name == "polygon":
        return _area([pieces(point) for point in pieces(arguments, ",")], scale) < SIZE * SIZE / 10_000
    if name == "path":
        return _drawn_area(arguments) < THIN
    if name == "xywh" and len(values) >= 4:  # noqa: PLR2004 - x, y, width, height
        x, y, wide, tall = (value or 0.0 for value in values[:4])
        return min(wide, tall) <= THIN or x + wide <= 0 or y + tall <= 0
    if name == "rect" and len(values) >= 4 and None not in values[:4]:  # noqa: PLR2004
        return (values[2] or 0) - (values[0] or 0) <= THIN or (values[1] or 0) - (values[3] or 0) <= THIN
    return False


def _away(arguments: str, radius: float, scale: Scale) -> bool:
    """Whether a circle lies left of or above all of its box."""
    shape, at, centre = f" {arguments}".partition(" at ")
    places = [length(part, scale) for part in pieces(centre)] if at else []
    if shape.strip() in ("", "closest-side") and {0.0, SIZE} & set(places):
        return True  # no room between the centre and the side that it lies on
    beyond = [place - SIZE for place, part in zip(places, pieces(centre), strict=True) if place is not None and "%" in part]
    return any(place is not None and place < 0 and -place >= radius for place in places) or any(
        far >= radius for far in beyond if far > 0
    )


def _drawn_area(arguments: str) -> float:
    """Of the box around all numbers of a path; of curves and relative lines, not less than nothing and no matter how much."""
    numbers = [float(number) for number in _NUMBER.findall(arguments)]
    return max(numbers) - min(numbers) if numbers else 0.0


_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)")


def _area(points: list[list[str]], scale: Scale) -> float:
    """Of the part of a polygon's box that lies in the box it clips, or of the polygon where that is less."""
    known = [(length(point[0], scale) or 0.0, length(point[1], scale) or 0.0) for point in points if len(point) == 2]  # noqa: PLR2004
    if not known:
        return SIZE * SIZE
    xs, ys = [point[0] for point in known], [point[1] for point in known]
    inside = max(0.0, *xs) * max(0.0, *ys)
    area = abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(known, known[1:] + known[:1], strict=True))) / 2
    return min(area, inside)
