"""The reply of `search`: what became of each query, and the union of what they found, one hit a page, best first."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from pipelines.folds import quoting
from pipelines.folds.asking import Asking, Status, asked_lines, askings, found_by, over_limit
from pipelines.folds.fold import Fold, NoOptions, unanswered
from pipelines.folds.receipt import Receipt, receipt, why_nothing
from pipelines.story import Story
from stages.records import Hit

Kind = Literal["web", "image", "news"]


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

    status: Status
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
        queries=askings(story, hits, told),
        hits=tuple(_numbered(number, hit) for number, hit in enumerate(hits, 1)),
        hits_omitted=over_limit(told),
        receipt=told,
    )


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
        engines=found_by(hit),
    )


def markdown(reply: Reply, nonce: str, options: NoOptions) -> str:
    """A numbered list between marks, then what each query came to."""
    lines = [brief(reply, nonce, options), *asked_lines(reply.queries, "hits")]
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
    return quoting.listed(rows, nonce)


SEARCH = Fold(name="search", reply=Reply, needs=(Hit,), fold=fold, markdown=markdown, brief=brief, failed=unanswered)
