"""How the `api` identity's transport connects: to vetted addresses only, or through a SOCKS5 proxy (RFC 1928, RFC 1929)."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from typing import Any

import anyio
import httpcore

from stages.net.proxies import Proxy

_CONNECT_SECS = 5.0
_VERSION, _LOGIN_VERSION = 5, 1
_NO_LOGIN, _LOGIN = 0, 2
_CONNECT = 1
_IPV4, _NAME, _IPV6 = 1, 3, 4
_LENGTHS = {_IPV4: 4, _IPV6: 16}
_LONGEST_TEXT_BYTES = 255


class Pinned(httpcore.AsyncNetworkBackend):
    """Knows no name but the pinned ones, and dials their addresses in turn; behind SOCKS the proxy does the dialling."""

    def __init__(self, pins: Mapping[str, Sequence[str]], proxy: Proxy | None) -> None:
        self._inner = httpcore.AnyIOBackend()
        self._pins = pins
        self._proxy = proxy

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 (httpcore's signature)
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore.AsyncNetworkStream:
        """A connection to the first address that takes one."""
        secs = min(timeout or _CONNECT_SECS, _CONNECT_SECS)
        failure: Exception = httpcore.ConnectError("nothing to dial")
        name = host.strip("[]")
        takes_names = self._proxy is not None and self._proxy.takes_names
        for address in (name,) if takes_names else self._pins.get(name, ()):
            try:
                if self._proxy is not None:
                    return await self._through(self._proxy, address, port, secs)
                return await self._inner.connect_tcp(address, port, secs, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure

    async def _through(self, proxy: Proxy, host: str, port: int, secs: float) -> httpcore.AsyncNetworkStream:
        stream = await self._inner.connect_tcp(proxy.host, proxy.port, secs)
        through = False
        try:
            with anyio.fail_after(secs):
                await _shake_hands(stream, proxy, host, port)
            through = True
        except TimeoutError:
            raise httpcore.ConnectTimeout("the SOCKS proxy did not answer") from None
        finally:
            if not through:  # also when the whole call is cancelled
                with anyio.CancelScope(shield=True):
                    await stream.aclose()
        return stream

    async def connect_unix_socket(self, path: str, *_rest: Any, **_options: Any) -> httpcore.AsyncNetworkStream:
        """There is none."""
        raise httpcore.ConnectError(f"no Unix socket such as {path}")

    async def sleep(self, seconds: float) -> None:
        """What httpcore waits with."""
        await anyio.sleep(seconds)


async def _shake_hands(stream: httpcore.AsyncNetworkStream, proxy: Proxy, host: str, port: int) -> None:
    """Log in and have the proxy connect. Raises httpcore.ProxyError."""
    methods = bytes([_NO_LOGIN, _LOGIN] if proxy.user else [_NO_LOGIN])
    await stream.write(bytes([_VERSION, len(methods)]) + methods)
    version, method = await _exactly(stream, 2)
    if version != _VERSION or method not in methods:
        raise httpcore.ProxyError("the proxy does not speak SOCKS5, or wants another login")
    if method == _LOGIN:
        await stream.write(bytes([_LOGIN_VERSION]) + _text(proxy.user) + _text(proxy.password))
        if (await _exactly(stream, 2))[1]:
            raise httpcore.ProxyError("the proxy refused the login")
    await stream.write(bytes([_VERSION, _CONNECT, 0]) + _place(host) + port.to_bytes(2, "big"))
    _, refused, _, kind = await _exactly(stream, 4)
    if refused:
        raise httpcore.ProxyError("the proxy could not connect")
    length = (await _exactly(stream, 1))[0] if kind == _NAME else _LENGTHS.get(kind, 0)
    await _exactly(stream, length + 2)


def _place(host: str) -> bytes:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return bytes([_NAME]) + _text(host)
    return bytes([_IPV4 if address.version == 4 else _IPV6]) + address.packed  # noqa: PLR2004  IPv4


def _text(text: str) -> bytes:
    raw = text.encode()
    if not 0 < len(raw) <= _LONGEST_TEXT_BYTES:
        raise httpcore.ProxyError("a name, user or password for the proxy is empty or too long")
    return bytes([len(raw)]) + raw


async def _exactly(stream: httpcore.AsyncNetworkStream, count: int) -> bytes:
    found = b""
    while len(found) < count:
        piece = await stream.read(count - len(found))
        if not piece:
            raise httpcore.ProxyError("the proxy closed the connection")
        found += piece
    return found


__all__ = ["Pinned"]
