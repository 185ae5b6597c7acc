"""Fonts of a PDF that say of their letters what they do not draw.

What a font draws that is not in the document is said by its encoding. A table of texts beside it (`ToUnicode`) can only repeat
that, or lie. Of a font within the document no more is known than such a table says.
"""

from __future__ import annotations

import re

_TABLE, _NO_TABLE = b"/ToUnicode", b"/NoUnicode"
"""A name of the same length, so that every place in the document stays what it is."""
MAX_FONT_BYTES = 20_000
MAX_FONTS = 10_000
_LATIN = re.compile(rb"/BaseFont\s*/(?:Helvetica|Times|Courier|Arial)[A-Za-z,-]*\s*[/>\r\n]")
_SIMPLE = re.compile(rb"/Subtype\s*/(?:Type1|TrueType)\s*[/>\r\n]")
_WITHIN = re.compile(rb"/FontDescriptor")


def without_false_tables(body: bytes) -> bytes:
    """The document without the tables of fonts that are Latin, plain, and not in it."""
    places = [match.start() for match, _ in zip(re.finditer(rb"/ToUnicode\b", body), range(MAX_FONTS), strict=False)]
    false = [at for at in places if _is_foreign(body, at)]
    if not false:
        return body
    changed = bytearray(body)
    for at in false:
        changed[at : at + len(_TABLE)] = _NO_TABLE
    return bytes(changed)


def _is_foreign(body: bytes, at: int) -> bool:
    start = body.rfind(b"obj", max(at - MAX_FONT_BYTES, 0), at)
    end = body.find(b"endobj", at, at + MAX_FONT_BYTES)
    font = body[start:end] if 0 <= start < end else b""
    return bool(_LATIN.search(font) and _SIMPLE.search(font)) and not _WITHIN.search(font)


__all__ = ["without_false_tables"]
