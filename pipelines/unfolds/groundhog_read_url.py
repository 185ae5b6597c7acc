"""The request of Groundhog's `read_url`: one address, and nulls for what is not asked."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from pipelines.story import Rejected
from pipelines.unfolds.groundhog_research import MAX_TOKENS, MOST_QUERY, MOST_TOKENS
from pipelines.unfolds.unfold import Unfold, Unfolded, lowered
from stages.records import Hit, Notice


class ReadUrlArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """As that server publishes them."""

    url: Annotated[str, Meta(description="The whole http(s) address. Private and loopback addresses are refused.")]
    format: Annotated[
        Literal["markdown", "text"], Meta(description="`text` leaves out the marks of headings, links and emphasis.")
    ] = "markdown"
    max_tokens: Annotated[
        int | None, Meta(description=f"Room for the text, in tokens; null or less than 1 for {MAX_TOKENS}.")
    ] = None
    query: Annotated[
        str | None,
        Meta(
            description="Only the parts that match this come back, each with its place in `matches`. Where nothing matches, "
            "`matches` is empty and the page comes from its start."
        ),
    ] = None
    include_hidden: Annotated[
        bool,
        Meta(description="Also quote, behind the text, what was hidden from readers. `threats` reports it either way."),
    ] = False


def unfold(asked: ReadUrlArguments) -> Unfolded:
    """The page as a hit. Raises Rejected."""
    query = (asked.query or "").strip()
    if not asked.url.strip():
        raise Rejected("url must not be empty")
    if len(query) > MOST_QUERY:
        raise Rejected(f"query must be at most {MOST_QUERY} characters")
    notices: list[Notice] = []
    wanted = asked.max_tokens if asked.max_tokens is not None and asked.max_tokens > 0 else MAX_TOKENS
    tokens = min(wanted, MOST_TOKENS)
    if tokens != wanted:
        notices.append(lowered("max_tokens", wanted, tokens))
    return Unfolded(
        records=(Hit(url=asked.url.strip()),),
        values={"query": query, "format": asked.format, "max_tokens": tokens, "include_hidden": asked.include_hidden},
        notices=tuple(notices),
    )


GROUNDHOG_READ_URL = Unfold(
    name="groundhog_read_url",
    arguments=ReadUrlArguments,
    gives=("query", "format", "max_tokens", "include_hidden"),
    feeds=(Hit, Notice),
    call=unfold,
)
