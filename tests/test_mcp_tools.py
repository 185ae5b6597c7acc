"""The tools that come with cribble, over every way there is: one reply."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import msgspec
import pytest
from anyio.abc import SocketAttribute, SocketStream
from cribble_process import COMMAND, ROOT, cribble, environment
from host_tools import MODES, URL, web
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from recorded_calls import recorded_calls, replay_folder

from mcp_host.archives import Archives
from mcp_host.calls import Calls
from mcp_host.check import _CODE
from mcp_host.gate import Gate
from mcp_host.http import application
from mcp_host.server import build
from pipelines.config import configured
from pipelines.loader import profiles
from pipelines.tool import tools

pytestmark = pytest.mark.anyio
PATIENCE_SECS = 180
"""For one call: none needs more than a few seconds of a processor, of which a busy machine gives a tenth."""
ARCHIVE = str(ROOT / "pipelines/recorded/demo.warc.gz")


def parameters(*arguments: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=COMMAND[0], args=[*COMMAND[1:], "mcp", *arguments], env={"PYTHONPATH": str(ROOT), "PATH": ""}, cwd="/"
    )


@asynccontextmanager
async def over_http(mode: str, profile: str, **flags: Any) -> Any:
    server = build(tools((profile,)).tools, Calls(Archives(configured(flags))))
    gate = Gate(application(server), names=("127.0.0.1",))
    async with (
        server.session_manager.run(),
        web(gate) as browser,
        Client(streamable_http_client(URL, http_client=browser), mode=mode) as client,
    ):
        yield client


def lasting(is_error: bool, structured: Any, text: str) -> bytes:
    """What must be equal: all but the milliseconds that a profile publishes."""
    whole = msgspec.json.encode([is_error, structured, text])
    return re.sub(rb'(_ms\\?": ?)\d+', rb"\g<1>0", whole)


LIBRARY: dict[str, list[bytes]] = {}
"""What the library answers to the recorded calls of a profile, asked once."""


async def of_the_library(profile: str, folder: Path) -> list[bytes]:
    if profile not in LIBRARY:
        known = {tool.name: tool for tool in tools((profile,)).tools}
        replies = []
        for call in recorded_calls(profile):
            with anyio.fail_after(PATIENCE_SECS):
                reply = await known[call.tool].call(call.arguments, config=configured({"replay": str(folder / call.name)}))
            assert not reply.is_error
            replies.append(lasting(reply.is_error, reply.structured, reply.text))
        LIBRARY[profile] = replies
    return LIBRARY[profile]


async def test_the_command_prints_what_the_library_replies(tmp_path: Path) -> None:
    calls = recorded_calls("default")
    replay_folder(calls, tmp_path)
    at = next(number for number, call in enumerate(calls) if call.tool == "research")
    asked = dict(calls[at].arguments)
    words = [asked.pop("query"), *(f"--{name.replace('_', '-')}={value}" for name, value in asked.items())]
    text, structured = (
        cribble("research", *words, "--replay", str(tmp_path / calls[at].name), "--quiet", *more, folder=Path("/")).stdout
        for more in ((), ("--reply=json",))
    )
    printed = text.decode().removesuffix("\n")
    assert lasting(False, json.loads(structured), printed) == (await of_the_library("default", tmp_path))[at]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("way", ["stdio", "HTTP"])
@pytest.mark.parametrize("profile", profiles())
async def test_every_tool_gives_the_library_s_reply_in_both_eras_over_both_transports(
    profile: str, way: str, mode: str, tmp_path: Path
) -> None:
    """A recorded run each; test_pipeline_cases.py pins what the library says of it."""
    calls = recorded_calls(profile)
    assert {call.tool for call in calls} == {tool.name for tool in tools((profile,)).tools}
    folder = replay_folder(calls, tmp_path)
    expected = await of_the_library(profile, tmp_path)
    over = (
        Client(parameters("--profile", profile, "--replay", folder), mode=mode)
        if way == "stdio"
        else over_http(mode, profile, replay=folder)
    )
    async with over as client:
        with anyio.fail_after(PATIENCE_SECS):
            schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
        for call, answer in zip(calls, expected, strict=True):
            with anyio.fail_after(PATIENCE_SECS):
                reply = await client.call_tool(call.tool, call.arguments)
            jsonschema.validate(reply.structured_content, schemas[call.tool])
            assert lasting(reply.is_error, reply.structured_content, reply.content[0].text) == answer


@pytest.mark.parametrize("profile", profiles())
async def test_every_tool_answers_its_own_example_with_what_its_schema_says(profile: str) -> None:
    """From an archive that lacks nearly all of it: refusals have to keep to the schema too."""
    with anyio.fail_after(PATIENCE_SECS):
        async with over_http("auto", profile, replay=ARCHIVE) as client:
            listed = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert listed
            for tool in tools((profile,)).tools:
                for example in tool.pipeline.file.example:
                    jsonschema.validate(example, listed[tool.name].input_schema)
                    reply = await client.call_tool(tool.name, example)
                    assert "incident" not in reply.content[0].text
                    if reply.structured_content is not None:
                        jsonschema.validate(reply.structured_content, listed[tool.name].output_schema)


@pytest.mark.parametrize("profile", profiles())
async def test_every_tool_refuses_an_argument_that_it_does_not_know(profile: str) -> None:
    with anyio.fail_after(PATIENCE_SECS):
        async with over_http("auto", profile, replay=ARCHIVE) as client:
            for tool in (await client.list_tools()).tools:
                reply = await client.call_tool(tool.name, {"no_such_argument": 1})
                assert reply.is_error
                assert "incident" not in reply.content[0].text
                assert "no_such_argument" in reply.content[0].text


async def test_a_call_that_was_recorded_is_replayed_from_the_same_folder(tmp_path: Path) -> None:
    """An address on loopback is refused: that too is an outcome, and a recording of it needs no network."""
    asked = {"urls": ["http://127.0.0.1:1/"]}
    with anyio.fail_after(PATIENCE_SECS):
        async with over_http("auto", "default", record=str(tmp_path)) as client:
            recorded = await client.call_tool("read_url", asked)
        assert [path.name.partition("-")[0] for path in tmp_path.iterdir()] == ["read_url"]
        async with over_http("auto", "default", replay=str(tmp_path)) as client:
            replayed = await client.call_tool("read_url", asked)
    assert recorded.structured_content == replayed.structured_content
    assert recorded.content[0].text == replayed.content[0].text


def test_the_check_starts_it_as_a_client_would_and_says_what_to_paste(tmp_path: Path) -> None:
    done = cribble("mcp", "--check", "--prefix", "web_", "--record", "calls", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    said = done.stdout.decode()
    assert "web_research" in said
    start = said.index('{\n      "mcpServers"')
    entry = json.JSONDecoder().raw_decode(said[start:])[0]["mcpServers"]["cribble"]
    assert entry["command"] == sys.executable
    assert entry["args"][-3:] == ["mcp", "--prefix=web_", f"--record={tmp_path / 'calls'}"]


def test_the_check_finds_the_user_s_own_tools_as_a_client_without_this_shell_will(tmp_path: Path) -> None:
    folder = tmp_path / "settings/cribble/pipelines"
    folder.mkdir(parents=True)
    text = (ROOT / "pipelines/default/search.toml").read_text().replace('name = "search"', 'name = "harbour"')
    (folder / "harbour.toml").write_text(text)
    done = cribble("mcp", "--check", XDG_CONFIG_HOME=str(tmp_path / "settings"), CRIBBLE_SEARXNG_URL="http://s.example")
    assert done.returncode == 0, done.stderr
    said = done.stdout.decode()
    assert re.search(r"^  harbour ", said, re.MULTILINE)
    entry = json.JSONDecoder().raw_decode(said[said.index('{\n      "mcpServers"') :])[0]["mcpServers"]["cribble"]
    assert entry["env"] == {"XDG_CONFIG_HOME": str(tmp_path / "settings")}
    assert "Set in this shell only: CRIBBLE_SEARXNG_URL." in said


def test_it_starts_without_any_variable_in_any_folder() -> None:
    """As `env -i` would, in a folder that is not ours: a client may give it nothing at all."""
    command = [sys.executable, "-c", _CODE, json.dumps([str(ROOT), *filter(None, sys.path)]), "mcp"]
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bare", "version": "1"}}
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    given = b"".join(msgspec.json.encode(one) + b"\n" for one in asked)
    done = subprocess.run(command, input=given, capture_output=True, env={}, cwd="/", timeout=PATIENCE_SECS, check=True)
    answers = {answer.get("id"): answer for answer in map(json.loads, done.stdout.splitlines())}
    assert {"research", "search", "read_url"} <= {tool["name"] for tool in answers[2]["result"]["tools"]}


def test_the_check_over_http_uses_the_token_and_leaves_no_server(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("0123456789abcdef0123456789abcdef\n")
    done = cribble("mcp", "--check", "--http", "127.0.0.1:0", "--token-file", "token", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert b"Bearer TOKEN" in done.stdout
    assert b"0123456789abcdef" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--profile", "nope"], b"no profile is called 'nope'"),
        (["default"], b"takes options only"),
        (["--https"], b"did you mean --http?"),
        (["--http", "0.0.0.0:0"], b"set a token"),
        (["--http", "nowhere"], b"is not HOST:PORT"),
        (["--http", "--token-file", "/none"], b"--token-file: /none"),
        (["--replay", "/none"], b"there is no /none"),
        (["--record", "/dev/null/x"], b"--record"),
    ],
)
def test_what_cannot_be_served_is_one_line_and_exit_code_2(arguments: list[str], complaint: bytes) -> None:
    done = cribble("mcp", *arguments)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert done.stderr.count(b"\n") == 1
    assert done.stdout == b""


def test_help_imports_nothing_of_the_protocol() -> None:
    script = "import sys; from pipelines.cli import outcome; outcome(sys.argv[1:]); sys.stderr.write(' '.join(sys.modules))"
    for words, more in ((["mcp", "--help"], {"anyio", "asyncio"}), (["--help"], set())):
        done = subprocess.run(
            [sys.executable, "-c", script, *words], capture_output=True, env=environment(), timeout=PATIENCE_SECS, check=True
        )
        assert not {"mcp", "mcp_types", "pydantic", "uvicorn", *more} & set(done.stderr.decode().split())


@pytest.mark.parametrize("mode", MODES)
async def test_a_cancelled_call_closes_its_connections_at_once(mode: str) -> None:
    """The user's own SearXNG, which may be on loopback, takes the request and never answers."""
    asked, closed = anyio.Event(), anyio.Event()

    async def hang(stream: SocketStream) -> None:
        async with stream:
            try:
                while await stream.receive():
                    asked.set()
            except (anyio.EndOfStream, anyio.BrokenResourceError):
                closed.set()

    with anyio.fail_after(PATIENCE_SECS):
        async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener, anyio.create_task_group() as server:
            server.start_soon(listener.serve, hang)
            address = f"http://127.0.0.1:{listener.extra(SocketAttribute.local_port)}"  # noqa: S610 - no database here
            calls = Calls(Archives(configured({"searxng_url": address, "engines": ["searxng"]})))
            async with Client(build(tools().tools, calls), mode=mode) as client:
                async with anyio.create_task_group() as group:
                    group.start_soon(client.call_tool, "search", {"queries": ["anything"]})
                    await asked.wait()
                    began = anyio.current_time()
                    group.cancel_scope.cancel()
                await closed.wait()
                while calls.under_way:
                    await anyio.sleep(0.01)
                assert anyio.current_time() - began < 2
            server.cancel_scope.cancel()


def test_without_the_sdk_it_says_what_to_install() -> None:
    script = "import sys; sys.modules['mcp'] = None; from pipelines.cli import main; sys.argv = ['cribble', 'mcp']; main()"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, env=environment(), timeout=PATIENCE_SECS, check=False
    )
    assert done.returncode == 2
    assert done.stderr == b"cribble mcp: the MCP host needs mcp: pip install '.[mcp]' in its folder\n"
