"""Which browser a site meets, and that all it shows is of that one browser: TLS, HTTP/2, headers, client hints, user agent."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import re
import ssl
from collections import Counter
from pathlib import Path

import anyio
import pytest
import trustme
from loopback import answer, serving

from stages.core.env import Request, Settings
from stages.core.errors import StageError
from stages.net import identity_browser
from stages.net.client import LiveDoor
from stages.net.identity_browser import ACCEPT_ENCODING, BROWSERS, browser_for

LOOPBACK = frozenset({"127.0.0.1", "localhost", "site.example.org"})
EACH = pytest.mark.parametrize("browser", BROWSERS)
_GREASE = frozenset(f"{digit}a{digit}a" for digit in "0123456789abcdef")
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_HEADERS_FRAME = 1


@contextlib.asynccontextmanager
async def door(settings: Settings | None = None):
    live = LiveDoor(settings or Settings(), allow_private=LOOPBACK)
    try:
        with anyio.fail_after(20):
            yield live
    finally:
        await live.aclose()


def send(live: LiveDoor, url: str, **options):
    return live.bind("stage", "record", math.inf, set()).send(Request(url=url, **options))


def test_a_site_meets_one_browser_on_all_its_hosts_and_other_sites_others() -> None:
    hosts = [f"{front}harbour-{number}.co.uk" for number in range(300) for front in ("", "www.", "static.img.")]
    met = [browser_for(host, "seed") for host in hosts]
    assert met == [browser_for(host, "seed") for host in hosts]
    assert all(len(set(met[at : at + 3])) == 1 for at in range(0, len(met), 3))
    assert all(220 < times < 380 for times in Counter(met).values())
    assert set(met) == set(BROWSERS)
    assert met != [browser_for(host, "another seed") for host in hosts]


@pytest.mark.parametrize("host", ["93.184.216.34", "2606:4700::1", "localhost", "co.uk", "xn--bcher-kva.example"])
def test_any_host_has_a_browser(host: str) -> None:
    assert browser_for(host, "seed") in BROWSERS


@pytest.mark.anyio
async def test_every_exchange_with_a_host_is_with_the_same_browser_in_every_run() -> None:
    async with serving(lambda *_: answer(200, b"")) as server:
        for _ in range(2):
            async with door() as live:
                for host in ("127.0.0.1", "localhost", "127.0.0.1", "localhost"):
                    await send(live, server.url(host=host))
    agents = {
        host: {headers["user-agent"] for _, headers in server.asked if headers["host"].startswith(host)} for host in LOOPBACK
    }
    assert [len(agents[host]) for host in ("127.0.0.1", "localhost")] == [1, 1]


@pytest.mark.anyio
@EACH
async def test_over_plain_http_a_browser_says_nothing_that_is_meant_for_tls(
    browser: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identity_browser, "browser_for", lambda *_: browser)
    given = (("User-Agent", "curl/8"), ("Accept-Language", "de"), ("sec-fetch-site", "same-origin"), ("x-own", "1"))
    async with serving(lambda *_: answer(200, b"")) as server, door() as live:
        await send(live, server.url(), headers=given)
    headers = server.asked[0][1]
    assert {name for name in headers if name.startswith("sec-")} | {"upgrade", "http2-settings", "te"} & set(headers) == set()
    assert (headers["accept-language"], headers["accept-encoding"], headers["x-own"]) == ("de", ACCEPT_ENCODING, "1")
    assert re.search(
        {"c": r"Chrome/150\.", "f": r"Firefox/147\.", "s": r"Version/26\.0 Safari/"}[browser[0]], headers["user-agent"]
    )


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory) -> tuple[ssl.SSLContext, str]:
    """A server's context that speaks both versions of HTTP, and the bundle to trust it by."""
    authority, bundle = trustme.CA(), tmp_path_factory.mktemp("ca") / "ca.pem"
    authority.cert_pem.write_to_path(bundle)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("site.example.org").configure_cert(context)
    return context, str(bundle)


@pytest.mark.anyio
@EACH
async def test_over_tls_the_headers_are_those_of_one_browser(
    browser: str, monkeypatch: pytest.MonkeyPatch, secure: tuple[ssl.SSLContext, str]
) -> None:
    monkeypatch.setattr(identity_browser, "browser_for", lambda *_: browser)
    context, bundle = secure
    context.set_alpn_protocols(["http/1.1"])
    given = (("sec-fetch-site", "same-origin"), ("sec-fetch-user", "?1"), ("user-agent", "curl/8"))
    async with serving(lambda *_: answer(200, b""), context) as server, names() as resolver, door(own(resolver, bundle)) as live:
        await send(live, server.url(host="site.example.org", scheme="https"), headers=given)
    headers = server.asked[0][1]
    assert headers["sec-fetch-site"] == "same-origin"
    assert ("sec-ch-ua" in headers) == ("te" not in headers and "sec-fetch-user" in headers) == (browser == "chrome150")
    assert ("sec-fetch-user" in headers) == (browser != "safari260")
    if browser == "chrome150":
        assert '"Google Chrome";v="150"' in headers["sec-ch-ua"]
        assert headers["sec-ch-ua-platform"] == '"macOS"'
        assert "Macintosh" in headers["user-agent"]


def names():
    """A resolver by which the site is on loopback."""
    return serving(lambda *_: answer(200, json.dumps({"addresses": ["127.0.0.1"]}).encode()))


def own(resolver, bundle: str) -> Settings:
    return Settings(resolver=resolver.url("/dns"), ca_bundle=bundle)


@pytest.mark.anyio
@EACH
async def test_what_tls_and_http2_show_is_what_the_recording_shows(
    browser: str, monkeypatch: pytest.MonkeyPatch, secure: tuple[ssl.SSLContext, str], tmp_path: Path
) -> None:
    """The door sets options of its own (pins, sockets, caps): none of them may show."""
    from curl_cffi import CurlOpt
    from curl_cffi.requests import AsyncSession

    monkeypatch.setattr(identity_browser, "browser_for", lambda *_: browser)
    context, bundle = secure
    seen: list[tuple[str, object]] = []
    async with watched(context, seen) as port:
        url = f"https://site.example.org:{port}/"
        async with names() as resolver, door(own(resolver, bundle)) as live:
            with contextlib.suppress(StageError):
                await send(live, url)
        pinned = {CurlOpt.RESOLVE: [f"site.example.org:{port}:127.0.0.1"]}
        async with AsyncSession(trust_env=False, curl_options=pinned) as bare:
            with contextlib.suppress(Exception):
                await bare.get(url, impersonate=browser, verify=bundle, timeout=5)
    ours, theirs = seen[:2], seen[-2:]
    assert [what for what, _ in ours] == ["hello", "http2"]
    assert ours == theirs


@contextlib.asynccontextmanager
async def watched(context: ssl.SSLContext, seen: list[tuple[str, object]]):
    """A port that writes down each ClientHello and what HTTP/2 says before its first request, and then hangs up.

    It stands before a TLS server of its own, since that does not show the hello.
    """

    async def over_tls(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, EOFError):
            assert await reader.readexactly(len(_PREFACE)) == _PREFACE
            frames = []
            while True:
                head = await reader.readexactly(9)
                payload = await reader.readexactly(int.from_bytes(head[:3], "big"))
                if head[3] == _HEADERS_FRAME:
                    break
                frames.append((head[3:], payload))
            seen.append(("http2", frames))
        writer.transport.abort()

    async def before(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readexactly(5)
        hello = await reader.readexactly(int.from_bytes(head[3:5], "big"))
        seen.append(("hello", shape(hello)))
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", inner.sockets[0].getsockname()[1])
        inner_writer.write(head + hello)
        await asyncio.gather(copy(reader, inner_writer), copy(inner_reader, writer))

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while piece := await reader.read(65536):
                writer.write(piece)
                await writer.drain()
        writer.close()

    context.set_alpn_protocols(["h2"])
    inner = await asyncio.start_server(over_tls, "127.0.0.1", 0, ssl=context)
    outer = await asyncio.start_server(before, "127.0.0.1", 0)
    try:
        yield outer.sockets[0].getsockname()[1]
    finally:
        outer.close()
        inner.close()
        await asyncio.sleep(0)


def shape(hello: bytes) -> tuple[str, list[str], list[str]]:
    """Version, cipher suites in order, and the extensions, which Chrome puts in another order each time; without GREASE."""
    at = 4 + 2 + 32
    at += 1 + hello[at]
    length = int.from_bytes(hello[at : at + 2], "big")
    suites = [hello[place : place + 2].hex() for place in range(at + 2, at + 2 + length, 2)]
    at += 2 + length
    at += 1 + hello[at] + 2
    extensions = []
    while at < len(hello):
        extensions.append(hello[at : at + 2].hex())
        at += 4 + int.from_bytes(hello[at + 2 : at + 4], "big")
    plain = [[one for one in row if one not in _GREASE] for row in (suites, extensions)]
    return hello[4:6].hex(), plain[0], sorted(plain[1])
