"""`cribble mcp --check`: starts the server as a client would, lists its tools in both eras, and says what to paste where."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
from anyio.streams.text import TextReceiveStream
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from mcp_host import clients
from pipelines.arguments import Given
from pipelines.config import user_file
from pipelines.output import safe, write
from stages.core.errors import FOUND, UsageError

PATIENCE_SECS = 30.0
_MODES = {"auto": "newest protocol", "legacy": "handshake protocol"}
_PATHS = ("token_file", "record", "replay", "ca_bundle")
_CODE = "import sys, json; sys.path[:] = json.loads(sys.argv.pop(1)); from pipelines.cli import main; main()"


def check(given: Given, http: str, token: str) -> int:
    """Returns the exit code. Raises UsageError when the server does not answer."""
    command, *before = own_command()
    arguments = [*before, "mcp", *_words(given)]
    return anyio.run(_over_http if http else _over_stdio, command, arguments, token)


def own_command() -> list[str]:
    """How to start this very cribble from any folder, without PATH."""
    script = Path(sys.argv[0]).absolute()
    if script.name == "cribble" and os.access(script, os.X_OK):
        return [str(script)]
    return [sys.executable, "-c", _CODE, json.dumps([folder for folder in sys.path if folder])]


def _words(given: Given) -> list[str]:
    """The options as they were given, but for `--check`; files by their whole path: a client starts servers in any folder."""
    words = []
    for name, value in given.values.items():
        text = ",".join(value) if isinstance(value, list) else str(value)
        if name != "check":
            words.append(f"--{name.replace('_', '-')}={os.path.abspath(text) if name in _PATHS else text}")  # noqa: PTH100 - a link stays one
    return words


async def _over_stdio(command: str, arguments: list[str], _token: str) -> int:
    own = _environment()
    parameters = StdioServerParameters(command=command, args=arguments, env={"PATH": "", **own}, cwd="/")
    listed = {mode: await _listed(parameters, mode) for mode in _MODES}
    _tell("stdio", listed, clients.over_stdio(command, arguments, own), _unseen(own))
    return FOUND


def _environment() -> dict[str, str]:
    """What says where the user's own tools and settings are, where it is not the usual place: a client must be told."""
    named = {name: os.environ.get(name, "") for name in ("CRIBBLE_CONFIG", "XDG_CONFIG_HOME")}
    return {name: os.path.abspath(value) for name, value in named.items() if value}  # noqa: PTH100 - a link stays one


def _unseen(told: dict[str, str]) -> list[str]:
    """What holds in this shell and not in what a client starts."""
    lost = [name for name in os.environ if name.startswith("CRIBBLE_") and name not in (*told, "CRIBBLE_TOKEN")]
    lines = [f"Your own tools and settings are found by {' and '.join(told)}, so it stands in what follows."] if told else []
    if lost:
        lines.append(
            f'Set in this shell only: {", ".join(sorted(lost))}. A client does not see that: put it into "env" there, or into '
            f"{user_file()}."
        )
    return [*lines, ""] if lines else []


async def _over_http(command: str, arguments: list[str], token: str) -> int:
    async with _started([command, *arguments], token) as url:
        listed = {}
        for mode in _MODES:
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE_SECS) as web:
                listed[mode] = await _listed(streamable_http_client(url, http_client=web), mode)
    _tell(url, listed, clients.over_http(url, token=bool(token)), [])
    return FOUND


async def _listed(server: Any, mode: str) -> tuple[Any, float]:
    """The tools, and how many seconds it took to get them from nothing."""
    began = time.monotonic()
    try:
        with anyio.fail_after(PATIENCE_SECS):
            async with Client(server, mode=mode) as client:
                listed = await client.list_tools()
                return listed.tools, time.monotonic() - began
    except (MCPError, OSError, TimeoutError, ExceptionGroup):
        raise UsageError(f"the server did not list its tools ({_MODES[mode]}); what it said stands above") from None


@asynccontextmanager
async def _started(command: list[str], token: str) -> AsyncIterator[str]:
    """A server of our own at the address that was asked for, ended afterwards. Gives its URL."""
    environment = {**os.environ, **({"CRIBBLE_TOKEN": token} if token else {}), "PATH": ""}
    process = await anyio.open_process(command, cwd="/", env=environment, stdin=None, stdout=None)
    assert process.stderr is not None  # noqa: S101 - it was asked for
    try:
        said = ""
        with anyio.move_on_after(PATIENCE_SECS):
            async for text in TextReceiveStream(process.stderr):
                said += text
                if "serving at " in said and said.endswith("\n"):
                    break
        if "serving at " not in said:
            raise UsageError(f"the server did not start: {safe(said.strip()) or 'it said nothing'}")
        yield said.rpartition("serving at ")[2].strip()
    finally:
        with anyio.CancelScope(shield=True):
            if process.returncode is None:
                process.terminate()
            await process.aclose()


def _tell(where: str, listed: dict[str, tuple[Any, float]], snippets: tuple[clients.Snippet, ...], notes: list[str]) -> None:
    lines = [f"{where}: {len(tools)} tools in {secs:.1f} s ({_MODES[mode]})" for mode, (tools, secs) in listed.items()]
    lines += [f"  {tool.name:24} {tool.title or ''}" for tool in listed["auto"][0]]
    lines += ["", *notes, "Paste into your client:", "", clients.shown(snippets)]
    write(safe("\n".join(lines)).encode())
