"""Media types: what a header names, what the first bytes say, and what can be read as text."""

from __future__ import annotations

import codecs
import re
import zlib

from stages.text.magic import DOCUMENTS, GZIP, is_text_type, magic_type

Headers = tuple[tuple[str, str], ...]

HTML = frozenset({"text/html", "application/xhtml+xml"})
_UNDECLARED = frozenset(
    {
        "",
        "application/octet-stream",
        "binary/octet-stream",
        "application/unknown",
        "unknown/unknown",
        "*/*",
        GZIP,
        "application/x-gzip",
    }
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
_MAX_FOLDS = 2
_MAX_CONTROL_SHARE = 0.02
_BY_NAME = (
    (".csv", "text/csv"),
    (".tsv", "text/tab-separated-values"),
    (".md", "text/markdown"),
    (".markdown", "text/markdown"),
    (".json", "application/json"),
)


_OLD_OFFICE = {
    "WordDocument": "a Word document of the time before .docx, which is not read; saved as .docx it would be",
    "Workbook": "an Excel workbook of the time before .xlsx, which is not read; saved as .xlsx it would be",
    "PowerPoint Document": "PowerPoint slides of the time before .pptx, which are not read; saved as .pptx they would be",
}
"""By the stream that such a file holds. No small library that is kept up reads them."""


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
    proven = magic_type(body)
    if proven:
        return proven
    if declared not in _UNDECLARED and declared not in DOCUMENTS:
        return declared
    start = body[:1024].removeprefix(codecs.BOM_UTF8).replace(b"\x00", b"" if body[:2] in (b"\xff\xfe", b"\xfe\xff") else b"\x00")
    start = start.removeprefix(codecs.BOM_UTF16_LE).removeprefix(codecs.BOM_UTF16_BE)
    if _MARKUP.match(start):
        return "text/html"
    if _XML.match(start):
        return "application/xml"
    return "application/octet-stream" if is_noise(body) else "text/plain"


def named(media_type: str, url: str) -> str:
    """Hosts of raw files call everything plain text: then the file's name says more."""
    if media_type != "text/plain":
        return media_type
    path = url.partition("?")[0].partition("#")[0].lower().removesuffix(".gz")
    return next((better for ending, better in _BY_NAME if path.endswith(ending)), media_type)


def unfolded(body: bytes, max_bytes: int) -> bytes | None:
    """What a gzip file holds (`robots.txt.gz`, a body that was compressed twice); None for one that holds more than `max_bytes`.

    A file that was cut off, and what is no gzip after all, stays as it is.
    """
    for _ in range(_MAX_FOLDS):
        if magic_type(body) != GZIP:
            break
        inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
        try:
            text = inflater.decompress(body, max_bytes + 1)
        except zlib.error:
            break
        if len(text) > max_bytes:
            return None
        if not inflater.eof:
            break
        body = text
    return body


def is_noise(body: bytes) -> bool:
    """Whether the bytes are no text in any encoding: too many control characters. UTF-16 needs its mark to pass."""
    probe = body[:_PROBED_BYTES]
    if probe[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or not probe:
        return False
    return (len(probe) - len(probe.translate(None, _CONTROLS))) / len(probe) > _MAX_CONTROL_SHARE


def is_readable(media: str) -> bool:
    """Whether the text of such a body can be used."""
    return media in DOCUMENTS or media in HTML or is_text_type(media)


def described(media: str, body: bytes) -> str:
    """What to call a body that is not read: an Office file of the old kind by its name and by what would be read."""
    if media != "application/x-ole-storage":
        return media
    return next((text for stream, text in _OLD_OFFICE.items() if stream.encode("utf-16-le") in body), media)


__all__ = ["HTML", "charset_of", "described", "is_noise", "is_readable", "media_type_of", "named", "sniffed", "unfolded"]
