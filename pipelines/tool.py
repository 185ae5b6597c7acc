"""A pipeline file as a tool: what it is called, what it takes and gives, and the call itself.

The command line, the library and the MCP host all come through here, so that they give the same reply.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from pipelines.config import Config

Progress = Callable[[str, int, int], None]
"""Told a stage's name, how many records it has read and how many of them are dealt with."""


class ToolReply(Struct, frozen=True, kw_only=True):
    """What a call gives back. `structured` is of the tool's output schema, or empty where the arguments were refused."""

    structured: dict[str, Any]
    text: str
    is_error: bool = False


class Tool(Struct, frozen=True, kw_only=True):
    """A tool. Both schemas have an object at their root."""

    name: str
    title: str
    description: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]
    read_only: bool
    open_world: bool
    profile: str

    async def call(self, arguments: dict[str, Any], *, config: Config, progress: Progress | None = None) -> ToolReply:
        """Carry out one call. Wrong arguments give a reply that is an error and says what to do.

        Raises UsageError for what the configuration must change (an archive that cannot be read); a bug raises what it raises.
        """
        raise NotImplementedError


class ToolSet(Struct, frozen=True, kw_only=True):
    """The tools in the order of their files, and what is wrong with the files that were left out, one line each."""

    tools: tuple[Tool, ...]
    problems: tuple[str, ...] = ()


def tools(profiles: Sequence[str] = ("default",), *, prefix: str = "") -> ToolSet:
    """The tools of these profiles and of the user's own folder. A broken file is left out and told in `problems`.

    Raises UsageError for a profile that does not exist and for two profiles with a tool of the same name.
    """
    raise NotImplementedError


__all__ = ["Progress", "Tool", "ToolReply", "ToolSet", "tools"]
