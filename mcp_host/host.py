"""One host from its start to its end: tools and prompts, server, transport, signals."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import anyio
from mcp.server.lowlevel import Server

from mcp_host import stdio
from mcp_host.archives import Archives
from mcp_host.calls import Calls
from mcp_host.server import build
from pipelines.config import Config
from pipelines.output import complain
from pipelines.prompts import Prompt, prompts
from pipelines.tool import tools
from stages.core.errors import FOUND, UsageError
from stages.core.workers import SHELF, Shelf

if TYPE_CHECKING:
    from mcp_host.command import Serve


def run(options: Serve, config: Config, token: str) -> NoReturn:
    """Serve until the client or a signal ends it, then end the process. Raises UsageError for what cannot be served."""
    found = tools(options.profile, prefix=options.prefix)
    offered = prompts(options.profile, prefix=options.prefix)
    for problem in (*found.problems, *offered.problems):
        complain(f"cribble mcp: {problem}")
    sys.stderr.flush()
    if not found.tools:
        raise UsageError(f"there is no tool to serve in {', '.join(options.profile)}")
    if not options.http:
        stdio.connected()
    anyio.run(_served, found.tools, offered.prompts, config, options, token)
    raise AssertionError("the process has ended")


async def _served(served: Any, offered: Sequence[Prompt], config: Config, options: Serve, token: str) -> NoReturn:
    """All calls are over when a transport ends, but a thread may still wait on a name server: nobody waits for it."""
    calls = Calls(Archives(config))
    server = build(served, calls, offered)
    shelf = Shelf()
    SHELF.set(shelf)
    # Bound outside of the group: what it raises would become a group of errors, which no user reads as one line.
    with _transport(server, calls, options, token) as serve:
        async with anyio.create_task_group() as group:
            group.start_soon(shelf.tend)
            await serve()
            group.cancel_scope.cancel()
    for stream in (sys.__stdout__, sys.stderr):  # what a library printed before the wire was taken waits in the first one
        if stream is not None:
            with suppress(OSError, ValueError):  # a client that has closed our stderr is no reason to fail
                stream.flush()
    os._exit(FOUND)


@contextmanager
def _transport(server: Server[Any], calls: Calls, options: Serve, token: str) -> Iterator[Callable[[], Awaitable[None]]]:
    """What serves until it is told to end, with its socket bound if it has one. Raises UsageError."""
    if not options.http:
        yield partial(_over_stdio, server)
        return
    from mcp_host import http

    with http.bound(options.http) as listening:
        gate = http.gate(server, listening, token, options.allow_host)
        yield partial(http.serve, gate, listening, calls, _told_to_end)


async def _over_stdio(server: Server[Any]) -> None:
    async with anyio.create_task_group() as group:

        async def end() -> None:
            await _told_to_end()
            group.cancel_scope.cancel()

        group.start_soon(end)
        await stdio.serve(server)
        group.cancel_scope.cancel()


async def _told_to_end() -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as signals:
        async for _ in signals:
            return
