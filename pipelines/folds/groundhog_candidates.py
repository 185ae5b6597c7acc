"""The candidates of Groundhog's `research`: links in the passages that are shown, each with a token to follow it by.

A token is a cursor into what is kept of the reply, so it works in any process for as long as that is kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from ipaddress import ip_address
from typing import Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from pipelines import cursor
from pipelines.folds.groundhog_parts import passage_id
from pipelines.folds.groundhog_types import Card
from pipelines.story import Rejected, Story
from stages.records import Document, Passage
from stages.text.urls import canonical_key, host, registrable_domain
from stages.text.words import words

FOLD = "groundhog_research"
MAX_DEPTH = 3
MOST_LINKS, MOST_VARIANTS = 500, 10
"""Links of one page that are looked at, and candidates of one pattern of address."""
MOST_CARDS, MOST_OF_PARENT, MOST_OF_DOMAIN = 12, 4, 3
_ACTIONS = re.compile(
    r"(?:^|[/?&=])(?:(?:edit|log-?in|sign-?in|sign-?up|register|logout|share|print|subscribe)(?=$|[/?&=.])"
    r"|(?:special|talk|user|file|category):)",
    re.IGNORECASE,
)
"""What is done on a page rather than read. It comes last, and is never left out."""
_FORMATS = re.compile(
    r"\.(?:zip|t?gz|bz2|xz|7z|rar|docx?|xlsx?|pptx?|od[tsp]|epub|mp[34]|m4a|wav|ogg|flac|avi|mov|mkv|webm|png|jpe?g|gif|webp|svg"
    r"|exe|msi|dmg|deb|rpm|apk|iso)$",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")

Refusal = Literal["filtered", "duplicate", "same_domain_limit", "invalid_token", "expired"]


class Candidate(Struct, frozen=True, array_like=True):
    """A page that can be followed, and how it was come by."""

    url: str
    depth: int
    parent_source_url: str
    parent_passage_id: str
    label: str


class Picked(Struct, frozen=True, kw_only=True):
    """A candidate that is to be followed, or why it is not."""

    why: str
    candidate: Candidate | None = None
    refused: Refusal | None = None


class _Link(Struct, frozen=True):
    candidate: Candidate
    rank: int
    action: bool
    overlap: int
    start: int
    key: str

    @property
    def order(self) -> tuple[int, bool, int, int]:
        return (self.rank, self.action, -self.overlap, self.start)


class Offer(Struct, frozen=True):
    """What is offered, best first, and what the receipt says of the rest."""

    candidates: tuple[Candidate, ...]
    counts: dict[str, int]


def within(url: str, domains: Sequence[str]) -> bool:
    """Whether it is of one of these domains, or of what is below them."""
    name = host(url)
    return any(name == domain or name.endswith(f".{domain}") for domain in domains)


def allowed(url: str, include: Sequence[str], exclude: Sequence[str]) -> bool:
    """Exclusion always wins."""
    return not within(url, exclude) and (not include or within(url, include))


def offer(
    documents: Sequence[Document],
    passages: Sequence[Passage],
    query: str,
    known: Mapping[str, int],
    domains: tuple[Sequence[str], Sequence[str]],
) -> Offer:
    """From the passages, best first, of pages that were read. `known` are all addresses asked or read, with their depths."""
    counts = Counter[str]()
    attempted, wanted = {canonical_key(url) for url in known}, set(words(query))
    links: list[_Link] = []
    for document in documents:
        depth = known[document.url]
        own = [(rank, one) for rank, one in enumerate(passages) if one.url == document.url]
        if depth < MAX_DEPTH:
            links += _links(document, own, depth, wanted, counts)
    fit = [one for one in links if one.key not in attempted and _public(one.candidate.url)]
    fit = [one for one in fit if allowed(one.candidate.url, *domains)]
    first: dict[str, _Link] = {}
    for one in sorted(fit, key=lambda one: one.order):
        first.setdefault(one.key, one)
    return Offer(tuple(_chosen([one.candidate for one in first.values()], counts)), dict(counts))


def _links(
    document: Document, passages: list[tuple[int, Passage]], depth: int, wanted: set[str], counts: Counter[str]
) -> Iterator[_Link]:
    straddled: set[int] = set()
    examined = 0
    for rank, passage in passages:
        parent = passage_id(passage.url, passage.provenance.document_sha256, passage.start, passage.end)
        for url, label, start, end in document.links:
            if end <= passage.start or start >= passage.end:
                continue
            if start < passage.start or end > passage.end:
                straddled.add(start)
                continue
            examined += 1
            if examined > MOST_LINKS or _same_page(url, document.url):
                continue
            parts = urlsplit(url)
            told = {*words(label), *words(parts.path)}
            candidate = Candidate(url, depth + 1, document.url, parent, label)
            acts = _ACTIONS.search(f"{parts.path}?{parts.query}") is not None
            yield _Link(candidate, rank, acts, len(told & wanted), start, canonical_key(url))
    counts["links_straddled"] += len(straddled)
    counts["links_examined"] += min(examined, MOST_LINKS)
    counts["links_over_limit"] += max(0, examined - MOST_LINKS)


def _same_page(url: str, page: str) -> bool:
    return "#" in url and url.partition("#")[0] == page.partition("#")[0]


def _public(url: str) -> bool:
    """Whether it looks like something on the public web: what is not would be refused when it is fetched."""
    name = host(url).strip("[]")
    try:
        return ip_address(name).is_global
    except ValueError:
        return "." in name and not name.endswith((".local", ".internal", ".localhost"))


def _chosen(candidates: list[Candidate], counts: Counter[str]) -> Iterator[Candidate]:
    patterns, parents, domains = Counter[str](), Counter[str](), Counter[str]()
    shown = 0
    for one in candidates:
        pattern, domain = _DIGITS.sub("0", one.url.partition("#")[0]), registrable_domain(one.url)
        patterns[pattern] += 1
        if patterns[pattern] > MOST_VARIANTS:
            counts["link_variants_dropped"] += 1
        elif shown == MOST_CARDS or parents[one.parent_source_url] == MOST_OF_PARENT or domains[domain] == MOST_OF_DOMAIN:
            counts["candidates_omitted"] += 1
        else:
            shown += 1
            parents[one.parent_source_url] += 1
            domains[domain] += 1
            yield one


def sealed(story: Story, candidates: tuple[Candidate, ...]) -> cursor.Result:
    """What the tokens lead into."""
    return cursor.sealed(story.run, FOLD, msgspec.json.encode(candidates))


def found(token: str, recalled: Mapping[str, cursor.Result]) -> Candidate | Literal["invalid_token", "expired"]:
    """What a token stands for; the second says that it may have stood for something that is kept no longer."""
    try:
        if token not in recalled:
            cursor.name_of(token)
            return "expired"
        place = recalled[token].place(token, FOLD)
        return msgspec.json.decode(recalled[token].body, type=tuple[Candidate, ...])[place]
    except Rejected:
        return "invalid_token"


def cards(candidates: tuple[Candidate, ...], kept: cursor.Result, documents: Sequence[Document]) -> tuple[Card, ...]:
    """The candidates as they are shown, each with its token."""
    parents = {one.url: one for one in documents}
    read = Counter(registrable_domain(one.url) for one in documents)
    return tuple(
        Card(
            token=kept.cursor(place),
            url=one.url,
            domain=registrable_domain(one.url),
            kind="link",
            label=one.label,
            parent_source_url=one.parent_source_url,
            parent_passage_id=one.parent_passage_id,
            depth=one.depth,
            relation=f"linked from {one.parent_passage_id}",
            flags=tuple(_flags(one, parents[one.parent_source_url], read)),
        )
        for place, one in enumerate(candidates)
    )


def _flags(one: Candidate, parent: Document, read: Counter[str]) -> Iterator[str]:
    kinds = {threat.kind for threat in parent.threats}
    if "strip_incomplete" in kinds:
        yield "parent_strip_incomplete"
    if "detection_degraded" in kinds:
        yield "parent_detection_degraded"
    if parent.threats_total:
        yield f"parent_threats={parent.threats_total}"
    if _FORMATS.search(urlsplit(one.url).path):
        yield "likely_unsupported_format"
    if pages := read[registrable_domain(one.url)]:
        yield f"same_domain_pages={pages}"


__all__ = ["Candidate", "Offer", "Picked", "allowed", "cards", "found", "offer", "sealed", "within"]
