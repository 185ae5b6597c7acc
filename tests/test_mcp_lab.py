"""A run against the lab (`../shared/lab`), recorded by the host: command, library and both transports replay it to one reply.

Skipped where there is no lab; the variable SHARED names another place for it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from cribble_process import COMMAND, ROOT, cribble
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from test_mcp_tools import over_http, parameters

from mcp_host.archives import _name
from pipelines.config import configured
from pipelines.tool import tools

sys.path.insert(0, str(ROOT / "bench"))
from lab_web import CORPUS, Lab, lab

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(not CORPUS.is_dir(), reason="there is no lab beside the project")]
PATIENCE_SECS = 180
RESEARCH = {"query": "How long does it take to learn to touch type?", "max_sources": 4, "max_tokens": 1500}
SEARCH = {"queries": ["growing tomatoes in pots", "no such thing as zzyzx qwrt"], "limit": 5}
GONE = "https://faults.lab-example.dev/soft_404/"


@pytest.fixture(scope="module")
def web() -> Iterator[Lab]:
    with lab("--latency-ms", "5", "--budget", "off", "--faults", "mild") as started:
        yield started


async def recorded(web: Lab, folder: Path) -> list[tuple[str, dict[str, Any], Any]]:
    """Tool, arguments and reply of every call to a host that records, as its client gets them; the last one reads on."""
    environment = {**web.environment(), "PYTHONPATH": str(ROOT)}
    server = StdioServerParameters(command=COMMAND[0], args=[*COMMAND[1:], "mcp", "--record", str(folder)], env=environment)
    made: list[tuple[str, dict[str, Any], Any]] = []
    async with Client(server) as client:

        async def call(name: str, asked: dict[str, Any]) -> dict[str, Any]:
            made.append((name, asked, await client.call_tool(name, asked)))
            found: dict[str, Any] = made[-1][2].structured_content
            return found

        await call("research", RESEARCH)
        hits = (await call("search", SEARCH))["hits"]
        pages = (await call("read_url", {"urls": [*(hit["url"] for hit in hits), GONE], "max_tokens": 200}))["pages"]
        await call("read_url", {"cursor": next(page["cursor"] for page in pages if page["truncated"])})
    return made


def told(reply: Any) -> tuple[bool, Any, str]:
    return reply.is_error, reply.structured_content, reply.content[0].text


def words(asked: dict[str, Any]) -> list[str]:
    """The arguments as one types them."""
    options = [f"--{name.replace('_', '-')}={value}" for name, value in asked.items() if not isinstance(value, list)]
    return options + [word for value in asked.values() if isinstance(value, list) for word in value]


async def test_a_recorded_run_is_the_same_by_command_library_and_both_transports(web: Lab, tmp_path: Path) -> None:
    known = {tool.name: tool for tool in tools().tools}
    with anyio.fail_after(PATIENCE_SECS):
        made = await recorded(web, tmp_path)
        expected = [told(reply) for _, _, reply in made]
        assert [is_error for is_error, _, _ in expected] == [False] * 4, expected
        async with Client(parameters("--replay", str(tmp_path)), mode="legacy") as client:
            assert [told(await client.call_tool(name, asked)) for name, asked, _ in made] == expected
        async with over_http("auto", "default", replay=str(tmp_path)) as client:
            assert [told(await client.call_tool(name, asked)) for name, asked, _ in made] == expected
    for (name, asked, _), (_, structured, text) in zip(made, expected, strict=True):
        archive = str(tmp_path / f"{_name(name, asked)}.warc.gz")
        reply = await known[name].call(asked, config=configured({"replay": archive}))
        assert (reply.structured, reply.text) == (structured, text)
        done = cribble("call", name, *words(asked), "--replay", archive, "--reply", "json", folder=Path("/"))
        assert json.loads(done.stdout) == structured
