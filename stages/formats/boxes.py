"""Boxes on a page or a slide, and the matrices that move them."""

from __future__ import annotations

Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""
Matrix = tuple[float, float, float, float, float, float]
UNIT: Matrix = (1, 0, 0, 1, 0, 0)
_SLACK = 1.0


def times(one: Matrix, two: Matrix) -> Matrix:
    """One matrix after the other."""
    a, b, c, d, e, f = one
    g, h, i, j, k, m = two
    return a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m


def moved(box: tuple[float, ...], matrix: Matrix) -> Box:
    """The box around a moved box."""
    left, bottom, right, top = box
    a, b, c, d, e, f = matrix
    corners = [(a * x + c * y + e, b * x + d * y + f) for x in (left, right) for y in (bottom, top)]
    across, up = [x for x, _ in corners], [y for _, y in corners]
    return min(across), min(up), max(across), max(up)


def cut(box: Box, frame: Box) -> Box:
    """What of a box lies in a frame."""
    return max(box[0], frame[0]), max(box[1], frame[1]), min(box[2], frame[2]), min(box[3], frame[3])


def meets(one: Box, two: Box) -> bool:
    """Whether two boxes overlap."""
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]


def contains(outer: Box, inner: Box) -> bool:
    """Whether one box holds the other, but for a point."""
    return (
        outer[0] - _SLACK <= inner[0]
        and outer[1] - _SLACK <= inner[1]
        and outer[2] + _SLACK >= inner[2]
        and outer[3] + _SLACK >= inner[3]
    )


def grown(box: Box, by: float) -> Box:
    """The box with a rim around it."""
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def share(box: Box, frame: Box) -> float:
    """Of the frame's area that the box covers."""
    left, bottom, right, top = cut(box, frame)
    area = (frame[2] - frame[0]) * (frame[3] - frame[1])
    return max(right - left, 0) * max(top - bottom, 0) / area if area > 0 else 0.0
