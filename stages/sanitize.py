"""Takes out of pages what a reader would not see.

Reads Page, writes Page. HTML is judged by its cascade of styles as a browser would paint it on a desktop screen and written out
as clean HTML; every text passes the Unicode policy; what was hidden is reported in `threats`.

Fails with `too_large` for a page of too many nodes, `unsupported_content` for one that is not text, and `unknown` for one that
cannot be written out so that it parses back to the same.
"""

from __future__ import annotations

import msgspec

from stages.core.errors import StageError
from stages.core.stage import Work, each
from stages.html.sniff import is_html, media_type_of
from stages.records import Page, Threat
from stages.text.charset import decode
from stages.text.unicode import scan

SANITIZER = "cribble-sanitize/1"
TEXT_TYPES = frozenset(
    {"application/json", "application/xml", "application/javascript", "application/x-ndjson", "application/rss+xml"}
)


class Options(Work, frozen=True):
    """No more than every worker stage has."""


def _finished(page: Page) -> bool:
    return bool(page.sanitizer)


@each(finished=_finished)
def sanitize(page: Page, options: Options) -> Page:  # noqa: ARG001 - the shape of a stage
    """The page with its body in UTF-8, without what a reader would not see."""
    media_type = media_type_of(page.media_type)
    if not page.body:
        return msgspec.structs.replace(page, sanitizer=SANITIZER)
    html = is_html(page.body, media_type)
    if not html and not _is_text(media_type):
        raise StageError("unsupported_content", f"{media_type}: what a reader sees of it cannot be told yet")
    text, _ = decode(page.body, page.charset)
    if html:
        from stages.html.document import sanitize_html

        found = sanitize_html(text, page.url, {sheet.url: sheet.text for sheet in page.stylesheets})
        body, every, total = found.html, found.threats, found.total
    else:
        from stages.html.report import threats

        body, counts = scan(text)
        every = threats(counts)
        total = sum(threat.count for threat in every)
    return _cleaned(page, body, every, total)


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
        sanitizer=SANITIZER,
        threats=every,
        threats_total=page.threats_total + total,
    )


def _is_text(media_type: str) -> bool:
    return (
        media_type == "" or media_type.startswith("text/") or media_type in TEXT_TYPES or media_type.endswith(("+json", "+xml"))
    )
