"""Bytes to text, as a browser would decide it: byte order mark, header, meta, then detection.

Labels are the WHATWG table of `webencodings`; where that table's Python codec is narrower than what the web writes
under the label, the wider codec is taken. UTF-7 and the other escape codes that no browser reads are not in the table.
"""

from __future__ import annotations

import codecs
import re

MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
WIDER = {
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "x-user-defined": "cp1252",
}
META_BYTES = 1024
SAMPLE_BYTES = 32 << 10
"""What detection looks at."""

_META = re.compile(rb"<meta\s[^>]{0,400}?charset\s{0,8}=\s{0,8}[\"']?\s{0,8}([\w:.()-]{1,40})", re.IGNORECASE)
_XML = re.compile(rb"\A<\?xml\s[^>]{0,200}?encoding\s{0,8}=\s{0,8}[\"']([\w:.-]{1,40})", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)


def decode(body: bytes, header_charset: str = "") -> tuple[str, str]:
    """The text and the name of the codec that read it. Never fails: what cannot be read becomes U+FFFD."""
    for mark, name in MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace"), name
    name = _codec(header_charset) or _wide(body) or _declared(body)
    if name and name != "utf-8" and not name.startswith(("utf-16", "iso2022")) and _is_utf8(body):
        name = "utf-8"  # a label left over from another time: no text of another charset happens to be UTF-8
    name = name or _detected(body)
    return body.decode(name, "replace"), name


def _codec(label: str) -> str:
    """The Python codec for a label of the web; empty when there is none."""
    import webencodings

    found = webencodings.lookup(label.strip().strip("\"'"))
    if found is None:
        return ""
    name = WIDER.get(found.name, found.codec_info.name)
    return codecs.lookup(name).name


def _declared(body: bytes) -> str:
    head = body[:META_BYTES]
    match = _XML.search(head) or _META.search(_COMMENT.sub(b"", head))
    if not match:
        return ""
    name = _codec(match[1].decode("ascii", "replace"))
    return "utf-8" if name.startswith("utf-16") else name  # the page was read so far as ASCII, so it cannot be


def _wide(body: bytes) -> str:
    """UTF-16 or UTF-32 without a mark: zeros in every other place of what ought to be mostly ASCII."""
    head = body[:512]
    if head.count(0) * 4 < len(head) or len(head) < 4:  # noqa: PLR2004 - one unit of UTF-32
        return ""
    zeros = "".join(str(int(sum(byte == 0 for byte in head[lane::4]) * 4 > len(head) // 2)) for lane in range(4))
    return {"1110": "utf-32-be", "0111": "utf-32-le", "1010": "utf-16-be", "0101": "utf-16-le"}.get(zeros, "")


def _is_utf8(body: bytes) -> bool:
    if body.isascii():
        return False
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


_ISO_2022 = ((re.compile(rb"\x1b(?:\$[@B]|\([IJ])"), "iso2022_jp_ext"), (re.compile(rb"\x1b\$\)C"), "iso2022_kr"))
_TEXT_ONLY = re.compile(rb"<(?:script|style)\b.*?(?:</(?:script|style)|\Z)|<[^<>]{1,2000}>", re.DOTALL | re.IGNORECASE)


def _detected(body: bytes) -> str:
    if body.isascii():
        return next((codecs.lookup(name).name for mark, name in _ISO_2022 if mark.search(body)), "utf-8")
    if _is_utf8(body) or _mostly_utf8(body):
        return "utf-8"
    from charset_normalizer import from_bytes

    best = from_bytes(_sample(body)).best()
    name = (_codec(best.encoding.replace("_", "-")) or codecs.lookup(best.encoding).name) if best else "cp1252"
    if name == "cp1250" and not _C1_RANGE.search(body) and _CENTRAL.search(body):
        return "iso8859-2"
    return "cp1252" if name in _LATIN and _is_western(body) else name


_LATIN = frozenset({
    "ascii", "utf-7", "cp1250", "cp1254", "cp1257", "cp775", "cp850", "hp-roman8", "iso8859-2", "iso8859-3", "iso8859-4",
    "iso8859-9", "iso8859-10", "iso8859-13", "iso8859-14", "iso8859-15", "iso8859-16",
})  # fmt: skip
"""Guesses that a short text of Western Europe is mistaken for."""
_C1_RANGE = re.compile(rb"[\x80-\x9f]")
_CENTRAL = re.compile(rb"[a-z][\xb1\xb5\xb6\xb9\xbb\xbc\xbe]|[\xb1\xb5\xb6\xb9\xbb\xbc\xbe][a-z]")
"""Central European letters of ISO 8859-2 that windows-1250 has elsewhere, in its range of controls."""


def _mostly_utf8(body: bytes) -> bool:
    """A page cut in mid-character, or with a foreign byte or two."""
    text = body.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    good = sum(letter > "\x7f" for letter in text) - broken
    return broken * 20 < good


def _sample(body: bytes) -> bytes:
    """Mostly the text: markup tells nothing about a charset."""
    text = _TEXT_ONLY.sub(b" ", body) if b"<" in body else body
    return (text if not text.isascii() else body)[:SAMPLE_BYTES]


_WESTERN = re.compile(rb"[\xc4\xc9\xd6\xdc\xdf\xe0-\xe2\xe4-\xea\xed\xef\xf1\xf3\xf4\xf6\xf9\xfa-\xfc\x92-\x97\xab\xbb\xa0\xa9]")


def _is_western(body: bytes) -> bool:
    """Whether every byte above ASCII is one that both tables share or that French, German, Spanish, Italian write often."""
    high = bytes(byte for byte in _sample(body) if byte > 0x7F)  # noqa: PLR2004
    return len(_WESTERN.findall(high)) == len(high)
