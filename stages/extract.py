"""Get the main text of a page as markdown, with what is known about it.

Reads Page, writes Document. Text of HTML comes from a walk over all blocks, so that code, tables and joiners stay as they are; a
model of trees tells which blocks are the page's text (extractor `blocks/2+trees/…`). Metadata is trafilatura's. What was no page
to begin with is text from end to end (`blocks/2`). Plain text, markdown and XML stay as they are, JSON is laid out in a fence.
Where sanitize kept apart what a page embeds for its scripts, and the page says next to nothing itself, the sentences of that are
its text (`embedded/1`). Failures: empty (no text), unsupported_content (not text), too_large (more than 16 million characters),
needs_browser (a script draws it).
"""

from __future__ import annotations

from stages.core.errors import StageError
from stages.core.stage import Work, each
from stages.html import sniff
from stages.html.article import Article, read_html
from stages.html.embedded import EXTRACTOR, read_from
from stages.html.links import Link
from stages.html.plain import read_plain
from stages.records import Document, Page, Provenance
from stages.text.charset import decode
from stages.text.digests import text_sha256
from stages.text.orders import orders
from stages.text.unicode import clean
from stages.text.words import guess_language

MAX_CHARS = 16_000_000


class Options(Work, frozen=True):
    """Nothing to choose but how it is run."""


@each(lifts=("sanitize",))
def extract(page: Page, options: Options) -> Document:  # noqa: ARG001 - every stage takes its options
    """Text, metadata, and the chain back to the bytes."""
    text, _ = decode(page.body, page.charset or _header_charset(page))
    if len(text) > MAX_CHARS:
        raise StageError("too_large", f"{len(text)} characters are more than {MAX_CHARS}")
    article = _read(page, text)
    body, extractor = clean(article.text).strip(), article.extractor
    if page.embedded and (brought := read_from(page.embedded, body)):
        body, extractor = brought, EXTRACTOR
    elif page.status != "ok":
        raise StageError(page.status, "a script draws this page, and it brings no text along: it needs a browser")
    if not body:
        raise StageError("empty", "the page holds no text")
    return Document(
        url=page.url,
        http_status=page.http_status,
        title=clean(article.title or page.title),
        text=body,
        page_type=article.page_type,
        author=clean(article.author),
        published=article.published,
        modified=article.modified,
        canonical=article.canonical,
        site=clean(article.site),
        description=clean(article.description),
        language=guess_language(body) or article.language,
        threats=page.threats,
        threats_total=page.threats_total,
        orders=orders(body),
        links=_links(article, body),
        embedded=page.embedded,
        provenance=_provenance(page, extractor, body),
    )


def _links(article: Article, body: str) -> tuple[Link, ...]:
    """Their places in the text as it goes on; none where cleaning has moved them."""
    moved = article.text.find(body)
    return tuple((url, label, start - moved, end - moved) for url, label, start, end in article.links) if moved >= 0 else ()


def _read(page: Page, text: str) -> Article:
    media_type = sniff.media_type_of(page.media_type)
    if sniff.is_html(page.body, media_type):
        return read_html(text, page.url, page.fetched_at, guided="+" not in page.sanitizer)
    return read_plain(text, media_type)


def _header_charset(page: Page) -> str:
    content_type = next((value for name, value in page.headers if name.lower() == "content-type"), page.media_type)
    _, _, parameter = content_type.lower().partition("charset=")
    return parameter.partition(";")[0].strip(" \"'")


def _provenance(page: Page, extractor: str, text: str) -> Provenance:
    return Provenance(
        asked=page.asked,
        fetched_at=page.fetched_at,
        sha256=page.sha256,
        exchange=page.exchange,
        tier=page.tier,
        sanitizer=page.sanitizer,
        extractor=extractor,
        document_sha256=text_sha256(text),
    )
