"""What the README tells users of MCP clients to paste is what the host prints, and reads as the format it is in."""

from __future__ import annotations

import json
import shlex
import tomllib

import pytest
from cribble_process import ROOT

from mcp_host import clients
from mcp_host.clients import Snippet

STDIO = clients.over_stdio("cribble", ["mcp"])
HTTP = clients.over_http("http://127.0.0.1:8642/mcp", token=True)


@pytest.mark.parametrize("snippet", [*STDIO, *HTTP], ids=lambda one: one.where)
def test_the_readme_has_it_word_for_word(snippet: Snippet) -> None:
    assert clients.shown([snippet]) in (ROOT / "README.md").read_text()


def test_what_stands_first_is_what_most_clients_take() -> None:
    first = (ROOT / "README.md").read_text().partition("Most of them take this:\n")[2].partition("\n\n`")[0]
    assert json.loads(first) == json.loads(clients.over_stdio("/whole/path/of/cribble", ["mcp"])[0].text)


def entries(snippet: Snippet) -> dict[str, object]:
    """The server's entry, wherever the client wants it."""
    read = {"json": json.loads, "toml": tomllib.loads}[snippet.form]
    (servers,) = read(snippet.text).values()
    assert list(servers) == ["cribble"]
    return servers["cribble"]


@pytest.mark.parametrize("command", ["cribble", '/odd folder/"quoted"/crîbble'])
def test_what_is_pasted_for_stdio_starts_this_command(command: str) -> None:
    arguments = ["mcp", "--record=/a b/ü'\"\\"]
    for environment in ({}, {"XDG_CONFIG_HOME": "/c d/ü'\"\\"}):
        for snippet in clients.over_stdio(command, arguments, environment):
            if snippet.form == "shell":
                told = [f"--env={name}={value}" for name, value in environment.items()]
                assert shlex.split(snippet.text) == ["claude", "mcp", "add", "cribble", *told, "--", command, *arguments]
            else:
                entry = entries(snippet)
                assert (entry["command"], entry["args"], entry.get("env", {})) == (command, arguments, environment)


@pytest.mark.parametrize("token", [True, False])
def test_what_is_pasted_for_http_has_the_address_and_where_the_token_goes(token: bool) -> None:
    for snippet in clients.over_http("http://[::1]:80/mcp", token=token):
        if snippet.form == "shell":
            assert "http://[::1]:80/mcp" in shlex.split(snippet.text)
        else:
            assert entries(snippet)["url"] == "http://[::1]:80/mcp"
        assert any(word in snippet.text for word in ("Bearer TOKEN", "CRIBBLE_TOKEN")) is token
