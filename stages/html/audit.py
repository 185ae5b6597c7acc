"""A page taken apart for a person: what is seen and what is not, in the order of the page, with the reason for each part.

Comments and attributes of an element come before what is inside it.
"""

from __future__ import annotations

import re

from msgspec import Struct

from stages.html.attributes import MAX_CHARACTERS, SPOKEN
from stages.html.document import judged
from stages.html.paint import WANTED, Painting, signature
from stages.html.report import is_prose
from stages.html.tree import Element
from stages.text.unicode import clean

_SPACE = re.compile(r"\s+")
CODE = frozenset({"script", "style", "<script>", "<style>", "<svg>"})


class Piece(Struct, frozen=True):
    """Text of a page, cleaned. `hidden` says why nobody sees it, and is empty where somebody does; `place` is where it stands."""

    text: str
    hidden: str = ""
    place: str = ""


def audited(text: str, url: str = "", stylesheets: dict[str, str] | None = None) -> tuple[Piece, ...]:
    """All text of a page, blanks folded. Raises StageError `too_large` or `crashed`."""
    found = judged(text, url, stylesheets)
    if found is None:
        return ()
    page, painting = found
    reader = _Reader(painting)
    reader.read(page.root)
    for host, left in page.unslotted:
        reader.add(left, "in no slot of its shadow root", host)
    for element in page.elements:  # as in `document`: no garbage collector is to wait for
        element.parent = element.state = None
    return tuple(reader.pieces)


class _Reader:
    """Walks a judged tree."""

    def __init__(self, painting: Painting) -> None:
        self.verdicts = painting.verdicts
        self.pieces: list[Piece] = []
        self._open: list[str] = []
        self._why = self._where = ""

    def read(self, root: Element) -> None:
        """In document order; what one box says is one piece as long as one reason holds."""
        stack: list[tuple[Element, Element | str]] = [(root, root)]
        while stack:
            above, item = stack.pop()
            if isinstance(item, str):
                self.text(above, item)
                continue
            if item.tag == "head":
                self.silent(item)
                stack.extend((item, child) for child in reversed(item.children) if not isinstance(child, str))
                continue
            if item.state.display not in ("inline", "contents") or item.tag == "br":
                self.end()
            self.silent(item)
            stack.extend((item, child) for child in reversed(item.children))
        self.end()

    def text(self, element: Element, text: str) -> None:
        """One text node."""
        if element.tag in WANTED:
            return
        why = self.verdicts.get(element, "")
        if (why in CODE or element.tag in CODE) and not is_prose(text):
            return
        if text.strip() and why != self._why:
            self.end()
        if text.strip():
            self._why, self._where = why, signature(element.state.cause or element) if why else ""
        self._open.append(text)

    def silent(self, element: Element) -> None:
        """Comments and attributes that say something."""
        for comment in element.comments or ():
            if is_prose(comment):
                self.add(comment, "comment", element)
        for name, value in element.attributes.items():
            if len(value) > MAX_CHARACTERS and (name in SPOKEN or name.startswith("data-")) and is_prose(value, MAX_CHARACTERS):
                self.add(value, f"{name} attribute", element)

    def add(self, text: str, why: str, element: Element) -> None:
        """A piece by itself."""
        self.end()
        self._open, self._why, self._where = [text], why, signature(element)
        self.end()

    def end(self) -> None:
        """Close the piece that is open."""
        text = _SPACE.sub(" ", clean("".join(self._open))).strip()
        if text:
            self.pieces.append(Piece(text, self._why, self._where))
        self._open, self._why, self._where = [], "", ""


__all__ = ["Piece", "audited"]
