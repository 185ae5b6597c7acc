"""A web of a few pages on loopback, reached as a proxy: some of them hang, drip, never end, or are made to trouble a parser."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

_ALONE = {"CRIBBLE_CACHE": "false", "CRIBBLE_PACE_SECS": "0"}
"""One host stands for the web here, and nothing is remembered from run to run."""
CANARY = "zanzibar-canary"
PARAGRAPH = (
    "<p>The tide gauge number {0} at Ostrow weir measures the water every {1} minutes in a storm, and writes down the level in "
    "millimetres, with the time and the wind, for whoever keeps the sluice at station {0}.</p>"
)
HIDDEN = (
    f'<p style="display:none">{CANARY} inline</p><div hidden>{CANARY} attribute</div><style>.q{{visibility:hidden}}</style>'
    f'<p class="q">{CANARY} rule</p><!-- {CANARY} comment --><script>var a = "{CANARY} script"</script>'
    f"<template>{CANARY} template</template><p>Storm\u200b\u202e surges\U000e0041 come\ufeff from the north.</p>"
)


def article(number: int, extra: str = "") -> bytes:
    """A page with something to say about storms and gauges, and with things that nobody may see."""
    paragraphs = "".join(PARAGRAPH.format(number * 10 + turn, number + turn + 2) for turn in range(8))
    title = f"Gauge station {number}"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>'
        f'<body><nav><a href="/">Home</a></nav>'
        f"<article><h1>{title}</h1>{paragraphs}{extra}{HIDDEN}</article></body></html>"
    ).encode()


HARD = {
    "nested": lambda: article(99, "<div>" * 1_200_000),
    "tables": lambda: article(99, "<table><tr><td>" * 200_000 + "x"),
    "formatting": lambda: article(99, "<b><i><u><a href=x>" * 150_000 + "x"),
    "links": lambda: article(99, "<p>" + "<a href='/x?y=1&amp;z=2'>link words</a> " * 180_000),
    "attributes": lambda: article(99, "<p " + " ".join(f"a{n}=1" for n in range(700_000)) + ">x"),
    "selectors": lambda: article(
        99,
        "<style>" + "".join(f".a{n} > * ~ * + * .b{n}:not(.c) {{display:none}}" for n in range(20_000)) + "</style>"
        + "<div class='a1 b2'><p>word</p></div>" * 60_000,
    ),
    "lists": lambda: article(99, "<ul><li>" * 300_000),
    "words": lambda: article(99, "<p>" + "storm gauge " * 600_000),
    "unbroken": lambda: article(99, "<p>" + "a" * 7_900_000),
    "entities": lambda: article(99, "<p>" + "&lt;&#x1F469;&#x200D;" * 350_000),
    "pre": lambda: article(99, "<pre>" + "```\n| a | b |\n" * 500_000),
}  # fmt: skip
"""Pages below 8 MB, by what there is too much of."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        if address.path == "/dns":
            self._whole(json.dumps({"addresses": ["93.184.216.34"]}).encode(), "application/json")
            return
        if address.path == "/robots.txt":
            self._whole(b"User-agent: *\nAllow: /\n", "text/plain")
        else:
            self._page(address.path.strip("/"))

    def _page(self, name: str) -> None:
        if name == "hang":
            time.sleep(3600)
        elif name in ("drip", "endless"):
            self._start("text/html", None)
            chunk, pause = (b"x", 0.2) if name == "drip" else (b"x" * 65536, 0.0)
            while True:
                self.wfile.write(chunk)
                time.sleep(pause)
        elif name in HARD:
            self._whole(HARD[name](), "text/html; charset=utf-8")
        else:
            self._whole(article(int(name)), "text/html; charset=utf-8")

    def _start(self, kind: str, length: int | None) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("connection", "close") if length is None else self.send_header("content-length", str(length))
        self.end_headers()

    def _whole(self, body: bytes, kind: str) -> None:
        self._start(kind, len(body))
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Quiet."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_: object) -> None:
        """A client that went away is what this is for."""


class SmallWeb:
    """The running server."""

    def __init__(self, port: int) -> None:
        self.proxy = f"http://127.0.0.1:{port}"

    def environment(self, **more: str) -> dict[str, str]:
        """What sends cribble here."""
        own = {name: value for name, value in os.environ.items() if not name.startswith("CRIBBLE_")}
        return own | {"CRIBBLE_PROXY": self.proxy, "CRIBBLE_RESOLVER": f"{self.proxy}/dns", **_ALONE, **more}

    @staticmethod
    def url(name: object) -> str:
        """Each page on a host of its own."""
        return f"http://station-{name}.example/{name}"


@contextmanager
def small_web() -> Iterator[SmallWeb]:
    """The server, while the block runs."""
    server = _Server(("127.0.0.1", 0), _Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield SmallWeb(server.server_port)
    finally:
        server.shutdown()
        server.server_close()
