"""`cribble mcp`: its options, and the host that they describe. Its help imports nothing of the protocol."""

from __future__ import annotations

import os
import re
from typing import Annotated

from msgspec import Meta, Struct

from pipelines.arguments import Given, understood
from pipelines.config import CONFIGURABLE, Flags, configured
from pipelines.options import checked, options_of
from stages.core.errors import UsageError

_HTTP = "127.0.0.1:8642"


class Serve(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is served, and how."""

    profile: Annotated[tuple[str, ...], Meta(description="Profiles whose tools are served.")] = ("default",)
    prefix: Annotated[str, Meta(description="Put before every tool's name.")] = ""
    http: Annotated[str, Meta(description=f"Serve streamable HTTP at HOST:PORT ({_HTTP} when left out) instead of stdio.")] = ""
    allow_host: Annotated[
        tuple[str, ...], Meta(description="More names that the Host header may say, behind a proxy or on a LAN.")
    ] = ()
    token_file: Annotated[str, Meta(description="File with the bearer token that HTTP clients must send.")] = ""
    record: Annotated[str, Meta(description="Record each call into an archive of its own in this folder.")] = ""
    replay: Annotated[str, Meta(description="Replay calls from such a folder, or all from one archive.")] = ""
    check: Annotated[
        bool, Meta(description="Start the server as a client would, list its tools, and say what to paste where.")
    ] = False


def command(arguments: list[str]) -> int:
    """Carry out the command line. Returns the exit code. Raises UsageError, Helped."""
    own = options_of(Serve)
    network = tuple(one for one in options_of(Flags) if one.name in CONFIGURABLE and one.name not in Serve.__struct_fields__)
    groups = {"what is served": own, "how calls run": network}
    about = "Serve the tools to an MCP client, over stdio or HTTP."
    given = understood("cribble mcp [options]", about, groups, _with_address(arguments))
    if given.words:
        raise UsageError(f"{given.words[0]!r}: cribble mcp takes options only; several profiles are --profile A,B")
    options = checked(Serve, given.of(own))
    if not re.fullmatch(r"[A-Za-z0-9_-]{0,32}", options.prefix):
        raise UsageError(f"--prefix: {options.prefix!r} is not at most 32 letters, digits, - and _")
    return _started(options, given)


def _with_address(arguments: list[str]) -> list[str]:
    """`--http` alone means the usual address."""
    return [
        f"--http={_HTTP}" if word == "--http" and (arguments[at + 1 : at + 2] or ["-"])[0].startswith("-") else word
        for at, word in enumerate(arguments)
    ]


def _started(options: Serve, given: Given) -> int:
    try:
        import mcp  # noqa: F401 - the one import that may be missing
    except ModuleNotFoundError as error:
        raise UsageError(f"the MCP host needs {error.name}: pip install '.[mcp]' in its folder") from None
    if options.check:
        from mcp_host.check import check

        return check(given, options.http, _token(options))
    from mcp_host.host import run

    return run(
        options, configured({name: value for name, value in given.values.items() if name in CONFIGURABLE}), _token(options)
    )


def _token(options: Serve) -> str:
    from mcp_host.http import read_token

    return read_token(options.token_file, os.environ.get("CRIBBLE_TOKEN", "")) if options.http else ""
