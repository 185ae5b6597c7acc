"""The only door to the network: every exchange is judged, sent to a vetted address, capped and timed here.

Redirects and robots.txt are `stages.net.follow`, which works over any `send`, recorded ones too.
"""

from __future__ import annotations

import re
import time

from msgspec.structs import replace

from stages.core.env import Reply, Request, Settings
from stages.core.errors import StageError
from stages.net import follow, robots
from stages.net.guard import Target, check_target, parse_url
from stages.net.identity_api import ApiIdentity
from stages.net.identity_browser import BrowserIdentity
from stages.net.resolve import Resolver
from stages.records import Notice

_SENDABLE = re.compile(r"[\t -~]*")


class LiveDoor:
    """A Door to the real network. Ambient proxy variables are ignored: the settings alone decide.

    `allow_private` names hosts that may be on a private network and on any port, as the user's own services may: so may the
    SearXNG of these settings, but none that somebody else's Run line names.
    """

    def __init__(self, settings: Settings, *, allow_private: frozenset[str] = frozenset()) -> None:
        self._allowed = allow_private
        self._named = _origin(settings.searxng_url)
        self._delegates = bool(settings.proxy) and not settings.resolver
        self._proxied = bool(settings.proxy)
        self._resolver = Resolver(settings.resolver)
        self._browser = BrowserIdentity(proxy=settings.proxy, ca_bundle=settings.ca_bundle)
        self._api = ApiIdentity(proxy=settings.proxy, ca_bundle=settings.ca_bundle)
        self.robots = robots.Cache()

    def bind(self, stage: str, record: str, until: float, notices: set[Notice]) -> LiveNet:  # noqa: ARG002 (Door)
        """A Net for one call of a stage; its exchanges end at `until` (Unix seconds)."""
        return LiveNet(self, stage, until, notices)

    async def exchange(self, request: Request, timeout_secs: float) -> Reply:
        """One guarded exchange. Raises StageError. A cookie that could not be sent back is left out of the reply."""
        target = parse_url(request.url)
        if not all(_SENDABLE.fullmatch(f"{name}{value}") for name, value in request.headers):
            raise StageError("refused", f"{target.host}: a header of the request holds a character that no header may hold")
        trusted = target.host in self._allowed or (request.trusted and target.origin == self._named)
        if not trusted:
            check_target(target)
        addresses = await self._addresses(target, trusted=trusted)
        identity = self._api if request.identity == "api" else self._browser
        reply = await identity.exchange(request, target, addresses, timeout_secs)
        return replace(
            reply, headers=tuple(pair for pair in reply.headers if pair[0] != "set-cookie" or _SENDABLE.fullmatch(pair[1]))
        )

    async def _addresses(self, target: Target, *, trusted: bool) -> tuple[str, ...]:
        """What to dial. Behind a proxy names are only judged, since the proxy looks them up again."""
        if self._proxied and (self._delegates or trusted):
            return ()
        found = await self._resolver.addresses(target, trusted=trusted)
        return () if self._proxied else found

    def delegated(self, stage: str) -> Notice | None:
        """What the caller must know when the proxy alone sees where names lead."""
        if not self._delegates:
            return None
        message = (
            "the proxy looks names up, so only hosts written as addresses are checked; the setting `resolver` closes this gap"
        )
        return Notice(stage=stage, code="guard_delegated", message=message)

    async def aclose(self) -> None:
        """Close every connection."""
        await self._browser.aclose()
        await self._api.aclose()


class LiveNet:
    """The Net of one call."""

    def __init__(self, door: LiveDoor, stage: str, until: float, notices: set[Notice]) -> None:
        self._door = door
        self._until = until
        notice = door.delegated(stage)
        self._notices, self._notice = notices, notice

    async def send(self, request: Request) -> Reply:
        """One exchange; a redirect is returned as it is. Raises StageError, `deadline` when `until` comes first."""
        import anyio

        if self._notice is not None:
            self._notices.add(self._notice)
        left = self._until - time.time() - request.wait_secs
        late = left < request.timeout_secs
        if left <= 0:
            raise _out_of_time(request.url)
        await anyio.sleep(request.wait_secs)
        timeout_secs = min(left, request.timeout_secs)
        try:
            with anyio.fail_after(timeout_secs):
                return await self._door.exchange(request, timeout_secs)
        except TimeoutError:
            failure = StageError("timeout", f"{parse_url(request.url).host} did not answer within {request.timeout_secs:g} s")
        except StageError as error:
            failure = error
        raise _out_of_time(request.url) if late and failure.kind == "timeout" else failure

    async def read(self, request: Request, *, obey_robots: bool) -> Reply:
        """Follow redirects, guard and robots.txt at every hop. Raises StageError."""
        return await follow.read(self.send, self._door.robots, request, obey_robots=obey_robots)


def _origin(url: str) -> str:
    try:
        return parse_url(url).origin
    except StageError:
        return ""


def _out_of_time(url: str) -> StageError:
    return StageError("deadline", f"the deadline came before {parse_url(url).host} had answered; a longer one may help")


__all__ = ["LiveDoor", "LiveNet"]
