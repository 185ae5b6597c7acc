"""What a client may send: one JSON-RPC message, bounded in size and depth before anything else parses it."""

from __future__ import annotations

import re

import msgspec
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, JSONRPCMessage, jsonrpc_message_adapter

from stages.core.errors import CribbleError

MAX_BYTES = 1 << 20
"""Arguments are questions, addresses and numbers: a megabyte is far more than any call needs."""
MAX_DEPTH = 64

_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[\[\]{}]', re.DOTALL)
_ID = re.compile(rb'"id"\s*:\s*(\d{1,18}|"[^"\\]{1,200}")')


class RefusedError(CribbleError):
    """A message that is not taken. `answer` is what JSON-RPC says about it, `status` what HTTP does."""

    def __init__(self, message: str, *, code: int = INVALID_REQUEST, status: int = 400, request: str | int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.answer = JSONRPCError(jsonrpc="2.0", id=request, error=ErrorData(code=code, message=message))


def message(data: bytes) -> JSONRPCMessage:
    """The message in these bytes. Raises RefusedError, which never repeats what was sent."""
    if len(data) > MAX_BYTES:
        raise RefusedError(f"The message is larger than {MAX_BYTES >> 20} MiB; send less in one call.", status=413)
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH:
        depth, request = _shape(data)
        if depth > MAX_DEPTH:
            raise RefusedError(f"The message is nested deeper than {MAX_DEPTH} levels; send flat arguments.", request=request)
    try:
        return jsonrpc_message_adapter.validate_json(data, by_name=False)
    except ValueError:
        raise _unreadable(data) from None


def _unreadable(data: bytes) -> RefusedError:
    """Says whether it is JSON at all."""
    try:
        msgspec.json.decode(data)
    except (ValueError, RecursionError):
        return RefusedError("The message is not JSON.", code=PARSE_ERROR)
    return RefusedError("The message is not one JSON-RPC 2.0 request, notification or response.", request=_shape(data)[1])


def _shape(data: bytes) -> tuple[int, str | int | None]:
    """How deep it is nested, and the `id` of its outermost object: what is refused is answered by that id."""
    depth = deepest = 0
    request: str | int | None = None
    for token in _TOKEN.finditer(data):
        first = data[token.start() : token.start() + 1]
        if first in (b"[", b"{"):
            depth += 1
            deepest = max(deepest, depth)
        elif first in (b"]", b"}"):
            depth -= 1
        elif depth == 1 and (found := _ID.match(data, token.start())):
            request = _decoded(found[1])
    return deepest, request


def _decoded(found: bytes) -> str | int | None:
    try:
        return msgspec.json.decode(found, type=str | int)
    except msgspec.DecodeError:
        return None
