"""The request of Groundhog's `research`: nulls for what is not asked, a number of sources that is moved into its range.

Candidates to follow are not offered yet, so every token of `follow` is an invalid one, and nothing is searched.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated

from msgspec import Meta, Struct

from pipelines.story import Rejected
from pipelines.unfolds.unfold import Unfold, Unfolded, lowered
from stages.records import Notice, Question

MAX_TOKENS = 20_000
MOST_TOKENS, LEAST_TOKENS = 200_000, 50
MOST_SOURCES = 10
MOST_QUERY = 2000
MOST_AIM, MOST_WHY, MOST_PICKS, MOST_INCLUDED, MOST_EXCLUDED = 200, 160, 8, 8, 50


class Pick(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A candidate of an earlier call, and what it should settle."""

    token: str
    why: str


class ResearchArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """As that server publishes them."""

    query: Annotated[str, Meta(description="What you want to know. Passages are ranked against it.")]
    max_sources: Annotated[
        int, Meta(description=f"How many pages to read at most; what is outside of 1 to {MOST_SOURCES} is moved inside.")
    ] = 5
    max_tokens: Annotated[
        int | None, Meta(description=f"Room for the passages, in tokens; null or less than 1 for {MAX_TOKENS}.")
    ] = None
    include_domains: Annotated[
        tuple[str, ...] | None, Meta(description=f"Only pages of these domains and below, at most {MOST_INCLUDED}.")
    ] = None
    exclude_domains: Annotated[
        tuple[str, ...] | None, Meta(description=f"No pages of these domains, at most {MOST_EXCLUDED}.")
    ] = None
    published_after: Annotated[
        str | None, Meta(description="YYYY-MM-DD. Pages dated before are left out; pages without a date stay, and are counted.")
    ] = None
    aim: Annotated[
        str | None, Meta(description=f"What the evidence must show, at most {MOST_AIM} characters. Told in the receipt only.")
    ] = None
    follow: Annotated[
        tuple[Pick, ...] | None,
        Meta(description=f"Candidates of an earlier call to read in place of a search, at most {MOST_PICKS}."),
    ] = None


def unfold(asked: ResearchArguments) -> Unfolded:
    """The question, unless candidates are to be followed. Raises Rejected."""
    _check(asked)
    notices: list[Notice] = []
    sources = min(max(asked.max_sources, 1), MOST_SOURCES)
    if sources != asked.max_sources:
        notices.append(lowered("max_sources", asked.max_sources, sources))
    wanted = asked.max_tokens if asked.max_tokens is not None and asked.max_tokens > 0 else MAX_TOKENS
    tokens = min(max(wanted, LEAST_TOKENS), MOST_TOKENS)
    if tokens != wanted:
        notices.append(lowered("max_tokens", wanted, tokens))
    question = Question(
        text=asked.query,
        aim=asked.aim or "",
        include_domains=asked.include_domains or (),
        exclude_domains=asked.exclude_domains or (),
        published_after=asked.published_after or "",
    )
    values = {name: getattr(asked, name) for name in ("query", "aim", "published_after")}
    return Unfolded(
        records=() if asked.follow else (question,),
        values=values
        | {
            "max_sources": sources,
            "max_tokens": tokens,
            "include_domains": question.include_domains,
            "exclude_domains": question.exclude_domains,
            "follow": tuple(pick.why for pick in asked.follow or ()),
        },
        notices=tuple(notices),
    )


def _check(asked: ResearchArguments) -> None:
    """Raises Rejected for what that server rejects."""
    if not asked.query.strip():
        raise Rejected("query must not be empty")
    if len(asked.query) > MOST_QUERY:
        raise Rejected(f"query must be at most {MOST_QUERY} characters")
    for name, value, most in (
        ("aim", asked.aim, MOST_AIM),
        ("include_domains", asked.include_domains, MOST_INCLUDED),
        ("exclude_domains", asked.exclude_domains, MOST_EXCLUDED),
        ("follow", asked.follow, MOST_PICKS),
    ):
        if len(value or ()) > most:
            raise Rejected(f"{name} must have at most {most} {'characters' if name == 'aim' else 'entries'}")
    if any(len(pick.why) > MOST_WHY for pick in asked.follow or ()):
        raise Rejected(f"follow: a why must have at most {MOST_WHY} characters")
    try:
        date.fromisoformat(asked.published_after or "2000-01-01")
    except ValueError:
        raise Rejected(f"published_after must be a date as YYYY-MM-DD, and {asked.published_after!r} is not") from None


GROUNDHOG_RESEARCH = Unfold(
    name="groundhog_research",
    arguments=ResearchArguments,
    gives=("query", "aim", "published_after", "max_sources", "max_tokens", "include_domains", "exclude_domains", "follow"),
    feeds=(Question, Notice),
    call=unfold,
)
