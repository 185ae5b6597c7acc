"""Media types: what a header names, what the first bytes say, and what can be read as text."""

from __future__ import annotations

import codecs
import re

Headers = tuple[tuple[str, str], ...]

HTML = frozenset({"text/html", "application/xhtml+xml"})
_READABLE = frozenset({
    "application/json", "application/xml", "application/x-ndjson", "application/yaml", "application/x-yaml", "application/toml",
    "application/ld+json", "application/rss+xml", "application/atom+xml",
})  # fmt: skip
_UNREADABLE_TEXT = frozenset({"text/css", "text/javascript", "text/event-stream", "text/rtf", "text/calendar"})
_UNDECLARED = frozenset({"", "application/octet-stream", "binary/octet-stream", "application/unknown", "unknown/unknown", "*/*"})
_MAGIC: tuple[tuple[tuple[bytes, ...], str], ...] = (
    ((b"%PDF-",), "application/pdf"),
    ((b"\x89PNG\r\n",), "image/png"),
    ((b"\xff\xd8\xff",), "image/jpeg"),
    (
        (
            b"GIF87a",
            b"GIF89a",
        ),
        "image/gif",
    ),
    (
        (
            b"PK\x03\x04",
            b"PK\x05\x06",
        ),
        "application/zip",
    ),
    ((b"\x1f\x8b",), "application/gzip"),
    ((b"7z\xbc\xaf\x27\x1c",), "application/x-7z-compressed"),
    ((b"Rar!\x1a\x07",), "application/vnd.rar"),
    ((b"BZh9",), "application/x-bzip2"),
    ((b"\xfd7zXZ\x00",), "application/x-xz"),
    ((b"\x28\xb5\x2f\xfd",), "application/zstd"),
    ((b"OggS",), "application/ogg"),
    ((b"ID3",), "audio/mpeg"),
    ((b"fLaC",), "audio/flac"),
    ((b"\x00asm",), "application/wasm"),
    (
        (
            b"\x7fELF",
            b"MZ\x90\x00",
        ),
        "application/x-executable",
    ),
    ((b"wOFF",), "font/woff"),
    ((b"wOF2",), "font/woff2"),
    ((b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",), "application/x-ole-storage"),
    ((b"SQLite format 3\x00",), "application/vnd.sqlite3"),
    ((b"\x1a\x45\xdf\xa3",), "video/webm"),
    ((b"\xca\xfe\xba\xbe",), "application/java-vm"),
)
_MARKUP = re.compile(
    rb"\s*(?:<!--.{0,400}?-->\s*)*<(?:!doctype html|html|head|body|title|meta|script|div|p|h1|table|a|br|style)\b",
    re.IGNORECASE | re.DOTALL,
)
_XML = re.compile(rb"\s*<\?xml\b")
_MEDIA_TYPE = re.compile(r"[a-z0-9!#$&^_.+*-]{1,60}/[a-z0-9!#$&^_.+*-]{1,100}", re.ASCII)
_CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([a-z0-9_:.+-]{1,40})""", re.IGNORECASE | re.ASCII)
_CONTROLS = bytes(sorted(set(range(32)) - set(b"\t\n\r\f\x1b")))
_PROBED_BYTES = 4096
_MAX_CONTROL_SHARE = 0.02


def media_type_of(headers: Headers) -> str:
    """`text/html` of `Text/HTML; charset=…`; empty when the header is absent or malformed."""
    value = next((value for name, value in headers if name == "content-type"), "").partition(";")[0].strip().lower()
    return value if _MEDIA_TYPE.fullmatch(value) else ""


def charset_of(headers: Headers) -> str:
    """What the content-type names, in lower case, or nothing."""
    found = _CHARSET.search(next((value for name, value in headers if name == "content-type"), ""))
    return found[1].lower() if found else ""


def sniffed(declared: str, body: bytes) -> str:
    """The media type after a look at the bytes: magic wins over any header, and a type that says nothing is guessed."""
    for marks, name in _MAGIC:
        if body.startswith(marks):
            return name
    if body[4:8] == b"ftyp" or (body[:4] == b"RIFF" and body[8:12] in (b"WEBP", b"WAVE", b"AVI ")):
        return "video/mp4" if body[4:8] == b"ftyp" else "application/x-riff"
    if declared not in _UNDECLARED:
        return declared
    start = body[:1024].removeprefix(codecs.BOM_UTF8).replace(b"\x00", b"" if body[:2] in (b"\xff\xfe", b"\xfe\xff") else b"\x00")
    start = start.removeprefix(codecs.BOM_UTF16_LE).removeprefix(codecs.BOM_UTF16_BE)
    if _MARKUP.match(start):
        return "text/html"
    if _XML.match(start):
        return "application/xml"
    return "application/octet-stream" if is_noise(body) else "text/plain"


def is_noise(body: bytes) -> bool:
    """Whether the bytes are no text in any encoding: too many control characters. UTF-16 needs its mark to pass."""
    probe = body[:_PROBED_BYTES]
    if probe[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or not probe:
        return False
    return (len(probe) - len(probe.translate(None, _CONTROLS))) / len(probe) > _MAX_CONTROL_SHARE


def is_readable(media: str) -> bool:
    """Whether the text of such a body can be used."""
    if media.startswith("text/"):
        return media not in _UNREADABLE_TEXT
    structured = media.endswith(("+json", "+xml")) and not media.startswith("image/")
    return structured or media in HTML or media in _READABLE


__all__ = ["HTML", "charset_of", "is_noise", "is_readable", "media_type_of", "sniffed"]
