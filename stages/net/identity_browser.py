"""The `browser` identity: one of several consistent browsers through curl_cffi, one exchange at a time, never a redirect.

TLS, HTTP/2, the headers with their order and spelling, client hints and user agent all come from one recording of curl_cffi's. A
site always meets the same browser: which, follows from its name and this installation.

The name is pinned to addresses that passed the guard, every socket that would go elsewhere is refused, and the peer is looked at
once more when the answer is there. Sockets are watched through a private option of curl_cffi; without it nothing is fetched.
"""

from __future__ import annotations

import contextvars
import functools
import os
import socket
from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Literal

from stages.core.env import Reply, Request
from stages.core.errors import StageError
from stages.net.guard import Target, is_public
from stages.net.proxies import Proxy
from stages.text.urls import registrable_domain

if TYPE_CHECKING:
    from curl_cffi import Curl
    from curl_cffi.requests import AsyncSession
    from curl_cffi.requests.exceptions import RequestException

Browser = Literal["chrome150", "firefox147", "safari260"]
BROWSERS: tuple[Browser, ...] = ("chrome150", "firefox147", "safari260")
"""The newest of each family that curl_cffi recorded as somebody opening a page; later ones are those of a reload or a script's
request, or lack the spelling of HTTP/1.1. `tests/test_net_identity.py` holds what each must show."""
ACCEPT_ENCODING = "gzip, deflate, br, zstd"
"""What all of them send; saying it again is what makes curl unpack the answer."""
_OWN_HEADERS = frozenset({"user-agent", "host", "accept-encoding", "connection"})
"""What belongs to the identity: another User-Agent would contradict the client hints beside it."""
_UNKNOWN_TO: dict[Browser, frozenset[str]] = {"safari260": frozenset({"sec-fetch-user"})}
_OVER_TLS_ONLY = (
    "sec-ch-ua", "sec-ch-ua-mobile", "sec-ch-ua-platform", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-user",
    "sec-fetch-dest", "priority", "te",
)  # fmt: skip
"""What no browser tells a server that anybody on the way could be."""
_TOO_LARGE, _TIMED_OUT, _TRUNCATED, _BAD_CODING, _NO_HOST, _NO_PROXY, _PROXY_REFUSED = 63, 28, 18, 61, 6, 5, 97
_TLS_CODES = frozenset({35, 51, 53, 54, 58, 59, 60, 66, 77, 80, 82, 83, 90, 91})
_IPV4_BYTES = slice(4, 8)
_IPV6_BYTES = slice(8, 24)

_limits: contextvars.ContextVar[tuple[int, str]] = contextvars.ContextVar("limits of the exchange that is being set up")


class BrowserIdentity:
    """A curl session for a run, and one more for what goes through a proxy; cookies are never kept.

    `seed` and a site's name decide which browser the site meets.
    """

    def __init__(self, *, ca_bundle: str = "", seed: str = "") -> None:
        self._ca_bundle = ca_bundle
        self._seed = seed or f"{socket.gethostname()} {os.geteuid()}"
        self._vetted: set[str] = set()
        self._sessions: dict[bool, AsyncSession[Any]] = {}

    async def exchange(
        self, request: Request, target: Target, addresses: Sequence[str], timeout_secs: float, proxy: Proxy | None = None
    ) -> Reply:
        """Send one request to one of the addresses; behind a proxy that takes names they are empty and it dials.

        Raises StageError `timeout`, `network`, `too_large`, `refused`.
        """
        from curl_cffi.requests.exceptions import RequestException

        browser = browser_for(target.host, self._seed)
        self._vetted.update(addresses)
        _limits.set((request.max_bytes, pin(target, addresses)))
        try:
            answer = await self._open(proxied=proxy is not None).request(
                method=request.method,  # type: ignore[arg-type]
                url=target.href,
                content=request.body or None,
                headers=_headers(request, target, browser),  # type: ignore[arg-type]  # None takes a default away
                timeout=timeout_secs,
                allow_redirects=False,
                proxy=proxy.url if proxy is not None else None,
                verify=self._ca_bundle or True,  # type: ignore[arg-type]  # a path to a bundle is taken too
                impersonate=browser,
                http_version="v1" if target.scheme == "http" else None,
                accept_encoding=ACCEPT_ENCODING,
                quote=False,
                discard_cookies=True,
            )
        except RequestException as error:
            raise _mapped(error, target.host, request.max_bytes) from None
        except (
            IndexError,
            ValueError,
        ):  # curl_cffi reads headers that curl let pass: a line without a colon, a fold at the start
            raise StageError("network", f"{target.host} sent headers that cannot be read") from None
        if proxy is None and answer.primary_ip not in addresses:
            raise StageError("refused", f"{target.host} answered from an address that was not checked")
        headers = tuple((name.lower(), value or "") for name, value in answer.headers.multi_items())
        address = answer.primary_ip if proxy is None and is_public(answer.primary_ip) else ""
        return Reply(url=target.href, status=answer.status_code, headers=headers, body=answer.content, address=address)

    def _open(self, *, proxied: bool) -> AsyncSession[Any]:
        """A connection that a proxy made is never used for what goes straight."""
        if proxied not in self._sessions:
            self._sessions[proxied] = _new_session(None if proxied else self._vetted)
        return self._sessions[proxied]

    async def aclose(self) -> None:
        """Close every connection."""
        for session in self._sessions.values():
            await session.close()
        self._sessions.clear()


def browser_for(host: str, seed: str) -> Browser:
    """The browser that a site meets: the same for all its hosts, in every run of this installation."""
    digest = blake2b(f"{seed}\n{registrable_domain(f'https://{host}/')}".encode(), digest_size=8).digest()
    return BROWSERS[int.from_bytes(digest, "big") % len(BROWSERS)]


def _headers(request: Request, target: Target, browser: Browser) -> list[tuple[str, str | None]]:
    """What goes beside, or in the place of, the browser's own headers."""
    left_out = _OWN_HEADERS | _UNKNOWN_TO.get(browser, frozenset())
    if target.scheme == "https":
        return [(name, value) for name, value in request.headers if name.lower() not in left_out]
    given = [(name, value) for name, value in request.headers if name.lower() not in left_out.union(_OVER_TLS_ONLY)]
    return [*given, *((name, None) for name in _OVER_TLS_ONLY)]


def pin(target: Target, addresses: Sequence[str]) -> str:
    """`name:port:address,…` as curl's RESOLVE wants it; empty when there is nothing to pin."""
    if not addresses or target.address is not None:
        return ""
    return f"{target.host}:{target.port}:" + ",".join(f"[{one}]" if ":" in one else one for one in addresses)


def _new_session(vetted: set[str] | None) -> AsyncSession[Any]:
    """A session that opens sockets to `vetted` addresses only; None leaves dialling to the proxy."""
    from curl_cffi import CurlOpt
    from curl_cffi.requests import AsyncSession

    if vetted is not None and not _sockets_are_watched():
        raise StageError("refused", "this build of curl_cffi cannot be told where to connect, so nothing is fetched")
    watch = _socket_opener(vetted) if vetted is not None else None

    class Session(AsyncSession[Any]):
        """Sets what curl_cffi sets per session but we need per request. Handles forget their options when released."""

        async def pop_curl(self) -> Curl:
            curl = await super().pop_curl()
            max_bytes, pinned = _limits.get()
            curl.setopt(CurlOpt.MAXFILESIZE_LARGE, max_bytes)
            if pinned:
                curl.setopt(CurlOpt.RESOLVE, [pinned])
            if watch is not None:
                _watch_sockets(curl, watch)
            return curl

        def release_curl(self, curl: Curl) -> None:
            """Take the transfer out before its buffers go: curl then writes what it held back of the headers.

            curl_cffi does it the other way round, so that a call cancelled in the middle of the headers would end the process.
            """
            if not self._closed:
                self.acurl.remove_handle(curl)
            super().release_curl(curl)

    return Session(trust_env=False, max_clients=64, curl_options={CurlOpt.PROTOCOLS_STR: b"http,https"})


@functools.cache
def _sockets_are_watched() -> bool:
    """Whether curl asks us for its sockets: it is sent to a port of this machine, and must not get one."""
    from curl_cffi import Curl, CurlError, CurlOpt
    from curl_cffi._wrapper import ffi

    asked: list[int] = []

    def refuse(_data: Any, _purpose: int, _place: Any) -> int:
        asked.append(1)
        return -1

    watch = ffi.callback("int(void *, int, void *)", refuse, error=-1)
    curl = Curl()
    try:
        for option, value in {CurlOpt.URL: b"http://127.0.0.1:9/", CurlOpt.PROXY: b"", CurlOpt.TIMEOUT_MS: 500}.items():
            curl.setopt(option, value)
        _watch_sockets(curl, watch)
        curl.perform()
    except CurlError:
        return bool(asked)
    finally:
        curl.close()
    return False


def _socket_opener(vetted: set[str]) -> Any:
    """A C callback that opens a socket when the address is vetted, and refuses the connection otherwise."""
    from curl_cffi._wrapper import ffi

    def open_socket(_data: Any, _purpose: int, place: Any) -> int:
        family, kind, protocol, length = ffi.unpack(ffi.cast("int *", place), 4)
        raw = bytes(ffi.buffer(ffi.cast("char *", place) + 16, length))
        packed = raw[_IPV4_BYTES] if family == socket.AF_INET else raw[_IPV6_BYTES]
        if family not in (socket.AF_INET, socket.AF_INET6) or socket.inet_ntop(family, packed) not in vetted:
            return -1
        return socket.socket(family, kind, protocol).detach()

    return ffi.callback("int(void *, int, void *)", open_socket, error=-1)


def _watch_sockets(curl: Curl, watch: Any) -> None:
    from curl_cffi import CurlOpt
    from curl_cffi._wrapper import ffi, lib

    if lib._curl_easy_setopt(curl._curl, CurlOpt.OPENSOCKETFUNCTION, ffi.cast("void *", watch)) != 0:  # noqa: SLF001
        raise StageError("refused", "this build of curl_cffi cannot be told where to connect, so nothing is fetched")


def _mapped(error: RequestException, host: str, max_bytes: int) -> StageError:
    """Curl's codes in our vocabulary; its messages may hold addresses, so none is passed on."""
    code = int(error.code)
    if code == _TOO_LARGE:
        return StageError("too_large", f"{host}: the answer is larger than {max_bytes} bytes; a higher limit may help")
    if code == _TIMED_OUT:
        return StageError("timeout", f"{host} did not answer in time; a longer timeout may help")
    reasons = {
        _TRUNCATED: "closed the connection before the end of its answer",
        _BAD_CODING: "sent a compressed answer that cannot be unpacked",
        _NO_HOST: "does not resolve",
        _NO_PROXY: "cannot be reached: the proxy's name does not resolve",
        _PROXY_REFUSED: "cannot be reached: the proxy refused to connect, or the login",
    }
    reason = (
        "has no TLS certificate that can be trusted, or speaks no TLS that we do" if code in _TLS_CODES else reasons.get(code)
    )
    return StageError("network", f"{host} {reason or f'broke or refused the connection (curl {code})'}")


__all__ = ["BROWSERS", "BrowserIdentity", "browser_for", "pin"]
