"""Redirects by hand, over any `send`: the live door's and a replayed archive's alike.

HTTP redirects, reloads of near-empty pages and the cookies between them, at most MAX_HOPS in all; robots.txt at every hop; one
retry in a chain, after a broken connection or when the server says that it will be ready soon. Nothing here looks at a clock,
except for a request that must be over within some time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from stages.core.env import Reply, Request
from stages.core.errors import StageError
from stages.net.cookies import Jar
from stages.net.guard import join_url, parse_url
from stages.net.media import charset_of, media_type_of
from stages.text import http_dates
from stages.text.markup import glance
from stages.text.walls import NEAR_EMPTY_CHARACTERS

if TYPE_CHECKING:
    from stages.net.robots import Cache, Send

MAX_HOPS = 10
MAX_RETRY_SECS = 3.0
"""A server that asks for more is left alone."""
_RETRY_SECS = 0.5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_KEEP_METHOD = frozenset({307, 308})
UNAVAILABLE = frozenset({429, 503})
_MAX_REFRESH_SECS = 5
_SECRET_HEADERS = frozenset({"authorization", "cookie", "proxy-authorization"})
_OF_BODY = frozenset({"content-type", "content-length", "content-encoding"})


async def read(send: Send, robots: Cache, request: Request, *, obey_robots: bool) -> Reply:
    """The last reply of the chain, with `asked` the first URL.

    Raises StageError: `refused`, `robots`, `network` (a loop, too many hops), `timeout` and what `send` raises.
    """
    if not request.within_secs:
        return await _read(send, robots, request, obey_robots=obey_robots)
    from anyio import move_on_after

    with move_on_after(request.within_secs):
        return await _read(send, robots, request, obey_robots=obey_robots)
    raise StageError("timeout", f"{parse_url(request.url).host} did not answer within {request.within_secs:g} s")


async def _read(send: Send, robots: Cache, request: Request, *, obey_robots: bool) -> Reply:
    chain = _Chain(send, request)
    for _ in range(MAX_HOPS + 1):
        if obey_robots:
            chain.space(await robots.check(send, chain.request))
        reply = await chain.hop()
        onward = _onward(chain.request, reply)
        if onward is None:
            return replace(reply, asked=request.url)
        chain.go(reply, onward)
    raise StageError("network", f"{parse_url(request.url).host} redirects more than {MAX_HOPS} times")


class _Chain:
    """Where a read stands: the next request, the cookies, what was asked already, and the one retry."""

    def __init__(self, send: Send, request: Request) -> None:
        self.request = replace(request, url=parse_url(request.url).href)
        self._send = send
        self._cookies = Jar()
        self._hosts: set[str] = set()
        self._asked: set[tuple[str, str, str]] = set()
        self._retried = False

    def space(self, secs: float) -> None:
        """What the next host wants between two pages."""
        self.request = replace(self.request, spacing_secs=secs)

    async def hop(self) -> Reply:
        """One exchange, and a second one where that may help. A page has one turn at a host, however many hops it takes."""
        target = parse_url(self.request.url)
        request, sent = replace(self.request, part=self.request.part or target.host in self._hosts), self._cookies.header(target)
        self._hosts.add(target.host)
        key = (request.method, request.url, sent)
        if key in self._asked:
            raise StageError("network", f"{parse_url(request.url).host} redirects in a loop")
        self._asked.add(key)
        if sent:
            request = replace(request, headers=_with_cookies(request.headers, sent))
        try:
            reply = await self._send(request)
        except StageError as error:
            if error.kind != "network" or not self._may_retry():
                raise
            return await self._send(replace(request, part=True))
        wait_secs = retry_secs(reply)
        if wait_secs is not None and self._may_retry():
            reply = await self._send(replace(request, wait_secs=wait_secs, part=True))
        return reply

    def _may_retry(self) -> bool:
        allowed = not self._retried and self.request.method in ("GET", "HEAD")
        self._retried = True
        return allowed

    def go(self, reply: Reply, url: str) -> None:
        """Turn to the next hop. Credentials stay with their origin and trust with its host."""
        here, there = parse_url(self.request.url), parse_url(url)
        if here.scheme == "https" and there.scheme == "http":
            raise StageError("refused", f"{here.host} redirects from https to http")
        self._cookies.keep(here, reply)
        keep = reply.status in _KEEP_METHOD or self.request.method in ("GET", "HEAD")
        left_behind = (frozenset() if keep else _OF_BODY) | (frozenset() if here.origin == there.origin else _SECRET_HEADERS)
        self.request = replace(
            self.request,
            url=there.href,
            method=self.request.method if keep else "GET",
            body=self.request.body if keep else b"",
            headers=tuple(pair for pair in self.request.headers if pair[0].lower() not in left_behind),
            trusted=self.request.trusted and here.origin == there.origin,
            budget=None,  # the first hop was counted
        )


def _with_cookies(headers: tuple[tuple[str, str], ...], sent: str) -> tuple[tuple[str, str], ...]:
    """The headers with these cookies behind those that the request brought itself, in the one header that there may be."""
    own = [value for name, value in headers if name.lower() == "cookie"]
    return (*(pair for pair in headers if pair[0].lower() != "cookie"), ("cookie", "; ".join((*own, sent))))


def _onward(request: Request, reply: Reply) -> str | None:
    """Where the reply sends us, or None when it is the answer."""
    location = reply.header("location")
    if reply.status in _REDIRECTS and location:
        return join_url(request.url, location)
    if reply.status != 200 or "html" not in media_type_of(reply.headers):  # noqa: PLR2004
        return None
    if b"refresh" not in reply.body[:65536].lower():
        return None
    seen = glance(reply.body, charset_of(reply.headers))
    if not 0 <= seen.refresh_secs <= _MAX_REFRESH_SECS or len(seen.text) >= NEAR_EMPTY_CHARACTERS:
        return None
    return join_url(request.url, seen.refresh_url)


def retry_secs(reply: Reply) -> float | None:
    """How long to wait before asking again; None when that is not wanted."""
    if reply.status not in UNAVAILABLE:
        return None
    wanted = reply.header("retry-after").strip()
    if not wanted:
        return None if reply.status == 429 else _RETRY_SECS  # noqa: PLR2004
    seconds = retry_after_secs(reply)
    most = MAX_RETRY_SECS if wanted.isdigit() else MAX_RETRY_SECS + 1  # both dates were cut to whole seconds
    return None if seconds is None or seconds > most else max(seconds, _RETRY_SECS)


def retry_after_secs(reply: Reply) -> float | None:
    """What the server asks for in `retry-after`; None when it does not."""
    return http_dates.retry_after_secs(reply.header("retry-after"), reply.header("date"))


__all__ = ["MAX_HOPS", "UNAVAILABLE", "read", "retry_after_secs", "retry_secs"]
