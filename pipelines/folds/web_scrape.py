"""The reply of mcp-retrieval's `web_scrape`: one entry an address, and nothing cut without `[truncated]`.

What no stage finds yet (pictures, favicon) stays empty. Times are those of the stages.
"""

from __future__ import annotations

import re
from datetime import datetime
from hashlib import blake2b
from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, Struct

from pipelines.folds.fold import Fold, same_json
from pipelines.folds.plaintext import without_links
from pipelines.story import Rejected, Story
from stages.records import Document, Failure, Hit, Notice, Tally

ALL_FAILED = "every url failed to be scraped; the pages may be unreachable or hold no extractable text"
ROBOTS = "robots.txt denied"
TIMEOUTS = ("timeout", "deadline")
MARK = "\n\n[truncated]"


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the text of a page is cut and cleaned."""

    max_chars: Annotated[int, Meta(ge=1, le=20_000, description="Characters of each page at most.")] = 20_000
    remove_links: Annotated[bool, Meta(description="Whether links become their text.")] = False


class Scraped(Struct, frozen=True, kw_only=True):
    """The main text of a page."""

    id: str
    title: str
    byline: str
    markdown: str
    length: int
    excerpt: str
    site_name: str
    main_image: str
    all_images: tuple[str, ...]
    favicon: str
    language: str
    truncated: bool


class Result(Struct, frozen=True, kw_only=True):
    """One address."""

    url: str
    status: Literal["success", "failed", "timeout"]
    scraped_data: Scraped | None
    total_time_ms: int
    error: Annotated[str, Meta(description="Why, where it is no success.")]


class Metadata(Struct, frozen=True, kw_only=True):
    """About the call."""

    total_request_time_ms: int
    date: str


class Reply(Struct, frozen=True, kw_only=True):
    """Every address, in the order given."""

    results: tuple[Result, ...]
    metadata: Metadata
    notices: Annotated[tuple[str, ...], Meta(description="Limits that were moved, and what else is to be known.")]


def fold(story: Story, options: Options) -> Reply:
    """One entry an address. Raises Rejected when all failed for another reason than time."""
    documents = {one.provenance.asked or one.url: one for one in story.of(Document)}
    failures = {one.subject: one for one in story.of(Failure)}
    urls = [one.url for one in story.fed if isinstance(one, Hit)]
    lost = {url: failures.get(url[:300]) for url in urls if url not in documents}
    _refuse(urls, lost)
    scraped = {url: _scraped(documents[url], story, options) for url in urls if url in documents}
    spent = max((one.milliseconds for one in story.of(Tally)), default=0)
    return Reply(
        results=tuple(_result(url, lost.get(url), data=scraped.get(url), spent=spent) for url in urls),
        metadata=Metadata(total_request_time_ms=spent, date=story.run.start),
        notices=tuple(one.message for one in story.of(Notice) if one.code != "lifted"),
    )


def _refuse(urls: list[str], lost: dict[str, Failure | None]) -> None:
    kinds = [failure.kind if failure else "unknown" for failure in lost.values()]
    if len(lost) < len(urls) or any(kind in TIMEOUTS for kind in kinds):
        return
    first = ROBOTS if all(kind == "robots" for kind in kinds) else ALL_FAILED
    raise Rejected("\n".join([first, *(f"{url}: {failure.message if failure else 'not read'}" for url, failure in lost.items())]))


def _result(url: str, failure: Failure | None, *, data: Scraped | None, spent: int) -> Result:
    if data is None:
        timed_out = failure is not None and failure.kind in TIMEOUTS
        return Result(
            url=url,
            status="timeout" if timed_out else "failed",
            scraped_data=None,
            total_time_ms=spent,
            error=failure.message if failure else "not read",
        )
    return Result(url=url, status="success", scraped_data=data, total_time_ms=spent, error="")


def _scraped(document: Document, story: Story, options: Options) -> Scraped:
    whole = without_links(document.text) if options.remove_links else document.text
    text = cut(whole, options.max_chars)
    return Scraped(
        id=str(uuid7(story.run.start, document.url)),
        title=document.title,
        byline=document.author,
        markdown=text if len(whole) <= options.max_chars else text + MARK,
        length=len(text),
        excerpt=document.description,
        site_name=document.site,
        main_image="",
        all_images=(),
        favicon="",
        language=document.language,
        truncated=len(whole) > options.max_chars,
    )


def cut(text: str, most: int) -> str:
    """At most so many characters: to the end of a paragraph, line, sentence or word, whichever first leaves half of them."""
    if len(text) <= most:
        return text
    head = text[:most]
    for separator in (r"\n\n", r"\n", r"[.?!\u3002\uff1f\uff01]\s?", r",\s", r"\s"):
        ends = [match.end() for match in re.finditer(separator, head)]
        if ends and ends[-1] > most // 2:
            return head[: ends[-1]].rstrip()
    return head


def uuid7(start: str, url: str) -> UUID:
    """A UUID of version 7: the time of the run, then what the address and the run hash to."""
    moment = int(datetime.fromisoformat(start).timestamp() * 1000)
    rest = int.from_bytes(blake2b(f"{start}\0{url}".encode("utf-8", "surrogatepass"), digest_size=10).digest())
    value = (moment & (1 << 48) - 1) << 80 | rest
    value = value & ~(0xF << 76) | 7 << 76
    return UUID(int=value & ~(3 << 62) | 2 << 62)


WEB_SCRAPE = Fold(
    name="web_scrape", reply=Reply, needs=(Document,), fold=fold, markdown=same_json, brief=same_json, options=Options
)
