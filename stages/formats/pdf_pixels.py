"""Pictures of a PDF page, and where two of them differ."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

from stages.formats.boxes import Box
from stages.formats.shades import Colour, alike

SCALE = 1.5
"""Pixels a point."""
MAX_PIXELS = 4_000_000
_LEAST_ROWS = 0.3
"""Of a letter's rows of pixels: what shows of it must be more than a rim."""
_LEAST_SHARE = 0.01
_THIN = 2
_INK = 24
"""Between the lightest and the darkest of what is more than paper."""
_FINE = 64
"""Parts of a pixel to which places are known."""


def _colour(pixel: bytes) -> Colour:
    blue, green, red = pixel
    return red, green, blue


class Picture:
    """A page as it is drawn, annotations and all."""

    def __init__(self, page: Any) -> None:
        width, height = page.get_size()
        scale = min(SCALE, (MAX_PIXELS / max(width * height, 1)) ** 0.5)
        bitmap = page.render(scale=scale, may_draw_forms=False)
        self.width, self.height, self.stride, self.channels = bitmap.width, bitmap.height, bitmap.stride, bitmap.n_channels
        self.pixels = bytes(bitmap.buffer)
        bitmap.close()
        self._to_device = _to_device(page, self.width, self.height)

    def rows(self, box: Box) -> list[slice]:
        """Where in `pixels` the rows of a box of the page lie."""
        a, b, c, d, e, f = self._to_device
        corners = [(a * x + c * y + e, b * x + d * y + f) for x in (box[0], box[2]) for y in (box[1], box[3])]
        left, right = _pixels(min(x for x, _ in corners), max(x for x, _ in corners), self.width)
        top, bottom = _pixels(min(y for _, y in corners), max(y for _, y in corners), self.height)
        if left >= right:
            return []
        starts = (row * self.stride + left * self.channels for row in range(top, bottom))
        return [slice(start, start + (right - left) * self.channels) for start in starts]

    def has_ink(self, box: Box) -> bool:
        """Whether there is more than one shade in a box."""
        inside = b"".join(self.pixels[row] for row in self.rows(box))
        shades = (inside[channel :: self.channels] for channel in range(3))
        return any(max(shade) - min(shade) >= _INK for shade in shades if shade)


def _pixels(first: float, last: float, size: int) -> tuple[int, int]:
    """From which pixel to which other; a stroke no wider than two may be set into the next."""
    begin, end = int(first), int(last) + 1
    if end - begin <= _THIN:
        begin, end = begin - 1, end + 1
    return max(begin, 0), min(end, size)


def _to_device(page: Any, width: int, height: int) -> tuple[float, ...]:
    """The matrix from the page's units to pixels."""
    from pypdfium2 import raw

    across, down = ctypes.c_int(), ctypes.c_int()

    def place(x: float, y: float) -> tuple[float, float]:
        raw.FPDF_PageToDevice(page, 0, 0, width * _FINE, height * _FINE, 0, x, y, across, down)
        return across.value / _FINE, down.value / _FINE

    (e, f), (right, below), (left, above) = place(0, 0), place(1000, 0), place(0, 1000)
    return (right - e) / 1000, (below - f) / 1000, (left - e) / 1000, (above - f) / 1000, e, f


class Change:
    """What differs between two pictures of a page."""

    def __init__(self, before: Picture, after: Picture) -> None:
        self._before, self._after = before, after
        both = int.from_bytes(before.pixels, "little") ^ int.from_bytes(after.pixels, "little")
        self._changed = both.to_bytes(len(before.pixels), "little")

    def shows(self, box: Box) -> bool:
        """Whether a letter in the box is drawn in one of the pictures and not in the other: all of it or a good part."""
        rows = self._before.rows(box)
        counts = [row.stop - row.start - self._changed.count(0, row.start, row.stop) for row in rows]
        size = sum(row.stop - row.start for row in rows)
        return sum(counts) > size * _LEAST_SHARE and sum(map(bool, counts)) >= max((len(rows) - 2 * _THIN) * _LEAST_ROWS, 1)

    def share(self, box: Box) -> float:
        """Of the box's pixels that differ."""
        rows = self._before.rows(box)
        size = sum(row.stop - row.start for row in rows)
        same = sum(self._changed.count(0, row.start, row.stop) for row in rows)
        return 1 - same / size if size else 0.0

    def changed(self, box: Box) -> int:
        """How many bytes of the box differ."""
        return sum(row.stop - row.start - self._changed.count(0, row.start, row.stop) for row in self._before.rows(box))

    def stands_out(self, box: Box, ink: Colour | None = None) -> bool:
        """Whether the pictures differ in the box by more than a shade that nobody sees.

        `ink`, where it is known, is the colour that covers what is under it: small letters are drawn in a mixture of both.
        """
        known: set[tuple[bytes, bytes]] = set()
        for pair in self._pairs(box):
            if pair not in known:
                shown, ground = map(_colour, pair)
                if not alike(shown, ground) or (ink is not None and not alike(ink, ground)):
                    return True
                known.add(pair)
        return False

    def _pairs(self, box: Box) -> Iterator[tuple[bytes, bytes]]:
        """Pixels that differ, as they are before and after."""
        step = self._before.channels
        for row in self._before.rows(box):
            if self._changed.count(0, row.start, row.stop) < row.stop - row.start:
                for at in range(row.start, row.stop, step):
                    one, two = self._before.pixels[at : at + 3], self._after.pixels[at : at + 3]
                    if one != two:
                        yield one, two


__all__ = ["Change", "Picture"]
