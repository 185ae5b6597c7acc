"""The HTTP cache of one user, in the store. What comes out of it says so: `Reply.from_cache` holds when it was got or confirmed.

Only whole, plain answers go in: no refusal, no wall, nothing secret. What can no longer be used unasked is confirmed by a
conditional request. Answers that came another way (a proxy, a resolver) or to another identity are told apart.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b

from msgspec import Struct
from msgspec.structs import replace

from stages.core.env import Reply, Request
from stages.net import freshness
from stages.store import answers
from stages.store.database import Store

_NOT_MODIFIED = 304
_OK = 200
_UNSAFE = frozenset({"POST", "PUT", "PATCH", "DELETE"})


class Found(Struct, frozen=True):
    """What the store has for a request."""

    kept: answers.Kept
    fresh: bool

    @property
    def reply(self) -> Reply:
        """The stored answer as a reply."""
        kept = self.kept
        got = f"{datetime.fromtimestamp(kept.got, UTC):%Y-%m-%dT%H:%M:%S}Z"
        return Reply(url=kept.url, status=kept.status, headers=kept.headers, body=kept.body, from_cache=got)

    def question(self, request: Request) -> Request:
        """The request as one that a 304 can answer; as it is where there is nothing to compare."""
        return replace(request, headers=(*request.headers, *freshness.validators(self.kept.headers)))


class Cache:
    """One per door. `way` is all that decides who answers and to whom, `clock` gives Unix seconds."""

    def __init__(self, store: Store, way: str = "", clock: Callable[[], float] = time.time) -> None:
        self._way = blake2b(way.encode(), digest_size=8).hexdigest()
        self._store = store
        self._clock = clock

    async def find(self, request: Request) -> Found | None:
        """What is stored for a request, fresh or to be confirmed; None when there is nothing of use."""
        if not freshness.usable(request):
            return None
        headers = {name.lower(): value for name, value in request.headers}
        now = self._clock()
        look = partial(answers.find, url=request.url, client=self._client(request), headers=headers, now=now)
        kept = await self._store.run(look)
        if kept is None or len(kept.body) > request.max_bytes:
            return None
        return Found(kept, fresh=kept.fresh_until > now)

    async def settle(self, request: Request, found: Found | None, reply: Reply, asked: float) -> Reply | None:
        """What the exchange comes to, and what is kept of it; None when a 304 spoke of something else.

        `found` was what the request asked to be confirmed, `asked` is when it went out, in Unix seconds.
        """
        got = self._clock()
        if request.method in _UNSAFE and reply.status < 400:  # noqa: PLR2004  it may have changed something
            await self._store.run(partial(answers.drop, url=request.url))
        if found is not None and reply.status == _NOT_MODIFIED:
            return await self._confirmed(request, found, reply, asked, got)
        if freshness.usable(request) and freshness.storable(request, reply):
            await self._keep(request, reply, asked, got)
        return reply

    async def forget(self, reply: Reply) -> None:
        """Delete what is stored for the places that an answer came from."""
        for url in {reply.url, reply.asked} - {""}:
            await self._store.run(partial(answers.drop, url=url))

    async def _confirmed(self, request: Request, found: Found, reply: Reply, asked: float, got: float) -> Reply | None:
        old = found.kept
        if not freshness.confirms(old.headers, reply.headers):
            await self._store.run(partial(answers.drop, url=old.url))
            return None
        headers = freshness.confirmed_headers(old.headers, reply.headers)
        whole = replace(reply, status=old.status, headers=headers, body=old.body)
        if "no-store" in freshness.directives(headers):
            await self._store.run(partial(answers.drop, url=old.url))
            return Found(replace(old, headers=headers, got=got), fresh=True).reply
        kept = self._timed(request, whole, asked, got)
        kept = replace(kept, vary=old.vary)
        await self._store.run(partial(answers.confirm, kept=kept))
        return Found(kept, fresh=True).reply

    async def _keep(self, request: Request, reply: Reply, asked: float, got: float) -> None:
        import anyio.to_thread

        kept = self._timed(request, reply, asked, got)
        if kept.keep_until <= got:
            return
        packed = await anyio.to_thread.run_sync(_packed, request, reply)
        if packed is not None:
            quota = answers.MAX_BYTES if self._store.shared else answers.MAX_MEMORY_BYTES
            await self._store.run(partial(answers.put, kept=kept, packed=packed, now=got, quota=quota))

    def _timed(self, request: Request, reply: Reply, asked: float, got: float) -> answers.Kept:
        headers = freshness.kept_headers(reply.headers)
        given = {name.lower(): value for name, value in request.headers}
        fresh_until = got + freshness.lifetime_secs(request, reply, got) - freshness.age_secs(reply, asked, got)
        worth = got + freshness.LONGEST_SECS if freshness.validators(headers) else 0.0
        return answers.Kept(
            url=request.url,
            client=self._client(request),
            vary=tuple((name, given.get(name, "")) for name in freshness.vary_names(headers) or ()),
            status=reply.status,
            headers=headers,
            body=reply.body,
            got=got,
            fresh_until=fresh_until,
            keep_until=max(fresh_until, worth),
        )

    def _client(self, request: Request) -> str:
        return f"{request.identity} {self._way}"


def _packed(request: Request, reply: Reply) -> bytes | None:
    """The body as it is stored; None for a wall, a shell or whatever else stood in the page's place."""
    from stages.net.classify import classify

    page = reply.status == _OK and not freshness.is_robots(request)
    if page and classify(reply.status, reply.headers, reply.body, reply.url).outcome != "ok":
        return None
    return answers.pack(reply.body)


__all__ = ["Cache", "Found"]
