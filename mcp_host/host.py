"""One host from its start to its end: tools, server, transport, signals."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

import anyio
from mcp.server.lowlevel import Server

from mcp_host import stdio
from mcp_host.archives import Archives
from mcp_host.calls import Calls
from mcp_host.server import build
from pipelines.config import Config
from pipelines.output import complain
from pipelines.tool import tools
from stages.core.errors import FOUND, UsageError
from stages.core.workers import SHELF, Shelf

if TYPE_CHECKING:
    from mcp_host.command import Serve


def run(options: Serve, config: Config, token: str) -> NoReturn:
    """Serve until the client or a signal ends it, then end the process. Raises UsageError for what cannot be served."""
    found = tools(options.profile, prefix=options.prefix)
    for problem in found.problems:
        complain(f"cribble mcp: {problem}")
    sys.stderr.flush()
    if not found.tools:
        raise UsageError(f"there is no tool to serve in {', '.join(options.profile)}")
    anyio.run(_served, found.tools, config, options, token)
    raise AssertionError("the process has ended")


async def _served(served: Any, config: Config, options: Serve, token: str) -> NoReturn:
    """All calls are over when a transport ends, but a thread may still wait on a name server: nobody waits for it."""
    shelf = Shelf()
    SHELF.set(shelf)
    async with anyio.create_task_group() as group:
        group.start_soon(shelf.tend)
        if options.http:
            await _over_http(served, config, options, token)
        else:
            await _over_stdio(served, config)
        group.cancel_scope.cancel()
    for stream in (sys.__stdout__, sys.stderr):  # what a library printed before the wire was taken waits in the first one
        if stream is not None:
            with suppress(OSError, ValueError):  # a client that has closed our stderr is no reason to fail
                stream.flush()
    os._exit(FOUND)


async def _over_stdio(served: Any, config: Config) -> None:
    server: Server[Any] = build(served, Calls(Archives(config)))
    async with anyio.create_task_group() as group:

        async def end() -> None:
            await _told_to_end()
            group.cancel_scope.cancel()

        group.start_soon(end)
        await stdio.serve(server)
        group.cancel_scope.cancel()


async def _over_http(served: Any, config: Config, options: Serve, token: str) -> None:
    from mcp_host import http

    calls = Calls(Archives(config))
    with http.bound(options.http) as listening:
        gate = http.gate(build(served, calls), listening, token, options.allow_host)
        await http.serve(gate, listening, calls, _told_to_end)


async def _told_to_end() -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as signals:
        async for _ in signals:
            return
