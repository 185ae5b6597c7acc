"""PDF documents, read by pdfium: lines joined to paragraphs, headings by size, a section with an anchor for every page.

The order is that of the page's content, as its author laid it out. What nobody sees is left out and reported (`hidden_pdf`).
"""

from __future__ import annotations

import ctypes
import re
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from stages.core.errors import StageError
from stages.formats.markup import Converted, Hidden, document, escaped, heading, paragraph
from stages.formats.pdf_fonts import without_false_tables
from stages.formats.pdf_notes import report_notes, with_notes
from stages.formats.pdf_objects import painted_objects, text_address
from stages.formats.pdf_seen import TOO_SMALL, Effort, unseen_characters
from stages.formats.pdf_substitutes import drop_substitutes

READER = "pdf/1"
MAX_PAGES = 3000
MAX_CHARACTERS = 8_000_000
DRAWN_PAGES = 100
"""Pages from the first that are drawn in any case; of later ones those are that give cause."""

_PASSWORD = 4
"""pdfium's error code."""
_HYPHENS, _SURROGATES = (2, 0xFFFE), range(0xD800, 0xE000)
_HEADING_SCALE = 1.15
_HEADING_CHARACTERS = 200
_HEADING_LEVELS = 3
_SAME_PARAGRAPH = 1.75
"""Lines further apart than so many times their size are two paragraphs."""
_BULLET = re.compile(r"[\u2022\u25cf\u25aa\u25e6\u2023\u2043\u00b7]\s+|[-\u2013]\s+(?=\S)")
_DIVIDED = re.compile(r"[^\W\d_]-$")
_SENTENCE_END = re.compile(r"[.!?:;\u3002\uff01\uff1f\u2026][\"'\u201d\u2019)\]]*$")


class Line(Struct):
    """A line of text as it is set. `size` in points, `top` and `left` in the page's own units, upwards and to the right."""

    text: str
    size: float
    left: float
    top: float


def read_pdf(body: bytes) -> Converted:
    """The document as HTML. Raises StageError: `unsupported_content` for a damaged or locked one, `too_large`."""
    import pypdfium2 as pdfium

    try:
        opened = pdfium.PdfDocument(without_false_tables(body))
    except pdfium.PdfiumError as error:
        locked = getattr(error, "err_code", 0) == _PASSWORD or "assword" in str(error)
        raise StageError("unsupported_content", "the PDF asks for a password" if locked else "the PDF is damaged") from None
    try:
        return _read(opened)
    finally:
        opened.close()


def _read(opened: Any) -> Converted:
    if len(opened) > MAX_PAGES:
        raise StageError("too_large", f"the PDF has more than {MAX_PAGES} pages")
    hidden, effort, pages, characters = Hidden("hidden_pdf"), Effort(), [], 0
    for number in range(len(opened)):
        lines = _page_lines(opened, number, hidden, effort)
        characters += sum(len(line.text) for line in lines)
        if characters > MAX_CHARACTERS:
            raise StageError("too_large", f"the PDF holds more than {MAX_CHARACTERS} characters")
        pages.append(lines)
    levels = _levels(line for lines in pages for line in lines)
    title = next((line.text for lines in pages for line in lines if levels.get(_rounded(line.size)) == 1), "")
    sections = [f'<section id="page-{number}">{_markup(lines, levels)}</section>' for number, lines in enumerate(pages, 1)]
    return Converted(document(title, sections), READER, hidden.threats())


def _page_lines(opened: Any, number: int, hidden: Hidden, effort: Effort) -> list[Line]:
    import pypdfium2 as pdfium

    place = f"page {number + 1}"
    try:
        page = opened[number]
        report_notes(page, hidden, place)
        page = with_notes(page, lambda: opened[number])
    except pdfium.PdfiumError:
        return []  # a damaged page is not shown
    painted = painted_objects(page)
    drop_substitutes(page, painted, hidden, place)
    text_page = page.get_textpage()
    try:
        judged = unseen_characters(page, text_page, painted, effort, trusting=number >= DRAWN_PAGES)
        for doubt in judged.doubts:
            hidden.degraded(doubt, place)
        if judged.flat:
            hidden.unread(TOO_SMALL, place)
        return list(_lines(text_page, judged.reasons, hidden, place))
    finally:
        text_page.close()
        page.close()


def _lines(text_page: Any, unseen: dict[int, str], hidden: Hidden, place: str) -> Iterator[Line]:
    """Lines that are seen, with the size and place of their characters."""
    line, gone, reason = _Setting(), "", ""
    for number, (letter, address, set_at) in enumerate(_characters(text_page)):
        why = reason if not address or letter.isspace() else unseen.get(number, "")
        if why != reason:
            hidden.add(reason, gone, place)
            gone, reason = "", why
        if why:
            gone += letter
        if letter in ("\n", "\r"):
            if line.is_filled():
                yield line.made()
            line = _Setting()
        elif not why:
            line.add(letter, set_at)
        elif letter == " ":
            line.add(letter, None)  # the words on both sides stay apart
    hidden.add(reason, gone, place)
    if line.is_filled():
        yield line.made()


class _Setting:
    """A line while its characters come in."""

    def __init__(self) -> None:
        self._letters: list[str] = []
        self._sizes: Counter[float] = Counter()
        self._size = self._left = self._top = 0.0

    def add(self, letter: str, set_at: tuple[float, float, float] | None) -> None:
        """A character; `set_at` is size, left and top where they may have changed."""
        if set_at is not None:
            self._size, left, top = set_at
            if not self._sizes:
                self._left, self._top = left, top
        self._letters.append(letter)
        if self._size and not letter.isspace():
            self._sizes[self._size] += 1

    def is_filled(self) -> bool:
        """Whether there is anything but space."""
        return bool(self._sizes)

    def made(self) -> Line:
        """The line, in the size that most of it has."""
        size = max(self._sizes, key=lambda one: (self._sizes[one], one))
        return Line(" ".join("".join(self._letters).split()), size, self._left, self._top)


def _characters(text_page: Any) -> Iterator[tuple[str, int, tuple[float, float, float] | None]]:
    """Each character, and the text object that it belongs to (0: pdfium put it in); size, left and top where an object begins."""
    from pypdfium2 import raw

    across, up, matrix = ctypes.c_double(), ctypes.c_double(), raw.FS_MATRIX()
    last = 0
    for index in range(raw.FPDFText_CountChars(text_page)):
        code = raw.FPDFText_GetUnicode(text_page, index)
        address = text_address(raw.FPDFText_GetTextObject(text_page, index))
        set_at = None
        if address and address != last:
            raw.FPDFText_GetCharOrigin(text_page, index, across, up)
            known = raw.FPDFText_GetMatrix(text_page, index, matrix)
            scale = (matrix.c**2 + matrix.d**2) ** 0.5 if known else 1.0
            set_at = round(raw.FPDFText_GetFontSize(text_page, index) * (scale or 1.0), 1) or 1.0, across.value, up.value
        last = address
        yield _letter(code), address, set_at


def _letter(code: int) -> str:
    """A hyphen at a line's end has a code of its own in pdfium."""
    if code in _HYPHENS:
        return "\u00ad"
    return chr(code) if 0 < code <= sys.maxunicode and code not in _SURROGATES else ""


def _levels(lines: Iterator[Line]) -> dict[float, int]:
    """Heading levels by size: what is clearly larger than the text that there is most of."""
    weights: Counter[float] = Counter()
    for line in lines:
        weights[_rounded(line.size)] += len(line.text)
    if not weights:
        return {}
    body = max(weights, key=lambda size: (weights[size], -size))
    larger = sorted((size for size in weights if size >= body * _HEADING_SCALE), reverse=True)
    return {size: min(number, _HEADING_LEVELS) for number, size in enumerate(larger, 1)}


def _rounded(size: float) -> float:
    return round(size * 2) / 2


def _markup(lines: list[Line], levels: dict[float, int]) -> str:
    """Paragraphs, headings and bullet points of a page."""
    parts: list[str] = []
    block: list[Line] = []
    for line in lines:
        if block and not _goes_on(block[-1], line):
            parts.append(_block(block, levels))
            block = []
        block.append(line)
    return "".join([*parts, _block(block, levels)] if block else parts)


def _goes_on(before: Line, line: Line) -> bool:
    """Whether the line belongs to the same paragraph or heading."""
    if _rounded(before.size) != _rounded(line.size) or _BULLET.match(line.text):
        return False
    gap = before.top - line.top
    if abs(gap) <= line.size / 2:
        return True  # pieces of one line
    indented = line.left - before.left > line.size and _SENTENCE_END.search(before.text[-8:]) is not None
    return 0 < gap <= _SAME_PARAGRAPH * max(line.size, 1.0) and not indented


def _block(block: list[Line], levels: dict[float, int]) -> str:
    text = _joined(block)
    level = levels.get(_rounded(block[0].size), 0)
    if level and len(text) <= _HEADING_CHARACTERS:
        return heading(escaped(text), level)
    bullet = _BULLET.match(text)
    return f"<ul><li>{escaped(text[bullet.end() :])}</li></ul>" if bullet else paragraph(escaped(text))


def _joined(block: list[Line]) -> str:
    """The lines as one text; a word that was divided at a line's end is whole again."""
    text = ""
    for line in block:
        piece = line.text
        if text.endswith("\u00ad") or (_DIVIDED.search(text[-2:]) and piece[:1].islower()):
            text = text[:-1] + piece
        elif text:
            text += ("" if _wide(text[-1]) and _wide(piece[:1]) else " ") + piece
        else:
            text = piece
    return text.replace("\u00ad", "")


def _wide(letter: str) -> bool:
    """Scripts that write no spaces between lines."""
    return "\u2e80" <= letter <= "\u9fff" or "\uf900" <= letter <= "\ufaff" or "\uff00" <= letter <= "\uffef"


__all__ = ["READER", "read_pdf"]
