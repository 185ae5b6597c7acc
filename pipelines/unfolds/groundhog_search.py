"""The request of Groundhog's `search`: one query, and a number of hits that is moved into its range."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from pipelines.story import Rejected
from pipelines.unfolds.groundhog_research import MOST_QUERY
from pipelines.unfolds.unfold import Unfold, Unfolded, lowered
from stages.records import Notice, Question

MOST_HITS = 25


class SearchArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """As that server publishes them."""

    query: Annotated[str, Meta(description="What to look for.")]
    limit: Annotated[
        int, Meta(description=f"How many hits to return at most; what is outside of 1 to {MOST_HITS} is moved inside.")
    ] = 10


def unfold(asked: SearchArguments) -> Unfolded:
    """The question. Raises Rejected."""
    if not asked.query.strip():
        raise Rejected("query must not be empty")
    if len(asked.query) > MOST_QUERY:
        raise Rejected(f"query must be at most {MOST_QUERY} characters")
    limit = min(max(asked.limit, 1), MOST_HITS)
    moved = (lowered("limit", asked.limit, limit),) if limit != asked.limit else ()
    return Unfolded(records=(Question(text=asked.query),), values={"query": asked.query, "limit": limit}, notices=moved)


GROUNDHOG_SEARCH = Unfold(
    name="groundhog_search", arguments=SearchArguments, gives=("query", "limit"), feeds=(Question, Notice), call=unfold
)
