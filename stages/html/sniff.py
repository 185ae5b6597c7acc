"""Whether a body is HTML: by its media type, and by its first bytes where the type does not say."""

from __future__ import annotations

HTML_TYPES = frozenset(("text/html", "application/xhtml+xml", "application/xhtml", "text/xhtml"))
UNSURE = frozenset(("", "application/octet-stream", "text/plain", "application/xml", "text/xml"))
MARKS = (b"<!doctype html", b"<html", b"<head", b"<body")
SNIFFED_BYTES = 1024


def media_type_of(value: str) -> str:
    """`Text/HTML; charset=utf-8` gives `text/html`."""
    return value.partition(";")[0].strip().lower()


def is_html(body: bytes, media_type: str) -> bool:
    """Servers call pages text/plain or XML, or nothing at all; such a body must begin as a page does."""
    if media_type in HTML_TYPES:
        return True
    return media_type in UNSURE and body[:SNIFFED_BYTES].lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(MARKS)
