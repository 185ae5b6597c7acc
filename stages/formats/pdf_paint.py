"""Why a text of a PDF page may be hidden, told from what is painted before and after it.

A painter's model of boxes: it names the reason, and which texts are under suspicion. Whether somebody sees them is told by the
pixels of the page (`pdf_seen`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from operator import itemgetter

from stages.formats.boxes import Box, contains, cut, meets
from stages.formats.pdf_objects import OPAQUE, UNPAINTED_MODES, Painted, raw
from stages.formats.shades import WHITE, Colour, alike

KEPT_BACK = "text that is kept from being painted"
_LEAST_ALPHA = 13
"""Of 255: one part in twenty."""
MAX_COMPARISONS = 3_000_000
"""Of a text with something else on its page: about a second."""


class Painter:
    """The model of a page; not `whole` once it was too rich to be looked at all over."""

    def __init__(self, painted: Sequence[Painted], visible: Box) -> None:
        self._visible = visible
        self._grounds = [(at, one) for at, one in enumerate(painted) if _is_ground(one)]
        self._covers = [(at, one) for at, one in self._grounds if one.opaque]
        self._left = MAX_COMPARISONS

    @property
    def whole(self) -> bool:
        """Whether every comparison was made."""
        return self._left > 0

    def suspicion(self, text: Painted, at: int) -> str:
        """Why the text, the page's object of this number, may be hidden; empty where nothing speaks for it."""
        if text.mode in UNPAINTED_MODES:
            return "text that is not painted"
        if text.alpha < _LEAST_ALPHA:
            return "transparent text"
        drawn = text.box[2] > text.box[0] or text.box[3] > text.box[1]
        if drawn and not meets(text.box, self._visible):
            return "text off the page"
        box = cut(text.box, self._visible)
        if self._is_covered(box, at):
            return "text under something opaque"
        ground = self._ground(box, at) if text.colour is not None and text.alpha == OPAQUE else None
        same = text.colour is not None and ground is not None and alike(text.colour, ground)
        return "text in the colour of what is under it" if same else ""

    def is_plain(self, text: Painted, at: int) -> bool:
        """Whether everything speaks for the text: its own paint, a known ground, nothing that lies over any part of it."""
        if text.in_doubt or text.mode or text.alpha != OPAQUE or not contains(self._visible, text.box):
            return False
        later = self._grounds[bisect_left(self._grounds, at, key=itemgetter(0)) :] if self._left > 0 else []
        self._left -= len(later)
        clear = not any(meets(one.box, text.box) for _, one in later)
        return clear and text.colour is not None and self._ground(text.box, at) is not None and not self.suspicion(text, at)

    def _is_covered(self, box: Box, at: int) -> bool:
        later = self._covers[bisect_left(self._covers, at, key=itemgetter(0)) :] if self._left > 0 else []
        self._left -= len(later)
        return any(contains(one.box, box) for _, one in later)

    def _ground(self, box: Box, at: int) -> Colour | None:
        """The colour of what was painted last beneath the box: paper is white; None where it is not known."""
        place = bisect_left(self._grounds, at, key=itemgetter(0))
        while place and self._left > 0:
            place -= 1
            self._left -= 1
            one = self._grounds[place][1]
            if meets(one.box, box):
                return one.colour if contains(one.box, box) else None
        return WHITE if self._left > 0 else None


def _is_ground(one: Painted) -> bool:
    """Whether other things may lie on it."""
    return one.kind != raw().FPDF_PAGEOBJ_TEXT and one.alpha >= _LEAST_ALPHA


__all__ = ["KEPT_BACK", "Painter"]
