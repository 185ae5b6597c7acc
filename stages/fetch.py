"""Fetch the page behind each hit.

Reads Hit, writes Page. A hit that cannot be fetched becomes a Failure: refused (an address that is not allowed), robots, timeout,
network, too_large, deadline; or what stood in the page's place: challenge, blocked, login, consent, rate_limited, not_found,
server_error, empty, needs_browser, unsupported_content, unknown.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Annotated, Literal

from msgspec import Meta

from stages.core.env import Env, Reply, Request
from stages.core.errors import StageError
from stages.core.stage import Each, each
from stages.records import Hit, Page
from stages.vocabulary import Outcome

KEPT_HEADERS = frozenset({
    "age", "cache-control", "content-disposition", "content-language", "content-type", "date", "etag", "expires", "last-modified",
    "link", "x-robots-tag",
})  # fmt: skip
"""What later stages and readers may need; cookies and everything else stay behind."""

MAX_HEADER_CHARACTERS = 2000

_SAYS: dict[Outcome, str] = {
    "challenge": "asks for proof that a person is there",
    "blocked": "refuses programs like this one",
    "login": "wants a login",
    "consent": "shows a consent dialog in place of the page",
    "rate_limited": "asks to slow down; retry later",
    "not_found": "has no such page",
    "server_error": "has a fault of its own; retry later",
    "empty": "answered with nothing to read",
    "needs_browser": "draws this page by script, so it needs a browser",
    "unsupported_content": "sent something that is not text",
}


class Options(Each, frozen=True):
    """How pages are fetched."""

    max_megabytes: Annotated[int, Meta(ge=1, le=64, description="Stop reading a body past this.")] = 8
    robots: Annotated[Literal["obey", "ignore"], Meta(description="Whether robots.txt may refuse.")] = "obey"


@each(lifts=("dedupe",))
async def fetch(hit: Hit, options: Options, env: Env) -> Page:
    """The page, after redirects. Raises StageError."""
    request = Request(url=hit.url, max_bytes=options.max_megabytes << 20, timeout_secs=options.timeout_secs)
    reply = await env.net.read(request, obey_robots=options.robots == "obey")
    return page_of(hit, reply, env.now)


def page_of(hit: Hit, reply: Reply, now: str) -> Page:
    """The reply as a Page. Raises StageError when something else stood in its place."""
    from stages.net.classify import classify
    from stages.net.media import charset_of, media_type_of, sniffed

    verdict = classify(reply.status, reply.headers, reply.body, reply.url)
    if verdict.outcome != "ok":
        raise _failure(reply, verdict.outcome, verdict.vendor, verdict.hint)
    return Page(
        url=reply.url,
        asked=reply.asked or hit.url,
        title=hit.title,
        http_status=reply.status,
        headers=tuple((name, _printable(value)) for name, value in reply.headers if name in KEPT_HEADERS),
        media_type=sniffed(media_type_of(reply.headers), reply.body),
        charset=charset_of(reply.headers),
        body=reply.body,
        fetched_at=reply.from_cache or now,
        tier="store" if reply.from_cache else "http",
        sha256=sha256(reply.body).hexdigest(),
        exchange=reply.exchange,
    )


def _printable(value: str) -> str:
    """A header's value is ASCII; whatever else a server put there is nobody's text."""
    return "".join(character for character in value[:MAX_HEADER_CHARACTERS] if " " <= character <= "~")


def _failure(reply: Reply, outcome: Outcome, vendor: str, hint: str) -> StageError:
    host = reply.url.partition("://")[2].partition("/")[0]
    details = ", ".join(filter(None, (f"HTTP {reply.status}", vendor, hint)))
    return StageError(outcome, f"{host} {_SAYS.get(outcome, 'answered unclearly')} ({details})", http_status=reply.status)
