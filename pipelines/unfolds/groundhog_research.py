"""The request of Groundhog's `research`: nulls for what is not asked, a number of sources that is moved into its range.

With `follow` the pages are candidates of an earlier reply, and nothing is searched.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from datetime import date
from typing import Annotated

from msgspec import Meta, Struct

from pipelines.cursor import Result
from pipelines.folds.groundhog_candidates import Picked, Refusal, allowed, found
from pipelines.story import Rejected
from pipelines.unfolds.unfold import Unfold, Unfolded, lowered
from stages.records import Found, Hit, Notice, Question
from stages.text.urls import canonical_key, host, registrable_domain

MAX_TOKENS = 20_000
MOST_TOKENS, LEAST_TOKENS = 200_000, 50
MOST_SOURCES = 10
MOST_QUERY = 2000
MOST_OF_SITE = 4
"""Candidates of one registered domain that one call reads."""
_DOMAIN = re.compile(r"(?:[a-z0-9_-]{1,63}\.)+[a-z0-9-]{2,63}")
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
        Meta(
            description=f"Candidates of an earlier call to read in place of a search, 1 to {MOST_PICKS}, each with a why of at "
            f"most {MOST_WHY} characters. Give query and filters again. A token is good for a day."
        ),
    ] = None


def unfold(asked: ResearchArguments) -> Unfolded:
    """The question. Raises Rejected."""
    return follow(asked, {})


def follow(asked: ResearchArguments, recalled: Mapping[str, Result]) -> Unfolded:
    """The question, or the candidates that were picked in place of a search. Raises Rejected."""
    domains = _checked(asked)
    notices: list[Notice] = []
    sources = min(max(asked.max_sources, 1), MOST_SOURCES)
    if sources != asked.max_sources:
        notices.append(lowered("max_sources", asked.max_sources, sources))
    wanted = asked.max_tokens if asked.max_tokens is not None and asked.max_tokens > 0 else MAX_TOKENS
    tokens = min(max(wanted, LEAST_TOKENS), MOST_TOKENS)
    if tokens != wanted:
        notices.append(lowered("max_tokens", wanted, tokens))
    picks = _picks(asked.follow or (), recalled, domains)
    question = Question(
        text=asked.query,
        aim=asked.aim or "",
        include_domains=domains[0],
        exclude_domains=domains[1],
        published_after=asked.published_after or "",
    )
    values = {name: getattr(asked, name) for name in ("query", "aim", "published_after")}
    return Unfolded(
        records=_hits(picks, asked.query) if asked.follow else (question,),
        values=values
        | {
            "question": asked.query if asked.follow else "",
            "max_sources": MOST_SOURCES if asked.follow else sources,
            "max_tokens": tokens,
            "include_domains": domains[0],
            "exclude_domains": domains[1],
            "follow": picks,
        },
        notices=tuple(notices),
    )


def _picks(asked: tuple[Pick, ...], recalled: Mapping[str, Result], domains: tuple[Domains, Domains]) -> tuple[Picked, ...]:
    """What each entry stands for, and why it is not read if that is known already."""
    picks: list[Picked] = []
    keys: set[str] = set()
    sites = Counter[str]()
    for pick in asked:
        one, why = found(pick.token, recalled), pick.why.strip()
        if isinstance(one, str):
            picks.append(Picked(why=why, refused=one))
            continue
        key, site = canonical_key(one.url), registrable_domain(one.url)
        refused: Refusal | None = None
        if not allowed(one.url, *domains):
            refused = "filtered"
        elif key in keys:
            refused = "duplicate"
        elif sites[site] == MOST_OF_SITE:
            refused = "same_domain_limit"
        else:
            keys.add(key)
            sites[site] += 1
        picks.append(Picked(why=why, candidate=one, refused=refused))
    return tuple(picks)


def _hits(picks: tuple[Picked, ...], query: str) -> tuple[Hit, ...]:
    """In the order picked, which is that of their ranks."""
    chosen = [one.candidate for one in picks if one.candidate and not one.refused]
    return tuple(
        Hit(url=one.url, title=one.label, found=(Found(engine="follow", family="follow", query=query, rank=rank),))
        for rank, one in enumerate(chosen, 1)
    )


Domains = tuple[str, ...]


def _checked(asked: ResearchArguments) -> tuple[Domains, Domains]:
    """The domains to include and exclude. Raises Rejected, in the published words, for what that server rejects."""
    if not asked.query.strip():
        raise Rejected("query must not be empty")
    for name, text, most in (("query", asked.query, MOST_QUERY), ("aim", asked.aim or "", MOST_AIM)):
        if len(text) > most:
            raise Rejected(f"{name} must be at most {most} characters")
    if asked.follow is not None and not 1 <= len(asked.follow) <= MOST_PICKS:
        raise Rejected(f"follow takes 1-{MOST_PICKS} entries")
    if asked.published_after is not None and not _is_day(asked.published_after):
        raise Rejected("published_after must be a date as YYYY-MM-DD")
    include = _domains("include_domains", asked.include_domains, MOST_INCLUDED)
    exclude = _domains("exclude_domains", asked.exclude_domains, MOST_EXCLUDED)
    if any(not 1 <= len(pick.why.strip()) <= MOST_WHY for pick in asked.follow or ()):
        raise Rejected(f"every follow entry needs a why of 1-{MOST_WHY} characters")
    return include, exclude


def _is_day(text: str) -> bool:
    try:
        return len(text) == len("2000-01-01") and bool(date.fromisoformat(text))
    except ValueError:
        return False


def _domains(name: str, asked: tuple[str, ...] | None, most: int) -> Domains:
    """In lower case and ASCII, each once. Raises Rejected."""
    made: dict[str, None] = {}
    for text in asked or ():
        domain = host(f"https://{text.strip().rstrip('.')}/")
        if "/" in text or not _DOMAIN.fullmatch(domain):
            raise Rejected(f"not a domain name: {text[:80]!r}")
        made[domain] = None
    if len(made) > most:
        raise Rejected(f"{name} takes at most {most} domains")
    return tuple(made)


def tokens(asked: ResearchArguments) -> tuple[str, ...]:
    """Those that a request follows, if it will not be refused."""
    _checked(asked)
    return tuple(pick.token for pick in asked.follow or ())


GROUNDHOG_RESEARCH = Unfold(
    name="groundhog_research",
    arguments=ResearchArguments,
    gives=(
        "query", "question", "aim", "published_after", "max_sources", "max_tokens", "include_domains", "exclude_domains",
        "follow",
    ),
    feeds=(Question, Hit, Notice),
    call=unfold,
    cursors=tokens,
    resume=follow,
)  # fmt: skip
