"""A client that is none of ours: the MCP inspector lists and calls every tool, over both transports.

It comes from npm: `npm install -g @modelcontextprotocol/inspector`.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from cribble_process import COMMAND, ROOT, environment

from pipelines.tool import tools

INSPECTOR = shutil.which("mcp-inspector")
pytestmark = pytest.mark.skipif(INSPECTOR is None, reason="mcp-inspector is not on PATH")
ARCHIVE = str(ROOT / "pipelines/recorded/demo.warc.gz")


@pytest.fixture
def script(tmp_path: Path) -> str:
    """`cribble` as one word: the inspector takes options like ours for its own."""
    file = tmp_path / "serve"
    file.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        f"sys.argv[1:1] = ['mcp', '--replay', {ARCHIVE!r}]\n{COMMAND[2]}\n"
    )
    file.chmod(0o700)
    return str(file)


@pytest.fixture(params=["stdio", "HTTP"])
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
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr).decode()
    return json.loads(done.stdout)


def test_it_lists_and_calls_every_tool(target: list[str]) -> None:
    listed = {tool["name"]: tool for tool in inspect(target, "--method", "tools/list")["tools"]}
    assert set(listed) == {tool.name for tool in tools().tools}
    for tool in tools().tools:
        example = tool.pipeline.file.example[0]
        words = [part for name, value in example.items() for part in ("--tool-arg", f"{name}={json.dumps(value)}")]
        reply = inspect(target, "--method", "tools/call", "--tool-name", tool.name, *words)
        jsonschema.validate(reply["structuredContent"], listed[tool.name]["outputSchema"])
        assert reply["content"][0]["text"]
