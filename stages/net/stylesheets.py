"""The stylesheets that a page names, got with the page: by them sanitize tells what a reader sees.

Only those of the same site, for a screen; at most MAX_SHEETS and MAX_BYTES together, with one level of `@import`; LINK_SECS and
IMPORT_SECS bound the time. They go through the same door, guard and robots.txt as the page, but need no turn of their own at its
host. A stylesheet that cannot be had is left out, and sanitize says so.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable

from stages.core.env import Reply, Request
from stages.core.errors import ArchiveError, StageError
from stages.net.media import charset_of, media_type_of
from stages.records import Stylesheet
from stages.text.charset import decode as decoded
from stages.text.markup import MAX_SCANNED_BYTES, attributes, decode, pieces
from stages.text.urls import joined, registrable_domain

MAX_SHEETS = 6
MAX_BYTES = 512 << 10
LINK_SECS, IMPORT_SECS = 1.0, 0.5
MAX_LOOKED_AT = 100
"""Of the addresses that a page or stylesheet names."""

_OTHER_MEDIA = re.compile(
    r"\s*(?:only\s+)?(?:print|speech|aural|braille|embossed|handheld|projection|tty|tv)\b[^,]*", re.IGNORECASE
)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_CHARSET_RULE = re.compile(r"""\s*@charset\s+["'][^"']{0,40}["']\s*;|\s*@layer[^{};]{0,400};""", re.IGNORECASE)
_IMPORT = re.compile(
    r"""\s*@import\s*(?:url\(\s*)?(?:"([^"\n]{1,2000})"|'([^'\n]{1,2000})'|([^"'()\s;]{1,2000}))\s*\)?([^;{}]{0,300});""",
    re.IGNORECASE,
)

Read = Callable[[Request], Awaitable[Reply]]


async def attached(read: Read, url: str, body: bytes, header_charset: str) -> tuple[Stylesheet, ...]:
    """The stylesheets of an HTML page, in the order in which it names them. `url` is where the page came from."""
    named = links(body, header_charset, url)
    first = await _got(read, named[:MAX_SHEETS], LINK_SECS)
    deeper = [address for sheet in first for address in imports(sheet) if _same_site(address, url)]
    wanted = [address for address in dict.fromkeys(deeper) if address not in named]
    second = await _got(read, wanted[: MAX_SHEETS - len(first)], IMPORT_SECS)
    return tuple(_within_cap([*first, *second]))


def links(body: bytes, header_charset: str, url: str) -> list[str]:
    """Addresses of stylesheets for a screen on the page's own site, each once."""
    found: dict[str, None] = {}
    base = ""
    for name, inside in pieces(decode(body[:MAX_SCANNED_BYTES], header_charset)):
        if name not in ("base", "link"):
            continue
        given = attributes(inside)
        href, rel = given.get("href", "").strip(), given.get("rel", "").lower().split()
        if name == "base":
            base = base or href
        elif href and "stylesheet" in rel and not _put_off(rel, given):
            found[href] = None
    base = joined(url, base) or url
    addresses = dict.fromkeys(joined(base, href) for href in list(found)[:MAX_LOOKED_AT])
    return [address for address in addresses if _same_site(address, url)]


def imports(sheet: Stylesheet) -> list[str]:
    """What a stylesheet imports for a screen; imports stand before all rules."""
    text, place = _COMMENT.sub("", sheet.text[:MAX_BYTES]), 0
    found: list[str] = []
    while len(found) < MAX_LOOKED_AT and (match := _CHARSET_RULE.match(text, place) or _IMPORT.match(text, place)):
        place = match.end()
        if match.re is _IMPORT and _for_screen(match[4]):
            found.append(joined(sheet.url, match[1] or match[2] or match[3]))
    return found


def _put_off(rel: list[str], given: dict[str, str]) -> bool:
    """Whether a browser would not apply it as the page stands."""
    return "alternate" in rel or "disabled" in given or not _for_screen(given.get("media", ""))


def _for_screen(media: str) -> bool:
    """Whether some of the media may be a screen."""
    return not all(_OTHER_MEDIA.fullmatch(one) for one in media.split(","))


def _same_site(address: str, page: str) -> bool:
    """Of the page's registered domain, and not on a weaker connection than the page itself."""
    fits = address.startswith("https://") or (address.startswith("http://") and page.startswith("http://"))
    return fits and registrable_domain(address) == registrable_domain(page)


async def _got(read: Read, addresses: list[str], within_secs: float) -> list[Stylesheet]:
    """Those that could be had, at once, in the order of the addresses. Raises ArchiveError."""
    if not addresses:
        return []
    import anyio

    found: dict[str, Stylesheet] = {}

    async def get(address: str) -> None:
        request = Request(url=address, max_bytes=MAX_BYTES, timeout_secs=within_secs, within_secs=within_secs, part=True)
        try:
            reply = await read(request)
        except StageError:
            return
        if reply.status == 200 and media_type_of(reply.headers) in ("text/css", ""):  # noqa: PLR2004
            found[address] = Stylesheet(url=address, text=decoded(reply.body, charset_of(reply.headers))[0])

    try:
        async with anyio.create_task_group() as group:
            for address in addresses:
                group.start_soon(get, address)
    except* ArchiveError as failed:
        raise failed.exceptions[0] from None
    return [found[address] for address in addresses if address in found]


def _within_cap(sheets: Iterable[Stylesheet]) -> Iterable[Stylesheet]:
    """Whole stylesheets as long as there is room: half a one would say something else."""
    left = MAX_BYTES
    for sheet in sheets:
        if len(sheet.text) <= left:
            left -= len(sheet.text)
            yield sheet


__all__ = ["attached", "imports", "links"]
