"""The `api` identity: an honest user agent for JSON services, through httpcore, one exchange at a time, never a redirect.

The transport is asked for by name and dials only what the guard let through for it; TLS still checks the name.
"""

from __future__ import annotations

import ssl
import zlib
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from stages.core.env import Reply, Request
from stages.core.errors import StageError
from stages.net.guard import Target

if TYPE_CHECKING:
    import httpcore

USER_AGENT = "cribble/0.1.0 (web retrieval; robots: cribble)"
_HEADERS = (
    ("user-agent", USER_AGENT),
    ("accept", "application/json, text/xml;q=0.9, */*;q=0.8"),
    ("accept-encoding", "gzip, deflate"),
)
_MAX_CODINGS = 2
_CONNECT_SECS = 5.0


class ApiIdentity:
    """One pool of connections for a run."""

    def __init__(self, *, proxy: str = "", ca_bundle: str = "") -> None:
        self._proxy = proxy
        self._ca_bundle = ca_bundle
        self._pins: dict[str, Sequence[str]] = {}
        self._pool: httpcore.AsyncConnectionPool | None = None

    async def exchange(self, request: Request, target: Target, addresses: Sequence[str], timeout_secs: float) -> Reply:
        """Send one request to one of the addresses; behind a proxy they are empty and the proxy dials.

        Raises StageError `timeout`, `network`, `too_large`.
        """
        import httpcore

        self._pins[target.host] = addresses
        given = {name.lower() for name, _ in request.headers}
        headers = [pair for pair in _HEADERS if pair[0] not in given] + list(request.headers)
        times = dict.fromkeys(("connect", "read", "write", "pool"), timeout_secs)
        try:
            pool = self._open()
            async with pool.stream(
                request.method, target.href, headers=headers, content=request.body or None, extensions={"timeout": times}
            ) as answer:
                found = tuple((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in answer.headers)
                raw = await _read(answer.aiter_stream(), request.max_bytes, target.host)
        except (httpcore.TimeoutException, TimeoutError):
            raise StageError("timeout", f"{target.host} did not answer in time; a longer timeout may help") from None
        except ssl.SSLError:
            raise StageError("network", f"{target.host} has no TLS certificate that can be trusted") from None
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError, OSError) as error:
            raise StageError("network", f"{target.host} broke or refused the connection ({type(error).__name__})") from None
        reply = Reply(url=target.href, status=answer.status, headers=found)
        body = decoded(raw, reply.header("content-encoding"), request.max_bytes, target.host)
        return Reply(url=target.href, status=answer.status, headers=found, body=body)

    def _open(self) -> httpcore.AsyncConnectionPool:
        import httpcore

        if self._pool is None:
            context = ssl.create_default_context(cafile=self._ca_bundle or None)
            if self._proxy:
                self._pool = httpcore.AsyncHTTPProxy(self._proxy, ssl_context=context, max_connections=64)
            else:
                self._pool = httpcore.AsyncConnectionPool(
                    ssl_context=context, max_connections=64, network_backend=_pinned_backend(self._pins)
                )
        return self._pool

    async def aclose(self) -> None:
        """Close every connection."""
        if self._pool is not None:
            await self._pool.aclose()
            self._pool = None


def _pinned_backend(pins: dict[str, Sequence[str]]) -> httpcore.AsyncNetworkBackend:
    """A backend that knows no name but the pinned ones."""
    import anyio
    import httpcore

    class Pinned(httpcore.AsyncNetworkBackend):
        """Dials the vetted addresses in turn."""

        def __init__(self) -> None:
            self._inner = httpcore.AnyIOBackend()

        async def connect_tcp(
            self,
            host: str,
            port: int,
            timeout: float | None = None,  # noqa: ASYNC109 (httpcore's signature)
            local_address: str | None = None,
            socket_options: Any = None,
        ) -> httpcore.AsyncNetworkStream:
            failure: Exception = httpcore.ConnectError("nothing to dial")
            for address in pins.get(host.strip("[]"), ()):
                try:
                    return await self._inner.connect_tcp(
                        address, port, min(timeout or _CONNECT_SECS, _CONNECT_SECS), local_address, socket_options
                    )
                except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                    failure = error
            raise failure

        async def connect_unix_socket(self, path: str, *_rest: Any, **_options: Any) -> httpcore.AsyncNetworkStream:
            raise httpcore.ConnectError(f"no Unix socket such as {path}")

        async def sleep(self, seconds: float) -> None:
            await anyio.sleep(seconds)

    return Pinned()


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


__all__ = ["USER_AGENT", "ApiIdentity", "decoded"]
