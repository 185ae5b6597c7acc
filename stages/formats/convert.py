"""Which reader takes which document, by media type and first bytes."""

from __future__ import annotations

from importlib import import_module

from stages.formats.markup import Converted
from stages.text.charset import decode
from stages.text.magic import DOCUMENTS, DOCX, EPUB, ODT, PDF, PPTX, XLSX, magic_type

_READERS = {
    PDF: ("pdf", "read_pdf"),
    DOCX: ("docx", "read_docx"),
    PPTX: ("pptx", "read_pptx"),
    XLSX: ("xlsx", "read_xlsx"),
    ODT: ("odt", "read_odt"),
    EPUB: ("epub", "read_epub"),
}
MAYBE_FEED = frozenset({"", "text/plain", "text/xml", "application/xml"})


def converted(body: bytes, media_type: str, charset: str = "") -> Converted | None:
    """A document or feed as HTML that is still to be sanitised; None for every other body.

    Raises StageError: `unsupported_content` for a document that cannot be read, `too_large`.
    """
    kind = magic_type(body)
    if kind in DOCUMENTS:
        module, function = _READERS[kind]
        made: Converted = getattr(import_module(f"stages.formats.{module}"), function)(body)
        return made
    if media_type.endswith(("+xml", "/xml")) or media_type in MAYBE_FEED:
        return _feed(body, media_type, charset)
    return None


def _feed(body: bytes, media_type: str, charset: str) -> Converted | None:
    if b"<" not in body[:64]:
        return None
    from stages.formats.feed import is_feed, read_feed

    text, _ = decode(body, charset)
    return read_feed(text) if is_feed(text, media_type) else None


__all__ = ["converted"]
