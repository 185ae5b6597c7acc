"""One fault at a time, each through `fetch` in a process of its own: what it is called, how long it took, how much memory.

    python bench/faults_table.py [FAULT …]

A proxy on loopback plays every part; for the faults of TLS it answers CONNECT and is the server itself. `fetch` has 4 seconds for
a page and 8 MB for a body. Prints a table; exit 1 where a fault is not called what it is, or passes MOST_SECS or MOST_MB.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import datetime
import json
import os
import ssl
import sys
import tempfile
import threading
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import trustme
from one_run import carried

TIMEOUT_SECS = 4
MOST_SECS, MOST_MB = 12.0, 160
"""Two tries of TIMEOUT_SECS each and the start of a process; the interpreter takes 60 MB with its libraries, and curl and the
page hold 8 MB each."""
STAGES = f"fetch --timeout-secs {TIMEOUT_SECS}"
OK = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n"
CHUNKED = OK + b"transfer-encoding: chunked\r\n\r\n"
PACKED = OK + b"content-encoding: gzip\r\ncontent-length: 20\r\n\r\n"
ODDLY = OK + b"content-encoding: x\r\ncontent-length: 5\r\n\r\n"
PARTS = b"HTTP/1.1 200 OK\r\ncontent-type: multipart/x-mixed-replace\r\n\r\n"
RELOAD = OK + b"connection: close\r\n\r\n<meta http-equiv=refresh content=0>wait"
MEGABYTE = b"<p>The gauge at the weir writes down the level.</p>" * 20_000


async def gzip_bomb(rounds: int = 1) -> AsyncIterator[bytes]:
    """A gigabyte of zeros, packed; twice packed with `rounds` 2."""
    yield OK + b"content-encoding: " + b", ".join([b"gzip"] * rounds) + b"\r\nconnection: close\r\n\r\n"
    packer, outer = zlib.compressobj(9, zlib.DEFLATED, 31), zlib.compressobj(9, zlib.DEFLATED, 31)
    for _ in range(1024):
        piece = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
        yield piece if rounds == 1 else outer.compress(piece) + outer.flush(zlib.Z_FULL_FLUSH)


async def repeated(start: bytes, piece: bytes, pause_secs: float = 0.0) -> AsyncIterator[bytes]:
    """The piece without end."""
    yield start
    while True:
        yield piece
        await asyncio.sleep(pause_secs)


async def once(*pieces: bytes) -> AsyncIterator[bytes]:
    """The pieces, and the end."""
    for piece in pieces:
        yield piece


def redirect(place: str) -> AsyncIterator[bytes]:
    """To another place."""
    return once(f"HTTP/1.1 302 X\r\nlocation: {place}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".encode())


def onward(path: str) -> str:
    """The next of a chain of addresses without end."""
    return f"/{int(path[1:] or 0) + 1}"


class Fault(NamedTuple):
    """What the server says, from the path that was asked, and what `fetch` may call it."""

    answer: Callable[[str], AsyncIterator[bytes]]
    kinds: str
    tls: str = ""
    """How TLS is wrong, for an address of https."""


HEADERS = b"".join(b"x-%d: y\r\n" % number for number in range(1_000_000))
FAULTS = {
    "gzip bomb, 1 GB": Fault(lambda _: gzip_bomb(), "too_large"),
    "gzip in gzip bomb": Fault(lambda _: gzip_bomb(2), "too_large network"),
    "gzip cut off": Fault(lambda _: once(PACKED, zlib.compress(b"x" * 99, wbits=31)[:20]), "network ok"),
    "coding that nobody asked for": Fault(lambda _: once(ODDLY, b"hello"), "network unsupported_content"),
    "endless body": Fault(lambda _: repeated(OK + b"\r\n", MEGABYTE), "too_large"),
    "endless chunks": Fault(lambda _: repeated(CHUNKED, b"5\r\nhello\r\n" * 9999), "too_large timeout"),
    "100 MB announced": Fault(lambda _: repeated(OK + b"content-length: 104857600\r\n\r\n", MEGABYTE), "too_large"),
    "multipart stream": Fault(lambda _: repeated(PARTS, b"x" * 99, 0.1), "timeout"),
    "slow body": Fault(lambda _: repeated(OK + b"\r\n", b"x", 0.2), "timeout"),
    "slow headers": Fault(lambda _: repeated(OK, b"x-a: b\r\n", 0.2), "timeout"),
    "silence": Fault(lambda _: repeated(b"", b"", 0.2), "timeout"),
    "10^6 headers": Fault(lambda _: once(OK, HEADERS, b"\r\nhello"), "network too_large"),
    "endless header": Fault(lambda _: repeated(OK + b"x-a: ", b"y" * 65536), "network too_large"),
    "endless 103": Fault(lambda _: repeated(b"", b"HTTP/1.1 103 Early\r\nlink: <a>\r\n\r\n" * 999), "network timeout too_large"),
    "redirect loop": Fault(lambda path: redirect("/a" if path != "/a" else "/"), "network"),
    "redirects without end": Fault(lambda path: redirect(onward(path)), "network"),
    "redirect to itself": Fault(redirect, "network"),
    "reload without end": Fault(lambda _: once(RELOAD), "network"),
    "bad chunk": Fault(lambda _: once(CHUNKED, b"5\r\nhello\r\nzz\r\n"), "network"),
    "chunk of 2^63 bytes": Fault(lambda _: once(CHUNKED, b"8000000000000000\r\nx"), "network too_large"),
    "shorter than announced": Fault(lambda _: once(OK, b"content-length: 99\r\nconnection: close\r\n\r\nshort"), "network"),
    "no HTTP": Fault(lambda _: once(b"\x16\x03\x01 hello\r\n\r\n"), "network"),
    "nothing": Fault(lambda _: once(b""), "network"),
    "TLS: another name": Fault(lambda _: once(b""), "network", "other"),
    "TLS: past its time": Fault(lambda _: once(b""), "network", "expired"),
    "TLS: signed by nobody known": Fault(lambda _: once(b""), "network", "unknown"),
    "TLS: plain text instead": Fault(lambda _: once(b"HTTP/1.1 200 OK\r\n\r\n"), "network", "plain"),
    "TLS: silent": Fault(lambda _: once(b""), "timeout network", "silent"),
    "TLS: hangs up": Fault(lambda _: once(b""), "network", "hangs up"),
}  # fmt: skip


class Server:
    """A proxy of which every host is one fault, by its number."""

    def __init__(self, contexts: dict[str, ssl.SSLContext]) -> None:
        self._faults = list(FAULTS.values())
        self._contexts = contexts

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        with contextlib.suppress(OSError, EOFError, ssl.SSLError, asyncio.CancelledError):
            head = (await reader.readuntil(b"\r\n\r\n")).split(b" ")
            target = head[1].decode("latin-1")
            if head[0] == b"CONNECT":
                await self._tls(self._of(target), reader, writer)
                return
            async for piece in self._answer(urlsplit(target).hostname or "", urlsplit(target).path):
                writer.write(piece)
                await writer.drain()
        writer.transport.abort() if writer.is_closing() else writer.close()

    def _of(self, host: str) -> Fault:
        return self._faults[int(host.partition(".")[0].removeprefix("f"))]

    def _answer(self, host: str, path: str) -> AsyncIterator[bytes]:
        if path == "/dns":
            body = json.dumps({"addresses": ["93.184.216.34"]}).encode()
            return once(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\nconnection: close\r\n\r\n%s" % (len(body), body))
        if path == "/robots.txt":
            return once(b"HTTP/1.1 404 X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        return self._of(host).answer(path)

    async def _tls(self, fault: Fault, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        await writer.drain()
        if fault.tls in self._contexts:
            await writer.start_tls(self._contexts[fault.tls])
            await reader.read(1)
        elif fault.tls == "silent":
            await asyncio.sleep(60)
        elif fault.tls == "plain":
            async for piece in fault.answer(""):
                writer.write(piece)
            await writer.drain()
        writer.close()


def certificates(folder: Path) -> dict[str, ssl.SSLContext]:
    """What the servers show, none of it good; `ca.pem` in the folder is what is trusted."""
    trusted, unknown = trustme.CA(), trustme.CA()
    trusted.cert_pem.write_to_path(folder / "ca.pem")
    past = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    issued = {
        "other": trusted.issue_cert("other.example"),
        "expired": trusted.issue_cert("*.fault.example", not_after=past),
        "unknown": unknown.issue_cert("*.fault.example"),
    }
    contexts = {name: ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) for name in issued}
    for name, certificate in issued.items():
        certificate.configure_cert(contexts[name])
    return contexts


@contextmanager
def served(folder: Path) -> Iterator[int]:
    """The port of the server, which runs in a thread."""
    loop, ports, begun = asyncio.new_event_loop(), list[int](), threading.Event()

    async def serve() -> None:
        server = await asyncio.start_server(Server(certificates(folder)), "127.0.0.1", 0)
        ports.append(server.sockets[0].getsockname()[1])
        begun.set()

    loop.create_task(serve())
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    begun.wait()
    yield ports[0]

    async def end() -> None:
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        await asyncio.sleep(0.1)
        loop.stop()

    asyncio.run_coroutine_threadsafe(end(), loop)
    thread.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("faults", nargs="*")
    wanted = parser.parse_args().faults or list(FAULTS)
    bad = False
    with tempfile.TemporaryDirectory() as scratch, served(Path(scratch)) as port:
        proxy = f"http://127.0.0.1:{port}"
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CRIBBLE_")} | {
            "CRIBBLE_PROXY": proxy, "CRIBBLE_RESOLVER": f"{proxy}/dns", "CRIBBLE_CA_BUNDLE": f"{scratch}/ca.pem",
            "CRIBBLE_CACHE": "false", "CRIBBLE_PACE_SECS": "0",
        }  # fmt: skip
        print(f"{'fault':30} {'kind':20} {'secs':>5} {'MB':>4}")
        for name in wanted:
            fault = FAULTS[name]
            url = f"http{'s' if fault.tls else ''}://f{list(FAULTS).index(name)}.fault.example/"
            rows, figures = carried([url], STAGES, environment)
            kind = rows[url]["outcome"]
            good = kind in fault.kinds.split() and figures["seconds"] <= MOST_SECS and figures["peak_mb"] <= MOST_MB
            bad |= not good or bool(figures["left"])
            note = "" if good else f"  WRONG: {rows[url].get('message')}"
            print(f"{name:30} {kind:20} {figures['seconds']:5} {figures['peak_mb']:4}{note}", flush=True)
    sys.exit(bad)


if __name__ == "__main__":
    main()
