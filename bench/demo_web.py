"""A small web on 127.0.0.1 that the demo archive is recorded from: the pages, walls and search engines of fixtures/demo/web.toml.

It is an HTTP proxy. `GET http://host/path` is answered as it stands; CONNECT is answered with TLS under a throw-away authority,
since DuckDuckGo has no plain address. Asked directly, `/dns?name=` says where a name would be. It never opens a connection.
The first line of output says where everything is.
"""

from __future__ import annotations

import argparse
import asyncio
import html
import json
import re
import ssl
import subprocess
import tempfile
import tomllib
from email.utils import formatdate
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

DEMO = Path(__file__).resolve().parent.parent / "fixtures" / "demo"
SEARXNG, DUCKDUCKGO = "searxng.example", "html.duckduckgo.com"
PAGE_SIZE = 10
CLOCK = formatdate(1_779_271_200, usegmt=True)  # a fixed Date header, so that two recordings hold equal exchanges


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
        self.hosts = sorted({at.partition("/")[0] for at in self.pages} | {SEARXNG, DUCKDUCKGO})

    def answer(self, host: str, target: str, form: dict[str, str]) -> Answer:
        """The reply of `host` to a path with its query; `form` holds the fields of a POST."""
        path, _, query = target.partition("?")
        asked = dict(parse_qsl(query)) | form
        if host not in self.hosts:
            return Answer(502, "text/plain; charset=utf-8", f"no such host: {host}\n".encode(), (("x-demo", "no-such-host"),))
        if host == SEARXNG and path == "/search":
            return self._searxng(asked.get("q", ""), asked.get("format", "html"))
        if host == DUCKDUCKGO and path == "/html/":
            return self._duckduckgo(asked)
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

    def found(self, engine: str, query: str) -> list[dict[str, Any]]:
        """The hits that this engine has for a query, best first: those that share a word of four letters with it."""
        words = {word for word in re.findall(r"\w+", query.casefold()) if len(word) > 3}  # noqa: PLR2004 - shorter ones join anything
        hits = [hit for hit in self.manifest["hit"] if engine in hit["rank"]]
        shared = [hit for hit in hits if words & set(re.findall(r"\w+", f"{hit['title']} {hit['snippet']}".casefold()))]
        return sorted(shared, key=lambda hit: int(hit["rank"][engine]))

    def _searxng(self, query: str, form: str) -> Answer:
        if form != "json":
            return Answer(403, "text/html; charset=utf-8", b"<!doctype html><title>403 Forbidden</title>")
        results = [_searxng_result(hit, place) for place, hit in enumerate(self.found("searxng", query), 1)]
        reply = {
            "query": query,
            "number_of_results": 0,
            "results": results,
            "answers": [],
            "corrections": [],
            "infoboxes": [],
            "suggestions": ["tidewren changelog"],
            "unresponsive_engines": [["startpage", "Suspended: CAPTCHA"]],
        }
        return Answer(200, "application/json", json.dumps(reply, ensure_ascii=False).encode())

    def _duckduckgo(self, asked: dict[str, str]) -> Answer:
        query = asked.get("q", "")
        token = f"4-{int(sha256(query.encode()).hexdigest()[:24], 16)}"
        start = int(asked["s"]) if asked.get("s", "").isdigit() else 0
        if start and asked.get("vqd") != token:
            return Answer(403, "text/html; charset=utf-8", b"<!doctype html><title>403</title>")
        hits = self.found("duckduckgo", query)
        shown = hits[start : start + PAGE_SIZE]
        blocks = [_duckduckgo_ad(self.manifest["ad"])] if shown and not start else []
        blocks += [_duckduckgo_result(hit) for hit in shown]
        if not shown:
            blocks = ['<div class="result results_links result--no-result"><div class="no-results">No results.</div></div>']
        if hits[start + PAGE_SIZE :]:
            fields = {"q": query, "s": "10", "nextParams": "", "v": "l", "o": "json", "dc": "11", "api": "d.js", "vqd": token, "kl": "wt-wt"}
            inputs = "".join(f'<input type="hidden" name="{name}" value="{html.escape(value)}" />' for name, value in fields.items())
            blocks.append(f'<div class="nav-link"><form action="/html/" method="post"><input type="submit" value="Next" />{inputs}</form></div>')
        frame = (self.folder / "duckduckgo.html").read_text("utf-8")
        body = frame.replace("{query}", html.escape(query)).replace("{results}", "\n".join(blocks))
        return Answer(200, "text/html; charset=UTF-8", body.encode())


def _plain(marked: str) -> str:
    """A snippet without its <b>: what SearXNG hands on."""
    return re.sub(r"</?b>", "", marked)


def _searxng_result(hit: dict[str, Any], place: int) -> dict[str, Any]:
    parts = urlsplit(hit["url"])
    engines = hit.get("engines", ["mojeek"])
    return {
        "url": hit["url"],
        "title": hit["title"],
        "content": _plain(hit["snippet"]),
        "publishedDate": f"{hit['date']}T00:00:00" if "date" in hit else None,
        "thumbnail": "",
        "engine": engines[0],
        "template": "default.html",
        "parsed_url": [parts.scheme, parts.netloc, parts.path, "", parts.query, ""],
        "img_src": "",
        "priority": "",
        "engines": engines,
        "positions": [place] * len(engines),
        "score": round(len(engines) ** 2 / place, 6),
        "category": "general",
    }


def _wrapped(url: str) -> str:
    return html.escape("//duckduckgo.com/l/?" + urlencode({"uddg": url, "rut": sha256(url.encode()).hexdigest()}))


def _duckduckgo_result(hit: dict[str, Any]) -> str:
    link, parts = _wrapped(hit["url"]), urlsplit(hit["url"])
    shown = html.escape(parts.netloc + parts.path)
    date = f"<span>&nbsp; &nbsp; {hit['date']}T00:00:00.0000000</span>" if "date" in hit else ""
    icon = f'<img class="result__icon__img" width="16" height="16" alt="" src="//external-content.duckduckgo.com/ip3/{parts.netloc}.ico" />'
    return f"""<div class="result results_links results_links_deep web-result ">
<div class="links_main links_deep result__body">
<h2 class="result__title"><a rel="nofollow" class="result__a" href="{link}">{html.escape(hit["title"])}</a></h2>
<div class="result__extras"><div class="result__extras__url">
<span class="result__icon"><a rel="nofollow" href="{link}">{icon}</a></span>
<a class="result__url" href="{link}">{shown}</a>{date}</div></div>
<a class="result__snippet" href="{link}">{hit["snippet"]}</a>
<div class="clear"></div></div></div>"""


def _duckduckgo_ad(ad: dict[str, str]) -> str:
    """An advertisement: wrapped like any result, and the wrapped address is again DuckDuckGo's."""
    parts = urlsplit(ad["url"])
    inner = f"https://duckduckgo.com/y.js?ad_domain={parts.netloc}&ad_provider=demo&u3={quote(ad['url'], safe='')}"
    link = _wrapped(inner)
    return f"""<div class="result results_links results_links_deep result--ad ">
<div class="links_main links_deep result__body">
<h2 class="result__title"><a rel="nofollow" class="result__a" href="{link}">{html.escape(ad["title"])}</a></h2>
<a class="result__snippet" href="{link}">{ad["snippet"]}</a></div></div>"""


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
                fields = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if name}
                if method == "CONNECT":
                    tunnel = target.rpartition(":")[0].lower()
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
    _openssl(["req", "-x509", *key, "-keyout", str(folder / "ca.key"), "-out", str(ca), "-subj", "/CN=cribble demo authority", *usage])
    names = ",".join(f"DNS:{host}" for host in hosts)
    request = ["req", "-x509", *key, "-keyout", str(folder / "leaf.key"), "-out", str(leaf), "-subj", "/CN=cribble demo"]
    extra = ["-addext", f"subjectAltName={names}", "-addext", "basicConstraints=critical,CA:FALSE", "-addext", "extendedKeyUsage=serverAuth"]
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
        print(json.dumps({"proxy": here, "ca": f"{folder}/ca.pem", "resolver": f"{here}/dns", "searxng": f"http://{SEARXNG}"}), flush=True)
        async with server:
            await server.serve_forever()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        raise SystemExit(130) from None
