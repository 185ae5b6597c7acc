"""Where a box is and what of it shows: offsets, transforms, clipping, boxes without room."""

from __future__ import annotations

import math
import re

from stages.html.values import HEIGHT, WIDTH, Scale, angle, length, pieces

OFF = -800.0
"""Pixels left of or above the page from which nothing shows: -1000px, -50em and -100vw are all beyond."""
THIN = 2.0
"""A box of so few pixels shows no letter."""
OWN_SIZE = 200.0
"""What a percentage of an element's own, unknown, size is taken for."""
FLAT = 0.05
"""A scale, or the cosine of a turn, that leaves nothing to read."""

Styles = dict[str, str]


class Transform:
    """What `transform`, `translate`, `scale` and `rotate` come to."""

    __slots__ = ("back", "scale_x", "scale_y", "x", "y")

    def __init__(self) -> None:
        self.x = self.y = 0.0
        self.scale_x = self.scale_y = 1.0
        self.back = False
        """Whether the back is shown."""

    @property
    def flat(self) -> bool:
        """Whether nothing of the box can be read."""
        return min(abs(self.scale_x), abs(self.scale_y)) < FLAT

    def apply(self, name: str, arguments: list[str], scale: Scale) -> None:
        """One transform function."""
        if name.startswith("translate"):
            values = [length(argument, scale) or 0.0 for argument in arguments]
            self.x += values[0] if values and name in ("translate", "translatex", "translate3d") else 0.0
            self.y += values[0] if values and name == "translatey" else values[1] if len(values) > 1 else 0.0
        elif name.startswith("scale"):
            values = [1.0 if (value := length(argument, Scale(percent=1.0))) is None else value for argument in arguments] or [
                1.0
            ]
            self.scale_x *= 1.0 if name in ("scaley", "scalez") else values[0]
            self.scale_y *= (
                values[0]
                if name == "scaley"
                else 1.0
                if name in ("scalex", "scalez")
                else values[1]
                if len(values) > 1
                else values[0]
            )
        elif name in ("rotatex", "rotatey", "rotate3d"):
            self.turn(arguments, name)
        elif name in ("matrix", "matrix3d"):
            self.matrix([length(argument, scale) or 0.0 for argument in arguments])

    def turn(self, arguments: list[str], name: str) -> None:
        """A turn about an axis in the plane of the screen."""
        cosine = math.cos(math.radians(angle(arguments[-1]) or 0.0)) if arguments else 1.0
        if name == "rotate3d" and [length(argument, Scale()) or 0.0 for argument in arguments[:2]] == [0.0, 0.0]:
            return
        self.scale_x *= cosine if name != "rotatex" else 1.0
        self.scale_y *= cosine if name == "rotatex" else 1.0
        self.back = self.back != (cosine < 0)

    def matrix(self, values: list[float]) -> None:
        """A matrix of 6 or 16 numbers."""
        if len(values) == 16:  # noqa: PLR2004 - matrix3d
            values = [values[0], values[1], values[4], values[5], values[12], values[13]]
        if len(values) == 6:  # noqa: PLR2004 - matrix
            determinant = values[0] * values[3] - values[1] * values[2]
            self.scale_x *= math.copysign(math.sqrt(abs(determinant)), determinant)
            self.scale_y *= math.sqrt(abs(determinant))
            self.x, self.y = self.x + values[4], self.y + values[5]


_FUNCTION = re.compile(r"([a-z0-9]+)\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)")


def transform(styles: Styles, font: float) -> Transform:
    """All transforms of an element."""
    result = Transform()
    scale = Scale(font, OWN_SIZE)
    for name, arguments in _FUNCTION.findall(styles.get("transform", "")):
        result.apply(name, pieces(arguments, ","), scale)
    if "translate" in styles:
        result.apply("translate", pieces(styles["translate"]), scale)
    if "scale" in styles and styles["scale"] != "none":
        result.apply("scale", pieces(styles["scale"]), scale)
    turn = pieces(styles.get("rotate", ""))
    if turn and turn[0] in ("x", "y"):
        result.turn(turn, f"rotate{turn[0]}")
    elif len(turn) == 4:  # noqa: PLR2004 - a vector and an angle
        result.turn(turn, "rotate3d")
    return result


def offset(styles: Styles, font: float, position: str) -> tuple[float, float]:
    """How far margins and position move a box right and down, in pixels."""
    across, down = Scale(font, WIDTH), Scale(font, HEIGHT)
    x = _large(length(styles.get("margin-left", "0"), across))
    y = _large(length(styles.get("margin-top", "0"), across))
    if position in ("relative", "absolute", "fixed"):
        left, right = length(styles.get("left", "auto"), across), length(styles.get("right", "auto"), across)
        top, bottom = length(styles.get("top", "auto"), down), length(styles.get("bottom", "auto"), down)
        x += left if left is not None else -right if right is not None else 0.0
        y += top if top is not None else -bottom if bottom is not None else 0.0
    return x, y


def _large(margin: float | None) -> float:
    """Ordinary margins do not add up to a hiding place."""
    return margin if margin is not None and margin <= -OWN_SIZE else 0.0


def no_room(styles: Styles, font: float, growing: str = "") -> bool:
    """Whether the box clips what is in it and has no room for a letter; `growing` is the side that does as it likes."""
    across, down = styles.get("overflow-x", "visible"), styles.get("overflow-y", "visible")
    clips_down = down != "visible" or across not in ("visible", "clip")
    clips_across = across != "visible" or down not in ("visible", "clip")
    return (clips_down and _thin(styles, "height", ("top", "bottom"), font, growing)) or (
        clips_across and _thin(styles, "width", ("left", "right"), font, growing)
    )


def _thin(styles: Styles, side: str, sides: tuple[str, str], font: float, growing: str) -> bool:
    scale = Scale(font, WIDTH)
    sizes = [_size(styles.get(prefix + side, "auto"), side, scale) for prefix in ("", "max-") if prefix or side != growing]
    known = [size for size in sizes if size is not None]
    least = _size(styles.get("min-" + side, "auto"), side, scale) or 0.0
    padding = sum(length(styles.get(f"padding-{each}", "0"), scale) or 0.0 for each in sides)
    return bool(known) and max(min(known), least) + padding <= THIN


def _size(text: str, side: str, scale: Scale) -> float | None:
    """In pixels; a percentage of a height that nobody set is `auto`."""
    return None if side == "height" and "%" in text else length(text, scale)


def clipped(styles: Styles, font: float, position: str) -> bool:
    """Whether `clip` or `clip-path` leave nothing."""
    clip = styles.get("clip", "auto")
    if position in ("absolute", "fixed") and clip.startswith("rect("):
        top, right, bottom, left = _four([part for part in re.split(r"[\s,]+", clip[5:-1]) if part], font)
        if None not in (top, bottom) and (bottom or 0) - (top or 0) <= THIN:
            return True
        if None not in (left, right) and (right or 0) - (left or 0) <= THIN:
            return True
    match = _FUNCTION.match(styles.get("clip-path", "none"))
    return bool(match) and _path_empty(match[1], match[2], font) if match else False


def _four(parts: list[str], font: float) -> tuple[float | None, float | None, float | None, float | None]:
    values = [length(part, Scale(font, 100.0)) for part in parts[:4]]
    if len(values) < 4:  # noqa: PLR2004 - four sides
        return None, None, None, None
    return values[0], values[1], values[2], values[3]


SIZE = 1000.0
"""The side of the box that a clip path is worked out for; what leaves less than a hundredth of a side leaves nothing."""


def _path_empty(name: str, arguments: str, font: float) -> bool:
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
        return any(value is not None and value <= 1 for value in values)
    if name == "polygon":
        return _area([pieces(point) for point in pieces(arguments, ",")], scale) < SIZE * SIZE / 10_000
    if name == "xywh" and len(values) >= 4:  # noqa: PLR2004 - x, y, width, height
        return any(value is not None and value <= THIN for value in values[2:4])
    if name == "rect" and len(values) >= 4 and None not in values[:4]:  # noqa: PLR2004
        return (values[2] or 0) - (values[0] or 0) <= THIN or (values[1] or 0) - (values[3] or 0) <= THIN
    return False


def _area(points: list[list[str]], scale: Scale) -> float:
    known = [(length(point[0], scale) or 0.0, length(point[1], scale) or 0.0) for point in points if len(point) == 2]  # noqa: PLR2004
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(known, known[1:] + known[:1], strict=True))) / 2
