"""Texts that stand for what a PDF draws (`ActualText`): for a ligature, a divided word, letters without a mapping.

Nobody sees them, so that one which says something else than what is drawn is taken off the page, and the drawn text is read.
"""

from __future__ import annotations

import ctypes
import unicodedata
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import Any

from stages.formats.markup import Hidden
from stages.formats.pdf_objects import Painted, raw, text_address

KEY = b"ActualText"
MAX_CHARACTERS = 32_000
MAX_COMPARISONS = 10_000_000
"""Of a letter with another on one page: about a second."""
_COMPARED = 2000
_LIKE = 0.75
_SENTENCE = 25, 4
"""Characters and words of what is worth a report: more than a formula in words."""

_size = ctypes.c_ulong()


def drop_substitutes(page: Any, painted: Sequence[Painted], hidden: Hidden, place: str) -> None:
    """Take texts off the page that stand for something else; the text page is to be made afterwards."""
    marked = [(one, mark, said) for one in painted for mark, said in _substitutes(one)]
    if not marked:
        return
    for one, mark, _ in marked:
        raw().FPDFPageObjMark_RemoveParam(one.item, mark, KEY)
    drawn, left = _drawn(page), MAX_COMPARISONS
    for said, group in groupby(marked, lambda entry: entry[2]):
        members = list(group)
        shown = "".join(drawn.get(one.address, "") for one, _, _ in members)
        left -= len(said) * len(shown)
        if left > 0 and is_like(said, shown):
            _put_back(page, members, said)
        elif len(said) >= _SENTENCE[0] and len(said.split()) >= _SENTENCE[1]:
            hidden.add("text that stands for another", said, place)


def _substitutes(one: Painted) -> Iterator[tuple[Any, str]]:
    """Marks around a text, each with what it says that the text is."""
    if one.kind != raw().FPDF_PAGEOBJ_TEXT:
        return
    for number in range(max(raw().FPDFPageObj_CountMarks(one.item), 0)):
        mark = raw().FPDFPageObj_GetMark(one.item, number)
        if raw().FPDFPageObjMark_GetParamStringValue(mark, KEY, None, 0, _size) and _size.value:
            buffer = (ctypes.c_ushort * (min(_size.value, 2 * MAX_CHARACTERS) // 2))()
            raw().FPDFPageObjMark_GetParamStringValue(mark, KEY, buffer, ctypes.sizeof(buffer), _size)
            yield mark, bytes(buffer).decode("utf-16-le", "replace").rstrip("\0")


def _put_back(page: Any, members: Sequence[tuple[Painted, Any, str]], said: str) -> None:
    value = b"\xfe\xff" + said.encode("utf-16-be", "replace")
    data = (ctypes.c_ubyte * len(value)).from_buffer_copy(value)
    for one, mark, _ in members:
        raw().FPDFPageObjMark_SetBlobParam(page.pdf, one.item, mark, KEY, data, len(value))


def _drawn(page: Any) -> dict[int, str]:
    """What each text of the page draws, by its address."""
    text_page = page.get_textpage()
    found: dict[int, str] = {}
    try:
        for number in range(raw().FPDFText_CountChars(text_page)):
            code = raw().FPDFText_GetUnicode(text_page, number)
            address = text_address(raw().FPDFText_GetTextObject(text_page, number))
            found[address] = found.get(address, "") + (chr(code) if 0 < code < 0x110000 else "\ufffd")  # noqa: PLR2004
    finally:
        text_page.close()
    return found


def is_like(said: str, drawn: str) -> bool:
    """Whether a text may stand for what is drawn: nearly the same letters, or letters where the drawn ones have no mapping."""
    one, two = _letters(said), _letters(drawn)
    if one == two or len(said) <= 1:
        return True
    if len(two) * 2 < len(drawn.strip()) or not drawn.strip():
        return len(said) <= 2 * len(drawn.strip()) + 3
    if max(len(one), len(two)) > _COMPARED or len(one) > 2 * len(two):
        return False
    return SequenceMatcher(None, one, two, autojunk=False).ratio() >= _LIKE


def _letters(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(letter for letter in folded if letter.isalnum() or unicodedata.combining(letter))


__all__ = ["drop_substitutes"]
