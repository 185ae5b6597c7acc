"""A small HTTP server on loopback whose answers a test scripts, raw or made by `answer`."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

Handler = Callable[[str, dict[str, str]], bytes | Awaitable[bytes]]
"""From the request's path and headers to the raw answer; nothing means that the connection is cut."""


@dataclass
class Server:
    port: int
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    connections: int = 0

    def url(self, path: str = "/", host: str = "127.0.0.1", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]


def answer(status: int = 200, body: bytes = b"", *headers: tuple[str, str], length: bool = True) -> bytes:
    lines = [f"HTTP/1.1 {status} X", *(f"{name}: {value}" for name, value in headers), "connection: close"]
    lines += [f"content-length: {len(body)}"] if length else []
    return "\r\n".join(lines).encode("utf-8", "surrogatepass") + b"\r\n\r\n" + body


@contextlib.asynccontextmanager
async def serving(
    handler: Handler, context: ssl.SSLContext | None = None, address: str = "127.0.0.1", port: int = 0
) -> AsyncIterator[Server]:
    server = Server(0)

    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        server.connections += 1
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
            server.asked.append((head[0].split(" ")[1], headers))
            raw = handler(*server.asked[-1])
            writer.write(raw if isinstance(raw, bytes) else await raw)
            await writer.drain()
            writer.close()
            await writer.wait_closed()
        except (OSError, EOFError, asyncio.CancelledError):  # the client went away, or the test is over
            writer.transport.abort()
        finally:
            tasks.discard(task)

    listener = await asyncio.start_server(serve, address, port, ssl=context)
    server.port = listener.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listener.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
