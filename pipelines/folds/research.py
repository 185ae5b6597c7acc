"""The reply of `research`: passages that fit the tokens, each with the source it is from, and the receipt.

The text has one numbered block a source, best source first; a passage is cited by that number. It never passes `max_tokens`:
what surrounds the passages is cut before they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from msgspec import Meta, Struct

from pipelines.folds import quoting
from pipelines.folds.fold import Fold, unanswered
from pipelines.folds.receipt import Lost, Receipt, lost, receipt, why_nothing
from pipelines.story import Story
from stages.records import Document, Failure, Passage, Provenance, Question, Threat
from stages.text.tokens import TOKENIZER, count

MOST_HEADING = 120
"""Characters of a title, or of the headings that a passage stands under."""
MOST_GAP = 3
"""Code points between passages that follow each other: line ends."""


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much room the text has."""

    max_tokens: Annotated[
        int, Meta(ge=500, le=200_000, description=f"Most tokens ({TOKENIZER}) that the text of the reply may have.")
    ] = 5000


class Cited(Struct, frozen=True, kw_only=True):
    """A passage, verbatim: `text == document[start:end]` in code points, of the document that its source's provenance names."""

    source: Annotated[int, Meta(description="Number of its source.")]
    id: str
    url: str
    headings: tuple[str, ...]
    text: str
    start: int
    end: int
    tokens: int
    score: float | None
    clamped: Annotated[bool, Meta(description="Cut to fit the tokens.")]


class Source(Struct, frozen=True, kw_only=True):
    """A page that was read."""

    number: int
    url: str
    title: str
    site: str
    author: str
    published: str
    language: str
    passages: Annotated[int, Meta(description="How many of the passages are from it.")]
    threats: Annotated[tuple[Threat, ...], Meta(description="Text that was hidden from readers, and was taken out.")]
    threats_total: int
    provenance: Provenance


class Reply(Struct, frozen=True, kw_only=True):
    """What was found, and how."""

    query: str
    status: Literal["found", "nothing", "unavailable", "deadline"]
    message: Annotated[str, Meta(description="Why there is nothing; empty otherwise.")]
    passages: tuple[Cited, ...]
    sources: tuple[Source, ...]
    unread: Annotated[tuple[Lost, ...], Meta(description="Pages that could not be read, and why.")]
    passages_omitted: Annotated[int, Meta(description="Passages that did not fit the tokens.")]
    receipt: Receipt


def fold(story: Story, _options: Options) -> Reply:
    """Passages that say something to the question, best first; sources as passages cite them, then those without one."""
    passages = [one for one in story.of(Passage) if one.score is None or one.score > 0]
    documents = {one.url: one for one in reversed(story.of(Document))}
    cited = dict.fromkeys(one.url for one in passages)
    order = [*cited, *(url for url in reversed(documents) if url not in cited)]
    numbers = {url: number for number, url in enumerate(order, 1)}
    told = receipt(story)
    return Reply(
        query=next((one.text for one in story.fed if isinstance(one, Question)), ""),
        status=story.status,  # type: ignore[arg-type]  # one of STATUS
        message=why_nothing(told, story.status),
        passages=tuple(_cited(one, numbers[one.url]) for one in passages),
        sources=tuple(_source(numbers[url], url, documents.get(url), passages) for url in order),
        unread=tuple(lost(one) for one in story.of(Failure) if one.stage in ("fetch", "sanitize", "extract", "chunk")),
        passages_omitted=sum(one.dropped.get("over_budget", 0) for one in told.stages),
        receipt=told,
    )


def _cited(passage: Passage, number: int) -> Cited:
    return Cited(
        source=number,
        id=passage.id,
        url=passage.url,
        headings=passage.headings,
        text=passage.text,
        start=passage.start,
        end=passage.end,
        tokens=passage.tokens,
        score=passage.score,
        clamped=passage.clamped,
    )


def _source(number: int, url: str, document: Document | None, passages: list[Passage]) -> Source:
    own = [one for one in passages if one.url == url]
    known = document or Document(url=url, title=own[0].title, published=own[0].published, provenance=own[0].provenance)
    return Source(
        number=number,
        url=url,
        title=known.title,
        site=known.site,
        author=known.author,
        published=known.published,
        language=known.language,
        passages=len(own),
        threats=known.threats,
        threats_total=known.threats_total,
        provenance=known.provenance,
    )


def frame_tokens(options: Options) -> int:
    """Marks, addresses, headings and notes: a fifth of the room and a little, and never more than 2500 tokens."""
    return min(2500, 80 + options.max_tokens // 5)


def markdown(reply: Reply, nonce: str, options: Options) -> str:
    """A block a source, its passages between marks, then what the reader must know; as much of it as fits."""
    return _fitted(reply, nonce, options, (_unread, _notes), headed=True)


def brief(reply: Reply, nonce: str, options: Options) -> str:
    """The blocks alone."""
    return _fitted(reply, nonce, options, (), headed=False)


Tail = Callable[[Reply, str], str]


def _fitted(reply: Reply, nonce: str, options: Options, tails: tuple[Tail, ...], *, headed: bool) -> str:
    """Notes go before passages do, and the last passages before the first."""
    if not reply.passages:
        return reply.message
    after = [text for tail in tails if (text := tail(reply, nonce))]
    for shown in range(len(reply.passages), 0, -1):
        body = _body(reply, nonce, shown, headed=headed)
        for kept in range(len(after), -1, -1) if shown == len(reply.passages) else (0,):
            text = "\n\n".join([body, *after[:kept]])
            if count(text) <= options.max_tokens:
                return text
    return "The passages do not fit the tokens as text: they are in the structured reply."


def _body(reply: Reply, nonce: str, shown: int, *, headed: bool) -> str:
    parts = [quoting.notice(nonce)]
    for source in reply.sources:
        own = sorted((one for one in reply.passages[:shown] if one.source == source.number), key=lambda one: one.start)
        if own:
            parts.append(f"{_head(source, nonce)}\n{quoting.fenced(_quoted(source, own, headed=headed), nonce)}")
    if shown < len(reply.passages):
        parts.append(f"{len(reply.passages) - shown} more passages are in the structured reply.")
    return "\n\n".join(parts)


def _head(source: Source, nonce: str) -> str:
    """`[1] address (date)`. An address is never rewritten: one too long for a line is pointed to."""
    if len(source.url) > quoting.MOST_LINE:
        return f"[{source.number}] (a long address: sources[{source.number - 1}].url of the structured reply)"
    dated = f" ({quoting.line(source.published[:10], nonce)})" if source.published else ""
    return f"[{source.number}] {quoting.harmless(source.url, nonce)}{dated}"


def _quoted(source: Source, passages: list[Cited], *, headed: bool) -> str:
    """Passages in the order of the page, set apart as they are there; `[...]` where something is left out between them."""
    title = " ".join(source.title.split())[:MOST_HEADING]
    text = f"{title}\n\n" if headed and title and title not in passages[0].text[: len(title) + 4] else ""
    place = -1
    for passage in passages:
        if place >= 0:
            gap = passage.start - place
            text += "\n" * gap if gap <= MOST_GAP else "\n\n[...]\n\n"
        if (
            headed
            and passage.headings
            and not passage.text.lstrip().startswith("#")
            and not 0 <= passage.start - place <= MOST_GAP
        ):
            text += f"# {' > '.join(passage.headings)}"[:MOST_HEADING] + "\n\n"
        text += passage.text
        place = passage.end
    return text


def _unread(reply: Reply, nonce: str) -> str:
    if not reply.unread:
        return ""
    lines = [f"- {quoting.line(one.subject, nonce)}: {one.outcome}" for one in reply.unread[:10]]
    return "\n".join([f"Not read: {len(reply.unread)}", *lines])


def _notes(reply: Reply, nonce: str) -> str:
    told = reply.receipt
    notes = [f"- {quoting.line(one.message, nonce)}" for one in told.notices]
    notes += [f"- {one.engine}: {one.outcome}" for one in told.engines if one.outcome not in ("ok", "empty")]
    if told.ended == "deadline":
        notes.append("- The deadline cut the work: there may be more.")
    if reply.passages_omitted:
        notes.append(f"- {reply.passages_omitted} passages did not fit; a larger max_tokens shows more.")
    hidden = sum(source.threats_total for source in reply.sources)
    if hidden:
        notes.append(f"- Hidden text was looked for and taken out: {hidden} findings.")
    return "\n".join(["Notes", *dict.fromkeys(notes)]) if notes else ""


RESEARCH = Fold(
    name="research",
    reply=Reply,
    needs=(Passage, Document),
    fold=fold,
    markdown=markdown,
    brief=brief,
    options=Options,
    frame_tokens=frame_tokens,
    failed=unanswered,
)
