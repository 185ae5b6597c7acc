"""Every record on the wire, in pipe order: one JSON object a line, told apart by `type`.

A new field gets a default: yesterday's lines still decode. No record but Tally holds milliseconds: equal inputs give equal lines.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, Literal, get_args

import msgspec
from msgspec import Struct

from stages.vocabulary import AgentName, Count, DropReason, Instant, NoticeCode, Outcome, Rank, Seconds, ThreatKind, Weight


class Record(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag=str.lower):
    """Base of everything on the wire; `type` names the kind."""


class Part(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of what stands inside a record."""


class Run(Record, frozen=True, kw_only=True):
    """The first line: what sibling processes of a shell pipe share, and a replay takes from the archive.

    `start` is the frozen clock (UTC), `deadline` in Unix seconds (0: none), `archive` the WARC written or, with `replay`, read.
    """

    wire: Count
    cribble: str
    id: str
    start: Instant
    seed: Count = 0
    deadline: Seconds = 0.0
    reserve_secs: Seconds = 0.0
    archive: str = ""
    replay: bool = False
    engines: tuple[str, ...] = ()
    searxng_url: str = ""
    agent: AgentName = ""
    keyed: tuple[str, ...] = ()


class Filters(Record, frozen=True, kw_only=True):
    """What narrows a question and every query that is made of it."""

    language: str = ""
    region: str = ""
    freshness: Literal["", "day", "week", "month", "year"] = ""
    include_domains: tuple[str, ...] = ()
    exclude_domains: tuple[str, ...] = ()
    published_after: str = ""
    published_before: str = ""


class Question(Filters, frozen=True, kw_only=True):
    """What somebody wants to know."""

    text: str
    aim: str = ""


class Query(Filters, frozen=True, kw_only=True):
    """One way to ask search engines; `derived` says how it came about, `question` is the id of what it was made of."""

    text: str
    kind: Literal["web", "image", "news"] = "web"
    derived: str = "original"
    weight: Weight = 1.0
    question: str = ""


class Attempt(Record, frozen=True, kw_only=True):
    """A try of an engine or tier (`who`) at a query or URL. `operators`: who saw to each one, `native`, `post` or `ignored`."""

    stage: str
    who: str
    subject: str
    outcome: Outcome
    http_status: Count = 0
    results: Count = 0
    message: str = ""
    operators: dict[str, str] = {}


class Found(Part, frozen=True, kw_only=True):
    """Where an engine showed a hit, `rank` from 1; of a metasearch engine the index families behind it and its places there."""

    engine: str
    family: str
    query: str
    rank: Rank
    weight: Weight = 1.0
    families: tuple[str, ...] = ()
    ranks: tuple[Rank, ...] = ()


class Hit(Record, frozen=True, kw_only=True):
    """A page that engines point to. `score` is absent until hits were fused. `opaque`: the url is the engine's own."""

    url: str
    title: str = ""
    snippet: str = ""
    kind: Literal["web", "image", "news"] = "web"
    published: str = ""
    published_trust: Literal["", "trusted", "semi", "untrusted"] = ""
    image_url: str = ""
    thumbnail_url: str = ""
    width: Count = 0
    height: Count = 0
    source: str = ""
    source_url: str = ""
    opaque: bool = False
    license: str = ""
    creator: str = ""
    found: tuple[Found, ...] = ()
    score: float | None = None
    parts: dict[str, float] = {}


class Threat(Part, frozen=True, kw_only=True):
    """Text that a person does not see; `excerpt` is cleaned and capped, and still untrusted."""

    kind: ThreatKind
    reason: str
    excerpt: str = ""
    place: str = ""
    count: Count = 1


class Stylesheet(Part, frozen=True, kw_only=True):
    """A stylesheet that the page names, as it was when the page was read."""

    url: str
    text: str


class Page(Record, frozen=True, kw_only=True):
    """What an address answered with: `title` is its hit's, `sha256` of the raw bytes, `sanitizer` who cleaned the body."""

    url: str
    asked: str = ""
    title: str = ""
    status: Outcome = "ok"
    http_status: Count = 0
    headers: tuple[tuple[str, str], ...] = ()
    media_type: str = ""
    charset: str = ""
    body: bytes = b""
    stylesheets: tuple[Stylesheet, ...] = ()
    fetched_at: str = ""
    tier: Literal["http", "browser", "store", "file"] = "http"
    sha256: str = ""
    exchange: str = ""
    sanitizer: str = ""
    threats: tuple[Threat, ...] = ()
    threats_total: Count = 0
    embedded: dict[str, str] = {}
    """What it holds for its scripts, where that was asked for: JSON-LD as a list of JSON, of other data its sentences."""


class Provenance(Part, frozen=True, kw_only=True):
    """The chain from a text back to bytes; passage offsets point into the text of `document_sha256`."""

    asked: str = ""
    fetched_at: str = ""
    sha256: str = ""
    exchange: str = ""
    tier: str = ""
    sanitizer: str = ""
    extractor: str = ""
    document_sha256: str = ""


class Document(Record, frozen=True, kw_only=True):
    """The main text of a page, as markdown, cut into so many `passages`; `orders`: how often it tells a machine what to do."""

    url: str
    http_status: Count = 0
    title: str = ""
    text: str = ""
    page_type: str = ""
    author: str = ""
    published: str = ""
    modified: str = ""
    canonical: str = ""
    site: str = ""
    description: str = ""
    language: str = ""
    threats: tuple[Threat, ...] = ()
    threats_total: Count = 0
    orders: Count = 0
    links: tuple[tuple[str, str, Count, Count], ...] = ()  # address, label, start and end in the text
    embedded: dict[str, str] = {}
    passages: Count | None = None
    provenance: Provenance = Provenance()


class Passage(Record, frozen=True, kw_only=True):
    """A citable piece: `text == document.text[start:end]`, in code points; `clamped` when it was cut to fit."""

    id: str
    url: str
    text: str
    start: Count
    end: Count
    title: str = ""
    headings: tuple[str, ...] = ()
    tokens: Count = 0
    score: float | None = None
    parts: dict[str, float] = {}
    clamped: bool = False
    cluster: str = ""
    orders: Count = 0
    published: str = ""
    language: str = ""
    provenance: Provenance = Provenance()


class Link(Record, frozen=True, kw_only=True):
    """A candidate to follow."""

    url: str
    label: str = ""
    relation: str = ""
    flags: tuple[str, ...] = ()
    depth: Count = 0
    parent: str = ""
    token: str = ""


class Drop(Record, frozen=True, kw_only=True):
    """A record set aside on purpose."""

    stage: str
    subject: str
    reason: DropReason
    message: str = ""


class Failure(Record, frozen=True, kw_only=True):
    """What stands in place of a record that was lost; `lost` is the record itself when it is small, a body never."""

    stage: str
    subject: str
    kind: Outcome
    message: str
    retryable: bool = False
    lost_id: str = ""
    lost_type: str = ""
    lost: dict[str, Any] = {}


class Notice(Record, frozen=True, kw_only=True):
    """What the caller must know about how the run was carried out."""

    stage: str
    code: NoticeCode
    message: str
    option: str = ""
    asked: str = ""
    used: str = ""


class Tally(Record, frozen=True, kw_only=True):
    """What one stage did, written once when it ends: `read == went_on + dropped + failed`; `wrote` is counted apart."""

    stage: str
    read: Count = 0
    went_on: Count = 0
    wrote: Count = 0
    dropped: dict[str, Count] = {}
    failed: dict[str, Count] = {}
    milliseconds: Count = 0


AnyRecord = Run | Question | Query | Attempt | Hit | Page | Document | Passage | Link | Drop | Failure | Notice | Tally
KINDS: tuple[type[Record], ...] = get_args(AnyRecord)  # in pipe order
BY_TAG: dict[str, type[Record]] = {kind.__name__.lower(): kind for kind in KINDS}
encode = msgspec.json.Encoder().encode  # to one line, without its newline


def tag(record: Record) -> str:
    """The record's `type` on the wire."""
    return type(record).__name__.lower()


def record_id(record: Record) -> str:
    """A content hash: equal records have equal ids in any process. 20 hex digits."""
    page = isinstance(record, Page)  # its body in base64 would cost more than the hash
    digest = blake2b(encode(msgspec.structs.replace(record, body=b"") if page else record), digest_size=10)
    digest.update(record.body if isinstance(record, Page) else b"")
    return digest.hexdigest()


def subject(record: Record) -> str:
    """What a person would call the record: its URL, or else its text."""
    return str(getattr(record, "url", "") or getattr(record, "text", "") or getattr(record, "subject", ""))[:300]
