"""Proxies: HTTP and SOCKS5, logins with a session of their own for each host, and the environment's only when asked for."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import ipaddress
import json
import math

import anyio
import pytest
from loopback import answer, serving

from stages.core.env import Request, Settings
from stages.core.errors import StageError, UsageError
from stages.net.client import LiveDoor
from stages.net.guard import parse_url
from stages.net.proxies import Proxies, parse_proxy
from stages.records import Notice
from stages.store.database import Store

IDENTITIES = pytest.mark.parametrize("identity", ["browser", "api"])


class Socks:
    """A SOCKS5 server on loopback (RFC 1928) that connects everything to one port; `asked` holds what it was asked for."""

    def __init__(self, target: int, login: tuple[str, str] | None, fault: str) -> None:
        self.target, self.login, self.fault = target, login, fault
        self.port = 0
        self.asked: list[tuple[str, int]] = []
        self.logins: list[tuple[str, str]] = []

    def url(self, scheme: str, login: str = "") -> str:
        return f"{scheme}://{login}127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._serve(reader, writer)
        except (OSError, EOFError):
            pass
        finally:
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.fault == "nonsense":
            writer.write(b"HTTP/1.1 400 no\r\n\r\n")
            await writer.drain()
            return
        count = (await reader.readexactly(2))[1]
        methods = await reader.readexactly(count)
        method = 2 if self.login else 0
        writer.write(bytes([5, method if method in methods else 255]))
        if self.login and not await self._logs_in(reader, writer):
            return
        _, _, _, kind = await reader.readexactly(4)
        length = {1: 4, 4: 16}.get(kind) or (await reader.readexactly(1))[0]
        raw = await reader.readexactly(length)
        port = int.from_bytes(await reader.readexactly(2), "big")
        self.asked.append((raw.decode() if kind == 3 else str(ipaddress.ip_address(raw)), port))
        if self.fault == "silent":
            await asyncio.sleep(60)
        writer.write(bytes([5, 5 if self.fault == "refuses" else 0, 0, 1, 127, 0, 0, 1, 0, 80]))
        if self.fault != "refuses":
            await self._carry(reader, writer)

    async def _logs_in(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        await reader.readexactly(1)
        parts = [(await reader.readexactly((await reader.readexactly(1))[0])).decode() for _ in range(2)]
        self.logins.append((parts[0], parts[1]))
        good = self.login[1] == parts[1]
        writer.write(bytes([1, 0 if good else 1]))
        await writer.drain()
        return good

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, away = await asyncio.open_connection("127.0.0.1", self.target)

        async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
            while piece := await source.read(65536):
                sink.write(piece)
                await sink.drain()
            sink.close()

        await asyncio.gather(pump(reader, away), pump(there, writer), return_exceptions=True)
        away.close()


@contextlib.asynccontextmanager
async def socks(target: int, login: tuple[str, str] | None = None, fault: str = ""):
    server, tasks = Socks(target, login, fault), set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.current_task())
        with contextlib.suppress(asyncio.CancelledError):
            await server.serve(reader, writer)

    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    server.port = listener.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listener.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@contextlib.asynccontextmanager
async def door(proxy: str, **settings):
    live, notices = LiveDoor(Settings(proxy=proxy, **settings), store=Store(None)), set[Notice]()

    async def send(url: str, **options):
        return await live.bind("stage", "record", math.inf, notices).send(Request(url=url, **{"timeout_secs": 3.0} | options))

    send.notices = notices
    try:
        with anyio.fail_after(30):
            yield send
    finally:
        await live.aclose()


def names(**table: list[str]):
    """A resolver service that knows these names (underscores are dots)."""
    known = {name.replace("_", "."): addresses for name, addresses in table.items()}
    return serving(lambda path, _: answer(200, json.dumps({"addresses": known.get(path.partition("name=")[2], [])}).encode()))


async def kind(awaitable) -> str:
    with pytest.raises(StageError) as caught:
        await awaitable
    assert "127.0.0.1" not in str(caught.value)
    return caught.value.kind


@pytest.mark.anyio
@IDENTITIES
async def test_a_socks5_proxy_is_given_the_address_that_was_judged(identity: str) -> None:
    async with (
        serving(lambda *_: answer(200, b"by socks")) as server,
        socks(server.port) as proxy,
        names(www_example_org=["93.184.216.34"], in_example_org=["10.0.0.1"]) as resolver,
        door(proxy.url("socks5"), resolver=resolver.url("/")) as send,
    ):
        assert (await send("http://www.example.org/x", identity=identity)).body == b"by socks"
        assert await kind(send("http://in.example.org/", identity=identity)) == "refused"
        assert await kind(send("http://169.254.169.254/", identity=identity)) == "refused"
        assert send.notices == set()
    assert proxy.asked == [("93.184.216.34", 80)]
    assert server.asked[0][1]["host"] == "www.example.org"


@pytest.mark.anyio
@IDENTITIES
async def test_a_socks5h_proxy_looks_names_up_and_the_caller_is_told(identity: str) -> None:
    async with (
        serving(lambda *_: answer(200, b"by socks")) as server,
        socks(server.port) as proxy,
        door(proxy.url("socks5h")) as send,
    ):
        assert (await send("http://www.example.org:8080/x", identity=identity)).body == b"by socks"
        assert [notice.code for notice in send.notices] == ["guard_delegated"]
        assert await kind(send("http://10.0.0.1/", identity=identity)) == "refused"
    assert proxy.asked == [("www.example.org", 8080)]


@pytest.mark.anyio
@IDENTITIES
async def test_a_socks_proxy_may_want_a_login(identity: str) -> None:
    async with (
        serving(lambda *_: answer(200, b"in")) as server,
        socks(server.port, ("me", "s3cret")) as proxy,
        door(proxy.url("socks5h", "me:s3cret@")) as send,
    ):
        assert (await send("http://www.example.org/", identity=identity)).body == b"in"
        for wrong in ("me:wrong@", ""):
            async with door(proxy.url("socks5h", wrong)) as turned_away:
                assert await kind(turned_away("http://www.example.org/", identity=identity)) == "network"
    assert proxy.logins == [("me", "s3cret"), ("me", "wrong")]


@pytest.mark.anyio
@IDENTITIES
@pytest.mark.parametrize("fault", ["refuses", "nonsense", "silent", "absent"])
async def test_a_socks_proxy_that_fails_is_a_failure_of_the_network(identity: str, fault: str) -> None:
    async with socks(9, fault=fault) as proxy:
        address = "socks5h://127.0.0.1:1" if fault == "absent" else proxy.url("socks5h")
        async with door(address) as send:
            got = await kind(send("http://www.example.org/", identity=identity, timeout_secs=0.3 if fault == "silent" else 5.0))
    assert got == ("timeout" if fault == "silent" else "network")


@pytest.mark.anyio
@IDENTITIES
async def test_an_http_proxy_is_logged_in_to(identity: str) -> None:
    async with (
        serving(lambda *_: answer(200, b"in")) as proxy,
        door(f"http://me:s%40cret@127.0.0.1:{proxy.port}") as send,
    ):
        await send("http://www.example.org/", identity=identity)
    assert proxy.asked[0][1]["proxy-authorization"] == "Basic " + base64.b64encode(b"me:s@cret").decode()


@pytest.mark.anyio
@IDENTITIES
async def test_a_proxy_that_wants_another_login_is_not_taken_for_the_page(identity: str) -> None:
    async with (
        serving(lambda *_: answer(407, b"who are you", ("proxy-authenticate", "Basic"))) as proxy,
        door(proxy.url("")) as send,
    ):
        assert await kind(send("http://www.example.org/", identity=identity)) == "network"


def users(server) -> list[str]:
    logins = [headers["proxy-authorization"].split()[1] for _, headers in server.asked]
    return [base64.b64decode(login).decode().partition(":")[0] for login in logins]


@pytest.mark.anyio
@IDENTITIES
async def test_each_host_has_a_session_of_its_own_until_it_turns_us_away(identity: str) -> None:
    statuses = iter([200, 200, 200, 403, 200])
    async with (
        serving(lambda *_: answer(next(statuses), b"x")) as proxy,
        door(f"http://me-{{session}}-de:pw@127.0.0.1:{proxy.port}") as send,
    ):
        for host in ("a", "b", "a", "a", "a"):
            await send(f"http://{host}.example.org/", identity=identity)
    a, b, again, refused, new = users(proxy)
    assert a == again == refused
    assert len({a, b, new}) == 3
    assert all(name.startswith("me-") and name.endswith("-de") and len(name) == 14 for name in (a, b, new))


@pytest.mark.anyio
@IDENTITIES
async def test_the_environments_proxies_are_used_when_asked_for(identity: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(lambda *_: answer(200, b"by proxy")) as proxy, serving(lambda *_: answer(200, b"direct")) as server:
        monkeypatch.setenv("http_proxy", proxy.url(""))
        monkeypatch.setenv("no_proxy", "127.0.0.1,.direct.example")
        live = LiveDoor(Settings(proxy="ambient"), allow_private=frozenset({"127.0.0.1"}), store=Store(None))
        net, notices = live.bind("s", "r", math.inf, set()), set[Notice]()
        with anyio.fail_after(5):
            assert (await net.send(Request(url="http://www.example.org/", identity=identity))).body == b"by proxy"
            direct = live.bind("s", "r", math.inf, notices)
            assert (await direct.send(Request(url=server.url(), identity=identity))).body == b"direct"
        await live.aclose()
    assert notices == set()
    assert proxy.paths == ["http://www.example.org/"]


@pytest.mark.parametrize(
    ("variables", "url", "proxy"),
    [
        ({"https_proxy": "http://p:1"}, "https://a.example/", "http://p:1"),
        ({"https_proxy": "http://p:1"}, "http://a.example/", ""),
        ({"all_proxy": "socks5://p:1"}, "http://a.example/", "socks5://p:1"),
        ({"http_proxy": "p:1", "all_proxy": "socks5://q:1"}, "http://a.example/", "http://p:1"),
        ({"all_proxy": "http://p:1", "no_proxy": "a.example"}, "http://x.a.example/", ""),
        ({"all_proxy": "http://p:1", "no_proxy": "*"}, "http://a.example/", ""),
        ({}, "http://a.example/", ""),
    ],
)
def test_the_variables_mean_what_they_mean_elsewhere(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], url: str, proxy: str
) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    found = Proxies("ambient").of(parse_url(url))
    assert (found.url if found else "") == proxy


@pytest.mark.parametrize(
    "url",
    [
        "ftp://p:1",
        "socks4://p:1",
        "http://",
        "http://p:x",
        "http://p:99999",
        "http://p/path",
        "http://p?x",
        "http://me:s3cret@p:x",
    ],
)
def test_what_is_no_proxy_is_an_error_that_keeps_the_login_to_itself(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError) as caught:
        LiveDoor(Settings(proxy=url))
    assert "s3cret" not in str(caught.value)
    monkeypatch.setenv("all_proxy", url)
    with pytest.raises(UsageError, match="all_proxy"):
        Proxies("ambient")


def test_a_proxy_is_read_whole() -> None:
    proxy = parse_proxy("socks5h://me:p%3Aw@[::1]")
    assert (proxy.host, proxy.port, proxy.user, proxy.password, proxy.socks, proxy.takes_names) == (
        "::1",
        1080,
        "me",
        "p:w",
        True,
        True,
    )
    assert parse_proxy("proxy.example:3128").url == "http://proxy.example:3128"
    assert not parse_proxy("socks5://p:1").takes_names
