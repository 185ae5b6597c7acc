"""The requests of BetterWebSearch's tools that read pages: what is out of range is refused, never moved.

`web_research` and `deep_search` are one request under two names.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal
from urllib.parse import urlsplit

from msgspec import Meta, Struct

from pipelines.story import Rejected
from pipelines.unfolds.better_web_search import MOST_DAYS, span
from pipelines.unfolds.unfold import Unfold, Unfolded
from stages.records import Hit, Question

QUERIES = {"quick": 2, "deep": 6}
"""Ways in which a question is asked at most."""
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):\S")

Mode = Literal["auto", "fast", "browser"]


class ResearchArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """As that server publishes them."""

    question: Annotated[str, Meta(min_length=1, description="What you want to know.")]
    depth: Annotated[
        Literal["quick", "deep"],
        Meta(description=f"In how many ways to ask it at most: quick {QUERIES['quick']}, deep {QUERIES['deep']}."),
    ] = "deep"
    recency_days: Annotated[
        int,
        Meta(ge=0, le=MOST_DAYS, description="Only pages of so many past days, and those without a date; 0 for any time."),
    ] = 0
    count_per_query: Annotated[int, Meta(ge=1, le=10, description="Results taken from each engine for each query.")] = 5


class ExtractArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """As that server publishes them."""

    urls: Annotated[tuple[str, ...], Meta(min_length=1, description="Addresses of pages; one that is none refuses the call.")]
    mode: Annotated[
        Mode, Meta(description="All three read pages without a browser; with browser, a warning says that none was used.")
    ] = "auto"
    include_api_data: Annotated[
        bool, Meta(description="Whether there is api_endpoints, which only a browser could fill: it is empty.")
    ] = True
    include_structured_data: Annotated[
        bool, Meta(description="Whether JSON-LD is returned, and data for scripts read where a page has no text.")
    ] = True
    browser_fallback: Annotated[
        bool, Meta(description="Without effect: no browser is used; a page that needs one fails and says so.")
    ] = True


def research(asked: ResearchArguments) -> Unfolded:
    """The question. Raises Rejected."""
    if not asked.question.strip():
        raise Rejected("question must not be empty")
    question = Question(text=asked.question, freshness=span(asked.recency_days))
    values = {"question": asked.question, "days": asked.recency_days, "count": asked.count_per_query}
    return Unfolded(records=(question,), values=values | {"queries": QUERIES[asked.depth]})


def extract(asked: ExtractArguments) -> Unfolded:
    """A hit an address. Raises Rejected."""
    urls = tuple(url.strip() for url in asked.urls)
    if wrong := [f"urls[{place}]: {problem}" for place, url in enumerate(urls) if (problem := _problem(url))]:
        raise Rejected("\n".join(["each url must be a valid URL", *wrong]))
    return Unfolded(
        records=tuple(Hit(url=url) for url in dict.fromkeys(urls)),
        values={
            "urls": urls,
            "mode": asked.mode,
            "api_data": asked.include_api_data,
            "structured": asked.include_structured_data,
        },
    )


def _problem(url: str) -> str:
    """Why it is no address. One of a scheme that is never fetched is one all the same, and is refused when its turn comes."""
    if not _SCHEME.match(url):
        return "it has no scheme, as in https://"
    try:
        parts = urlsplit(url)
    except ValueError:
        return "malformed"
    whole = parts.scheme not in ("http", "https") or (parts.hostname and not any(map(str.isspace, url)))
    return "" if whole else "malformed"


BETTER_WEB_PAGES = (
    Unfold(
        name="better_web_research",
        arguments=ResearchArguments,
        gives=("question", "days", "count", "queries"),
        feeds=(Question,),
        call=research,
    ),
    Unfold(
        name="better_web_extract",
        arguments=ExtractArguments,
        gives=("urls", "mode", "api_data", "structured"),
        feeds=(Hit,),
        call=extract,
    ),
)
