"""Fetch the page behind each hit.

Reads Hit, writes Page, and with `keep_hits` the Hit again before it. A hit that cannot be fetched becomes a Failure: refused (an
address that is not allowed), robots, timeout, network, too_large, deadline; or what stood in the page's place: challenge,
blocked, login, consent, rate_limited, not_found, server_error, empty, needs_browser, unsupported_content, unknown. A page's own
stylesheets come with it, where they can be had.
"""

from __future__ import annotations

from functools import partial
from hashlib import sha256
from typing import Annotated, Literal

from msgspec import Meta
from msgspec.structs import replace

from stages.core.env import Env, Reply, Request
from stages.core.errors import StageError
from stages.core.stage import Each, each
from stages.html.sniff import is_html
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
    scripted: Annotated[
        Literal["fail", "pass"], Meta(description="A page that a script draws fails, or goes on for the data that it brings.")
    ] = "fail"
    keep_hits: Annotated[bool, Meta(description="Also pass on each hit that was fetched, before its page.")] = False


@each(lifts=("dedupe",))
async def fetch(hit: Hit, options: Options, env: Env) -> Page | list[Hit | Page]:
    """The page, after redirects. Raises StageError."""
    page = await _page(hit, options, env)
    return [hit, page] if options.keep_hits else page


async def _page(hit: Hit, options: Options, env: Env) -> Page:
    request = Request(url=hit.url, max_bytes=options.max_megabytes << 20, timeout_secs=options.timeout_secs)
    obey_robots = options.robots == "obey"
    reply = await env.net.read(request, obey_robots=obey_robots)
    page = page_of(hit, reply, env.now, request.max_bytes, scripted=options.scripted == "pass")
    if not is_html(page.body, page.media_type):
        return page
    from stages.net.stylesheets import attached

    sheets = await attached(partial(env.net.read, obey_robots=obey_robots), page.url, page.body, page.charset)
    return replace(page, stylesheets=sheets)


def page_of(hit: Hit, reply: Reply, now: str, max_bytes: int = 8 << 20, *, scripted: bool = False) -> Page:
    """The reply as a Page. Raises StageError when something else stood in its place; `scripted` lets a script's page be one."""
    from stages.net.classify import classify
    from stages.net.media import charset_of, media_type_of, named, sniffed, unfolded

    body = unfolded(reply.body, max_bytes)
    if body is None:
        raise StageError("too_large", f"{_host(reply.url)}: a gzip file that unfolds to more than {max_bytes >> 20} MB")
    verdict = classify(reply.status, reply.headers, body, reply.url, reply.asked)
    if verdict.outcome != "ok" and not (scripted and verdict.outcome == "needs_browser"):
        raise _failure(reply, verdict.outcome, verdict.vendor, verdict.hint)
    return Page(
        url=reply.url,
        asked=reply.asked or hit.url,
        title=hit.title,
        status=verdict.outcome,
        http_status=reply.status,
        headers=tuple((name, _printable(value)) for name, value in reply.headers if name in KEPT_HEADERS),
        media_type=named(sniffed(media_type_of(reply.headers), body), reply.url),
        charset=charset_of(reply.headers),
        body=body,
        fetched_at=reply.from_cache or now,
        tier="store" if reply.from_cache else "http",
        sha256=sha256(reply.body).hexdigest(),
        exchange=reply.exchange,
    )


def _printable(value: str) -> str:
    """A header's value is ASCII; whatever else a server put there is nobody's text."""
    return "".join(character for character in value[:MAX_HEADER_CHARACTERS] if " " <= character <= "~")


def _failure(reply: Reply, outcome: Outcome, vendor: str, hint: str) -> StageError:
    details = ", ".join(filter(None, (f"HTTP {reply.status}", vendor, hint)))
    return StageError(
        outcome, f"{_host(reply.url)} {_SAYS.get(outcome, 'answered unclearly')} ({details})", http_status=reply.status
    )


def _host(url: str) -> str:
    return url.partition("://")[2].partition("/")[0]
