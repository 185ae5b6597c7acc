"""What `transform` and its kin come to: one matrix, and what of a box can still be read through it."""

from __future__ import annotations

import math
import re
from functools import cache

from stages.html.values import Scale, angle, length, pieces

Matrix = list[list[float]]
"""Four rows of four; columns are multiplied from the right."""
FLAT = 0.05
"""A scale that leaves nothing to read."""
HUGE = 1e4
_MOVING = frozenset({"translate", "rotate", "scale", "transform"})
_FUNCTION = re.compile(r"([a-z0-9]+)\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)")


class Transform:
    """Where a box goes, how small its letters become, and whether it shows its back."""

    __slots__ = ("back", "scale", "x", "y")

    def __init__(self, matrix: Matrix) -> None:
        across, down, _, moved = ([matrix[row][column] for row in range(4)] for column in range(4))
        deep = moved[3]
        self.x, self.y, self.scale, self.back = 0.0, 0.0, 0.0, False
        if deep <= 0:  # behind the eye
            return
        self.x, self.y = moved[0] / deep, moved[1] / deep
        a, b, c, d = (value / deep for value in (across[0], across[1], down[0], down[1]))
        if max(map(abs, (a, b, c, d))) < HUGE:
            longest = math.sqrt(
                (a * a + b * b + c * c + d * d + math.sqrt((a * a + b * b - c * c - d * d) ** 2 + 4 * (a * c + b * d) ** 2)) / 2
            )
            self.scale = abs(a * d - b * c) / longest if longest else 0.0
        self.back = (matrix[0][0] * matrix[1][1] - matrix[0][1] * matrix[1][0]) * _determinant(matrix) < 0

    @property
    def flat(self) -> bool:
        """Whether nothing of the box can be read."""
        return self.scale < FLAT


def transform(styles: dict[str, str], font: float, own_size: float) -> Transform:
    """All transforms of an element, a percentage of its own size taken for one of `own_size`."""
    if _MOVING.isdisjoint(styles):
        return _still()
    return Transform(_whole(styles, font, (own_size, own_size)))


def corners(
    styles: dict[str, str], font: float, size: tuple[float, float], origin: tuple[float, float]
) -> list[tuple[float, float]]:
    """Where the corners of a box of some size go."""
    wide, tall = size
    plain = [(0.0, 0.0), (wide, 0.0), (0.0, tall), (wide, tall)]
    if _MOVING.isdisjoint(styles):
        return plain
    matrix, found = _whole(styles, font, size), []
    for x, y in plain:
        across, down, deep = (
            matrix[row][0] * (x - origin[0]) + matrix[row][1] * (y - origin[1]) + matrix[row][3] for row in (0, 1, 3)
        )
        deep = deep if deep > 0 else 1.0
        found.append((across / deep + origin[0], down / deep + origin[1]))
    return found


def _whole(styles: dict[str, str], font: float, size: tuple[float, float]) -> Matrix:
    scale = Scale(font, size[0])
    matrix = _unit()
    for name, say in (("translate", "translate3d"), ("rotate", "turn"), ("scale", "scale3d")):
        if styles.get(name, "none") != "none":
            matrix = _product(matrix, _made(say, _filled(say, pieces(styles[name])), scale, size[1]))
    for name, arguments in _FUNCTION.findall(styles.get("transform", "")):
        matrix = _product(matrix, _made(name, pieces(arguments, ","), scale, size[1]))
    return matrix


@cache
def _still() -> Transform:
    return Transform(_unit())


def _filled(say: str, parts: list[str]) -> list[str]:
    if say == "scale3d" and len(parts) == 1:
        return parts * 2
    return parts


def _unit() -> Matrix:
    return [[float(row == column) for column in range(4)] for row in range(4)]


def _product(one: Matrix, other: Matrix) -> Matrix:
    return [[sum(row[k] * other[k][column] for k in range(4)) for column in range(4)] for row in one]


def _determinant(m: Matrix) -> float:
    return (
        m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1])
        - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
        + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
    )


def _made(name: str, parts: list[str], scale: Scale, tall: float) -> Matrix:
    """The matrix of one function; one that is not understood leaves all as it is."""
    made = _unit()
    if name.startswith("translate"):
        start = {"translatey": 1, "translatez": 2}.get(name, 0)
        down = Scale(scale.em, tall)
        values = [length(part, down if at == 1 else scale) or 0.0 for at, part in enumerate(parts, start)]
        for at, value in enumerate(values[: 3 - start], start):
            made[at][3] = value
    elif name.startswith("scale"):
        numbers = [1.0 if (known := length(part, Scale(percent=1.0))) is None else known for part in parts]
        start = {"scaley": 1, "scalez": 2}.get(name, 0)
        numbers = numbers * 2 if name == "scale" and len(numbers) == 1 else numbers
        for at, factor in enumerate(numbers[: 3 - start], start):
            made[at][at] = factor
    elif name.startswith(("rotate", "turn")):
        return _turned(name, parts)
    elif name.startswith("skew"):
        angles = [math.tan(math.radians(angle(part) or 0.0)) for part in parts[:2]]
        made[0][1] = angles[0] if angles and name != "skewy" else 0.0
        made[1][0] = angles[0] if angles and name == "skewy" else angles[1] if len(angles) > 1 else 0.0
    elif name == "perspective" and parts and (far := length(parts[0], scale)):
        made[3][2] = -1 / max(far, 1.0)
    elif name in ("matrix", "matrix3d"):
        return _given([length(part, scale) or 0.0 for part in parts])
    return made


def _given(values: list[float]) -> Matrix:
    made = _unit()
    if len(values) == 6:  # noqa: PLR2004 - matrix
        a, b, c, d, x, y = values
        made[0][0], made[1][0], made[0][1], made[1][1], made[0][3], made[1][3] = a, b, c, d, x, y
    elif len(values) == 16:  # noqa: PLR2004 - matrix3d
        return [[values[column * 4 + row] for column in range(4)] for row in range(4)]
    return made


def _turned(name: str, parts: list[str]) -> Matrix:
    """A turn about an axis: `rotateX(90deg)`, `rotate3d(1, 0, 0, 90deg)`, `rotate: x 90deg`."""
    if not parts:
        return _unit()
    axes = {"x": [1.0, 0.0, 0.0], "y": [0.0, 1.0, 0.0]}
    axis = axes.get(name[-1] if name[0] == "r" else parts[0], [0.0, 0.0, 1.0])
    if len(parts) == 4:  # noqa: PLR2004 - a vector and an angle
        axis = [length(part, Scale()) or 0.0 for part in parts[:3]]
    size = math.hypot(*axis)
    if not size:
        return _unit()
    x, y, z = (part / size for part in axis)
    turn = math.radians(angle(parts[-1]) or 0.0)
    sine, cosine = math.sin(turn), math.cos(turn)
    rest = 1 - cosine
    return [
        [cosine + x * x * rest, x * y * rest - z * sine, x * z * rest + y * sine, 0.0],
        [y * x * rest + z * sine, cosine + y * y * rest, y * z * rest - x * sine, 0.0],
        [z * x * rest - y * sine, z * y * rest + x * sine, cosine + z * z * rest, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ]
