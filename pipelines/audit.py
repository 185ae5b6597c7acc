"""`cribble audit URL|FILE...`: a page's hidden text and why nobody sees it, beside what is seen; `--json` for programs."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence
from typing import Annotated

import anyio
import msgspec
from msgspec import Meta, Struct

from pipelines import feed, texts
from pipelines.arguments import understood
from pipelines.config import Config, Flags, configured
from pipelines.options import checked, options_of
from pipelines.output import complain, safe, write
from pipelines.run import carry
from pipelines.verdict import Verdict
from stages import load
from stages.core.errors import FOUND, NOTHING, StageError, UsageError
from stages.core.plan import build
from stages.core.wire import Item
from stages.html.audit import Piece, audited
from stages.html.sniff import is_html, media_type_of
from stages.records import Failure, Page, Threat
from stages.sanitize import Options as SanitizeOptions
from stages.sanitize import as_html, sanitize, stylesheets_of
from stages.text.charset import decode

NARROW, WIDE = 60, 200
BETWEEN = " | "
USAGE = "cribble audit [options] URL|FILE..."


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How it is shown."""

    json: Annotated[bool, Meta(description="One JSON object a page: pieces in the order of the page, threats, totals.")] = False
    all: Annotated[bool, Meta(description="Also what is seen far from anything hidden.")] = False


class Audit(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is written with `--json`."""

    url: str
    hidden_characters: int
    visible_characters: int
    pieces: tuple[Piece, ...]
    threats: tuple[Threat, ...]
    threats_total: int


def audit(arguments: list[str]) -> int:
    """Carry out `cribble audit …`; the exit code says whether there was a page, and if none, why. Raises UsageError."""
    own = options_of(Options)
    given = understood(USAGE, __doc__ or "", {"options": own, "how it runs": options_of(Flags)}, arguments)
    if not given.words:
        raise UsageError(f"say which page: {USAGE}")
    options = checked(Options, given.of(own))
    config = configured(given.besides(own))
    urls = tuple(word for word in given.words if "://" in word)
    fetched, code = _fetched(urls, config) if urls else ([], NOTHING)
    pages = [*fetched, *(texts.page(word) for word in given.words if word not in urls)]
    found = [each for each in map(_audited, pages) if each is not None]
    for each in found:
        write(msgspec.json.encode(each) + b"\n" if options.json else shown(each, options.all).encode())
    return FOUND if found else NOTHING if pages else code


def _fetched(urls: Sequence[str], config: Config) -> tuple[list[Page], int]:
    """The pages that could be had, and the exit code of having none."""
    stage = load("fetch")
    pages: list[Page] = []
    verdict = Verdict(stage)

    async def sink(items: list[Item]) -> None:
        verdict.add(items)
        pages.extend(item for item in items if isinstance(item, Page))
        for item in items:
            if isinstance(item, Failure):
                complain(f"cribble audit: {item.subject}: {item.message}")

    hits = [item for url in urls for item in texts.hit(url)]
    anyio.run(carry, build([("fetch", stage.options())], load), feed.Feed(feed.items(hits)), config, sink)
    return pages, verdict.code


def _audited(page: Page) -> Audit | None:
    try:
        readable = as_html(page)
        threats = sanitize.call(page, SanitizeOptions())
    except StageError as error:
        complain(f"cribble audit: {page.url}: {error}")
        return None
    text, _ = decode(readable.body, readable.charset)
    if is_html(readable.body, media_type_of(readable.media_type)):
        pieces = audited(text, page.url, stylesheets_of(readable))
    else:
        pieces = (Piece(text),)
    pieces += tuple(
        Piece(each.excerpt, each.reason, each.place) for each in threats.threats if each.kind == "hidden_pdf" and each.excerpt
    )
    return Audit(
        url=page.url,
        hidden_characters=sum(len(piece.text) for piece in pieces if piece.hidden),
        visible_characters=sum(len(piece.text) for piece in pieces if not piece.hidden),
        pieces=pieces,
        threats=threats.threats,
        threats_total=threats.threats_total,
    )


def shown(found: Audit, everything: bool = False) -> str:
    """For a person: on the left what is seen, on the right what is not, in the order of the page."""
    width = min(max(shutil.get_terminal_size((120, 40)).columns, NARROW), WIDE)
    left = (width - len(BETWEEN)) // 2
    right = width - len(BETWEEN) - left
    lines = [f"{safe(found.url)}: {found.hidden_characters} characters hidden, {found.visible_characters} seen", ""]
    lines += [f"{'seen':{left}}{BETWEEN}hidden, and why", f"{'-' * left}-+-{'-' * right}"]
    pieces = found.pieces
    near = {at + step for at, piece in enumerate(pieces) if piece.hidden for step in (-1, 0, 1)}
    skipped = False
    for at, piece in enumerate(pieces):
        if not everything and at not in near:
            skipped = True
            continue
        if skipped:
            lines.append(f"{'[...]':{left}}{BETWEEN}".rstrip())
            skipped = False
        lines += _row(piece, left, right)
    lines += [
        "",
        *(
            f"{each.count} x {each.kind}: {safe(each.reason)}{f' at {safe(each.place)}' if each.place else ''}"
            for each in found.threats
        ),
    ]
    return "\n".join(lines) + "\n\n"


def _row(piece: Piece, left: int, right: int) -> list[str]:
    text = safe(piece.text)
    if not piece.hidden:
        return [f"{part:{left}}{BETWEEN}".rstrip() for part in textwrap.wrap(text, left) or [""]]
    why = safe(f"[{piece.hidden}{f' at {piece.place}' if piece.place else ''}]")
    return [f"{'':{left}}{BETWEEN}{part}" for part in (*textwrap.wrap(why, right), *textwrap.wrap(text, right))]


__all__ = ["audit"]
