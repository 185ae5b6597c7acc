"""What every HTTP request passes before the protocol sees it: Host, Origin, token, size, depth.

The Host check stops DNS rebinding, the Origin check pages of other sites; both stand on every bind, loopback included.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from hashlib import sha256
from hmac import compare_digest
from ipaddress import ip_address
from typing import Any

import anyio
import msgspec

from mcp_host.inbound import MAX_BYTES, RefusedError, message
from mcp_host.server import GONE

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

BODY_SECS = 30.0
"""A client that has not sent its request by then does not get an answer to it."""

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:/?#@\s]+)(?::\d{1,5})?")


class _TurnedAwayError(Exception):
    """An answer that is given instead of the application's."""

    def __init__(self, status: int, text: str, *headers: tuple[bytes, bytes]) -> None:
        super().__init__(text)
        self.status = status
        self.headers = headers


class Gate:
    """An ASGI application around the protocol's.

    `names` are what Host may say, in lower case; `any_address` lets it also be any IP address, which rebinding cannot be.
    An empty `token` asks for none. `closing`, once set, refuses what is new and ends streams that only listen.
    """

    def __init__(self, app: App, *, names: Iterable[str], any_address: bool = False, token: str = "") -> None:
        self._app = app
        self._names = frozenset(names)
        self._any_address = any_address
        self._token = sha256(token.encode()).digest() if token else b""
        self.closing = anyio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        try:
            self._check_site(scope)
            if scope["path"] == "/health":
                await self._health(scope, send)
                return
            self._check_token(scope)
            through = await self._opened(scope, receive)
        except _TurnedAwayError as away:
            await _answer(send, away.status, str(away).encode(), *away.headers)
        except RefusedError as refused:
            body = refused.answer.model_dump_json(by_alias=True).encode()
            await _answer(send, refused.status, body, (b"content-type", b"application/json"))
        else:
            await _whole(self._app, scope, through, send)

    def _check_site(self, scope: Scope) -> None:
        host = _one(scope, b"host").lower()
        found = _HOST.fullmatch(host)
        if found is None or not (found[1] in self._names or (self._any_address and _is_address(found[1]))):
            raise _TurnedAwayError(421, "This server does not answer to that Host; --allow-host says which names it has.")
        origins = _all(scope, b"origin")
        if any(origin.lower() not in (f"http://{host}", f"https://{host}") for origin in origins):
            raise _TurnedAwayError(403, "Pages of other sites may not use this server.")

    def _check_token(self, scope: Scope) -> None:
        if not self._token:
            return
        scheme, _, given = _one(scope, b"authorization").partition(" ")
        if scheme.lower() != "bearer" or not compare_digest(sha256(given.strip().encode("latin-1")).digest(), self._token):
            raise _TurnedAwayError(401, "Send the token as: Authorization: Bearer TOKEN.", (b"www-authenticate", b"Bearer"))

    async def _health(self, scope: Scope, send: Send) -> None:
        if scope["method"] not in ("GET", "HEAD"):
            raise _TurnedAwayError(405, "GET only.", (b"allow", b"GET, HEAD"))
        status, word = (503, "closing") if self.closing.is_set() else (200, "ok")
        await _answer(send, status, msgspec.json.encode({"status": word}), (b"content-type", b"application/json"))

    async def _opened(self, scope: Scope, receive: Receive) -> Receive:
        """How the application reads this request. Raises for one that must not get there."""
        if self.closing.is_set():
            raise _TurnedAwayError(503, "The server is closing.", (b"retry-after", b"5"))
        scope[GONE] = anyio.Event()
        if scope["method"] != "POST":
            return lambda: self._until_closing(receive)
        if _one(scope, b"content-type").partition(";")[0].strip().lower() != "application/json":
            raise _TurnedAwayError(415, "Content-Type must be application/json.")
        body = await _body(scope, receive)
        message(body)
        waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def through() -> Message:
            if waiting:
                return waiting.pop()
            return _noted(await receive(), scope)

        return through

    async def _until_closing(self, receive: Receive) -> Message:
        """What comes next, or that the client has gone, when the server closes: a stream that only listens would hold it up."""
        came: list[Message] = []

        async def wait(scope: anyio.CancelScope) -> None:
            await self.closing.wait()
            scope.cancel()

        async with anyio.create_task_group() as group:
            group.start_soon(wait, group.cancel_scope)
            came.append(await receive())
            group.cancel_scope.cancel()
        return came[0] if came else {"type": "http.disconnect"}


async def _whole(app: App, scope: Scope, receive: Receive, send: Send) -> None:
    """Run the application, and end a response that it leaves open when it is told that the client has gone."""
    unfinished = False

    async def noted(sent: Message) -> None:
        nonlocal unfinished
        unfinished = sent["type"] == "http.response.start" or bool(sent.get("more_body", False))
        await send(sent)

    await app(scope, receive, noted)
    if unfinished:
        await send({"type": "http.response.body", "body": b""})


async def _body(scope: Scope, receive: Receive) -> bytes:
    """All of it. Raises RefusedError as soon as it is too large, and for a client that is slow to send it."""
    declared = _one(scope, b"content-length")
    if declared.isdecimal() and int(declared[:20]) > MAX_BYTES:
        raise _too_large()
    body = bytearray()
    with anyio.move_on_after(BODY_SECS):
        while True:
            part = await receive()
            if part["type"] == "http.disconnect":
                raise _TurnedAwayError(400, "The request was cut.")
            body += part.get("body", b"")
            if len(body) > MAX_BYTES:
                raise _too_large()
            if not part.get("more_body", False):
                return bytes(body)
    raise _TurnedAwayError(408, f"The request was not sent within {BODY_SECS:g} s.")


def _too_large() -> RefusedError:
    return RefusedError(f"The message is larger than {MAX_BYTES >> 20} MiB; send less in one call.", status=413)


def _noted(came: Message, scope: Scope) -> Message:
    if came["type"] == "http.disconnect":
        scope[GONE].set()
    return came


def _all(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def _one(scope: Scope, name: bytes) -> str:
    """The header; empty where it is missing. Raises for one that was sent twice: readers would not agree which one holds."""
    found = _all(scope, name)
    if len(found) > 1:
        raise _TurnedAwayError(400, f"The header {name.decode()} was sent more than once.")
    return found[0] if found else ""


def _is_address(host: str) -> bool:
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


async def _answer(send: Send, status: int, body: bytes, *headers: tuple[bytes, bytes]) -> None:
    sized = [*headers, (b"content-length", str(len(body)).encode()), (b"cache-control", b"no-store")]
    if not any(name == b"content-type" for name, _ in headers):
        sized.append((b"content-type", b"text/plain; charset=utf-8"))
    await send({"type": "http.response.start", "status": status, "headers": sized})
    await send({"type": "http.response.body", "body": body})
