"""The replies of BetterWebSearch's `web_search`, `web_find` and `web_news`: sources with their relevance, and who refused."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from pipelines.folds import news
from pipelines.folds.fold import Fold, same_json
from pipelines.story import Story
from stages.records import Attempt, Failure, Hit, Query
from stages.vocabulary import Outcome

_REASONS: dict[Outcome, str] = {
    "rate_limited": "rate limited", "challenge": "rate limited", "blocked": "blocked", "consent": "wants consent first",
    "login": "wants a login", "network": "could not be reached", "timeout": "no answer in time", "deadline": "no answer in time",
    "server_error": "out of order", "parse_changed": "its page has another layout", "irrelevant": "results about something else",
}  # fmt: skip
_ANSWERS = ("ok", "empty")


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the call asked for; `days` of 0 for any time."""

    query: str = ""
    site: str = ""
    topic: str = ""
    days: Annotated[int, Meta(ge=0, le=365, description="Only what was published within so many past days.")] = 0
    limit: Annotated[int, Meta(ge=1, le=20, description="Sources at most.")] = 10


class SearchSource(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A page. `relevance` is from 0 to 1."""

    title: str
    url: str
    snippet: str
    relevance: Annotated[float, Meta(ge=0, le=1)]
    published: str | UnsetType = UNSET


class SearchReply(Struct, frozen=True, kw_only=True):
    """What was found, and by which queries. `warnings` name who refused and, where nothing was found, why."""

    answer: str
    sources: tuple[SearchSource, ...]
    queries_used: tuple[str, ...]
    warnings: tuple[str, ...] | UnsetType = UNSET


class NewsReply(Struct, frozen=True, kw_only=True):
    """What was found, day by day. `recency_verified`: every date was told by its outlet."""

    answer: str
    sources: tuple[SearchSource, ...]
    timeline: dict[str, tuple[SearchSource, ...]]
    queries_used: tuple[str, ...]
    recency_verified: bool
    warnings: tuple[str, ...] | UnsetType = UNSET


def web_search(story: Story, options: Options) -> SearchReply:
    """The best sources of the web."""
    return _reply(story, f'results for "{options.query}"')


def web_find(story: Story, options: Options) -> SearchReply:
    """The best sources of one site."""
    return _reply(story, f'results from {options.site} for "{options.query}"')


def web_news(story: Story, options: Options) -> NewsReply:
    """One report of each outlet, none older than asked for and none without a date."""
    chosen = news.choose(story.of(Hit), options.limit, news.days_before(story.run.start, options.days))
    hits = chosen.hits
    sources = tuple(map(source, hits))
    days = news.by_day(sources, lambda source: source.published or "")
    return NewsReply(
        answer=f'Top {len(sources)} recent news results for "{options.topic}" within {options.days} days',
        sources=sources,
        timeline={day: tuple(those) for day, those in days.items()},
        queries_used=_queries(story),
        recency_verified=bool(hits) and all(hit.published_trust == "trusted" for hit in hits),
        warnings=_warnings(story, () if hits else _left_out(chosen)),
    )


def _left_out(chosen: news.Chosen) -> tuple[str, ...]:
    """Why none of the reports that came is shown."""
    counts = ((chosen.too_old, "older than asked for"), (chosen.undated, "without a date"))
    return tuple(f"{count} reports left out: {why}" for count, why in counts if count)


def _reply(story: Story, what: str) -> SearchReply:
    sources = tuple(map(source, story.of(Hit)))
    return SearchReply(
        answer=f"Top {len(sources)} {what}", sources=sources, queries_used=_queries(story), warnings=_warnings(story)
    )


def source(hit: Hit) -> SearchSource:
    """A hit as that server shows it."""
    return SearchSource(
        title=hit.title,
        url=hit.url,
        snippet=hit.snippet,
        published=hit.published or UNSET,
        relevance=round(min(1.0, max(0.0, hit.score or 0.0)), 4),
    )


def _queries(story: Story) -> tuple[str, ...]:
    """What was asked for, and the query made of a weak answer, if there was one."""
    fed = (one.text for one in story.fed if isinstance(one, Query))
    return tuple(dict.fromkeys((*fed, *(one.text for one in story.of(Query)))))


def _warnings(story: Story, more: tuple[str, ...] = ()) -> tuple[str, ...] | UnsetType:
    """One line for each engine that refused, and for what else was lost; where there is no hit, also for who found nothing."""
    told = refusals(story, found=bool(story.of(Hit)))
    return tuple(dict.fromkeys((*told, *(one.message for one in story.of(Failure)), *more))) or UNSET


def refusals(story: Story, *, found: bool) -> list[str]:
    """One line for each engine that refused, and, where there is nothing to show, for who found nothing."""
    silent = () if found else ("empty",)
    return [_refusal(one) for one in story.of(Attempt) if one.outcome not in _ANSWERS or one.outcome in silent]


def _refusal(attempt: Attempt) -> str:
    if attempt.outcome == "empty":
        return f"{attempt.who}: {attempt.message or 'the engine found nothing'}"
    reason = _REASONS.get(attempt.outcome, attempt.outcome)
    page = " challenge page" if attempt.outcome == "challenge" else ""
    where = f" (HTTP {attempt.http_status}{page})" if attempt.http_status else f" ({attempt.message})" * bool(attempt.message)
    return f"{attempt.who} refused the request: {reason}{where}"


BETTER_WEB_SEARCH = (
    Fold(
        name="better_web_search",
        reply=SearchReply,
        needs=(Hit,),
        fold=web_search,
        markdown=same_json,
        brief=same_json,
        options=Options,
    ),
    Fold(
        name="better_web_find",
        reply=SearchReply,
        needs=(Hit,),
        fold=web_find,
        markdown=same_json,
        brief=same_json,
        options=Options,
    ),
    Fold(
        name="better_web_news", reply=NewsReply, needs=(Hit,), fold=web_news, markdown=same_json, brief=same_json, options=Options
    ),
)
