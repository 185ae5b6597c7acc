"""The reply of `search`: what became of each query, and the union of what they found, one hit a page, best first."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from pipelines.folds import quoting
from pipelines.folds.fold import Fold, NoOptions
from pipelines.folds.receipt import Asked, Receipt, receipt, why_nothing
from pipelines.story import Story
from stages.records import Attempt, Failure, Hit, Query, Question, record_id

Kind = Literal["web", "image", "news"]


class Asking(Struct, frozen=True, kw_only=True):
    """One query, and the numbers of the hits that it found."""

    query: str
    status: Annotated[
        Literal["found", "nothing", "unavailable", "deadline"],
        Meta(description="`unavailable`: no engine answered it; `nothing`: they did, and had nothing."),
    ]
    hits: tuple[int, ...]
    engines: tuple[Asked, ...]


class Numbered(Struct, frozen=True, kw_only=True):
    """One page. `score` says how many rankings had it, and how high."""

    number: int
    url: str
    title: str
    snippet: str
    kind: Kind
    published: str
    published_trust: Annotated[str, Meta(description="Whether the date is to be trusted: trusted, semi, untrusted, or unknown.")]
    score: float | None
    engines: tuple[str, ...]


class Reply(Struct, frozen=True, kw_only=True):
    """Every query, and the union of their hits."""

    status: Literal["found", "nothing", "unavailable", "deadline"]
    message: Annotated[str, Meta(description="Why there is nothing; empty otherwise.")]
    queries: tuple[Asking, ...]
    hits: tuple[Numbered, ...]
    hits_omitted: Annotated[int, Meta(description="Other pages that were found, over the limit.")]
    receipt: Receipt


def fold(story: Story, _options: NoOptions) -> Reply:
    """Queries in the order asked; hits in the order of their score."""
    told, hits = receipt(story), story.of(Hit)
    return Reply(
        status=story.status,  # type: ignore[arg-type]  # one of STATUS
        message=why_nothing(told, story.status),
        queries=tuple(_asking(one, story, hits, told) for one in story.fed if isinstance(one, Question)),
        hits=tuple(_numbered(number, hit) for number, hit in enumerate(hits, 1)),
        hits_omitted=sum(one.dropped.get("over_limit", 0) for one in told.stages if one.stage == "dedupe"),
        receipt=told,
    )


def _asking(question: Question, story: Story, hits: list[Hit], told: Receipt) -> Asking:
    own = record_id(question)
    texts = {one.text for one in story.of(Query) if one.question == own} | {" ".join(question.text.split())}
    numbers = tuple(number for number, hit in enumerate(hits, 1) if any(place.query in texts for place in hit.found))
    return Asking(
        query=question.text,
        status="found" if numbers else _status(texts, story),
        hits=numbers,
        engines=tuple(one for one in told.engines if one.query in texts),
    )


def _status(texts: set[str], story: Story) -> Literal["found", "nothing", "unavailable", "deadline"]:
    outcomes = [one.outcome for one in story.of(Attempt) if one.subject in texts]
    lost = [one.kind for one in story.of(Failure) if one.subject in {text[:300] for text in texts}]
    if any(outcome in ("ok", "empty", "irrelevant") for outcome in outcomes):
        return "nothing"
    return "deadline" if "deadline" in (*outcomes, *lost) else "unavailable"


def _numbered(number: int, hit: Hit) -> Numbered:
    return Numbered(
        number=number,
        url=hit.url,
        title=hit.title,
        snippet=hit.snippet,
        kind=hit.kind,
        published=hit.published,
        published_trust=hit.published_trust,
        score=hit.score,
        engines=tuple(dict.fromkeys(place.engine for place in hit.found)),
    )


def markdown(reply: Reply, nonce: str, options: NoOptions) -> str:
    """A numbered list between marks, then what each query came to."""
    lines = [brief(reply, nonce, options)]
    for one in reply.queries:
        engines = ", ".join(f"{asked.engine} {asked.outcome}" for asked in one.engines)
        lines.append(f"{one.query}: {one.status}, {len(one.hits)} hits{f' ({engines})' if engines else ''}")
    if reply.hits_omitted:
        lines.append(f"{reply.hits_omitted} more pages were found; a larger limit shows them.")
    return "\n".join(lines)


def brief(reply: Reply, nonce: str, _options: NoOptions) -> str:
    """The list alone."""
    if not reply.hits:
        return reply.message
    rows = []
    for hit in reply.hits:
        dated = f" ({hit.published[:10]})" if hit.published else ""
        snippet = f"\n{' '.join(hit.snippet.split())}" if hit.snippet else ""
        rows.append(f"[{hit.number}] {quoting.line(hit.title, nonce)}{dated}\n{hit.url}{snippet}")
    return f"{quoting.notice(nonce)}\n\n{quoting.fenced(chr(10).join(rows), nonce)}\n"


def failed(reply: Reply) -> bool:
    """Whether nobody could be asked, or the deadline left nothing."""
    return reply.status in ("unavailable", "deadline")


SEARCH = Fold(name="search", reply=Reply, needs=(Hit,), fold=fold, markdown=markdown, brief=brief, failed=failed)
