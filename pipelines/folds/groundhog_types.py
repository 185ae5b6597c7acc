"""The published replies of Groundhog's tools, field by field."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from stages.vocabulary import ThreatKind

PageStatus = Literal[
    "ok", "challenge", "blocked", "rate_limited", "not_found", "server_error", "unsupported_content", "empty", "too_large",
    "unknown",
]  # fmt: skip

Filtered = Literal["excluded_domain", "outside_domains", "published_before", "duplicate"]
FollowOutcome = Literal["read", "not_content", "failed", "filtered", "duplicate", "same_domain_limit", "invalid_token", "expired"]


class Passage(Struct, frozen=True, kw_only=True):
    """A passage of a source."""

    id: str
    text: str
    source_url: str
    heading: str | None
    score: float
    start: int
    end: int
    clamped: bool
    fence: str | None


class Threat(Struct, frozen=True, kw_only=True):
    """Hidden text that was taken out."""

    type: ThreatKind
    reason: str
    location: str | None
    excerpt: str
    seen: int


class Provenance(Struct, frozen=True, kw_only=True):
    """What is known about a page's text."""

    content_hash: str
    word_count: int
    author: str | None
    published: str | None
    modified: str | None
    canonical: str | None
    language: str | None


class Via(Struct, frozen=True, kw_only=True):
    """How a followed page was come by."""

    parent_source_url: str
    parent_passage_id: str
    label: str
    why: str
    candidate: str


class Source(Struct, frozen=True, kw_only=True):
    """A page that was asked for. `page_status` is null where there was no page at all."""

    url: str
    title: str
    status: Literal["ok", "blocked", "timeout", "error"]
    page_status: PageStatus | None
    threats: tuple[Threat, ...]
    provenance: Provenance | None
    error: str | None
    filtered: Filtered | None
    depth: int
    discovered_via: Via | None
    threat_total: int
    threat_counts: dict[str, int]


class Card(Struct, frozen=True, kw_only=True):
    """A page that could be followed."""

    token: str
    url: str
    domain: str
    kind: Literal["link"]
    label: str
    parent_source_url: str
    parent_passage_id: str
    depth: int
    relation: str
    flags: tuple[str, ...]


class Followed(Struct, frozen=True, kw_only=True):
    """What became of a candidate that was followed."""

    url: str | None
    why: str
    outcome: FollowOutcome


class OmittedSafety(Struct, frozen=True, kw_only=True):
    """Safety findings of sources that are not shown."""

    sources: int
    threat_total: int
    notices: tuple[str, ...]


class Receipt(Struct, frozen=True, kw_only=True):
    """The account: every hit is in exactly one of excluded, outside, before date, same domain, unread, or read."""

    executed_query: str | None
    aim: str | None
    include_domains: tuple[str, ...]
    exclude_domains: tuple[str, ...]
    published_after: str | None
    hits: int
    hits_by_domain: dict[str, int]
    hits_excluded: int
    hits_outside_domains: int
    hits_before_date: int
    hits_same_domain: int
    hits_unread: int
    failed: int
    not_content: int
    filtered: int
    usable: int
    outside_domains: int
    unknown_dates: int | None
    omitted: int
    set_aside: int
    clamped: bool
    candidates_omitted: int
    links_examined: int
    links_over_limit: int
    links_straddled: int
    link_variants_dropped: int
    include_domains_count: int
    exclude_domains_count: int
    passages_omitted: int
    threat_excerpts_omitted: int
    sources_omitted: int
    metadata_compacted: tuple[str, ...]


class ResearchResult(Struct, frozen=True, kw_only=True):
    """The whole reply."""

    query: str
    backend: str
    passages: tuple[Passage, ...]
    sources: tuple[Source, ...]
    candidates: tuple[Card, ...]
    followed: tuple[Followed, ...]
    truncated: bool
    notes: tuple[str, ...]
    omitted_safety: OmittedSafety | None
    receipt: Receipt


class Match(Struct, frozen=True, kw_only=True):
    """A part of a page that matches a query, by its place in the whole text (code points)."""

    id: str
    heading: str | None
    offset: int
    end: int
    score: float
    clamped: bool


Notes = Annotated[tuple[str, ...], Meta(description="What else is to be known, such as a limit that was moved.")]


class ReadResult(Struct, frozen=True, kw_only=True):
    """One page."""

    markdown: str
    title: str
    url: str
    final_url: str
    fetched_at: str
    status: PageStatus
    http_status: int | None
    truncated: bool
    threats: tuple[Threat, ...]
    matches: tuple[Match, ...]
    set_aside: int
    provenance: Provenance
    notes: Notes


class SearchHit(Struct, frozen=True, kw_only=True):
    """A page that was found."""

    title: str
    url: str
    snippet: str
    engine: str
    score: float
    published: str | None


class SearchResult(Struct, frozen=True, kw_only=True):
    """What was found, best first."""

    query: str
    backend: str
    hits: tuple[SearchHit, ...]
    notes: Notes


class StatusResult(Struct, frozen=True, kw_only=True):
    """Whether there is a browser, and what to do."""

    browser_reachable: bool
    cdp_url: str
    hint: str | None
