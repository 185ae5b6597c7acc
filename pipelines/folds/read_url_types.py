"""The reply of `read_url`, field by field, and what is kept of a page that was not shown to its end."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from pipelines.folds.receipt import Receipt
from stages.records import Provenance, Threat
from stages.text.tokens import TOKENIZER
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
    include_hidden: Annotated[
        bool, Meta(description="Also quote, apart from the text, what was hidden from readers: for who audits a page.")
    ] = False
    cursor: Annotated[
        str, Meta(max_length=100, description="Read on where an earlier reply was cut: the `cursor` of one of its pages.")
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
    truncated: Annotated[bool, Meta(description="Whether some of what was asked for is still to come.")]
    cursor: Annotated[str, Meta(description="Call again with this alone to read on; empty at the end.")]
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


class Piece(Struct, frozen=True, array_like=True):
    """Text in one go, and which match it is, where there was a query."""

    text: str
    match: Match | None = None


class Held(Struct, frozen=True, kw_only=True):
    """Everything that is asked for of one page, best first where there is a query. `page` is the entry without its text."""

    page: Read
    query: str
    pieces: tuple[Piece, ...]
