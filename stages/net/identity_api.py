"""The `api` identity: an honest user agent for JSON services, through httpcore, one exchange at a time, never a redirect.

The transport is asked for by name and dials only what the guard let through for it; TLS still checks the name.
"""

from __future__ import annotations

import ssl
import zlib
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import TYPE_CHECKING

from stages.core.env import Reply, Request
from stages.core.errors import StageError
from stages.net.guard import Target, is_public
from stages.net.proxies import Proxy
from stages.vocabulary import VERSION

if TYPE_CHECKING:
    import httpcore

_HEADERS = (
    ("accept", "application/json, text/xml;q=0.9, */*;q=0.8"),
    ("accept-encoding", "gzip, deflate"),
)
_MAX_CODINGS = 2
_CONNECTIONS = 64


class ApiIdentity:
    """The connections of a run, one pool for each way out. `agent` is the name that robots.txt knows us by."""

    def __init__(self, agent: str, *, ca_bundle: str = "") -> None:
        self._ca_bundle = ca_bundle
        self._headers = (("user-agent", f"cribble/{VERSION} (web retrieval; robots: {agent})"), *_HEADERS)
        self._pins: dict[str, Sequence[str]] = {}
        self._pools: dict[str, httpcore.AsyncConnectionPool] = {}
        self._context: ssl.SSLContext | None = None

    async def exchange(
        self, request: Request, target: Target, addresses: Sequence[str], timeout_secs: float, proxy: Proxy | None = None
    ) -> Reply:
        """Send one request to one of the addresses; behind a proxy that takes names they are empty and it dials.

        Raises StageError `timeout`, `network`, `too_large`.
        """
        import httpcore

        self._pins[target.host] = addresses
        given = {name.lower() for name, _ in request.headers}
        headers = [pair for pair in self._headers if pair[0] not in given] + list(request.headers)
        times = dict.fromkeys(("connect", "read", "write", "pool"), timeout_secs)
        try:
            pool = self._open(proxy)
            async with pool.stream(
                request.method, target.href, headers=headers, content=request.body or None, extensions={"timeout": times}
            ) as answer:
                found = tuple((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in answer.headers)
                raw = await _read(answer.aiter_stream(), request.max_bytes, target.host)
                address = "" if proxy is not None else _dialled(answer)
        except (httpcore.TimeoutException, TimeoutError):
            raise StageError("timeout", f"{target.host} did not answer in time; a longer timeout may help") from None
        except ssl.SSLError:
            raise StageError("network", f"{target.host} has no TLS certificate that can be trusted") from None
        except httpcore.ProxyError:
            raise StageError("network", f"the proxy did not connect to {target.host}, or refused the login") from None
        except (httpcore.NetworkError, httpcore.ProtocolError, OSError) as error:
            raise StageError("network", f"{target.host} broke or refused the connection ({type(error).__name__})") from None
        reply = Reply(url=target.href, status=answer.status, headers=found)
        body = decoded(raw, reply.header("content-encoding"), request.max_bytes, target.host)
        return Reply(url=target.href, status=answer.status, headers=found, body=body, address=address)

    def _open(self, proxy: Proxy | None) -> httpcore.AsyncConnectionPool:
        way = "" if proxy is None else proxy.url
        if way not in self._pools:
            self._context = self._context or ssl.create_default_context(cafile=self._ca_bundle or None)
            self._pools[way] = _pool(self._context, self._pins, proxy)
        return self._pools[way]

    async def aclose(self) -> None:
        """Close every connection."""
        for pool in self._pools.values():
            await pool.aclose()
        self._pools.clear()


def _pool(context: ssl.SSLContext, pins: dict[str, Sequence[str]], proxy: Proxy | None) -> httpcore.AsyncConnectionPool:
    import httpcore

    from stages.net.dialling import Pinned

    if proxy is None or proxy.socks:
        return httpcore.AsyncConnectionPool(
            ssl_context=context, max_connections=_CONNECTIONS, network_backend=Pinned(pins, proxy)
        )
    host = f"[{proxy.host}]" if ":" in proxy.host else proxy.host
    return httpcore.AsyncHTTPProxy(
        f"{proxy.scheme}://{host}:{proxy.port}",
        proxy_auth=(proxy.user, proxy.password) if proxy.user else None,
        ssl_context=context,
        proxy_ssl_context=context if proxy.scheme == "https" else None,
        max_connections=_CONNECTIONS,
    )


def _dialled(answer: httpcore.Response) -> str:
    """The address at the other end, if it is a public one."""
    place = answer.extensions["network_stream"].get_extra_info("server_addr")
    return str(place[0]) if place and is_public(str(place[0])) else ""


async def _read(pieces: AsyncIterator[bytes], max_bytes: int, host: str) -> bytes:
    body = bytearray()
    async for piece in pieces:
        body += piece
        if len(body) > max_bytes:
            raise _too_large(host, max_bytes)
    return bytes(body)


def decoded(raw: bytes, coding: str, max_bytes: int, host: str) -> bytes:
    """Undo the content codings, last applied first, each within `max_bytes`. Raises StageError `too_large`, `network`."""
    codings = [name.strip().lower() for name in coding.split(",") if name.strip().lower() not in ("", "identity")]
    if len(codings) > _MAX_CODINGS or not set(codings) <= {"gzip", "x-gzip", "deflate"}:
        raise StageError("network", f"{host} sent a content coding that was not asked for")
    for name in reversed(codings):
        widths: Iterable[int] = (-15, 15) if name == "deflate" and raw[:1] != b"\x78" else (47,)
        raw = _unpacked(raw, widths, max_bytes, host)
    return raw


def _unpacked(raw: bytes, widths: Iterable[int], max_bytes: int, host: str) -> bytes:
    """The first window width that works; `deflate` is raw deflate on some servers. Several gzip members are one body."""
    for width in widths:
        try:
            return _inflate(raw, width, max_bytes, host)
        except zlib.error:
            continue
    raise StageError("network", f"{host} sent a compressed answer that cannot be unpacked")


def _inflate(raw: bytes, width: int, max_bytes: int, host: str) -> bytes:
    body = bytearray()
    while raw:
        stream = zlib.decompressobj(width)
        body += stream.decompress(raw, max_bytes + 1 - len(body))
        if len(body) > max_bytes:
            raise _too_large(host, max_bytes)
        if not stream.eof:
            raise zlib.error("truncated")
        raw = stream.unused_data if width > zlib.MAX_WBITS and stream.unused_data.startswith(b"\x1f\x8b") else b""
    return bytes(body)


def _too_large(host: str, max_bytes: int) -> StageError:
    return StageError("too_large", f"{host}: the answer is larger than {max_bytes} bytes; a higher limit may help")


__all__ = ["ApiIdentity", "decoded"]
