"""Folds a run to the reply that Groundhog's `research` publishes. What no stage finds yet is empty: candidates and links."""

from __future__ import annotations

from collections import Counter
from typing import Any

from msgspec import Struct

from pipelines.folds.fold import Fold, same_json
from pipelines.folds.groundhog_parts import PAGE, TIMES, backend, notes, passage_id, provenance, refusals, threats, why
from pipelines.folds.groundhog_types import Followed, Passage, Receipt, ResearchResult, Source
from pipelines.story import Story
from stages import records

MOST_ERROR = 200


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was asked, for the receipt; `follow` holds the reasons of the picks."""

    query: str = ""
    aim: str | None = None
    published_after: str | None = None
    include_domains: tuple[str, ...] = ()
    exclude_domains: tuple[str, ...] = ()
    follow: tuple[str, ...] = ()


def fold(story: Story, options: Options) -> ResearchResult:
    """Passages best first; a source for every page that was asked for."""
    documents = story.of(records.Document)
    late = {one.url for one in documents if _before(one.published, options.published_after)}
    passages = [one for one in story.of(records.Passage) if one.url not in late and one.score]
    sources = [_read(one, filtered=one.url in late) for one in documents]
    sources += [_lost(one) for one in story.of(records.Failure) if one.stage in ("fetch", "sanitize", "extract", "chunk")]
    receipt = _receipt(story, sources, documents, passages, options)
    return ResearchResult(
        query=options.query,
        backend=backend(story),
        passages=tuple(_passage(one) for one in passages),
        sources=tuple(sources),
        candidates=(),
        followed=tuple(Followed(url=None, why=why, outcome="invalid_token") for why in options.follow),
        truncated=receipt.omitted > 0 or receipt.clamped,
        notes=(*notes(story), *refusals(story)),
        omitted_safety=None,
        receipt=receipt,
    )


def _before(published: str, after: str | None) -> bool:
    return bool(after and published and published[:10] < after)


def _passage(passage: records.Passage) -> Passage:
    return Passage(
        id=passage_id(passage.url, passage.provenance.document_sha256, passage.start, passage.end),
        text=passage.text,
        source_url=passage.url,
        heading=passage.headings[-1] if passage.headings else None,
        score=passage.score or 0.0,
        start=passage.start,
        end=passage.end,
        clamped=passage.clamped,
        fence=None,
    )


def _read(document: records.Document, *, filtered: bool) -> Source:
    counts = Counter[str]()
    for threat in document.threats:
        counts[threat.kind] += threat.count
    return Source(
        url=document.url,
        title=document.title,
        status="ok",
        page_status="ok",
        threats=threats(document),
        provenance=provenance(document),
        error=None,
        filtered="published_before" if filtered else None,
        depth=0,
        discovered_via=None,
        threat_total=document.threats_total,
        threat_counts=dict(sorted(counts.items())),
    )


def _lost(failure: records.Failure) -> Source:
    page = PAGE.get(failure.kind)
    timed = "timeout" if failure.kind in TIMES else "blocked" if failure.kind == "refused" else "error"
    return Source(
        url=failure.subject,
        title="",
        status="ok" if page else timed,  # type: ignore[arg-type]  # one of the three
        page_status=page,
        threats=(),
        provenance=None,
        error=None if page else why(failure)[:MOST_ERROR],
        filtered=None,
        depth=0,
        discovered_via=None,
        threat_total=0,
        threat_counts={},
    )


def _receipt(
    story: Story, sources: list[Source], documents: list[records.Document], passages: list[records.Passage], options: Options
) -> Receipt:
    from stages.text.urls import registrable_domain

    drops = story.of(records.Drop)
    unread = [one.subject for one in drops if one.stage == "dedupe" and one.reason == "over_limit"]
    undated = sum(not one.published for one in documents)
    places = Counter(registrable_domain(url) for url in (*(one.url for one in sources), *unread))
    none = (
        "hits_excluded", "hits_outside_domains", "hits_before_date", "hits_same_domain", "outside_domains", "candidates_omitted",
        "links_examined", "links_over_limit", "links_straddled", "link_variants_dropped", "passages_omitted",
        "threat_excerpts_omitted", "sources_omitted",
    )  # fmt: skip
    counts: dict[str, Any] = dict.fromkeys(none, 0)
    return Receipt(
        executed_query=None if options.follow else options.query,
        aim=options.aim,
        include_domains=options.include_domains,
        exclude_domains=options.exclude_domains,
        published_after=options.published_after,
        hits=len(sources) + len(unread),
        hits_by_domain=dict(sorted(places.items())),
        hits_unread=len(unread),
        failed=sum(one.status != "ok" for one in sources),
        not_content=sum(one.status == "ok" and one.page_status != "ok" for one in sources),
        filtered=sum(one.filtered is not None for one in sources),
        usable=sum(one.page_status == "ok" and one.filtered is None for one in sources),
        unknown_dates=undated if options.published_after else None,
        omitted=sum(one.reason == "over_budget" for one in drops),
        set_aside=sum(one.stage == "rank" for one in drops),
        clamped=any(one.clamped for one in passages),
        include_domains_count=len(options.include_domains),
        exclude_domains_count=len(options.exclude_domains),
        metadata_compacted=(),
        **counts,
    )


GROUNDHOG_RESEARCH = Fold(
    name="groundhog_research",
    reply=ResearchResult,
    needs=(records.Passage, records.Document),
    fold=fold,
    markdown=same_json,
    brief=same_json,
    options=Options,
)
