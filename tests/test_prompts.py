"""Prompts: files that are checked like tools, and one message of the user, over MCP too."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from cribble_process import COMMAND, PATIENCE_SECS, ROOT, cribble
from host_tools import MODES, URL, calls, web
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from mcp_host.gate import Gate
from mcp_host.http import application
from mcp_host.server import build
from pipelines.loader import paths, profiles
from pipelines.prompts import FOLDER, Prompt, check, prompts, read
from pipelines.story import Rejected
from pipelines.tool import tools
from stages.core.errors import UsageError

PAGE = "https://a.example/tides?x=1"
EVERY = [(profile, path) for profile in profiles() for path in paths(profile, FOLDER)]
GOOD = """
format = 1
name = "compare"
title = "Compare"
description = "Say in what two pages differ."
say = ["Read both:", "$one", "$two", "It costs $$5 and $6."]
[argument.one]
description = "The first."
pattern = "^[a-z]+$"
[argument.two]
description = "The second."
"""
BAD = {
    "an unknown key": ("title =", "titel =", ["unknown key titel; did you mean title?", "title is missing"]),
    "a name that is not the file's": ('name = "compare"', 'name = "other"', ['"other" in a file called compare.toml']),
    "nothing to say": ('say = ["Read both:", "$one", "$two", "It costs $$5 and $6."]', "say = []", ["say: must have at least 1"]),
    "an argument that is not declared": ('"$two"', '"$tow"', ['"$tow" is not declared; did you mean two?', "nothing uses it"]),
    "an argument without a description": ('description = "The second."', "", ["argument.two: description is missing"]),
    "an unknown key of an argument": ("pattern =", "patern =", ["unknown key patern; did you mean pattern?"]),
    "no regular expression": ("[a-z]+", "[a-z+", ["argument.one: pattern: not a regular expression"]),
    "a name that is none": ("[argument.two]", "[argument.'t wo']", ["argument.t wo: a name is letters, digits and underscores"]),
}


def audit() -> Prompt:
    return next(one for one in prompts(("groundhog",)).prompts if one.name == "audit_hidden_text")


@pytest.mark.parametrize(("profile", "path"), EVERY, ids=lambda value: getattr(value, "stem", value))
def test_what_clients_see_of_a_prompt_is_pinned(profile: str, path: Path, accept: bool) -> None:
    assert read(path)[1] == []
    prompt = next(one for one in prompts((profile,)).prompts if one.path == path)
    given = {name: f"({name})" for name in prompt.file.argument}
    text = "\n\n".join(f"({one[1:]})" if one[1:] in given else one for one in prompt.file.say)
    seen = {"name": prompt.name, "title": prompt.file.title, "description": prompt.file.description}
    seen |= {"arguments": prompt.file.argument, "message": text}
    pinned = ROOT / "fixtures/pipelines" / profile / prompt.name / "prompt.json"
    shown = msgspec.json.format(msgspec.json.encode(seen), indent=1).decode() + "\n"
    if accept:
        pinned.parent.mkdir(exist_ok=True)
        pinned.write_text(shown, "utf-8")
    assert pinned.read_text("utf-8") == shown


def test_a_good_file_has_no_problems() -> None:
    assert check(msgspec.toml.decode(GOOD), "compare") == []


@pytest.mark.parametrize("what", BAD)
def test_everything_wrong_with_a_file_is_told(what: str) -> None:
    before, after, told = BAD[what]
    assert before in GOOD
    found = check(msgspec.toml.decode(GOOD.replace(before, after)), "compare")
    for part in told:
        assert any(part in problem for problem in found), found


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own folder of prompts."""
    monkeypatch.setenv("CRIBBLE_CONFIG", str(tmp_path / "config.toml"))
    folder = tmp_path / "pipelines/prompts"
    folder.mkdir(parents=True)
    return folder


def test_a_file_in_the_user_s_folder_is_a_prompt_and_a_broken_one_is_left_out_and_told(own: Path) -> None:
    (own / "compare.toml").write_text(GOOD)
    (own / "broken.toml").write_text(GOOD.replace("compare", "broken").replace("format = 1", "format = 2"))
    found = prompts(("default",), prefix="my_")
    (compare,) = (one for one in found.prompts if one.profile == "user")
    assert compare.name == "my_compare"
    assert compare.message({"one": "a", "two": "$three"}) == "Read both:\n\na\n\n$three\n\nIt costs $$5 and $6."
    assert found.problems == (f"{own / 'broken.toml'}: format: 2 is not one of 1",)
    linted = cribble("lint", CRIBBLE_CONFIG=str(own.parent.parent / "config.toml"))
    assert linted.stdout.decode().splitlines() == list(found.problems)


def test_a_name_that_is_taken_is_told(own: Path) -> None:
    (own / "audit_hidden_text.toml").write_text(GOOD.replace("compare", "audit_hidden_text"))
    found = prompts(("groundhog",))
    assert [one.profile for one in found.prompts] == ["groundhog"]
    assert found.problems == (
        f"{own / 'audit_hidden_text.toml'}: groundhog has a prompt called audit_hidden_text: choose another name",
    )
    with pytest.raises(UsageError, match="no profile is called"):
        prompts(("groundhogs",))


def test_the_audit_names_a_tool_of_its_profile_and_the_address_stands_alone() -> None:
    message = audit().message({"url": PAGE})
    assert PAGE in message.split("\n\n")
    assert {"read_url"} <= {tool.name for tool in tools(("groundhog",)).tools}
    for word in ("read_url", "include_hidden = true", "`threats`", "type", "reason", "location", "excerpt"):
        assert word in message
    assert "\\" not in message


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "url is missing: The whole address of the page"),
        ({"url": PAGE, "ulr": "x"}, "unknown argument ulr; did you mean url?"),
        ({"url": "https://a.example/\nAlso do this."}, "does not match"),
        ({"url": "a.example"}, "does not match"),
    ],
)
def test_arguments_that_do_not_fit_are_told_in_one_line(given: dict[str, str], told: str) -> None:
    with pytest.raises(Rejected) as refused:
        audit().message(given)
    line = str(refused.value)
    assert line.startswith("audit_hidden_text was not made: ")
    assert told in line
    assert "\n" not in line


@asynccontextmanager
async def in_process(mode: str, profile: str = "groundhog") -> AsyncIterator[Client]:
    async with Client(build(tools((profile,)).tools, calls(), prompts((profile,)).prompts), mode=mode) as client:
        yield client


@asynccontextmanager
async def over_http(mode: str) -> AsyncIterator[Client]:
    server = build(tools(("groundhog",)).tools, calls(), prompts(("groundhog",)).prompts)
    gate = Gate(application(server), names=("127.0.0.1",))
    async with (
        server.session_manager.run(),
        web(gate) as browser,
        Client(streamable_http_client(URL, http_client=browser), mode=mode) as client,
    ):
        yield client


@asynccontextmanager
async def over_stdio(mode: str) -> AsyncIterator[Client]:
    server = StdioServerParameters(
        command=COMMAND[0],
        args=[*COMMAND[1:], "mcp", "--profile", "groundhog"],
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        cwd="/",
    )
    async with Client(server, mode=mode) as client:
        yield client


WAYS: dict[str, Any] = {"in process": in_process, "stdio": over_stdio, "HTTP": over_http}


@pytest.mark.anyio
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("way", WAYS)
async def test_a_prompt_is_listed_and_made_in_both_eras_on_every_transport(way: str, mode: str) -> None:
    with anyio.fail_after(PATIENCE_SECS):
        async with WAYS[way](mode) as client:
            (listed,) = (await client.list_prompts()).prompts
            assert (listed.name, [(one.name, one.required) for one in listed.arguments]) == ("audit_hidden_text", [("url", True)])
            assert all((listed.title, listed.description, listed.arguments[0].description))
            made = await client.get_prompt("audit_hidden_text", {"url": PAGE})
            assert [one.role for one in made.messages] == ["user"]
            assert made.messages[0].content.text == audit().message({"url": PAGE})
            with pytest.raises(MCPError, match="There is no such prompt"):
                await client.get_prompt("audit", {"url": PAGE})
            with pytest.raises(MCPError, match="audit_hidden_text was not made: url is missing"):
                await client.get_prompt("audit_hidden_text")


@pytest.mark.anyio
@pytest.mark.parametrize("mode", MODES)
async def test_a_server_without_prompts_does_not_claim_to_have_any(mode: str) -> None:
    with anyio.fail_after(PATIENCE_SECS):
        async with in_process(mode, "default") as client, in_process(mode) as other:
            assert client.server_capabilities.prompts is None
            assert other.server_capabilities.prompts is not None
