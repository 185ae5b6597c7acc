"""Broken answers, one a number: what `mutations.py` serves. The same seed and number give the same bytes."""

from __future__ import annotations

import functools
import gzip
import io
import random
import sys
import zipfile
import zlib
from pathlib import Path

from msgspec import Struct

sys.path.append(str(Path(__file__).parents[1] / "tests"))
import documents
from small_web import article

_PROSE = "The gauge at the weir writes down the level every five minutes, and the keeper reads it at dawn. "
_STYLE = (
    "<style>@media (min-width:9em){.a{display:none}}.b{--x:var(--y);color:var(--x)}</style><div class=a>one</div><p class=b>two"
)
_XHTML = (
    '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head><body><p>'
    f"{_PROSE * 9}</p></body></html>"
)
_MARKDOWN = f"# Gauge\n\n{_PROSE * 9}\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```\n"
_JSON = '{"title": "Gauge", "rows": [1, 2.5e3, null, {"a": ["\\u00e9\\n", true]}], "text": "' + _PROSE + '"}'
_XML = f'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "y">]><a b="1"><c>{_PROSE * 9}&x;</c></a>'
_ITEM = f"<item><title>Surge</title><link>http://a.example/1</link><description>{_PROSE}</description></item>"
_ENTRY = f'<entry><title>Surge</title><link href="http://a.example/1"/><content type="html">{_PROSE}</content></entry>'
_MOST_BYTES = 2 << 20
_CELL = '<row r="1"><c r="A1" t="inlineStr"><is><t>Level</t></is></c></row>'


@functools.cache
def bases() -> dict[str, tuple[str, bytes]]:
    """Content type and body of every kind that is read."""
    page = article(3, _STYLE)
    texts = {
        "html": ("text/html; charset=utf-8", page.decode()),
        "xhtml": ("application/xhtml+xml", _XHTML),
        "text": ("text/plain", _PROSE * 30),
        "markdown": ("text/markdown", _MARKDOWN),
        "json": ("application/json", _JSON),
        "xml": ("application/xml", _XML),
        "rss": ("application/rss+xml", f'<rss version="2.0"><channel><title>T</title>{_ITEM * 6}</channel></rss>'),
        "atom": ("application/atom+xml", f'<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title>{_ENTRY * 6}</feed>'),
        "csv": ("text/csv", "name,level,month\n" + "".join(f"station {number},{number * 7 % 90},3\n" for number in range(60))),
    }
    unnamed = "application/octet-stream"
    return {name: (media, text.encode()) for name, (media, text) in texts.items()} | {
        "utf-16": ("text/html", b"\xff\xfe" + page.decode().encode("utf-16-le")),
        "shift_jis": (
            "text/html; charset=Shift_JIS",
            ("<title>表</title><p>" + "水位は五分ごとに記録される。" * 40).encode("shift_jis"),
        ),
        "pdf": (
            "application/pdf",
            documents.pdf(documents.put("The weir was rebuilt.", 72, 700), documents.put(_PROSE, 72, 600)),
        ),
        "docx": (unnamed, documents.docx(documents.word(_PROSE) * 9)),
        "pptx": (unnamed, documents.pptx(documents.shape("Weir", _PROSE), documents.shape(_PROSE))),
        "xlsx": (unnamed, documents.xlsx({"Levels": _CELL})),
        "odt": ("application/vnd.oasis.opendocument.text", documents.odt(f"<text:p>{_PROSE * 5}</text:p>")),
        "epub": ("application/epub+zip", documents.epub({"one": f"<p>{_PROSE * 5}</p>", "two": f"<p>{_PROSE}</p>"})),
        "packed": ("application/gzip", gzip.compress(page, mtime=0)),
    }


_TOKENS = (
    b"<", b">", b"</", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<script>", b"</style>", b"<style>", b"<svg>", b"<math>",
    b"<table>", b"<template>", b"<select>", b"<plaintext>", b"<frameset>", b"&#x110000;", b"&#0;", b"&lt", b"\x00", b"\xff\xfe",
    b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80", b"\xe2\x80\xae", b"\xf3\xa0\x81\x81", b"\r", b"\x1b$B",
    b"\x0e", b"{", b"}", b"[", b"]", b'"', b"\\", b"%", b"@import url(", b":has(", b"calc(", b"var(--x)", b"1e999", b"-1",
    b"99999999999999999999", b"<?xml version='1.1' encoding='utf-7'?>", b"<!DOCTYPE a SYSTEM 'file:///etc/passwd'>",
    b"<!ENTITY a '&a;&a;'>", b"<base href='//['>", b"<meta charset=utf-16>", b"<meta http-equiv=refresh content='0;url=/next'>",
    b"endobj", b"stream\n", b"<template shadowrootmode=open>", b"<link rel=stylesheet href=/s.css>",
    b"<a href='http://[::1]/'>", b"\xf0\x9f\x91\xa9\xe2\x80\x8d",
)  # fmt: skip
_TYPES = (
    "text/html", "text/html; charset=utf-7", 'text/html;charset="', "text/plain", "application/json", "text/xml; charset=x",
    "application/pdf", "image/png", "application/zip", "text/css", "multipart/x-mixed-replace; boundary=x", "text/event-stream",
    "", ";", "text/html, application/json", "a" * 3000, "\x01/\x02",
)  # fmt: skip
_STATUS_LINES = (
    "HTTP/1.1 200 OK", "HTTP/1.0 200", "HTTP/1.1 200", "HTTP/1.1 206 Partial", "HTTP/1.1 203 X", "HTTP/1.1 204 No",
    "HTTP/1.1 304 Not", "HTTP/1.1 999 No", "HTTP/1.1 000 X", "HTTP/9.9 200 OK", "HTTP/2 200", "ICY 200 OK", "HTTP/1.1 20",
    "HTTP/1.1 -1 X", "HTTP/1.1 2000 X", "hello", "", "HTTP/1.1 418 " + "x" * 5000, "HTTP/1.1 500 ÿ\x00", "HTTP/1.1 301 Moved",
    "HTTP/1.1 308 Moved", "HTTP/1.1 401 No", "HTTP/1.1 429 Slow", "HTTP/1.1 503 Later", "HTTP/1.1 100 Continue",
)  # fmt: skip
_ODD_HEADERS = (
    "content-length: 0", "content-length: -5", "content-length: 99999999999999999999", "content-length: 7, 9",
    "content-length: x", "transfer-encoding: chunked", "transfer-encoding: gzip, chunked", "transfer-encoding: identity",
    "content-encoding: gzip", "content-encoding: br", "content-encoding: zstd", "content-encoding: deflate",
    "content-encoding: gzip, gzip", "content-encoding: nonsense", "location: /again", "location: //[",
    "location: http://127.0.0.1/", "location: ÿþ", "location: " + "/x" * 4000, "refresh: 0; url=/next",
    "set-cookie: a=b; Max-Age=ÿ; Path", "set-cookie: =; ;;", "retry-after: -1", "retry-after: Thu, 99 Foo 9999 00:00:00 GMT",
    "retry-after: 1e9", "date: never", 'cache-control: max-age=99999999999999, "', "vary: *, ,", 'etag: "', "age: -1",
    "expires: 0", "last-modified: Sat, 31 Feb 1800 00:00:00 GMT", "link: <a>; rel=stylesheet", "x-pad: " + "y" * 60000,
    ": no name", "no colon", " folded: line", "x\x00y: z", "content-type: text/html", "content-type: application/pdf",
    'content-disposition: attachment; filename="\\', "connection: keep-alive", "upgrade: h2c", "cf-mitigated: challenge",
    "x-robots-tag: noindex\u202e", "server: \x1b[31m",
)  # fmt: skip


class Mutant(Struct, frozen=True):
    """One answer: its bytes, what it was made of, and whether the connection is reset at its end."""

    raw: bytes
    kind: str
    reset: bool = False


class Chance(random.Random):
    """Seeded by text, so that it is the same everywhere."""

    def once_in(self, times: int) -> bool:
        """Whether this is the one time."""
        return self.randrange(times) == 0


def mutant(seed: int, number: int) -> Mutant:
    """The answer of this number."""
    chance = Chance(f"{seed} {number}")
    kind = chance.choice(sorted(bases()))
    media, body = bases()[kind]
    if zipfile.is_zipfile(io.BytesIO(body)) and not chance.once_in(3):
        body = _inside_zip(body, chance)
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3, 8, 40))):
        body = _mutated(body, chance)
    if chance.once_in(7):
        media = chance.choice(_TYPES)
    raw = _wrapped(body, media, chance)
    if chance.once_in(10):
        raw = raw[: chance.randrange(len(raw) + 1)]
    return Mutant(raw, kind, reset=chance.once_in(20))


def _mutated(body: bytes, chance: Chance) -> bytes:
    """One change to the bytes."""
    start = chance.randrange(len(body) + 1)
    end = min(len(body), start + chance.choice((1, 1, 2, 8, 64, 512, 4096)))
    before, piece, after = body[:start], body[start:end], body[end:]
    match chance.randrange(8):
        case 0:
            changed = bytes(byte ^ (1 << chance.randrange(8)) for byte in piece) + after
        case 1:
            changed = after
        case 2:
            changed = piece * chance.choice((2, 3, 100, 3000)) + after
        case 3:
            changed = b""
        case 4:
            changed = chance.randbytes(len(piece)) + after
        case 5:
            other = bases()[chance.choice(sorted(bases()))][1]
            changed = other[chance.randrange(len(other)) :]
        case _:
            changed = chance.choice(_TOKENS) * chance.choice((1, 1, 1, 2, 50, 5000)) + piece + after
    return (before + changed)[:_MOST_BYTES]


def _inside_zip(body: bytes, chance: Chance) -> bytes:
    """The archive packed again with one of its parts changed, so that what reads the part is reached."""
    with zipfile.ZipFile(io.BytesIO(body)) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    name = chance.choice(sorted(parts))
    for _ in range(chance.choice((1, 2, 5))):
        parts[name] = _mutated(parts[name], chance)
    return documents.zipped(dict(parts))


def _wrapped(body: bytes, media: str, chance: Chance) -> bytes:
    """Status line, headers and framing, most of them right."""
    status = chance.choice(_STATUS_LINES) if chance.once_in(7) else "HTTP/1.1 200 OK"
    headers = [f"content-type: {media}"]
    if chance.once_in(6):
        packed = {"gzip": gzip.compress(body, mtime=0), "deflate": zlib.compress(body)}
        coding = chance.choice(sorted(packed))
        headers.append(f"content-encoding: {coding}")
        body = _mutated(packed[coding], chance) if chance.once_in(2) else packed[coding]
    if chance.once_in(4):
        headers.append("transfer-encoding: chunked")
        body = _chunked(body, chance)
    elif not chance.once_in(8):
        headers.append(f"content-length: {len(body) + (chance.choice((-9, 9, 999999)) if chance.once_in(10) else 0)}")
    for _ in range(chance.choice((0, 0, 0, 1, 2, 5))):
        headers.insert(chance.randrange(len(headers) + 1), chance.choice(_ODD_HEADERS))
    if chance.once_in(50):
        headers += [f"x-{number}: {'z' * 50}" for number in range(chance.choice((100, 3000)))]
    end = chance.choice(("\n", "\r")) if chance.once_in(33) else "\r\n"
    early = "HTTP/1.1 103 Early\r\nlink: </s.css>\r\n\r\n" * chance.choice((1, 200)) if chance.once_in(50) else ""
    return (early + end.join([status, *headers, "connection: close"]) + end * 2).encode("latin-1", "replace") + body


def _chunked(body: bytes, chance: Chance) -> bytes:
    size = chance.choice((1, 7, 512, 65536))
    body = body[: size * 3000]
    pieces = [b"%x\r\n%s\r\n" % (len(body[at : at + size]), body[at : at + size]) for at in range(0, len(body), size)]
    if pieces and chance.once_in(5):
        bad = (b"zz\r\n", b"-1\r\nx\r\n", b"ffffffffffffffff\r\nx\r\n", b"5;a=b\r\nabcde\r\n", b"3\r\nabcdef\r\n", b"")
        pieces[chance.randrange(len(pieces))] = chance.choice(bad)
    return b"".join(pieces) + chance.choice((b"0\r\n\r\n", b"0\r\n\r\n", b"0\r\nx: y\r\n\r\n", b""))
