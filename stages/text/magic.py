"""What the first bytes of a body say: media types by magic numbers, inside a zip by the names of its files."""

from __future__ import annotations

import re

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
ODT = "application/vnd.oasis.opendocument.text"
EPUB = "application/epub+zip"
ZIP = "application/zip"
GZIP = "application/gzip"
DOCUMENTS = frozenset({PDF, DOCX, PPTX, XLSX, ODT, EPUB})
"""Binary documents that are read."""

TEXT_TYPES = frozenset({
    "application/json", "application/xml", "application/x-ndjson", "application/yaml", "application/x-yaml", "application/toml",
    "application/javascript", "application/x-javascript", "application/ecmascript", "application/x-sh", "application/x-httpd-php",
    "application/sql", "application/x-python", "application/x-tex", "application/x-latex", "application/csv", "application/x-csv",
    "application/x-subrip", "application/graphql", "application/x-perl", "application/x-ruby",
})  # fmt: skip
"""Text by other names than `text/…`: what hosts of source code and data send."""
_UNREADABLE = frozenset({"text/event-stream", "text/rtf"})

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", PDF),
    (b"\x89PNG\r\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"PK\x03\x04", ZIP),
    (b"PK\x05\x06", ZIP),
    (b"\x1f\x8b", GZIP),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"BZh9", "application/x-bzip2"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"OggS", "application/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"fLaC", "audio/flac"),
    (b"\x00asm", "application/wasm"),
    (b"\x7fELF", "application/x-executable"),
    (b"MZ\x90\x00", "application/x-executable"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (b"\x1a\x45\xdf\xa3", "video/webm"),
    (b"\xca\xfe\xba\xbe", "application/java-vm"),
    (b"{\\rtf", "application/rtf"),
)
_RIFF = (b"WEBP", b"WAVE", b"AVI ")
_PARTS = ((b"word/document.xml", DOCX), (b"ppt/presentation.xml", PPTX), (b"xl/workbook.xml", XLSX))
_MIMETYPE = re.compile(rb"PK\x03\x04.{26}mimetype(?:.{0,64}?)(application/[a-z0-9.+-]{1,80})", re.DOTALL)
_PDF_START = re.compile(rb"[\s\x00]{0,1024}%PDF-\d")
_TAR = slice(257, 262)


def magic_type(body: bytes) -> str:
    """The media type that the bytes prove; empty where they prove none."""
    for mark, name in _MAGIC:
        if body.startswith(mark):
            return _zipped(body) if name == ZIP else name
    if body[4:8] == b"ftyp":
        return "video/mp4"
    if body[:4] == b"RIFF" and body[8:12] in _RIFF:
        return "application/x-riff"
    if body[_TAR] == b"ustar":
        return "application/x-tar"
    return PDF if _PDF_START.match(body) else ""


def is_text_type(media_type: str) -> bool:
    """Whether such a body is text to be read as it is."""
    if media_type.startswith("text/"):
        return media_type not in _UNREADABLE
    structured = media_type.endswith(("+json", "+xml")) and not media_type.startswith("image/")
    return structured or media_type in TEXT_TYPES


def _zipped(body: bytes) -> str:
    """A zip that is a document names its type in its first file, or has the parts of one."""
    named = _MIMETYPE.match(body[:256])
    if named and named[1].decode() in DOCUMENTS:
        return named[1].decode()
    if b"[Content_Types].xml" not in body:
        return ZIP
    return next((name for part, name in _PARTS if part in body), ZIP)


__all__ = ["DOCUMENTS", "DOCX", "EPUB", "GZIP", "ODT", "PDF", "PPTX", "TEXT_TYPES", "XLSX", "ZIP", "is_text_type", "magic_type"]
