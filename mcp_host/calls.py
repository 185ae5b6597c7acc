"""Calls of tools, bounded: how many at once, how long, how large a reply."""

from __future__ import annotations

from typing import Any

import anyio
import msgspec

from mcp_host.archives import Archives, NoRecordingError
from pipelines.tool import Progress, Tool, ToolReply

AT_ONCE = 8
"""Calls under way in one host: each may start worker processes of its own."""
WAITING = 64
"""Calls that may wait for their turn."""
LONGEST_SECS = 600.0
"""No call takes longer, whatever its own deadline says."""
MAX_REPLY_BYTES = 4 << 20


class Calls:
    """What every call of a host shares."""

    def __init__(self, archives: Archives) -> None:
        self._archives = archives
        self._turns = anyio.CapacityLimiter(AT_ONCE)

    @property
    def under_way(self) -> int:
        """Calls that run or wait."""
        return self._turns.borrowed_tokens + self._turns.statistics().tasks_waiting

    async def finished(self) -> None:
        """Wait until no call runs or waits. None can start afterwards."""
        for _ in range(AT_ONCE):
            await self._turns.acquire_on_behalf_of(object())

    async def call(self, tool: Tool, arguments: dict[str, Any], progress: Progress) -> ToolReply:
        """Carry out one call in its turn. Raises what the tool raises."""
        if self._turns.statistics().tasks_waiting >= WAITING:
            return _refusal(f"This server is busy with {self.under_way} calls. Call again in a few seconds.")
        async with self._turns:
            try:
                config = self._archives.config(tool.name, arguments)
            except NoRecordingError:
                return _refusal(
                    "This server replays recorded calls, and this one was not recorded. Use the arguments of a recorded call."
                )
            with anyio.move_on_after(LONGEST_SECS):
                return _bounded(await tool.call(arguments, config=config, progress=progress))
        return _refusal(f"The call was not over after {LONGEST_SECS:g} s and was stopped. Ask for less in one call.")


def _bounded(reply: ToolReply) -> ToolReply:
    size = len(reply.text.encode()) + len(msgspec.json.encode(reply.structured))
    if size <= MAX_REPLY_BYTES:
        return reply
    return _refusal(
        f"The reply would be {size / (1 << 20):.1f} MiB, more than the {MAX_REPLY_BYTES >> 20} MiB that this server sends. "
        "Ask for fewer results, or for fewer tokens."
    )


def _refusal(text: str) -> ToolReply:
    return ToolReply(structured={}, text=text, is_error=True)
