"""A client that is none of ours: the MCP inspector lists and calls every tool, over both transports.

It comes from npm: `npm install -g @modelcontextprotocol/inspector@0.15`, as `.ci/run` does.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from cribble_process import COMMAND, ROOT, environment
from recorded_calls import RecordedCall, recorded_calls, replay_folder

from pipelines.tool import tools

INSPECTOR = shutil.which("mcp-inspector")
pytestmark = pytest.mark.skipif(INSPECTOR is None, reason="mcp-inspector is not on PATH")
PATIENCE_SECS = 180
"""Each question starts node twice, and over stdio a server too."""
CALLS = list({call.tool: call for call in recorded_calls("default")}.values())


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> str:
    """`cribble` as one word: the inspector takes options like ours for its own."""
    folder = tmp_path_factory.mktemp("inspected")
    archives = folder / "archives"
    archives.mkdir()
    file = folder / "serve"
    file.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        f"sys.argv[1:1] = ['mcp', '--replay', {replay_folder(CALLS, archives)!r}]\n{COMMAND[2]}\n"
    )
    file.chmod(0o700)
    return str(file)


@pytest.fixture(scope="module", params=["stdio", "HTTP"])
def target(request: pytest.FixtureRequest, script: str) -> Iterator[list[str]]:
    if request.param == "stdio":
        yield [script]
        return
    process = subprocess.Popen([script, "--http=127.0.0.1:0"], stderr=subprocess.PIPE, text=True, env=environment())
    try:
        assert process.stderr is not None
        found = re.search(r"serving at (\S+)", process.stderr.readline())
        assert found
        yield [found[1], "--transport", "http"]
    finally:
        process.kill()
        process.communicate()


def inspect(target: list[str], *arguments: str) -> dict[str, Any]:
    command = [str(INSPECTOR), "--cli", *target, *arguments]
    done = subprocess.run(command, capture_output=True, timeout=PATIENCE_SECS, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr).decode()
    return json.loads(done.stdout)


def typed(value: Any) -> str:
    """As it takes them: a text as it stands, the rest as JSON."""
    return value if isinstance(value, str) else json.dumps(value)


@pytest.fixture(scope="module")
def listed(target: list[str]) -> dict[str, dict[str, Any]]:
    return {tool["name"]: tool for tool in inspect(target, "--method", "tools/list")["tools"]}


def test_it_lists_every_tool(listed: dict[str, dict[str, Any]]) -> None:
    assert set(listed) == {tool.name for tool in tools().tools} == {call.tool for call in CALLS}


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.tool)
def test_it_gets_a_reply_from_every_tool(call: RecordedCall, target: list[str], listed: dict[str, dict[str, Any]]) -> None:
    words = [part for name, value in call.arguments.items() for part in ("--tool-arg", f"{name}={typed(value)}")]
    reply = inspect(target, "--method", "tools/call", "--tool-name", call.tool, *words)
    assert not reply.get("isError"), reply
    jsonschema.validate(reply["structuredContent"], listed[call.tool]["outputSchema"])
    assert reply["content"][0]["text"]
