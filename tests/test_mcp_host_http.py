"""Who may talk to the host over HTTP, what it takes, and how it ends."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import msgspec
import pytest
from cribble_process import environment
from host_tools import MODES, ROOT, RUNNING, TOOLS, calls, gated, web
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from mcp_host import gate as gates
from mcp_host.http import bound, gate, read_token, url
from mcp_host.inbound import MAX_BYTES, MAX_DEPTH
from mcp_host.server import build
from stages.core.errors import UsageError

pytestmark = pytest.mark.anyio
PATIENCE_SECS = 60
BEARER = "a-word-of-thirty-two-characters!"
ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}


def call(name: str, text: str, number: int = 2) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": {"text": text}}}


async def answer(
    headers: dict[str, Any], body: Any = INITIALIZE, *, token: str = "", path: str = "/mcp", method: str = "POST"
) -> httpx2.Response:
    content = body if isinstance(body, bytes) else msgspec.json.encode(body)
    with anyio.fail_after(PATIENCE_SECS):
        async with gated(token) as app, web(app) as browser:
            return await browser.request(method, path, content=content, headers={**ACCEPT, **headers})


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8642", 200),
        ("127.0.0.1", 200),
        ("LOCALHOST:1", 200),
        ("evil.example", 421),
        ("127.0.0.1.evil.example:8642", 421),
        ("evil.example@127.0.0.1", 421),
        ("127.0.0.1:8642:1", 421),
        ("localhost.", 421),
        ("10.0.0.5:8642", 421),
        ("", 421),
    ],
)
async def test_host_says_this_server_or_nothing_is_answered(host: str, status: int) -> None:
    for path, method in (("/mcp", "POST"), ("/health", "GET"), ("/anything", "GET")):
        expected = {"/mcp": status, "/health": status, "/anything": 404 if status == 200 else status}[path]
        assert (await answer({"host": host}, path=path, method=method)).status_code == expected


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://127.0.0.1:8642", 200),
        ("https://127.0.0.1:8642", 200),
        ("http://evil.example", 403),
        ("http://localhost:3000", 403),
        ("http://127.0.0.1:8642.evil.example", 403),
        ("null", 403),
        ("", 403),
    ],
)
async def test_pages_of_other_sites_are_refused(origin: str, status: int) -> None:
    assert (await answer({"origin": origin})).status_code == status
    assert (await answer({"origin": origin}, path="/health", method="GET")).status_code == status


@pytest.mark.parametrize(
    ("given", "status"),
    [
        (None, 401),
        (f"Bearer {BEARER}", 200),
        (f"bearer  {BEARER}", 200),
        (f"Bearer {BEARER}x", 401),
        (f"Bearer {BEARER[:-1]}", 401),
        (f"Basic {BEARER}", 401),
        ("Bearer", 401),
        ("Bearer ü", 401),
    ],
)
async def test_the_token_is_asked_of_everyone(given: str | None, status: int) -> None:
    got = await answer({} if given is None else {"authorization": given.encode("latin-1")}, token=BEARER)
    assert got.status_code == status
    assert (got.headers.get("www-authenticate") == "Bearer") is (status == 401)
    assert BEARER not in got.text


async def test_a_token_in_the_address_counts_for_nothing() -> None:
    assert (await answer({}, token=BEARER, path=f"/mcp?token={BEARER}&access_token={BEARER}")).status_code == 401


async def test_health_asks_for_no_token_and_says_nothing_else() -> None:
    got = await answer({}, token=BEARER, path="/health", method="GET")
    assert (got.status_code, got.json()) == (200, {"status": "ok"})
    assert (await answer({}, path="/health")).status_code == 405


def nested(depth: int) -> bytes:
    return msgspec.json.encode(INITIALIZE)[:-1] + b',"x":' + b"[" * depth + b"]" * depth + b"}"


@pytest.mark.parametrize(
    ("body", "status", "number"),
    [
        (nested(MAX_DEPTH - 1), 200, 1),
        (nested(MAX_DEPTH), 400, 1),
        (nested(100_000), 400, 1),
        (b"[" * 100_000, 400, None),
        (b'{"id":"' + b"x" * MAX_BYTES + b'"}', 413, None),
        (b"not json", 400, None),
        (b"", 400, None),
        (b"\xff\xfe", 400, None),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400, None),
        (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', 400, 7),
        (b'{"params":{"id":3},"id":"a\\u0062","method":1}', 400, None),
        (b'{"params":{"id":3},"id":"ab","method":1}', 400, "ab"),
    ],
)
async def test_what_is_no_message_is_refused_and_never_repeated(body: bytes, status: int, number: Any) -> None:
    got = await answer({}, body)
    assert got.status_code == status
    if status != 200:
        told = got.json()
        assert told["id"] == number
        assert set(told["error"]) == {"code", "message", "data"} or set(told["error"]) == {"code", "message"}
        assert "xx" not in got.text
        assert "pydantic" not in got.text


async def test_a_body_that_says_it_is_too_large_is_not_read() -> None:
    async def endless() -> AsyncIterator[bytes]:
        raise AssertionError("it was read")
        yield b""

    with anyio.fail_after(PATIENCE_SECS):
        async with gated() as app, web(app) as browser:
            declared = {**ACCEPT, "content-length": str(MAX_BYTES + 1)}
            assert (await browser.post("/mcp", content=endless(), headers=declared)).status_code == 413


async def test_a_body_without_a_length_is_cut_where_it_becomes_too_large() -> None:
    sent = 0

    async def receive() -> dict[str, Any]:
        nonlocal sent
        sent += 1
        return {"type": "http.request", "body": b"x" * (1 << 16), "more_body": True}

    statuses: list[int] = []

    async def send(message: Any) -> None:
        statuses.append(message.get("status", 0))

    with anyio.fail_after(PATIENCE_SECS):
        async with gated() as app:
            await app(scope([(b"content-type", b"application/json")]), receive, send)
    assert statuses[0] == 413
    assert sent <= (MAX_BYTES >> 16) + 1


def scope(headers: list[tuple[bytes, bytes]]) -> dict[str, Any]:
    return {
        "type": "http", "method": "POST", "path": "/mcp", "query_string": b"", "http_version": "1.1",
        "headers": [(b"host", b"127.0.0.1:8642"), *headers],
    }  # fmt: skip


async def test_a_body_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gates, "BODY_SECS", 0.05)
    statuses: list[int] = []

    async def send(message: Any) -> None:
        statuses.append(message.get("status", 0))

    with anyio.fail_after(PATIENCE_SECS):
        async with gated() as app:
            await app(scope([(b"content-type", b"application/json")]), anyio.sleep_forever, send)
    assert statuses[0] == 408


@pytest.mark.parametrize("name", ["host", "authorization", "content-type", "content-length"])
async def test_a_header_that_is_sent_twice_is_refused(name: str) -> None:
    good = {"host": "127.0.0.1:8642", "authorization": f"Bearer {BEARER}", **ACCEPT, "content-length": "2"}
    headers = [*good.items(), (name, good[name])]
    statuses: list[int] = []

    async def send(message: Any) -> None:
        statuses.append(message.get("status", 0))

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"{}"}

    async with gated(BEARER) as app:
        asked = {**scope([]), "headers": [(key.encode(), value.encode()) for key, value in headers]}
        await app(asked, receive, send)
    assert statuses[0] == 400


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""])
async def test_a_form_of_a_page_cannot_call(kind: str) -> None:
    assert (await answer({"content-type": kind})).status_code == 415


async def test_a_call_of_a_handshake_client_that_hung_up_is_stopped() -> None:
    """Without a way to fetch the reply later, nobody would ever read it."""
    with anyio.fail_after(PATIENCE_SECS):
        async with gated() as app, web(app) as browser:
            opened = await browser.post("/mcp", json=INITIALIZE, headers=ACCEPT)
            session = {**ACCEPT, "mcp-session-id": opened.headers["mcp-session-id"]}
            ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
            assert (await browser.post("/mcp", json=ready, headers=session)).status_code == 202
            hung_up = anyio.Event()
            body = msgspec.json.encode(call("slow", "left"))
            parts = [{"type": "http.request", "body": body, "more_body": False}]

            async def receive() -> dict[str, Any]:
                if parts:
                    return parts.pop()
                await hung_up.wait()
                return {"type": "http.disconnect"}

            async def send(_message: Any) -> None:
                pass

            headers = [(key.encode(), value.encode()) for key, value in session.items()]
            async with anyio.create_task_group() as group:
                group.start_soon(app, scope(headers), receive, send)
                while "left" not in RUNNING:
                    await anyio.sleep(0.01)
                hung_up.set()
                while "left" in RUNNING:
                    await anyio.sleep(0.01)
            again = await browser.post("/mcp", json=call("echo", "on"), headers=session)
            assert '"said":"on"' in again.text


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "127.0.0.1:x", "127.0.0.1:70000", ":80", "no such name:80", "[::1:80", "256.1.1.1:0"]
)
def test_an_address_that_cannot_be_bound_is_a_usage_error(address: str) -> None:
    with pytest.raises(UsageError, match="--http"):
        bound(address)


def test_an_address_that_is_taken_is_a_usage_error() -> None:
    with bound("127.0.0.1:0") as first, pytest.raises(UsageError, match="in use"):
        bound(f"127.0.0.1:{first.getsockname()[1]}")


async def test_off_loopback_there_is_no_server_without_a_token() -> None:
    server = build(TOOLS, calls())
    with bound("0.0.0.0:0") as wide:
        with pytest.raises(UsageError, match="token"):
            gate(server, wide, "", ())
        app = gate(server, wide, BEARER, ("Tools.example",))
    async with server.session_manager.run():
        for host, status in (
            ("192.0.2.1:80", 200), ("[2001:db8::1]", 200), ("tools.example:443", 200), ("localhost", 200), ("evil.example", 421),
        ):  # fmt: skip
            async with web(app, authorization=f"Bearer {BEARER}") as browser:
                got = await browser.post("/mcp", json=INITIALIZE, headers={**ACCEPT, "host": host})
            assert got.status_code == status


def test_a_token_is_long_enough_and_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(f"{BEARER}\n")
    assert read_token(str(file), "") == BEARER
    assert read_token("", BEARER) == BEARER
    assert read_token("", "") == ""
    for text in ("", "short", "with a space in the middle of it", "x" * 513):
        file.write_text(text)
        with pytest.raises(UsageError, match="token"):
            read_token(str(file), "")
    with pytest.raises(UsageError, match="No such file"):
        read_token(str(tmp_path / "none"), "")


@contextmanager
def served(*arguments: str, folder: Path, **more: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server process on a free port, and its address."""
    command = [sys.executable, "-c", "from host_tools import main; main()", "mcp", "--http=127.0.0.1:0", *arguments]
    path = f"{ROOT}:{ROOT / 'tests'}"
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder,
        env={**environment(), "PYTHONPATH": path, "PATH": "", **more},
    )  # fmt: skip
    try:
        assert process.stderr
        for line in process.stderr:
            if found := re.search(r"serving at (\S+)", line):
                break
        assert found
        yield process, found[1]
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("mode", MODES)
async def test_a_real_server_needs_no_path_and_ends_when_its_calls_are_over(mode: str, tmp_path: Path) -> None:
    with anyio.fail_after(3 * PATIENCE_SECS), served(folder=tmp_path, CRIBBLE_TOKEN=BEARER) as (process, address):
        with pytest.raises(httpx2.HTTPStatusError):
            async with httpx2.AsyncClient() as plain:
                (await plain.post(address, json=INITIALIZE, headers=ACCEPT)).raise_for_status()
        async with (
            httpx2.AsyncClient(headers={"authorization": f"Bearer {BEARER}"}, timeout=PATIENCE_SECS) as browser,
            Client(streamable_http_client(address, http_client=browser), mode=mode) as client,
        ):
            assert (await client.call_tool("echo", {"text": "x"})).structured_content == {"said": "x"}
            async with anyio.create_task_group() as group:
                replies: list[Any] = []
                told = anyio.Event()

                async def busy() -> None:
                    async def note(*_: Any) -> None:
                        told.set()

                    replies.append(await client.call_tool("busy", {}, progress_callback=note))

                group.start_soon(busy)
                await told.wait()
                process.send_signal(signal.SIGTERM)
            assert replies[0].structured_content == {"said": "done"}
        assert await anyio.to_thread.run_sync(process.wait, PATIENCE_SECS) == 0
        assert process.stdout
        assert process.stdout.read() == ""


async def test_a_stream_that_only_listens_does_not_hold_it_up(tmp_path: Path) -> None:
    with anyio.fail_after(2 * PATIENCE_SECS), served(folder=tmp_path) as (process, address):
        async with httpx2.AsyncClient(timeout=PATIENCE_SECS) as browser:
            opened = await browser.post(address, json=INITIALIZE, headers=ACCEPT)
            session = {**ACCEPT, "mcp-session-id": opened.headers["mcp-session-id"]}
            async with browser.stream("GET", address, headers=session) as listening:
                assert listening.status_code == 200
                os.kill(process.pid, signal.SIGTERM)
                with anyio.fail_after(5):
                    async for _ in listening.aiter_raw():
                        pass
        assert await anyio.to_thread.run_sync(process.wait, PATIENCE_SECS) == 0


def test_the_address_is_shown_as_one_can_use_it() -> None:
    with bound("127.0.0.1:0") as four:
        assert url(four) == f"http://127.0.0.1:{four.getsockname()[1]}/mcp"
    if socket.has_ipv6:
        with bound("[::1]:0") as six:
            assert url(six) == f"http://[::1]:{six.getsockname()[1]}/mcp"


@pytest.mark.parametrize("mode", MODES)
async def test_thirty_two_clients_at_once_and_nothing_is_left_of_them(mode: str, tmp_path: Path) -> None:
    """The second half of them hang up in the middle of a call that never ends."""
    with anyio.fail_after(3 * PATIENCE_SECS), served(folder=tmp_path) as (process, address):
        descriptors = Path(f"/proc/{process.pid}/fd")
        answers: dict[int, Any] = {}

        async def ask(number: int) -> None:
            async with Client(address, mode=mode) as client:
                answers[number] = (await client.call_tool("echo", {"text": str(number)})).structured_content

        async def leave(number: int) -> None:
            trace = tmp_path / f"trace{number}"
            async with httpx2.AsyncClient(timeout=PATIENCE_SECS) as browser, anyio.create_task_group() as group:
                client = Client(streamable_http_client(address, http_client=browser, terminate_on_close=False), mode=mode)
                told = anyio.Event()

                async def note(*_: Any) -> None:
                    told.set()

                async def hang() -> None:
                    async with client as connected:
                        await connected.call_tool("slow", {"text": str(trace)}, progress_callback=note)

                group.start_soon(hang)
                await told.wait()
                await browser.aclose()  # every connection at once, without a word
                group.cancel_scope.cancel()
            while not trace.exists() or trace.read_text() != "cancelled":
                await anyio.sleep(0.02)

        await ask(0)
        before = len(list(descriptors.iterdir()))
        async with anyio.create_task_group() as group:
            for number in range(24):
                group.start_soon(ask, number)
            for number in range(8):
                group.start_soon(leave, number)
        assert answers == {number: {"said": str(number)} for number in range(24)}
        while len(list(descriptors.iterdir())) > before:
            await anyio.sleep(0.05)
