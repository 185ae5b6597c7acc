"""Notes and fields of a PDF page: what is drawn on the page becomes a part of it, the text of the others is reported."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from stages.formats.markup import Hidden
from stages.formats.pdf_objects import raw

MAX_NOTES = 2000
MAX_BYTES = 8000
_UNSEEN = 1 | 2 | 32
"""Flags of what is not shown: invisible, hidden, no view."""
_WRITTEN = frozenset({3, 13, 20})
"""Kinds that draw text of their own: free text, stamps, fields of forms."""
_WORDS = 4
"""From so many it is a text."""
_ON_CLICK = frozenset({1, 16})
"""Kinds of notes that show their text when somebody asks for it: an icon, and its window."""


def report_notes(page: Any, hidden: Hidden, place: str) -> None:
    """Say what the notes of a page hold that its reader does not see."""
    for number in range(min(raw().FPDFPage_GetAnnotCount(page), MAX_NOTES)):
        note = raw().FPDFPage_GetAnnot(page, number)
        if note:
            if raw().FPDFAnnot_GetFlags(note) & _UNSEEN or raw().FPDFAnnot_GetSubtype(note) in _ON_CLICK:
                _report(note, hidden, place)
            raw().FPDFPage_CloseAnnot(note)


def with_notes(page: Any, load: Callable[[], Any]) -> Any:
    """The page with what its notes and fields draw as its own content; `load` gives the page anew."""
    notes = [_flags_and_kind(page, number) for number in range(min(raw().FPDFPage_GetAnnotCount(page), MAX_NOTES))]
    if not any(kind in _WRITTEN and not flags & _UNSEEN for flags, kind in notes):
        return page
    for number in range(len(notes) - 1, -1, -1):
        if notes[number][0] & _UNSEEN:
            raw().FPDFPage_RemoveAnnot(page, number)
    raw().FPDFPage_Flatten(page, raw().FLAT_NORMALDISPLAY)
    page.close()
    return load()


def _flags_and_kind(page: Any, number: int) -> tuple[int, int]:
    note = raw().FPDFPage_GetAnnot(page, number)
    if not note:
        return _UNSEEN, 0
    found = raw().FPDFAnnot_GetFlags(note), raw().FPDFAnnot_GetSubtype(note)
    raw().FPDFPage_CloseAnnot(note)
    return found


def _report(note: Any, hidden: Hidden, place: str) -> None:
    for key in (b"Contents", b"V"):
        text = _text(note, key)
        if len(text.split()) >= _WORDS:
            hidden.add("a note that is not on the page" if key == b"Contents" else "a field that is not shown", text, place)


def _text(note: Any, key: bytes) -> str:
    buffer = (ctypes.c_ushort * (MAX_BYTES // 2))()
    size = raw().FPDFAnnot_GetStringValue(note, key, buffer, ctypes.sizeof(buffer))
    return bytes(buffer)[: min(size, MAX_BYTES)].decode("utf-16-le", "replace").rstrip("\0")


__all__ = ["report_notes", "with_notes"]
