"""What the host costs beside the SDK's own server: a call that does nothing, and the time from start to the first list of tools.

    python bench/mcp_cost.py [CALLS]

Bounds: a call at most 3 times, a start at most 1.5 times the SDK's. Medians; both servers take turns, so that a loaded machine
slows both.
"""

from __future__ import annotations

import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 10
WARM_UP = 20
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}}


def theirs() -> Any:
    """The SDK's low-level server with one tool, as its documentation shows it."""
    import mcp_types as types
    from mcp.server.lowlevel import Server

    async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool(name="noop", input_schema=SCHEMA, output_schema=SCHEMA)])

    async def call_tool(_context: Any, _params: Any) -> types.CallToolResult:
        return types.CallToolResult(content=[types.TextContent(type="text", text="x")], structured_content={"text": "x"})

    return Server("hello", on_list_tools=list_tools, on_call_tool=call_tool)


def ours() -> tuple[Any, Any]:
    """The host with one tool that does nothing, and its calls."""
    from mcp_host.archives import Archives
    from mcp_host.calls import Calls
    from mcp_host.server import build
    from pipelines.config import configured
    from pipelines.tool import Tool, ToolReply

    class Noop(Tool, frozen=True, kw_only=True):
        async def call(self, _arguments: Any, **_more: Any) -> ToolReply:
            return ToolReply(structured={"text": "x"}, text="x")

    tool = Noop(
        name="noop", title="", description="", input_schema=SCHEMA, output_schema=SCHEMA, read_only=True, open_world=False,
        profile="", pipeline=None,
    )  # fmt: skip
    calls = Calls(Archives(configured({})))
    return build([tool], calls), calls


async def serve(whose: str, way: str) -> None:
    """What the child processes of this script do."""
    server, calls = (theirs(), None) if whose == "sdk" else ours()
    if way == "stdio":
        if whose == "sdk":
            from mcp.server.stdio import stdio_server

            async with stdio_server() as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())
        else:
            from mcp_host import stdio

            await stdio.serve(server)
        return
    from mcp_host import http

    with http.bound("127.0.0.1:0") as listening:
        if whose == "sdk":
            import uvicorn

            sys.stderr.write(f"serving at {http.url(listening)}\n")
            sys.stderr.flush()
            await uvicorn.Server(uvicorn.Config(server.streamable_http_app(), log_config=None)).serve(sockets=[listening])
        else:
            gate = http.gate(server, listening, "", ())
            await http.serve(gate, listening, calls, anyio.sleep_forever)


@asynccontextmanager
async def connected(whose: str, way: str, mode: str) -> AsyncIterator[Client]:
    """A client of one of the two servers."""
    if way == "memory":
        async with Client(theirs() if whose == "sdk" else ours()[0], mode=mode) as client:
            yield client
        return
    child = [sys.executable, __file__, "--serve", whose, way]
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    if way == "stdio":
        async with Client(StdioServerParameters(command=child[0], args=child[1:], env=variables), mode=mode) as client:
            yield client
        return
    process = subprocess.Popen(  # noqa: ASYNC220 - nothing else runs meanwhile
        child, stderr=subprocess.PIPE, text=True, env=variables
    )
    try:
        assert process.stderr
        address = process.stderr.readline().split()[-1]
        async with Client(address, mode=mode) as client:
            yield client
    finally:
        process.kill()
        process.communicate()


async def calls_cost(way: str, mode: str, count: int) -> dict[str, float]:
    """Median microseconds of one call, by server."""
    took: dict[str, list[float]] = {"sdk": [], "cribble": []}
    async with AsyncExitStack() as stack:
        clients = {whose: await stack.enter_async_context(connected(whose, way, mode)) for whose in took}
        for number in range(count + WARM_UP):
            for whose, client in clients.items():
                began = time.perf_counter()
                reply = await client.call_tool("noop", {"text": "x"})
                if number >= WARM_UP:
                    took[whose].append(time.perf_counter() - began)
                assert reply.structured_content == {"text": "x"}
    return {whose: statistics.median(secs) * 1e6 for whose, secs in took.items()}


async def start_cost(child: list[str]) -> float:
    """Seconds from starting the process to its list of tools."""
    began = time.perf_counter()
    parameters = StdioServerParameters(command=child[0], args=child[1:], env={**os.environ, "PYTHONPATH": str(ROOT)})
    async with Client(parameters, mode="legacy") as client:
        await client.list_tools()
        return time.perf_counter() - began


HIGH_LEVEL = """
from mcp.server import MCPServer
server = MCPServer("hello")
@server.tool()
def hello(text: str) -> str:
    return text
server.run()
"""


async def main(count: int) -> None:
    for way in ("memory", "stdio", "HTTP"):
        for mode in ("auto", "legacy"):
            cost = await calls_cost(way, mode, count)
            ratio = cost["cribble"] / cost["sdk"]
            print(f"call  {way:6} {mode:6} sdk {cost['sdk']:6.0f} us  cribble {cost['cribble']:6.0f} us  {ratio:4.2f}x of 3")
    children = {
        "sdk, low level": [sys.executable, __file__, "--serve", "sdk", "stdio"],
        "sdk, MCPServer": [sys.executable, "-c", HIGH_LEVEL],
        "cribble mcp": [sys.executable, "-c", "from pipelines.cli import main; main()", "mcp"],
    }
    took: dict[str, list[float]] = {name: [] for name in children}
    for _ in range(ROUNDS):
        for name, child in children.items():
            took[name].append(await start_cost(child))
    base = statistics.median(took["sdk, low level"])
    for name, secs in took.items():
        middle = statistics.median(secs)
        print(f"start {name:15} median {middle * 1000:5.0f} ms  least {min(secs) * 1000:5.0f} ms  {middle / base:4.2f}x of 1.5")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    if sys.argv[1:2] == ["--serve"]:
        anyio.run(serve, *sys.argv[2:])
    else:
        socket.setdefaulttimeout(60)
        anyio.run(main, int((sys.argv[1:] or ["300"])[0]))
