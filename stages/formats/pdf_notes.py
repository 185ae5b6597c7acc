"""Notes and fields of a PDF page whose text is not on the page: reported, never read."""

from __future__ import annotations

import ctypes
from typing import Any

from stages.formats.markup import Hidden
from stages.formats.pdf_objects import raw

MAX_NOTES = 2000
MAX_BYTES = 8000
_INVISIBLE, _HIDDEN, _NO_VIEW = 1, 2, 32
"""Flags of what is not shown."""
_WORDS = 4
"""From so many it is a text."""
_ON_CLICK = frozenset({1, 16})
"""Kinds of notes that show their text when somebody asks for it: an icon, and its window."""


def report_notes(page: Any, hidden: Hidden, place: str) -> None:
    """Say what the notes of a page hold that its reader does not see."""
    for number in range(min(raw().FPDFPage_GetAnnotCount(page), MAX_NOTES)):
        note = raw().FPDFPage_GetAnnot(page, number)
        if note:
            unseen = raw().FPDFAnnot_GetFlags(note) & (_INVISIBLE | _HIDDEN | _NO_VIEW)
            if unseen or raw().FPDFAnnot_GetSubtype(note) in _ON_CLICK:
                _report(note, hidden, place)
            raw().FPDFPage_CloseAnnot(note)


def _report(note: Any, hidden: Hidden, place: str) -> None:
    for key in (b"Contents", b"V"):
        text = _text(note, key)
        if len(text.split()) >= _WORDS:
            hidden.add("a note that is not on the page" if key == b"Contents" else "a field that is not shown", text, place)


def _text(note: Any, key: bytes) -> str:
    buffer = (ctypes.c_ushort * (MAX_BYTES // 2))()
    size = raw().FPDFAnnot_GetStringValue(note, key, buffer, ctypes.sizeof(buffer))
    return bytes(buffer)[: min(size, MAX_BYTES)].decode("utf-16-le", "replace").rstrip("\0")


__all__ = ["report_notes"]
