"""The reply of `search_news`: one report of each outlet, best first, and a timeline of the days they were published on."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from pipelines.folds import news, quoting
from pipelines.folds.asking import Asking, Status, asked_lines, askings, found_by, over_limit
from pipelines.folds.fold import Fold, unanswered
from pipelines.folds.receipt import Receipt, receipt, why_nothing
from pipelines.story import Story
from stages.records import Hit


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many reports are shown."""

    limit: Annotated[int, Meta(ge=1, le=50, description="Reports in the reply at most, one of each outlet.")] = 10


class Report(Struct, frozen=True, kw_only=True):
    """One report."""

    number: int
    url: str
    title: str
    snippet: str
    published: Annotated[str, Meta(description="YYYY-MM-DD; empty where no date is told.")]
    published_trust: Annotated[str, Meta(description="Whether the date is to be trusted: trusted, semi, untrusted, or unknown.")]
    source: str
    source_url: str
    opaque: Annotated[bool, Meta(description="Whether the address leads through the engine and does not tell where to.")]
    engines: tuple[str, ...]


class Day(Struct, frozen=True, kw_only=True):
    """The numbers of the reports of one day."""

    day: str
    news: tuple[int, ...]


class Reply(Struct, frozen=True, kw_only=True):
    """Every query, and the union of what they found."""

    status: Status
    message: Annotated[str, Meta(description="Why there is nothing; empty otherwise.")]
    queries: tuple[Asking, ...]
    news: tuple[Report, ...]
    timeline: Annotated[tuple[Day, ...], Meta(description="Newest day first; reports without a date stand in none.")]
    same_outlet_omitted: Annotated[int, Meta(description="Further reports of outlets that are shown.")]
    news_omitted: Annotated[int, Meta(description="Other reports that were found, over the limit.")]
    receipt: Receipt


def fold(story: Story, options: Options) -> Reply:
    """Queries in the order asked; reports in the order of their score."""
    told, found = receipt(story), story.of(Hit)
    chosen = news.choose(found, options.limit)
    reports = [_report(number, hit) for number, hit in enumerate(chosen.hits, 1)]
    days = news.by_day(reports, lambda report: report.published)
    return Reply(
        status=story.status,  # type: ignore[arg-type]  # one of STATUS
        message=why_nothing(told, story.status),
        queries=askings(story, chosen.hits, told),
        news=tuple(reports),
        timeline=tuple(Day(day=day, news=tuple(one.number for one in those)) for day, those in days.items()),
        same_outlet_omitted=chosen.same_outlet,
        news_omitted=chosen.over_limit + over_limit(told),
        receipt=told,
    )


def _report(number: int, hit: Hit) -> Report:
    return Report(
        number=number,
        url=hit.url,
        title=hit.title,
        snippet=hit.snippet,
        published=hit.published[:10],
        published_trust=hit.published_trust,
        source=hit.source or news.outlet(hit),
        source_url=hit.source_url,
        opaque=hit.opaque,
        engines=found_by(hit),
    )


def markdown(reply: Reply, nonce: str, options: Options) -> str:
    """The timeline between marks, then what each query came to."""
    lines = [brief(reply, nonce, options), *asked_lines(reply.queries, "reports")]
    if reply.news_omitted:
        lines.append(f"{reply.news_omitted} more reports were found; a larger limit shows them.")
    return "\n".join(lines)


def brief(reply: Reply, nonce: str, _options: Options) -> str:
    """The reports day by day, those without a date last."""
    if not reply.news:
        return reply.message
    dated = {number for day in reply.timeline for number in day.news}
    days = [(day.day, day.news) for day in reply.timeline]
    if undated := tuple(one.number for one in reply.news if one.number not in dated):
        days.append(("undated", undated))
    rows = []
    for day, numbers in days:
        rows.append(f"## {day}")
        for report in (reply.news[number - 1] for number in numbers):
            snippet = f"\n{' '.join(report.snippet.split())}" if report.snippet else ""
            source = quoting.line(report.source, nonce)
            rows.append(f"[{report.number}] {quoting.line(report.title, nonce)} ({source})\n{report.url}{snippet}")
    return quoting.listed(rows, nonce)


SEARCH_NEWS = Fold(
    name="search_news", reply=Reply, needs=(Hit,), fold=fold, markdown=markdown, brief=brief, failed=unanswered, options=Options
)
