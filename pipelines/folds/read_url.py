"""The reply of `read_url`: for each address its text, whole or only what a query matches, within a number of tokens.

The tokens are shared out: a page that needs less than its share leaves the rest to the others. What is cut is said, never hidden.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, structs

from pipelines.folds import quoting
from pipelines.folds.fold import Fold
from pipelines.folds.plaintext import plain
from pipelines.folds.receipt import Receipt, receipt
from pipelines.story import Story
from stages.records import Document, Failure, Hit, Passage, Provenance, Threat
from stages.text.tokens import TOKENIZER, count_all, truncate
from stages.vocabulary import Outcome


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much, and how it reads."""

    max_tokens: Annotated[
        int, Meta(ge=200, le=200_000, description=f"Most tokens ({TOKENIZER}) of text from all pages together.")
    ] = 8000
    format: Annotated[
        Literal["markdown", "text"], Meta(description="`text` leaves out the marks of headings, links and emphasis.")
    ] = "markdown"
    query: Annotated[
        str, Meta(max_length=2000, description="Only the parts that match this come back; without it, the page from its start.")
    ] = ""


class Match(Struct, frozen=True, kw_only=True):
    """A part that matches the query, by its place in the whole text (code points)."""

    start: int
    end: int
    headings: tuple[str, ...]
    score: float | None


class Read(Struct, frozen=True, kw_only=True):
    """One address."""

    asked: str
    url: Annotated[str, Meta(description="Where it was read, after redirects; empty when it was not.")]
    status: Outcome
    message: Annotated[str, Meta(description="Why it could not be read, or that nothing matched the query.")]
    retryable: bool
    title: str
    text: str
    tokens: int
    total_tokens: Annotated[int, Meta(description="Tokens of the whole page.")]
    truncated: Annotated[bool, Meta(description="Whether some of what was asked for is cut off at the end.")]
    matches: tuple[Match, ...]
    author: str
    published: str
    site: str
    language: str
    threats: Annotated[tuple[Threat, ...], Meta(description="Text that was hidden from readers, and was taken out.")]
    threats_total: int
    provenance: Provenance


class Reply(Struct, frozen=True, kw_only=True):
    """Every address, in the order given."""

    status: Literal["found", "nothing", "unavailable", "deadline"]
    query: str
    pages: tuple[Read, ...]
    receipt: Receipt


def fold(story: Story, options: Options) -> Reply:
    """One entry an address; equal addresses are read once."""
    documents = {one.provenance.asked or one.url: one for one in story.of(Document)}
    failures = {one.subject: one for one in story.of(Failure)}
    asked = [one.url for one in story.fed if isinstance(one, Hit)]
    found = [url for url in asked if url in documents]
    pieces = {url: _pieces(documents[url], story.of(Passage), options) for url in found}
    for url, first in _same(found, documents).items():
        pieces[url] = ([], f"the same page as {first}")
    wholes = dict(zip(found, count_all(documents[url].text for url in found), strict=True))
    needs = dict(zip(found, count_all("\n\n".join(text for text, _ in pieces[url][0]) for url in found), strict=True))
    rooms = shares(needs, options.max_tokens)
    pages = [
        _read(url, documents[url], pieces[url], room=rooms[url], whole=wholes[url])
        if url in documents
        else _unread(url, failures.get(url[:300]))
        for url in asked
    ]
    counted = iter(count_all(page.text for page in pages))
    return Reply(
        status=story.status,  # type: ignore[arg-type]  # one of STATUS
        query=options.query,
        pages=tuple(structs.replace(page, tokens=next(counted)) for page in pages),
        receipt=receipt(story),
    )


def _same(asked: list[str], documents: dict[str, Document]) -> dict[str, str]:
    """Addresses that led to a page which an earlier one had led to already, and that one."""
    first: dict[str, str] = {}
    return {url: one for url in asked if (one := first.setdefault(documents[url].url, url)) != url}


Piece = tuple[str, Match | None]


def _pieces(document: Document, passages: list[Passage], options: Options) -> tuple[list[Piece], str]:
    """What is asked for of a page, best first where there is a query, and what to tell about it."""
    if not options.query.strip():
        return [(_formed(document.text, options), None)], ""
    own = [one for one in passages if one.url == document.url and one.score]
    if not own:
        return [(_formed(document.text, options), None)], "nothing on the page matches the query; this is its beginning"
    matches = [Match(start=one.start, end=one.end, headings=one.headings, score=one.score) for one in own]
    return [(_formed(one.text, options), match) for one, match in zip(own, matches, strict=True)], ""


def _formed(text: str, options: Options) -> str:
    return plain(text) if options.format == "text" else text


def shares(needs: dict[str, int], total: int) -> dict[str, int]:
    """Tokens for each page: none gets more than it needs while another goes short."""
    rooms: dict[str, int] = {}
    left = total
    for place, url in enumerate(sorted(needs, key=lambda url: needs[url])):
        rooms[url] = min(needs[url], left // (len(needs) - place))
        left -= rooms[url]
    return rooms


def _read(url: str, document: Document, wanted: tuple[list[Piece], str], *, room: int, whole: int) -> Read:
    pieces, message = wanted
    kept: list[Piece] = []
    left = room
    for (text, match), tokens in zip(pieces, count_all(text for text, _ in pieces), strict=True):
        if tokens > left and kept:
            continue
        kept.append((text if tokens <= left else _cut(text, left), match))
        left -= tokens
    cut = len(kept) < len(pieces) or left < 0
    kept.sort(key=lambda piece: piece[1].start if piece[1] else 0)
    return Read(
        asked=url,
        url=document.url,
        status="ok",
        message=message,
        retryable=False,
        title=document.title,
        text="\n\n".join(text for text, _ in kept),
        tokens=0,
        total_tokens=whole,
        truncated=cut,
        matches=tuple(match for _, match in kept if match),
        author=document.author,
        published=document.published,
        site=document.site,
        language=document.language,
        threats=document.threats,
        threats_total=document.threats_total,
        provenance=document.provenance,
    )


def _cut(text: str, tokens: int) -> str:
    """At the end of a line or a word, where one is near."""
    short = truncate(text, tokens)
    edge = max(short.rfind("\n\n"), short.rfind(" ") if short.rfind("\n\n") < len(short) // 2 else -1)
    return short[:edge].rstrip() if edge > len(short) // 2 else short.rstrip()


def _unread(url: str, failure: Failure | None) -> Read:
    return Read(
        asked=url,
        url="",
        status=failure.kind if failure else "unknown",
        message=failure.message if failure else "it was not read",
        retryable=failure.retryable if failure else True,
        title="",
        text="",
        tokens=0,
        total_tokens=0,
        truncated=False,
        matches=(),
        author="",
        published="",
        site="",
        language="",
        threats=(),
        threats_total=0,
        provenance=Provenance(),
    )


def markdown(reply: Reply, nonce: str, _options: Options) -> str:
    """Every address with its text between marks."""
    parts = [quoting.notice(nonce)]
    for number, page in enumerate(reply.pages, 1):
        head = f"[{number}] {quoting.line(page.asked, nonce)}"
        if page.status != "ok":
            parts.append(f"{head}\nNot read: {page.status}. {quoting.line(page.message, nonce)}")
            continue
        if page.url != page.asked:
            head += f"\nRead at {quoting.line(page.url, nonce)}"
        parts.append("\n".join([head, quoting.fenced(_titled(page), nonce), *_notes(page)]))
    return "\n\n".join(parts)


def _titled(page: Read) -> str:
    return f"{page.title}\n\n{page.text}" if page.title and page.title not in page.text[: len(page.title) + 4] else page.text


def _notes(page: Read) -> list[str]:
    notes = []
    if page.message:
        notes.append(f"Note: {page.message}.")
    if page.truncated:
        notes.append(
            f"Cut: {page.tokens} tokens are shown, the page has {page.total_tokens}. Ask with a query, or for more tokens."
        )
    if page.threats_total:
        kinds = ", ".join(dict.fromkeys(threat.kind for threat in page.threats))
        notes.append(f"Hidden text was looked for and taken out: {page.threats_total} findings ({kinds}).")
    return notes


def brief(reply: Reply, nonce: str, _options: Options) -> str:
    """The texts alone."""
    texts = [page.text for page in reply.pages if page.status == "ok"]
    if not texts:
        return "\n".join(f"{page.asked}: {page.status}" for page in reply.pages)
    return "\n\n".join([quoting.notice(nonce), *(quoting.fenced(text, nonce) for text in texts)])


def failed(reply: Reply) -> bool:
    """Whether no page could be read."""
    return reply.status in ("unavailable", "deadline")


READ_URL = Fold(
    name="read_url",
    reply=Reply,
    needs=(Document, Passage),
    fold=fold,
    markdown=markdown,
    brief=brief,
    options=Options,
    failed=failed,
)
