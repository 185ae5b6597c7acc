"""Folds a run to the reply that Groundhog's `search` publishes: links, and nothing that has to be fetched."""

from __future__ import annotations

from msgspec import Struct

from pipelines.folds.asking import found_by
from pipelines.folds.fold import Fold, same_json
from pipelines.folds.groundhog_parts import backend, notes, refusals, unanswered
from pipelines.folds.groundhog_types import SearchHit, SearchResult
from pipelines.story import Story
from stages.records import Hit


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was asked."""

    query: str = ""


def fold(story: Story, options: Options) -> SearchResult:
    """Hits best first. Raises Rejected where nobody answered."""
    if story.status in ("unavailable", "deadline"):
        raise unanswered(story)
    return SearchResult(
        query=options.query,
        backend=backend(story),
        hits=tuple(_hit(one) for one in story.of(Hit)),
        notes=(*notes(story), *refusals(story)),
    )


def _hit(hit: Hit) -> SearchHit:
    return SearchHit(
        title=hit.title,
        url=hit.url,
        snippet=hit.snippet,
        engine="+".join(found_by(hit)),
        score=round(hit.score or 0.0, 4),
        published=hit.published or None,
    )


GROUNDHOG_SEARCH = Fold(
    name="groundhog_search",
    reply=SearchResult,
    needs=(Hit,),
    fold=fold,
    markdown=same_json,
    brief=same_json,
    options=Options,
)
