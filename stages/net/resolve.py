"""From a host to the addresses that may be dialled. Every answer must pass the guard, and one bad answer refuses the name.

The answer holds for the run: what was judged is what is dialled, so a name that changes its mind changes nothing.
"""

from __future__ import annotations

import ipaddress
import socket
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import quote

import msgspec
from msgspec import Struct

from stages.core.errors import StageError
from stages.net.guard import Target, check_address
from stages.net.once import Once

if TYPE_CHECKING:
    import httpcore

_LOOKUP_SECS = 5.0
_MAX_ANSWER_BYTES = 1 << 16
_CONNECTIONS = 16


class _Answer(Struct):
    addresses: list[str]


class Resolver:
    """Looks names up by an HTTP service, or by the system's resolver when `service` is empty.

    The service is a URL that answers `GET ?name=` with `{"addresses": [...]}`; the user named it, so it may be inside.
    """

    def __init__(self, service: str = "") -> None:
        self._service = service
        self._names: Once[tuple[str, ...]] = Once()
        self._pool: httpcore.AsyncConnectionPool | None = None

    async def addresses(self, target: Target, *, trusted: bool) -> tuple[str, ...]:
        """What to dial, in the resolver's order, never empty. Raises StageError `refused`, `network`."""
        if target.address is not None:
            found: tuple[str, ...] = (target.host,)
        else:
            found = await self._names.get(target.host, lambda: self._look_up(target.host))
        if not trusted:
            for address in found:
                check_address(address, f"an address of {target.host}" if target.address is None else "the host")
        return found

    async def _look_up(self, host: str) -> tuple[str, ...]:
        import anyio

        try:
            with anyio.fail_after(_LOOKUP_SECS):
                found = await (self._ask_service(host) if self._service else _ask_system(host))
        except TimeoutError:
            raise StageError("network", f"looking up {host} took longer than {_LOOKUP_SECS:g} s") from None
        if not found:
            raise StageError("network", f"{host} has no address: check the spelling of the name")
        return tuple(dict.fromkeys(map(_canonical, found)))

    async def _ask_service(self, host: str) -> tuple[str, ...]:
        import httpcore

        url = f"{self._service}{'&' if '?' in self._service else '?'}name={quote(host, safe='')}"
        try:
            self._pool = self._pool or httpcore.AsyncConnectionPool(max_connections=_CONNECTIONS)
            async with self._pool.stream("GET", url) as response:
                body = b""
                async for piece in response.aiter_stream():
                    body += piece
                    if len(body) > _MAX_ANSWER_BYTES:
                        raise StageError("network", "the resolver's answer is too long")
                if response.status != HTTPStatus.OK:
                    raise StageError("network", f"the resolver answered {response.status} for {host}")
                answer = msgspec.json.decode(body, type=_Answer)
        except (msgspec.DecodeError, RecursionError, httpcore.UnsupportedProtocol):
            raise StageError("network", 'the resolver must be an http:// URL that answers {"addresses": [...]}') from None
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException, OSError):
            raise StageError("network", f"the resolver that the settings name gave no answer for {host}") from None
        return tuple(answer.addresses)

    async def aclose(self) -> None:
        """Close the connections to the service."""
        if self._pool is not None:
            await self._pool.aclose()
            self._pool = None


def _canonical(address: str) -> str:
    """The spelling that a socket gives its peer; what is no address stays, and is refused."""
    try:
        return str(ipaddress.ip_address(address))
    except ValueError:
        return address


async def _ask_system(host: str) -> tuple[str, ...]:
    import anyio

    try:
        rows = await anyio.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError):
        raise StageError("network", f"{host} does not resolve: check the spelling of the name, or the network") from None
    return tuple(str(row[4][0]) for row in rows)


__all__ = ["Resolver"]
