"""The live door against servers on loopback: guard, caps, time, identities."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import math
import ssl
import time
import zlib

import anyio
import pytest
import trustme
from loopback import answer, serving

from stages.core.env import Reply, Request, Settings
from stages.core.errors import StageError
from stages.net.client import LiveDoor
from stages.net.guard import parse_url
from stages.net.identity_api import decoded
from stages.net.identity_browser import pin
from stages.records import Notice

LOOPBACK = frozenset({"127.0.0.1", "localhost"})
DIRECT = Settings()
IDENTITIES = pytest.mark.parametrize("identity", ["browser", "api"])


@contextlib.asynccontextmanager
async def door(settings: Settings = DIRECT, allow_private: frozenset[str] = LOOPBACK):
    """Send requests as a stage would."""
    live, notices = LiveDoor(settings, allow_private=allow_private), set[Notice]()

    async def send(url: str, until: float = math.inf, **options) -> Reply:
        return await live.bind("stage", "record", until, notices).send(Request(url=url, **{"timeout_secs": 3.0} | options))

    send.notices, send.door = notices, live
    try:
        with anyio.fail_after(5):
            yield send
    finally:
        await live.aclose()


async def kind(awaitable) -> str:
    with pytest.raises(StageError) as caught:
        await awaitable
    return caught.value.kind


async def silence(*_request) -> bytes:
    await anyio.sleep_forever()
    return b""


@pytest.mark.anyio
@IDENTITIES
async def test_an_exchange_gives_status_headers_and_body(identity: str) -> None:
    async with (
        serving(lambda *_: answer(201, b"hello", ("X-One", "1"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"))) as server,
        door() as send,
    ):
        reply = await send(server.url("/p?q=%2f|"), identity=identity)
    assert (reply.status, reply.body, reply.header("x-one"), reply.url) == (201, b"hello", "1", server.url("/p?q=%2f|"))
    assert [value for name, value in reply.headers if name == "set-cookie"] == ["a=1", "b=2"]
    assert server.paths == ["/p?q=%2f|"]


@pytest.mark.anyio
@IDENTITIES
async def test_a_redirect_is_given_back_as_it_is(identity: str) -> None:
    async with serving(lambda *_: answer(302, b"", ("location", "/x"))) as server, door() as send:
        assert (await send(server.url(), identity=identity)).status == 302
    assert server.paths == ["/"]


@pytest.mark.anyio
async def test_the_api_client_is_honest() -> None:
    async with serving(lambda *_: answer(200, b"")) as server, door() as send:
        await send(server.url(), identity="api")
    assert server.asked[0][1]["user-agent"].startswith("cribble/")


@pytest.mark.anyio
async def test_no_cookie_is_kept_between_exchanges() -> None:
    async with serving(lambda *_: answer(200, b"", ("set-cookie", "a=1; Path=/"))) as server, door() as send:
        await send(server.url())
        await send(server.url())
    assert ["cookie" in headers for _, headers in server.asked] == [False, False]


@pytest.mark.anyio
@IDENTITIES
@pytest.mark.parametrize("value", ["en\r\nx-evil: 1", "en\x00", "\xe9", "\u202e", "\udcff"], ids=ascii)
async def test_a_header_that_would_be_more_than_one_is_never_sent(identity: str, value: str) -> None:
    async with serving(lambda *_: answer(200, b"")) as server, door() as send:
        assert await kind(send(server.url(), identity=identity, headers=(("accept-language", value),))) == "refused"
    assert server.asked == []


@pytest.mark.anyio
@IDENTITIES
async def test_a_cookie_that_cannot_be_sent_back_is_left_out(identity: str) -> None:
    cookies = b"set-cookie: a=\xff\x01\xe2\x80\xae\r\nset-cookie: good=1\r\nset-cookie: \x1b=\x7f\r\n"
    pages = {"/": b"HTTP/1.1 302 X\r\nlocation: /x\r\n" + cookies + b"content-length: 0\r\nconnection: close\r\n\r\n"}
    async with serving(lambda path, _: pages.get(path, answer(200, b"end"))) as server, door() as send:
        net = send.door.bind("stage", "record", math.inf, set())
        reply = await net.read(Request(url=server.url(), identity=identity), obey_robots=False)
    assert reply.body == b"end"
    assert [headers.get("cookie") for _, headers in server.asked] == [None, "good=1"]


@pytest.mark.anyio
@IDENTITIES
async def test_a_body_is_sent(identity: str) -> None:
    async with serving(lambda *_: answer(200, b"ok")) as server, door() as send:
        await send(server.url(), method="POST", body=b"a=1", identity=identity)
    assert server.asked[0][1]["content-length"] == "3"


@pytest.mark.anyio
@IDENTITIES
@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:{port}/", "http://localhost:{port}/", "http://[::1]:{port}/", "file:///etc/hostname"]
)
async def test_nothing_inside_is_reached_unless_it_was_named(identity: str, url: str) -> None:
    async with serving(lambda *_: answer(200, b"secret")) as server, door(allow_private=frozenset()) as send:
        assert await kind(send(url.format(port=server.port), identity=identity)) == "refused"
        assert await kind(send(url.format(port=80), identity=identity)) == "refused"
    assert server.asked == []


@pytest.mark.anyio
@IDENTITIES
async def test_a_host_that_the_user_named_may_be_inside(identity: str) -> None:
    async with serving(lambda *_: answer(200, b"mine")) as server, serving(lambda *_: answer(200, b"another's")) as other:
        async with door(Settings(searxng_url=server.url("/search")), allow_private=frozenset()) as send:
            assert (await send(server.url(), identity=identity, trusted=True)).body == b"mine"
            assert await kind(send(server.url(), identity=identity)) == "refused"
            assert await kind(send(other.url(), identity=identity, trusted=True)) == "refused"
        async with door(allow_private=frozenset()) as send:
            assert await kind(send(server.url(), identity=identity, trusted=True)) == "refused"
    assert (len(server.asked), other.asked) == (1, [])


def resolver(**names: list[str]):
    """A resolver service that knows these names (underscores are dots)."""
    table = {name.replace("_", "."): addresses for name, addresses in names.items()}
    return serving(lambda path, _: answer(200, json.dumps({"addresses": table.get(path.partition("name=")[2], [])}).encode()))


@pytest.mark.anyio
@IDENTITIES
@pytest.mark.parametrize("addresses", [["127.0.0.1"], ["93.184.216.34", "10.0.0.1"], ["::1"], ["fe80::1%eth0"], ["nonsense"]])
async def test_one_bad_address_refuses_the_name(identity: str, addresses: list[str]) -> None:
    async with resolver(www_example_org=addresses) as names, door(Settings(resolver=names.url("/dns"))) as send:
        assert await kind(send("http://www.example.org/", identity=identity)) == "refused"


@pytest.mark.anyio
@IDENTITIES
async def test_the_dialled_address_is_the_one_that_was_judged(identity: str) -> None:
    async with (
        serving(lambda *_: answer(200, b"pinned")) as server,
        resolver(site_example_org=["127.0.0.1"]) as names,
        door(Settings(resolver=names.url("/dns?x=1")), frozenset({"site.example.org"})) as send,
    ):
        for _ in range(2):
            assert (await send(server.url(host="site.example.org"), identity=identity)).body == b"pinned"
    assert server.asked[0][1]["host"] == f"site.example.org:{server.port}"
    assert names.paths == ["/dns?x=1&name=site.example.org"]


@pytest.mark.anyio
async def test_a_name_without_an_address_is_a_network_failure() -> None:
    async with resolver() as names, door(Settings(resolver=names.url("/dns"))) as send:
        assert await kind(send("http://nowhere.example.org/")) == "network"
    for body in (b"no json", b"[" * 60_000, b'{"addresses": [1]}', b'{"addresses": {}}', b"\xff"):
        async with serving(lambda *_: answer(200, body)) as names, door(Settings(resolver=names.url("/dns"))) as send:  # noqa: B023
            assert await kind(send("http://nowhere.example.org/")) == "network"


@pytest.mark.anyio
async def test_a_socket_to_an_address_that_was_not_judged_is_never_opened() -> None:
    async with serving(lambda *_: answer(200, b"secret")) as server, door() as send:
        browser = send.door._browser
        target = parse_url(server.url())
        with pytest.raises(StageError) as caught:
            await browser.exchange(Request(url=target.href), target, ["127.0.0.2"], 3.0)
        assert caught.value.kind == "network"
    assert server.asked == []


def test_a_pin_names_host_port_and_every_address() -> None:
    assert pin(parse_url("https://example.com/"), ["1.2.3.4", "2606:4700::1"]) == "example.com:443:1.2.3.4,[2606:4700::1]"
    assert pin(parse_url("https://1.2.3.4/"), ["1.2.3.4"]) == ""


@pytest.mark.anyio
@IDENTITIES
@pytest.mark.parametrize("how", ["length", "endless", "bomb"])
async def test_a_body_over_the_cap_is_cut_off(identity: str, how: str) -> None:
    bodies = {
        "length": answer(200, b"x" * 70_000),
        "endless": answer(200, b"x" * 70_000, length=False),
        "bomb": answer(200, gzip.compress(bytes(5_000_000)), ("content-encoding", "gzip")),
    }
    async with serving(lambda *_: bodies[how]) as server, door() as send:
        assert await kind(send(server.url(), identity=identity, max_bytes=65_536)) == "too_large"


@pytest.mark.anyio
@IDENTITIES
@pytest.mark.parametrize("coding", ["gzip", "deflate", "raw"])
async def test_content_codings_are_undone(identity: str, coding: str) -> None:
    raw = zlib.compressobj(wbits=-15)
    packed = {"gzip": gzip.compress(b"hello"), "deflate": zlib.compress(b"hello"), "raw": raw.compress(b"hello") + raw.flush()}[
        coding
    ]
    headers = ("content-encoding", "deflate" if coding == "raw" else coding)
    async with serving(lambda *_: answer(200, packed, headers)) as server, door() as send:
        assert (await send(server.url(), identity=identity)).body == b"hello"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("raw", "coding", "expected"),
    [
        (b"plain", "", b"plain"), (b"plain", "identity", b"plain"), (gzip.compress(gzip.compress(b"two")), "gzip, gzip", b"two"),
        (gzip.compress(b"a") + gzip.compress(b"b"), "gzip", b"ab"), (gzip.compress(b"a") + b"trailing", "x-gzip", b"a"),
        (gzip.compress(b"hello")[:-9], "gzip", "network"), (b"junk", "gzip", "network"), (b"x", "br", "network"),
        (b"x", "gzip, gzip, gzip", "network"), (gzip.compress(bytes(101)), "gzip", "too_large"), (b"", "gzip", b""),
    ],
)  # fmt: skip
async def test_decoding_is_bounded(raw: bytes, coding: str, expected: bytes | str) -> None:
    if isinstance(expected, bytes):
        assert decoded(raw, coding, 100, "example.com") == expected
        return
    with pytest.raises(StageError) as caught:
        decoded(raw, coding, 100, "example.com")
    assert caught.value.kind == expected


@pytest.mark.anyio
@IDENTITIES
@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n",
        b"\x00\x01nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n folded: at the start\r\ncontent-length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nx: a\rno colon\r\ncontent-length: 0\r\n\r\n",
    ],
    ids=["nothing", "truncated", "bad chunk", "nonsense", "a fold first", "a line without a colon"],
)
async def test_a_broken_answer_is_a_network_failure(identity: str, raw: bytes) -> None:
    async with serving(lambda *_: raw) as server, door() as send:
        assert await kind(send(server.url(), identity=identity)) == "network"


@pytest.mark.anyio
@IDENTITIES
async def test_a_port_where_nobody_listens_is_a_network_failure(identity: str) -> None:
    async with serving(lambda *_: b"") as server:
        pass
    async with door() as send:
        assert await kind(send(server.url(), identity=identity)) == "network"


@pytest.mark.anyio
@IDENTITIES
async def test_time_is_up_for_the_exchange_or_for_all(identity: str) -> None:
    async with serving(silence) as server, door() as send:
        assert await kind(send(server.url(), identity=identity, timeout_secs=0.1)) == "timeout"
        assert await kind(send(server.url(), identity=identity, until=time.time() + 0.1)) == "deadline"
        asked = len(server.asked)
        assert await kind(send(server.url(), identity=identity, until=time.time() - 1)) == "deadline"
        assert await kind(send(server.url(), identity=identity, until=time.time() + 1, wait_secs=2)) == "deadline"
        assert len(server.asked) == asked


@pytest.mark.anyio
@IDENTITIES
async def test_cancelled_calls_leave_the_door_usable(identity: str) -> None:
    all_wait = anyio.Event()

    async def wait() -> bytes:
        if server.paths.count("/slow") == 8:
            all_wait.set()
        return await silence()

    async with serving(lambda path, _: wait() if path == "/slow" else answer(200, b"ok")) as server, door() as send:
        async with anyio.create_task_group() as tasks:
            for _ in range(8):
                tasks.start_soon(lambda: send(server.url("/slow"), identity=identity))
            await all_wait.wait()
            tasks.cancel_scope.cancel()
        assert (await send(server.url("/quick"), identity=identity)).body == b"ok"


@pytest.mark.anyio
@IDENTITIES
@pytest.mark.parametrize("start", [b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n", b"HTTP/1.1 200 OK\r\n\r\nhal"])
async def test_a_call_that_is_cancelled_in_the_middle_of_an_answer_harms_nobody(identity: str, start: bytes) -> None:
    """What curl holds back of the headers, it writes when the transfer is taken out."""
    begun = anyio.Semaphore(0)

    async def drip(reader, writer) -> None:
        with contextlib.suppress(OSError, EOFError, asyncio.CancelledError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(start)
            while True:
                writer.write(b"x-a: b\r\n")
                await writer.drain()
                begun.release()
                await asyncio.sleep(0.005)
        writer.transport.abort()

    server = await asyncio.start_server(drip, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    async with door() as send:
        for _ in range(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(lambda: send(url, identity=identity))
                for _ in range(5):
                    await begun.acquire()
                tasks.cancel_scope.cancel()
        assert await kind(send(url, identity=identity, timeout_secs=0.2)) == "timeout"
    server.close()


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.mark.anyio
@IDENTITIES
async def test_a_certificate_must_be_trusted_and_name_the_host(identity: str, authority: trustme.CA, tmp_path) -> None:
    bundle = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(bundle)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("site.example.org").configure_cert(context)
    hosts = frozenset({"site.example.org", "other.example.org"})
    async with (
        serving(lambda *_: answer(200, b"safe"), context) as server,
        resolver(site_example_org=["127.0.0.1"], other_example_org=["127.0.0.1"]) as names,
    ):
        good = server.url(host="site.example.org", scheme="https")
        async with door(Settings(resolver=names.url("/"), ca_bundle=str(bundle)), hosts) as send:
            assert (await send(good, identity=identity)).body == b"safe"
            assert await kind(send(server.url(host="other.example.org", scheme="https"), identity=identity)) == "network"
        async with door(Settings(resolver=names.url("/")), hosts) as send:
            assert await kind(send(good, identity=identity)) == "network"


@pytest.mark.anyio
@IDENTITIES
async def test_ambient_proxies_are_ignored(identity: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    async with serving(lambda *_: answer(200, b"direct")) as server, door() as send:
        assert (await send(server.url(), identity=identity)).body == b"direct"


@pytest.mark.anyio
@IDENTITIES
async def test_a_proxy_dials_and_the_caller_is_told_that_it_judges(identity: str) -> None:
    async with serving(lambda *_: answer(200, b"by proxy")) as proxy, door(Settings(proxy=proxy.url("")), frozenset()) as send:
        assert (await send("http://www.example.org/x", identity=identity)).body == b"by proxy"
        assert [notice.code for notice in send.notices] == ["guard_delegated"]
        assert await kind(send("http://169.254.169.254/", identity=identity)) == "refused"
        assert await kind(send("http://localhost/", identity=identity)) == "refused"
    assert proxy.paths == ["http://www.example.org/x"]


@pytest.mark.anyio
@IDENTITIES
async def test_a_proxy_with_a_resolver_leaves_no_gap(identity: str) -> None:
    async with (
        serving(lambda *_: answer(200, b"by proxy")) as proxy,
        resolver(in_example_org=["10.0.0.1"], www_example_org=["93.184.216.34"]) as names,
    ):
        settings = Settings(proxy=proxy.url(""), resolver=names.url("/"))
        async with door(settings, frozenset()) as send:
            assert (await send("http://www.example.org/x", identity=identity)).body == b"by proxy"
            assert await kind(send("http://in.example.org/", identity=identity)) == "refused"
            assert send.notices == set()
    assert proxy.paths == ["http://www.example.org/x"]


@pytest.mark.anyio
async def test_read_follows_redirects_and_asks_robots_once() -> None:
    pages = {
        "/robots.txt": answer(200, b"User-agent: *\nDisallow: /closed"),
        "/a": answer(302, b"", ("location", "/b")),
        "/b": answer(200, b"end"),
    }
    async with serving(lambda path, _: pages.get(path, answer(302, b"", ("location", "/closed")))) as server, door() as send:
        net = send.door.bind("stage", "record", math.inf, set())
        reply = await net.read(Request(url=server.url("/a")), obey_robots=True)
        assert (reply.body, reply.url, reply.asked) == (b"end", server.url("/b"), server.url("/a"))
        assert await kind(net.read(Request(url=server.url("/c")), obey_robots=True)) == "robots"
    assert server.paths == ["/robots.txt", "/a", "/b", "/c"]


@pytest.mark.anyio
async def test_the_api_client_says_by_which_name_robots_txt_knows_it() -> None:
    async with serving(lambda *_: answer(200, b"")) as server, door(Settings(agent="harvester")) as send:
        await send(server.url(), identity="api")
    assert "robots: harvester" in server.asked[0][1]["user-agent"]
