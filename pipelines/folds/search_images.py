"""The reply of `search_images`: the pictures that were found, best first, each with the page that it stands on."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from pipelines.folds import quoting
from pipelines.folds.asking import Asking, Status, asked_lines, askings, found_by, over_limit
from pipelines.folds.fold import Fold, NoOptions, unanswered
from pipelines.folds.receipt import Receipt, receipt, why_nothing
from pipelines.story import Story
from stages.records import Hit


class Picture(Struct, frozen=True, kw_only=True):
    """One picture. `width` and `height` are 0 where nobody told them."""

    number: int
    image_url: str
    page_url: str
    title: str
    description: str
    thumbnail_url: str
    width: int
    height: int
    source: str
    license: Annotated[str, Meta(description="As the collection tells it; empty where it is not known, which is no permission.")]
    creator: str
    engines: tuple[str, ...]


class Reply(Struct, frozen=True, kw_only=True):
    """Every query, and the union of their pictures."""

    status: Status
    message: Annotated[str, Meta(description="Why there is nothing; empty otherwise.")]
    queries: tuple[Asking, ...]
    images: tuple[Picture, ...]
    images_omitted: Annotated[int, Meta(description="Other pictures that were found, over the limit.")]
    receipt: Receipt


def fold(story: Story, _options: NoOptions) -> Reply:
    """Queries in the order asked; pictures in the order of their score."""
    told, hits = receipt(story), story.of(Hit)
    return Reply(
        status=story.status,  # type: ignore[arg-type]  # one of STATUS
        message=why_nothing(told, story.status),
        queries=askings(story, hits, told),
        images=tuple(_picture(number, hit) for number, hit in enumerate(hits, 1)),
        images_omitted=over_limit(told),
        receipt=told,
    )


def _picture(number: int, hit: Hit) -> Picture:
    return Picture(
        number=number,
        image_url=hit.image_url,
        page_url=hit.url,
        title=hit.title,
        description=hit.snippet,
        thumbnail_url=hit.thumbnail_url,
        width=hit.width,
        height=hit.height,
        source=hit.source,
        license=hit.license,
        creator=hit.creator,
        engines=found_by(hit),
    )


def markdown(reply: Reply, nonce: str, options: NoOptions) -> str:
    """A numbered list between marks, then what each query came to."""
    lines = [brief(reply, nonce, options), *asked_lines(reply.queries, "images")]
    if reply.images_omitted:
        lines.append(f"{reply.images_omitted} more images were found; a larger limit shows them.")
    return "\n".join(lines)


def brief(reply: Reply, nonce: str, _options: NoOptions) -> str:
    """The list alone."""
    if not reply.images:
        return reply.message
    rows = []
    for one in reply.images:
        size = f" ({one.width} x {one.height})" if one.width and one.height else ""
        terms = f"\n{quoting.line(', '.join(filter(None, (one.license, one.creator))), nonce)}" if one.license else ""
        rows.append(f"[{one.number}] {quoting.line(one.title, nonce)}{size}\n{one.image_url}\non {one.page_url}{terms}")
    return quoting.listed(rows, nonce)


SEARCH_IMAGES = Fold(
    name="search_images", reply=Reply, needs=(Hit,), fold=fold, markdown=markdown, brief=brief, failed=unanswered
)
