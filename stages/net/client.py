"""The only door to the network: every exchange is judged, paced, sent to a vetted address, capped and timed here.

What the HTTP cache holds is not asked for again. Redirects and robots.txt are `stages.net.follow`, which works over any `send`,
recorded ones too.
"""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from stages.core import patience
from stages.core.env import Budget, Reply, Request, Settings
from stages.core.errors import StageError
from stages.net import follow, robots
from stages.net.budgets import Budgets
from stages.net.cache import Cache
from stages.net.guard import Target, check_target, parse_url
from stages.net.guard_check import check_guard
from stages.net.identity_api import ApiIdentity
from stages.net.identity_browser import BrowserIdentity
from stages.net.pace import MAX_SPACING_SECS, Pace
from stages.net.proxies import Proxies, Proxy
from stages.net.resolve import Resolver
from stages.records import Notice
from stages.store.database import Store
from stages.store.folder import cache_folder

_SENDABLE = re.compile(r"[\t -~]*")
_PROXY_WANTS_LOGIN = 407

T = TypeVar("T")


class Way(Struct, frozen=True):
    """What an exchange goes by; without a proxy, or with one that takes no names, to one of the addresses."""

    proxy: Proxy | None
    addresses: tuple[str, ...]


class LiveDoor:
    """A Door to the real network. Ambient proxy variables are ignored unless the settings ask for them.

    `allow_private` names hosts that may be on a private network and on any port, as the user's own services may: so may the
    SearXNG of these settings, but none that somebody else's Run line names. `store` is where pacing and cache are kept, if the
    settings want them: by default the platform's cache folder.
    """

    def __init__(self, settings: Settings, *, allow_private: frozenset[str] = frozenset(), store: Store | None = None) -> None:
        self._allowed = allow_private
        self._named = _origin(settings.searxng_url)
        self._proxies = Proxies(settings.proxy)
        self._judges_names = bool(settings.resolver)
        self._resolver = Resolver(settings.resolver)
        self._browser = BrowserIdentity(ca_bundle=settings.ca_bundle)
        self._api = ApiIdentity(settings.agent or robots.AGENT, ca_bundle=settings.ca_bundle)
        self.robots = robots.Cache(settings.agent)
        self.store = store or Store(cache_folder())
        way = f"{self._proxies.name}\n{settings.resolver}\n{settings.ca_bundle}\n{settings.agent}"
        self.cache = Cache(self.store, way) if settings.cache else None
        self.pace = Pace(self.store, settings.pace_secs) if settings.pace_secs else None
        self.budgets = Budgets(self.store if self.cache or self.pace else Store(None))

    def bind(self, stage: str, record: str, until: float, notices: set[Notice]) -> LiveNet:  # noqa: ARG002 (Door)
        """A Net for one call of a stage; its exchanges end at `until` (Unix seconds)."""
        return LiveNet(self, stage, until, notices)

    def judge(self, request: Request) -> tuple[Request, Target]:
        """The request in normal form and where it leads, if it may be sent at all. Raises StageError `refused`.

        It stays `trusted` only where it leads to what these settings name.
        """
        check_guard()
        target = parse_url(request.url)
        if not all(_SENDABLE.fullmatch(f"{name}{value}") for name, value in request.headers):
            raise StageError("refused", f"{target.host}: a header of the request holds a character that no header may hold")
        request = replace(request, url=target.href, trusted=request.trusted and target.origin == self._named)
        if not self._may_be_inside(request, target):
            check_target(target)
        return request, target

    def _may_be_inside(self, request: Request, target: Target) -> bool:
        return request.trusted or target.host in self._allowed

    async def way(self, request: Request, target: Target) -> Way:
        """How to get there: judged addresses, or a proxy, or both. Raises StageError."""
        proxy = self._proxies.of(target)
        return Way(proxy, await self._addresses(target, proxy, trusted=self._may_be_inside(request, target)))

    async def exchange(self, request: Request, target: Target, way: Way, timeout_secs: float) -> Reply:
        """One exchange that was judged. Raises StageError. A cookie that could not be sent back is left out of the reply."""
        identity = self._api if request.identity == "api" else self._browser
        status = 0
        try:
            reply = await identity.exchange(request, target, way.addresses, timeout_secs, way.proxy)
            status = reply.status
        finally:
            self._proxies.answered(target, status)
        if way.proxy is not None and status == _PROXY_WANTS_LOGIN:
            raise StageError("network", f"{target.host} cannot be reached: the proxy wants another login")
        return replace(
            reply, headers=tuple(pair for pair in reply.headers if pair[0] != "set-cookie" or _SENDABLE.fullmatch(pair[1]))
        )

    async def _addresses(self, target: Target, proxy: Proxy | None, *, trusted: bool) -> tuple[str, ...]:
        """What to dial. Where a proxy is told names, they are only judged, since it looks them up again."""
        takes_names = proxy is not None and proxy.takes_names
        if takes_names and (trusted or not self._judges_names):
            return ()
        found = await self._resolver.addresses(target, trusted=trusted)
        return () if takes_names else found

    def notices(self, stage: str, request: Request, target: Target) -> Iterator[Notice]:
        """What the caller must know about how a request was carried out."""
        for trouble in self.store.troubles:
            yield Notice(stage=stage, code="degraded", message=trouble)
        proxy = self._proxies.of(target)
        if proxy is not None and proxy.takes_names and not self._judges_names:
            message = (
                "the proxy looks names up, so only hosts written as addresses are checked; the setting `resolver` closes this gap"
            )
            yield Notice(stage=stage, code="guard_delegated", message=message)
        if self.pace is not None and request.spacing_secs > MAX_SPACING_SECS and not request.part:
            asked, used = f"{request.spacing_secs:g}", f"{MAX_SPACING_SECS:g}"
            message = f"{target.host} asks for {asked} s between two pages; {used} s are left"
            yield Notice(stage=stage, code="limit_lowered", message=message, option="Crawl-delay", asked=asked, used=used)

    async def aclose(self) -> None:
        """Close every connection, and the store."""
        await self._browser.aclose()
        await self._api.aclose()
        await self._resolver.aclose()
        self.budgets.close()
        self.store.close()


class LiveNet:
    """The Net of one call."""

    def __init__(self, door: LiveDoor, stage: str, until: float, notices: set[Notice]) -> None:
        self._door = door
        self._stage = stage
        self._until = until
        self._notices = notices

    async def send(self, request: Request) -> Reply:
        """One exchange, or the cache's answer; a redirect is returned as it is.

        Raises StageError, `deadline` when `until` comes first, `rate_limited` for a host that asked to be left alone.
        """
        request, target = self._door.judge(request)
        try:
            return await self._answer(request, target)
        finally:
            self._notices.update(self._door.notices(self._stage, request, target))

    async def _answer(self, request: Request, target: Target) -> Reply:
        cache = self._door.cache
        found = None if cache is None else await cache.find(request)
        if found is not None and found.fresh:
            return found.reply
        while True:
            asked = time.time()
            reply = await self._paced(request if found is None else found.question(request), target)
            settled = reply if cache is None else await cache.settle(request, found, reply, asked)
            if settled is not None:
                return settled
            found = None  # the server confirmed something else than what was stored

    async def _paced(self, request: Request, target: Target) -> Reply:
        """The exchange in its turn; waiting for it is not counted as the host's slowness.

        Names are looked up before, so that what is spaced is the exchanges and not the look-ups, and a budget is spent on
        nobody who cannot be reached.
        """
        import anyio

        pace = self._door.pace
        if request.timeout_secs <= 0:
            raise StageError("deadline", f"the time was over before {target.host} could be asked")
        if self._until - time.time() - request.wait_secs <= 0:
            raise _out_of_time(target.host)
        way = await self._timed(request, target, lambda _: self._door.way(request, target))
        await self._door.budgets.spend(request)
        turn: AbstractAsyncContextManager[None] = nullcontext() if pace is None else pace.turn(request, target.host, self._until)
        async with turn:
            if request.wait_secs:
                with patience.paused():
                    await anyio.sleep(request.wait_secs)
            reply = await self._timed(request, target, lambda secs: self._door.exchange(request, target, way, secs))
        if pace is not None and not request.trusted and reply.status in follow.UNAVAILABLE:
            secs = follow.retry_after_secs(reply)
            if secs is not None and secs > 0:
                await pace.hold(target.host, secs)
        return reply

    async def _timed(self, request: Request, target: Target, work: Callable[[float], Awaitable[T]]) -> T:
        """The work within the request's time and the call's. Raises StageError."""
        import anyio

        left = self._until - time.time()
        late = left < request.timeout_secs
        if left <= 0:
            raise _out_of_time(target.host)
        timeout_secs = min(left, request.timeout_secs)
        try:
            with anyio.fail_after(timeout_secs):
                return await work(timeout_secs)
        except TimeoutError:
            failure = StageError("timeout", f"{target.host} did not answer within {request.timeout_secs:g} s")
        except StageError as error:
            failure = error
        raise _out_of_time(target.host) if late and failure.kind == "timeout" else failure

    async def read(self, request: Request, *, obey_robots: bool) -> Reply:
        """Follow redirects, guard and robots.txt at every hop. Raises StageError."""
        return await follow.read(self.send, self._door.robots, request, obey_robots=obey_robots)

    async def cool(self, budget: Budget, secs: float, why: str) -> None:
        """Leave a service alone, in every process."""
        await self._door.budgets.cool(budget, secs, why)

    async def forget(self, reply: Reply) -> None:
        """Keep nothing of this answer."""
        if self._door.cache is not None:
            await self._door.cache.forget(reply)


def _origin(url: str) -> str:
    try:
        return parse_url(url).origin
    except StageError:
        return ""


def _out_of_time(host: str) -> StageError:
    return StageError("deadline", f"the deadline came before {host} had answered; a longer one may help")


__all__ = ["LiveDoor", "LiveNet"]
