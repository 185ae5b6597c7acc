"""A glance at HTML, cheap and linear whatever the input: enough to tell a page from a wall, never to read it.

Text of scripts, styles, templates, noscript and comments is left out; nothing is rendered and CSS is not looked at.
"""

from __future__ import annotations

import codecs
import html
import re
from collections.abc import Iterator
from itertools import islice

from msgspec import Struct

MAX_SCANNED_BYTES = 2 << 20
MAX_TITLE_CHARACTERS = 1000
ENOUGH_CHARACTERS = 4000
"""Of visible text: then it is a page, and the rest need not be looked at."""
MAX_PIECES = 20_000
"""Of text and tags: no page has so many before it says that much, and the event loop waits for the glance."""

_REMEMBERED = 64
_OPAQUE = ("script", "style", "template", "noscript", "svg", "textarea", "iframe", "noembed", "noframes", "title")
_CLOSING = {name: re.compile(f"</{name}", re.IGNORECASE | re.ASCII) for name in _OPAQUE}
_TAG = re.compile(r"<(?:!--|(/?)([a-zA-Z][a-zA-Z0-9:-]*)|[/!?])")
_ANY_TAG = re.compile(r"<[^<>]*>")
_SPACE = re.compile(r"\s+")
_ATTRIBUTE = re.compile(r"""([a-zA-Z_:][a-zA-Z0-9_:.-]{0,39})(?:\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?""")
_REFRESH = re.compile(r"\s*(\d{1,4})(?:\.\d*)?\s*(?:[;,\s]\s*(?:url\s*=\s*)?['\"]?\s*([^'\"]*))?", re.IGNORECASE)
_META_CHARSET = re.compile(rb"""<meta[^>]{1,200}?charset\s{0,9}=\s{0,9}["']?\s{0,9}([a-zA-Z0-9_:.-]{2,40})""", re.IGNORECASE)
_WEB_CHARSET = re.compile(
    r"utf-?8|utf-?16(?:[lb]e|-[lb]e)?|us-ascii|ascii|latin-?1|iso-?8859-\d{1,2}|iso-2022-(?:jp|kr)|windows-\d{3,4}|cp\d{3,4}"
    r"|koi8-[ru]|shift[_-]jis|sjis|euc-(?:jp|kr)|gb2312|gbk|gb18030|big5(?:-hkscs)?|tis-620|ks_c_5601-1987",
    re.IGNORECASE | re.ASCII,
)
"""Python knows more codecs than the web has; some of them (`punycode`) take quadratic time."""
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class Glance(Struct):
    """What was seen. `text` is folded visible text up to ENOUGH_CHARACTERS; title and headings are in lower case."""

    text: str = ""
    title: str = ""
    headings: tuple[str, ...] = ()
    refresh_secs: int = -1
    """Of a reload that the page asks for; -1 when it asks for none."""
    refresh_url: str = ""
    """Its target, empty for the page itself."""
    password: bool = False
    fields: int = 0
    """Buttons and form fields."""
    outside: int = 0
    """Characters of text outside forms."""
    fallback: int = 0
    """Characters of text in noscript: some forums put the whole page there."""


_glances: dict[tuple[int, int, str], Glance] = {}
"""By hash and length of the body: redirects, cache and stage look at one page within a second. Python seeds its hashes at random,
so nobody can make two pages alike."""


def glance(body: bytes, charset: str = "") -> Glance:
    """Look at a page's markup; the answer is not to be changed. `charset` is what the header names."""
    key = (hash(body), len(body), charset)
    seen = _glances.get(key)
    if seen is None:
        if len(_glances) >= _REMEMBERED:
            _glances.clear()
        seen = _glances[key] = _look(body, charset)
    return seen


def _look(body: bytes, charset: str) -> Glance:
    seen, text, size, heading = Glance(), [], 0, False
    headings: list[str] = []
    form, unseen = False, False
    for name, piece in islice(pieces(decode(body[:MAX_SCANNED_BYTES], charset)), MAX_PIECES):
        if name in ("form", "/form"):
            form = name == "form"
            unseen = form and _is_hidden(attributes(piece))
        if unseen:
            continue
        if name == "":
            text.append(piece)
            size += len(piece)
            seen.outside += 0 if form else len(piece.strip())
            if heading:
                headings[-1] += piece
            if size >= ENOUGH_CHARACTERS:
                break
            continue
        text.append(" ")
        if name == "title":
            seen.title = seen.title or folded(piece[:MAX_TITLE_CHARACTERS]).lower()
        elif name in ("h1", "/h1", "h2", "/h2"):
            heading = not name.startswith("/")
            headings += [""] if heading else []
        else:
            _note(seen, name, piece)
    seen.text = folded("".join(text))[:ENOUGH_CHARACTERS]
    seen.headings = tuple(filter(None, (folded(one).lower() for one in headings)))
    return seen


def _is_hidden(attributes: dict[str, str]) -> bool:
    """Scripts send some forms that nobody sees, with a field for a password."""
    return "hidden" in attributes or re.search(r"display\s*:\s*none", attributes.get("style", "")) is not None


def _note(seen: Glance, name: str, inside: str) -> None:
    if name == "meta" and seen.refresh_secs < 0 and attributes(inside).get("http-equiv", "").lower() == "refresh":
        wanted = _REFRESH.match(attributes(inside).get("content", ""))
        if wanted:
            seen.refresh_secs, seen.refresh_url = int(wanted[1]), (wanted[2] or "").strip()
    elif name == "noscript":
        seen.fallback += len(folded(_ANY_TAG.sub(" ", inside)))
    elif name in ("input", "button", "select"):
        seen.fields += 1
        seen.password = seen.password or (name == "input" and attributes(inside).get("type", "").lower() == "password")


def pieces(source: str) -> Iterator[tuple[str, str]]:
    """Text as ("", text), start tags as (name, attributes), end tags as ("/name", ""), title and noscript as (name, content)."""
    place = 0
    while place < len(source):
        tag = _TAG.search(source, place)
        piece = source[place : tag.start() if tag else len(source)]
        if piece and not piece.isspace():
            yield "", html.unescape(piece)
        if tag is None:
            return
        if tag[0] == "<!--":
            end = source.find("-->", tag.end())
            place = end + 3 if end >= 0 else len(source)
            continue
        end = source.find(">", tag.end())
        end = end if end >= 0 else len(source)
        name = (tag[2] or "").lower()
        place = end + 1
        if name in _CLOSING and not tag[1]:
            close = _CLOSING[name].search(source, place)
            stop = close.start() if close else len(source)
            yield name, html.unescape(source[place:stop]) if name in ("title", "noscript") else ""
            place = stop
        elif name:
            yield f"{tag[1]}{name}", source[tag.end() : end]


def attributes(inside: str) -> dict[str, str]:
    """The first of each name, as HTML has it."""
    found: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(inside[:4096]):
        found.setdefault(match[1].lower(), html.unescape(match[2] or match[3] or match[4] or ""))
    return found


def decode(body: bytes, charset: str = "") -> str:
    """Text good enough for a glance: by byte order mark, header, meta, then UTF-8; what cannot be read is replaced."""
    for mark, name in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    named = _META_CHARSET.search(body[:4096])
    for candidate in (charset, named[1].decode("ascii") if named else ""):
        try:
            if _WEB_CHARSET.fullmatch(candidate):
                return body.decode(candidate, "replace")
        except (LookupError, UnicodeError):
            continue
    return body.decode("utf-8", "replace")


def folded(text: str) -> str:
    """White space folded to single spaces, apostrophes straight."""
    return _SPACE.sub(" ", text).strip().replace("\u2019", "'")


__all__ = ["ENOUGH_CHARACTERS", "MAX_SCANNED_BYTES", "Glance", "attributes", "decode", "folded", "glance", "pieces"]
