"""Tools that do what a host must bear, and the ways to reach a host that serves them."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import msgspec
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from msgspec import Struct

from mcp_host.archives import Archives
from mcp_host.calls import Calls
from mcp_host.gate import Gate
from mcp_host.http import application
from mcp_host.server import build
from pipelines.config import Config, configured
from pipelines.tool import Progress, Tool, ToolReply, ToolSet
from stages.core.errors import UsageError

ROOT = Path(__file__).resolve().parent.parent
MODES = ("auto", "legacy")
PRIVATE = "10.0.0.5 in /home/somebody"
URL = "http://127.0.0.1:8642/mcp"


class Words(Struct, forbid_unknown_fields=True):
    text: str = ""


class Fake(Tool, frozen=True, kw_only=True):
    """Echoes its argument."""

    async def call(self, arguments: dict[str, Any], *, config: Config, progress: Progress | None = None) -> ToolReply:
        try:
            words = msgspec.convert(arguments, Words)
        except msgspec.ValidationError as error:
            return ToolReply(structured={}, text=f"{error}; leave it out", is_error=True)
        text = await self.answer(words.text, config, progress or (lambda *_: None))
        return ToolReply(structured={"said": text}, text=text)

    async def answer(self, text: str, config: Config, progress: Progress) -> str:
        return text


class Archive(Fake, frozen=True, kw_only=True):
    """Says where it would record, or what it would replay."""

    async def answer(self, text: str, config: Config, progress: Progress) -> str:
        if config.flags.record:
            Path(config.flags.record).write_bytes(b"recorded")
        return config.flags.record or config.flags.replay


class Slow(Fake, frozen=True, kw_only=True):
    """Waits as for a network that never answers, and leaves a trace when it is cancelled."""

    async def answer(self, text: str, config: Config, progress: Progress) -> str:
        RUNNING.append(text)
        progress("search", 1, 1)
        try:
            await anyio.sleep_forever()
        finally:
            RUNNING.remove(text)
            if text.startswith("/"):
                Path(text).write_text("cancelled")
        return ""


class Stuck(Fake, frozen=True, kw_only=True):
    """Waits as for a name server, in a thread that nothing can stop."""

    async def answer(self, text: str, config: Config, progress: Progress) -> str:
        await asyncio.get_running_loop().run_in_executor(None, time.sleep, 30)
        return ""


class Busy(Fake, frozen=True, kw_only=True):
    async def answer(self, text: str, config: Config, progress: Progress) -> str:
        for number in range(1, 4):
            progress("fetch", 8, number)
            await anyio.sleep(0.25)
        return "done"


class Broken(Fake, frozen=True, kw_only=True):
    async def answer(self, text: str, config: Config, progress: Progress) -> str:
        raise UsageError(PRIVATE) if text == "usage" else RuntimeError(PRIVATE)


class Large(Fake, frozen=True, kw_only=True):
    async def answer(self, text: str, config: Config, progress: Progress) -> str:
        return "\ud800" if text == "half" else "x" * (5 << 20)


class Loud(Fake, frozen=True, kw_only=True):
    """Writes to standard output in every way it can."""

    async def answer(self, text: str, config: Config, progress: Progress) -> str:
        print("noise")  # noqa: T201
        sys.__stdout__.write("left in the buffer\n")
        os.write(1, b"noise\n")
        await anyio.run_process(["/bin/sh", "-c", "echo noise; read nothing; exit 0"], stdout=None)
        return "quiet"


RUNNING: list[str] = []
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "additionalProperties": False}
SAID = {"type": "object", "properties": {"said": {"type": "string"}}, "required": ["said"]}
KINDS = {
    "echo": Fake,
    "slow": Slow,
    "busy": Busy,
    "broken": Broken,
    "large": Large,
    "loud": Loud,
    "archive": Archive,
    "stuck": Stuck,
}
TOOLS = tuple(
    kind(
        name=name,
        title=name.title(),
        description=f"Is {name}.",
        input_schema=SCHEMA,
        output_schema=SAID,
        read_only=True,
        open_world=True,
        profile="default",
        pipeline=None,  # what a real tool is made of
    )
    for name, kind in KINDS.items()
)


def calls(**flags: Any) -> Calls:
    return Calls(Archives(configured(flags)))


@asynccontextmanager
async def in_process(mode: str, **flags: Any) -> AsyncIterator[Client]:
    async with Client(build(TOOLS, calls(**flags)), mode=mode) as client:
        yield client


def stdio_parameters(*arguments: str, environment: dict[str, str] | None = None, **more: Any) -> StdioServerParameters:
    path = f"{ROOT}:{Path(__file__).parent}"
    return StdioServerParameters(
        command=sys.executable,
        args=["-c", "from host_tools import main; main()", "mcp", *arguments],
        env={"PYTHONPATH": path, **(environment or {})},
        **more,
    )


@asynccontextmanager
async def over_stdio(mode: str, *arguments: str) -> AsyncIterator[Client]:
    async with Client(stdio_parameters(*arguments), mode=mode) as client:
        yield client


@asynccontextmanager
async def gated(token: str = "", **flags: Any) -> AsyncIterator[Gate]:
    """The HTTP application without a socket."""
    server = build(TOOLS, calls(**flags))
    gate = Gate(application(server), names=("127.0.0.1", "localhost"), token=token)
    async with server.session_manager.run():
        yield gate


def web(gate: Gate, **headers: str) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=gate), headers=headers, base_url="http://127.0.0.1:8642")


@asynccontextmanager
async def over_http(mode: str, **flags: Any) -> AsyncIterator[Client]:
    async with (
        gated(**flags) as gate,
        web(gate) as browser,
        Client(streamable_http_client(URL, http_client=browser), mode=mode) as client,
    ):
        yield client


WAYS = {"in process": in_process, "stdio": over_stdio, "HTTP": over_http}


def main() -> None:
    """`cribble`, with these tools instead of the profiles'."""
    import mcp_host.host
    from pipelines.cli import main as cribble

    mcp_host.host.tools = lambda _profiles, prefix: ToolSet(tools=TOOLS, problems=("left_out.toml: no such stage\nor other",))
    sys.argv[0] = "cribble"
    cribble()
