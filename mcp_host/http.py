"""MCP over streamable HTTP: what is bound, who may connect, and how it ends."""

from __future__ import annotations

import contextlib
import re
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings

from mcp_host.calls import Calls
from mcp_host.gate import Gate
from mcp_host.inbound import MAX_BYTES
from stages.core.errors import UsageError

PATH = "/mcp"
MIN_TOKEN = 16
GRACE_SECS = 10.0
"""Calls under way when the server is told to end get so much time."""
_SESSIONS = 1000
_IDLE_SECS = 900.0
_CONNECTIONS = 512


def bound(address: str) -> socket.socket:
    """A listening socket at HOST:PORT. Raises UsageError."""
    found = re.fullmatch(r"(?:\[([0-9a-fA-F:.]+)\]|([^:\[\]]+)):(\d{1,5})", address)
    if found is None or int(found[3]) > 65535:  # noqa: PLR2004 - a larger one would be wrapped around
        raise UsageError(f"--http: {address!r} is not HOST:PORT, as 127.0.0.1:8642 or [::1]:8642")
    with contextlib.ExitStack() as unless_bound:
        try:
            infos = socket.getaddrinfo(found[1] or found[2], int(found[3]), type=socket.SOCK_STREAM)
            family, kind, protocol, _, where = infos[0]
            listening = unless_bound.enter_context(socket.socket(family, kind, protocol))
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(where)
            listening.listen(128)
        except OSError as error:
            raise UsageError(f"--http: {address}: {error.strerror}") from None
        unless_bound.pop_all()
    return listening


def read_token(path: str, fallback: str) -> str:
    """The token from a file, else `fallback`. Raises UsageError for one that is no secret."""
    token = fallback
    if path:
        try:
            token = Path(path).read_text(encoding="ascii").strip()
        except OSError as error:
            raise UsageError(f"--token-file: {path}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise UsageError(f"--token-file: {path}: a token is ASCII") from None
    if (token or path) and not re.fullmatch(rf"[!-~]{{{MIN_TOKEN},512}}", token):
        raise UsageError(
            f"the token must have {MIN_TOKEN} to 512 visible ASCII characters, as `openssl rand -hex 32` writes them"
        )
    return token


def url(listening: socket.socket) -> str:
    """Where it serves."""
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}"


def gate(server: Server[Any], listening: socket.socket, token: str, allowed: Sequence[str]) -> Gate:
    """The application for this socket. Raises UsageError for one that others can reach without a token."""
    address = ip_address(listening.getsockname()[0].partition("%")[0])
    if not address.is_loopback and not token:
        raise UsageError(
            f"--http: {address} can be reached from other machines: set a token (openssl rand -hex 32 > FILE, --token-file FILE)"
        )
    own = f"[{address}]" if address.version == 6 else str(address)  # noqa: PLR2004 - the number is the name
    names = {own, *(name.lower() for name in allowed)}
    if address.is_loopback or address.is_unspecified:
        names |= {"localhost", "127.0.0.1", "[::1]"}
    return Gate(application(server), names=names, any_address=address.is_unspecified, token=token)


def application(server: Server[Any]) -> Any:
    """The protocol itself. Who may connect is the gate's business."""
    return server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MAX_BYTES,
        max_sessions=_SESSIONS,
        session_idle_timeout=_IDLE_SECS,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )


async def serve(app: Gate, listening: socket.socket, calls: Calls, ended: Callable[[], Awaitable[None]]) -> None:
    """Serve until `ended` returns; then refuse what is new and let calls under way finish, for a while."""
    import uvicorn

    class Quiet(uvicorn.Server):
        """Leaves signals to us: calls under way are to finish."""

        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

    settings = uvicorn.Config(
        app,
        log_config=None,  # its own would write to standard output
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="on",
        limit_concurrency=_CONNECTIONS,
        timeout_graceful_shutdown=2,
    )
    web = Quiet(settings)

    async def end() -> None:
        await ended()
        app.closing.set()
        with anyio.move_on_after(GRACE_SECS):
            await calls.finished()
        web.should_exit = True

    async with anyio.create_task_group() as group:
        group.start_soon(end)
        sys.stderr.write(f"cribble mcp: serving at {url(listening)}\n")
        sys.stderr.flush()
        await web.serve(sockets=[listening])
        group.cancel_scope.cancel()
