"""MCP over standard input and output: bounded lines, and nothing but protocol on the wire.

Written on descriptors that are waited for, not on threads that block: a cancelled host ends at once.
"""

from __future__ import annotations

import os
import select
import sys
from collections.abc import AsyncIterator
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage

from mcp_host.inbound import MAX_BYTES, RefusedError, message
from stages.core.errors import UsageError

_BLOCK = 1 << 16


async def serve(server: Server[Any]) -> None:
    """Serve the one client until it closes our standard input, or reads no more."""
    source, sink = _claim()
    incoming_in, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, outgoing_out = anyio.create_memory_object_stream[SessionMessage](0)
    reading = anyio.CancelScope()
    async with anyio.create_task_group() as group:
        group.start_soon(_read, source, incoming_in, outgoing.clone(), reading)
        group.start_soon(_write, sink, outgoing_out, group.cancel_scope)
        await server.run(incoming, outgoing, server.create_initialization_options())
        reading.cancel()  # the writer ends by itself, when it has written all


def connected() -> None:
    """Raises UsageError where no client can be at the other end."""
    if sys.__stdin__ is None or sys.__stdout__ is None:
        raise UsageError("no client is there: standard input or output is closed; --http serves without them")


def _claim() -> tuple[int, int]:
    """Take the wire away from descriptors 0 and 1: what anything in this process prints goes to stderr from now on."""
    source, sink = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return source, sink


async def _read(
    source: int,
    incoming: MemoryObjectSendStream[SessionMessage | Exception],
    answers: MemoryObjectSendStream[SessionMessage],
    scope: anyio.CancelScope,
) -> None:
    async with incoming, answers:
        with scope:
            async for line in _lines(source):
                try:
                    await incoming.send(SessionMessage(message(line)))
                except RefusedError as refused:
                    await answers.send(SessionMessage(refused.answer))
                except anyio.BrokenResourceError:
                    return


async def _lines(source: int) -> AsyncIterator[bytes]:
    """Lines that are not blank. Of one that is too long comes just enough to refuse it."""
    rest = b""
    while block := await _some(source):
        *whole, tail = block.split(b"\n")
        for line in whole:
            rest = _joined(rest, line)
            if rest.strip():
                yield rest
            rest = b""
        rest = _joined(rest, tail)
    if rest.strip():
        yield rest


def _joined(rest: bytes, more: bytes) -> bytes:
    return rest + more[: MAX_BYTES + 1 - len(rest)]


async def _some(source: int) -> bytes:
    try:
        await anyio.wait_readable(source)
    except PermissionError:  # a regular file is always readable, and cannot be waited for
        await anyio.lowlevel.checkpoint()
    return os.read(source, _BLOCK)


async def _write(sink: int, outgoing: MemoryObjectReceiveStream[SessionMessage], host: anyio.CancelScope) -> None:
    """Write messages as they come; the host ends when nobody reads them."""
    async with outgoing:
        async for sent in outgoing:
            line = sent.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
            try:
                await _all(sink, line)
            except BrokenPipeError:
                host.cancel()
                return


async def _all(sink: int, data: bytes) -> None:
    """At most PIPE_BUF at a time: so much a descriptor that polls writable takes without blocking."""
    rest = memoryview(data)
    while rest:
        try:
            await anyio.wait_writable(sink)
        except PermissionError:
            await anyio.lowlevel.checkpoint()
        rest = rest[os.write(sink, rest[: select.PIPE_BUF]) :]
