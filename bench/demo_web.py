"""A small web on 127.0.0.1 that the demo archive is recorded from: the pages, walls and search engines of fixtures/demo/web.toml.

It is an HTTP proxy. `GET http://host/path` is answered as it stands; CONNECT is answered with TLS under a throw-away authority,
since DuckDuckGo has no plain address. Asked directly, `/dns?name=` says where a name would be. It never opens a connection.
The first line of output says where everything is.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import ssl
import subprocess
import tempfile
import tomllib
from email.utils import formatdate
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

import demo_engines
import demo_more_engines

DEMO = Path(__file__).resolve().parent.parent / "fixtures" / "demo"
SEARXNG, DUCKDUCKGO = "searxng.example", "html.duckduckgo.com"
ENGINES = {(SEARXNG, "/search"), (DUCKDUCKGO, "/html/")}
CLOCK = formatdate(1_789_462_800, usegmt=True)  # a fixed Date header, so that two recordings hold equal exchanges


class Answer(NamedTuple):
    """What goes back on the wire; `hang_secs` is waited first."""

    status: int
    media_type: str
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    hang_secs: float = 0.0


class Web:
    """The manifest, asked by host and target."""

    def __init__(self, folder: Path = DEMO) -> None:
        self.folder = folder
        self.manifest: dict[str, Any] = tomllib.loads((folder / "web.toml").read_text("utf-8"))
        self.pages: dict[str, dict[str, Any]] = {page["at"]: page for page in self.manifest["page"]}
        self.hosts = sorted({at.partition("/")[0] for at in self.pages} | {SEARXNG, DUCKDUCKGO, *demo_more_engines.HOSTS})

    def answer(self, host: str, target: str, form: dict[str, str]) -> Answer:
        """The reply of `host` to a path with its query; `form` holds the fields of a POST."""
        path, _, query = target.partition("?")
        asked = dict(parse_qsl(query)) | form
        if host not in self.hosts:
            return Answer(502, "text/plain; charset=utf-8", f"no such host: {host}\n".encode(), (("x-demo", "no-such-host"),))
        if (host, path) in ENGINES:
            return self._engine(host, asked)
        if (more := demo_more_engines.answer(host, path, asked)) is not None:
            return Answer(more[0], more[1], more[2].encode())
        page = self.pages.get(host + path) or self.pages.get(f"{host}/*") or {"status": 404}
        status = page.get("status", 200)
        body = (self.folder / "pages" / page["file"]).read_bytes() if "file" in page else f"{status}\n".encode()
        headers = tuple((str(name), str(value)) for name, value in page.get("headers", {}).items())
        return Answer(status, page.get("media_type", "text/plain; charset=utf-8"), body, headers, page.get("hang_secs", 0.0))

    def address(self, name: str) -> list[str]:
        """The addresses of a known name, public ones that the guard lets pass; none for a strange name."""
        if name.rstrip(".").lower() not in self.hosts:
            return []
        return ["93.184." + ".".join(str(byte % 254 + 1) for byte in sha256(name.encode()).digest()[:2])]

    def _engine(self, host: str, asked: dict[str, str]) -> Answer:
        if host == SEARXNG:
            if asked.get("format") != "json":
                return Answer(403, "text/html; charset=utf-8", b"<!doctype html><title>403 Forbidden</title>")
            if (category := asked.get("categories", "general")) != "general":
                found = demo_more_engines.searxng_pictures(asked.get("q", "") if category == "images" else "")
                return Answer(200, "application/json", found.encode())
            return Answer(200, "application/json", demo_engines.searxng(self.manifest["hit"], asked.get("q", "")))
        frame = (self.folder / "duckduckgo.html").read_text("utf-8")
        body = demo_engines.duckduckgo(self.manifest["hit"], self.manifest["ad"], frame, asked)
        return Answer(200 if body else 403, "text/html; charset=UTF-8", body or b"<!doctype html><title>403 Forbidden</title>")


class Proxy:
    """Speaks HTTP/1.1 with the client, in the clear or inside a CONNECT tunnel."""

    def __init__(self, web: Web, tls: ssl.SSLContext) -> None:
        self.web, self.tls = web, tls

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, until the client closes it."""
        tunnel = ""
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                line, *lines = head.decode("latin-1").split("\r\n")
                method, target, _ = line.split(" ", 2)
                fields = {
                    name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if name
                }
                if method == "CONNECT":
                    tunnel = target.rpartition(":")[0].lower()
                    if tunnel not in self.web.hosts:
                        writer.write(b"HTTP/1.1 502 no such host\r\nx-demo: no-such-host\r\n\r\n")
                        break
                    writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                    await writer.drain()
                    await writer.start_tls(self.tls)
                    continue
                body = await reader.readexactly(int(fields.get("content-length", "0")))
                answer = self.reply(tunnel, target, dict(parse_qsl(body.decode("utf-8", "replace"))))
                await asyncio.sleep(answer.hang_secs)
                writer.write(_encoded(answer, method))
                await writer.drain()
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, ssl.SSLError, ValueError):
            pass  # the client went away, or what it speaks is not HTTP
        finally:
            writer.close()

    def reply(self, tunnel: str, target: str, form: dict[str, str]) -> Answer:
        """The answer to one request line: inside a tunnel, in absolute form, or to the proxy itself."""
        parts = urlsplit(target)
        if host := tunnel or (parts.hostname or ""):
            return self.web.answer(host, parts.path + (f"?{parts.query}" if parts.query else ""), form)
        if parts.path == "/dns":
            name = dict(parse_qsl(parts.query)).get("name", "")
            return Answer(200, "application/json", json.dumps({"name": name, "addresses": self.web.address(name)}).encode())
        return Answer(404, "text/plain; charset=utf-8", b"404\n")


def _encoded(answer: Answer, method: str) -> bytes:
    fields = [("date", CLOCK), ("content-type", answer.media_type), ("content-length", str(len(answer.body))), *answer.headers]
    head = "".join(f"{name}: {value}\r\n" for name, value in fields)
    body = b"" if method == "HEAD" else answer.body
    return f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}\r\n{head}\r\n".encode("latin-1") + body


def authority(folder: Path, hosts: list[str]) -> ssl.SSLContext:
    """A throw-away authority `ca.pem` in `folder` and a server context with a certificate for all the hosts under it."""
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30"]
    ca, leaf = folder / "ca.pem", folder / "leaf.pem"
    usage = ["-addext", "keyUsage=critical,keyCertSign,cRLSign"]
    _openssl(
        ["req", "-x509", *key, "-keyout", str(folder / "ca.key"), "-out", str(ca), "-subj", "/CN=cribble demo authority", *usage]
    )
    names = ",".join(f"DNS:{host}" for host in hosts)
    request = ["req", "-x509", *key, "-keyout", str(folder / "leaf.key"), "-out", str(leaf), "-subj", "/CN=cribble demo"]
    extra = [
        "-addext",
        f"subjectAltName={names}",
        "-addext",
        "basicConstraints=critical,CA:FALSE",
        "-addext",
        "extendedKeyUsage=serverAuth",
    ]
    _openssl([*request, "-CA", str(ca), "-CAkey", str(folder / "ca.key"), *extra])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(leaf, folder / "leaf.key")
    context.set_alpn_protocols(["http/1.1"])
    return context


def _openssl(arguments: list[str]) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True, timeout=30)


async def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes any free one")
    port = parser.parse_args().port
    web = Web()
    with tempfile.TemporaryDirectory(prefix="cribble-demo-") as folder:
        server = await asyncio.start_server(Proxy(web, authority(Path(folder), web.hosts)).serve, "127.0.0.1", port)
        here = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        print(
            json.dumps({"proxy": here, "ca": f"{folder}/ca.pem", "resolver": f"{here}/dns", "searxng": f"http://{SEARXNG}"}),
            flush=True,
        )
        async with server:
            await server.serve_forever()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the throw-away authority is removed
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        raise SystemExit(130) from None
