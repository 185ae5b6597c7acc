"""Take out of pages what a reader would not see.

Reads Page, writes Page. HTML is judged by its cascade of styles as a browser would paint it on a desktop screen and written out
as clean HTML; every text passes the Unicode policy; what was hidden is reported in `threats`. With `embedded`, what the page
holds for its scripts is kept beside it.

Fails with `too_large` for a page of too many nodes, `unsupported_content` for one that is not text, and `unknown` for one that
cannot be written out so that it parses back to the same.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from stages.core.errors import StageError
from stages.core.stage import Work, each
from stages.html.sniff import is_html, media_type_of
from stages.records import Page, Threat
from stages.text.charset import decode
from stages.text.magic import is_text_type
from stages.text.unicode import scan

SANITIZER = "cribble-sanitize/1"


class Options(Work, frozen=True):
    """What the report holds, and what is kept apart; what is removed is no choice."""

    full_report: Annotated[bool, Meta(description="Quote what was hidden at length, for who audits a page.")] = False
    embedded: Annotated[bool, Meta(description="Keep apart what the page holds for its scripts: JSON-LD, sentences in data.")] = (
        False
    )


def _finished(page: Page) -> bool:
    return bool(page.sanitizer)


@each(finished=_finished)
def sanitize(page: Page, options: Options) -> Page:
    """The page with its body in UTF-8, without what a reader would not see."""
    if not page.body:
        return msgspec.structs.replace(page, sanitizer=SANITIZER)
    page = as_html(page)
    media_type = media_type_of(page.media_type)
    html = is_html(page.body, media_type)
    if not html and media_type and not is_text_type(media_type):
        raise StageError("unsupported_content", f"{media_type}: what a reader sees of it cannot be told yet")
    text, _ = decode(page.body, page.charset)
    if html:
        from stages.html.document import sanitize_html

        found = sanitize_html(text, page.url, stylesheets_of(page), full_report=options.full_report)
        body, every, total = found.html, found.threats, found.total
        if options.embedded:
            from stages.html.embedded import embedded

            page = msgspec.structs.replace(page, embedded=embedded(text))
    else:
        from stages.html.report import threats

        body, counts = scan(text)
        every = threats(counts)
        total = sum(threat.count for threat in every)
    return _cleaned(page, body, every, total)


def stylesheets_of(page: Page) -> dict[str, str] | None:
    """Their texts by address; None for a file, whose stylesheets nobody asked for."""
    if page.tier == "file" and not page.stylesheets:
        return None
    return {sheet.url: sheet.text for sheet in page.stylesheets}


def as_html(page: Page) -> Page:
    """A document (PDF, Word, …) or feed as HTML, `sanitizer` naming its reader; every other page as it is. Raises StageError."""
    from stages.formats.convert import converted

    made = converted(page.body, media_type_of(page.media_type), page.charset)
    if made is None:
        return page
    return msgspec.structs.replace(
        page,
        body=made.html.encode("utf-8", "replace"),
        media_type="text/html",
        charset="utf-8",
        stylesheets=(),
        sanitizer=f"+{made.reader}",
        threats=(*page.threats, *made.threats),
        threats_total=page.threats_total + sum(threat.count for threat in made.threats),
    )


def _cleaned(page: Page, body: str, every: tuple[Threat, ...], total: int) -> Page:
    """Findings of an earlier pass stay."""
    if page.threats:
        from stages.html.report import capped

        every = capped((*page.threats, *every))[0]
    return msgspec.structs.replace(
        page,
        title=scan(page.title)[0],
        body=body.encode(),
        charset="utf-8",
        stylesheets=(),
        sanitizer="".join((SANITIZER, *page.sanitizer.partition("+")[1:])),
        threats=every,
        threats_total=page.threats_total + total,
    )
