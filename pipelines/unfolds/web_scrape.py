"""The request of mcp-retrieval's `web_scrape`: a batch of addresses, refused as a whole when one of them is no address.

Limits out of range are moved inside, and a Notice says so; zero and less stand for the default, as that server has it.
"""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from msgspec import Meta, Struct

from pipelines.story import Rejected
from pipelines.unfolds.unfold import Unfold, Unfolded, clamped
from stages.records import Hit, Notice

MOST_URLS, MOST_URL = 10, 2048
TIMEOUT_MS, LEAST_TIMEOUT_MS, MOST_TIMEOUT_MS = 5000, 1000, 10_000
MOST_CHARS = 20_000


class WebScrapeArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """As that server publishes them."""

    urls: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1, max_length=MOST_URLS, description="1 to 10 http(s) addresses; one that is none refuses the whole call."
        ),
    ]
    max_chars: Annotated[
        int, Meta(description=f"Characters of each page at most, {MOST_CHARS} unless less is asked for; a cut page says so.")
    ] = MOST_CHARS
    robots_txt: Annotated[bool, Meta(description="Whether robots.txt may refuse a page.")] = False
    timeout_ms: Annotated[
        int, Meta(description=f"Milliseconds for the whole call, {LEAST_TIMEOUT_MS} to {MOST_TIMEOUT_MS}; the rest is a timeout.")
    ] = TIMEOUT_MS
    remove_links: Annotated[bool, Meta(description="Whether links become their text.")] = False


def unfold(asked: WebScrapeArguments) -> Unfolded:
    """A hit an address. Raises Rejected."""
    urls = [url.strip() for url in asked.urls]
    if wrong := [f"urls[{place}]: {problem}" for place, url in enumerate(urls) if (problem := _problem(url))]:
        raise Rejected("\n".join(["invalid url", *wrong]))
    notices: list[Notice] = []
    timeout_ms = clamped("timeout_ms", asked.timeout_ms, TIMEOUT_MS, (LEAST_TIMEOUT_MS, MOST_TIMEOUT_MS), notices)
    max_chars = clamped("max_chars", asked.max_chars, MOST_CHARS, (1, MOST_CHARS), notices)
    if not asked.robots_txt:
        told = "robots.txt is not asked unless robots_txt is true"
        notices.append(Notice(stage="request", code="degraded", message=told, option="robots_txt"))
    return Unfolded(
        records=tuple(Hit(url=url) for url in dict.fromkeys(urls)),
        values={
            "timeout_secs": timeout_ms / 1000,
            "robots": "obey" if asked.robots_txt else "ignore",
            "max_chars": max_chars,
            "remove_links": asked.remove_links,
        },
        deadline_secs=timeout_ms / 1000,
        notices=tuple(notices),
    )


def _problem(url: str) -> str:
    if len(url) > MOST_URL:
        return f"longer than {MOST_URL} characters"
    try:
        parts = urlsplit(url)
    except ValueError:
        return "malformed"
    if parts.scheme not in ("http", "https"):
        return "neither http nor https"
    return "" if parts.hostname and not any(character.isspace() for character in url) else "malformed"


WEB_SCRAPE = Unfold(
    name="web_scrape",
    arguments=WebScrapeArguments,
    gives=("timeout_secs", "robots", "max_chars", "remove_links"),
    feeds=(Hit, Notice),
    call=unfold,
    refusal="invalid request",
)
