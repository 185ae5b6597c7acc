"""Prompts over MCP: listed, and made into the one message that each of them is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from msgspec import structs

from pipelines.checking import fields_of
from pipelines.prompts import Prompt
from pipelines.story import Rejected

Context = ServerRequestContext[Any, Any]


def handlers(prompts: Sequence[Prompt]) -> dict[str, Any]:
    """What a server is given to answer for these; without any it does not claim to have prompts."""
    if not prompts:
        return {}
    listing = types.ListPromptsResult(prompts=[_listed(prompt) for prompt in prompts])
    known = {prompt.name: prompt for prompt in prompts}

    async def list_prompts(_context: Context, _params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return listing

    async def get_prompt(_context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        prompt = known.get(params.name)
        if prompt is None:
            raise MCPError(types.INVALID_PARAMS, f"There is no such prompt. This server has: {', '.join(known)}.")
        try:
            text = prompt.message(params.arguments or {})
        except Rejected as refused:
            raise MCPError(types.INVALID_PARAMS, str(refused)) from None
        said = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
        return types.GetPromptResult(description=prompt.file.description, messages=[said])

    return {"on_list_prompts": list_prompts, "on_get_prompt": get_prompt}


def _listed(prompt: Prompt) -> types.Prompt:
    return types.Prompt(
        name=prompt.name,
        title=prompt.file.title,
        description=prompt.file.description,
        arguments=[
            types.PromptArgument(name=name, description=_description(field), required=field.required)
            for name, field in fields_of(prompt.arguments).items()
        ],
    )


def _description(field: structs.FieldInfo) -> str:
    return str(field.type.__metadata__[0].description)
