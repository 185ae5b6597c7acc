"""What to paste where: the configuration of the usual MCP clients. The README shows the same."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct


class Snippet(Struct, frozen=True, kw_only=True):
    """`text` in `form`, to put into `where`."""

    where: str
    form: Literal["json", "toml", "shell"]
    text: str


def over_stdio(command: str, arguments: Sequence[str], environment: Mapping[str, str] = {}) -> tuple[Snippet, ...]:
    """For clients that start the server themselves, without the variables of a shell: `environment` are those it needs."""
    variables = {"env": dict(environment)} if environment else {}
    entry = {"command": command, "args": list(arguments), **variables}
    words = " ".join(_quoted(word) for word in (command, *arguments))
    options = "".join(f" --env={_quoted(f'{name}={value}')}" for name, value in environment.items())
    table = "".join(f"\n{name} = {json.dumps(value)}" for name, value in environment.items())
    return (
        Snippet(
            where="Claude Desktop (claude_desktop_config.json), Cursor (~/.cursor/mcp.json), Windsurf "
            "(~/.codeium/windsurf/mcp_config.json), Gemini CLI (~/.gemini/settings.json)",
            form="json",
            text=_json({"mcpServers": {"cribble": entry}}),
        ),
        Snippet(
            where="VS Code (.vscode/mcp.json)", form="json", text=_json({"servers": {"cribble": {"type": "stdio", **entry}}})
        ),
        Snippet(where="Zed (settings.json)", form="json", text=_json({"context_servers": {"cribble": entry}})),
        Snippet(
            where="Codex (~/.codex/config.toml)",
            form="toml",
            text=f"[mcp_servers.cribble]\ncommand = {json.dumps(command)}\nargs = {json.dumps(list(arguments))}"
            + (f"\n\n[mcp_servers.cribble.env]{table}" if table else ""),
        ),
        Snippet(where="Claude Code (in a shell)", form="shell", text=f"claude mcp add cribble{options} -- {words}"),
    )


def over_http(url: str, *, token: bool) -> tuple[Snippet, ...]:
    """For clients that connect to a server which runs already."""
    headers = {"headers": {"Authorization": "Bearer TOKEN"}} if token else {}
    entry = {"type": "http", "url": url, **headers}
    variable = '\nbearer_token_env_var = "CRIBBLE_TOKEN"' if token else ""
    header = ' --header "Authorization: Bearer TOKEN"' if token else ""
    return (
        Snippet(
            where="Cursor (~/.cursor/mcp.json), Claude Code (.mcp.json)",
            form="json",
            text=_json({"mcpServers": {"cribble": entry}}),
        ),
        Snippet(where="VS Code (.vscode/mcp.json)", form="json", text=_json({"servers": {"cribble": entry}})),
        Snippet(
            where="Codex (~/.codex/config.toml)", form="toml", text=f"[mcp_servers.cribble]\nurl = {json.dumps(url)}{variable}"
        ),
        Snippet(
            where="Claude Code (in a shell)", form="shell", text=f"claude mcp add --transport http cribble {_quoted(url)}{header}"
        ),
    )


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _quoted(word: str) -> str:
    import shlex

    return shlex.quote(word)


def shown(snippets: Sequence[Snippet]) -> str:
    """All of them, to read."""
    return "\n".join(f"{snippet.where}:\n\n{_indented(snippet.text)}\n" for snippet in snippets)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
