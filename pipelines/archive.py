"""`cribble archive`: what a recorded run holds, whether the file is whole, and a copy that can be shown around."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct

from pipelines.arguments import Given, understood
from pipelines.options import Option, alternatives, checked, options_of
from pipelines.output import safe, write
from stages.core.errors import FOUND, NOTHING, UsageError

if TYPE_CHECKING:
    from stages.net.contents import Entry, Shown

USAGES = {
    "ls": "cribble archive ls FILE",
    "show": "cribble archive show FILE ID",
    "check": "cribble archive check FILE",
    "redact": "cribble archive redact FILE --output OUT [--bodies] [--host HOST]...",
}
HELP = """Looks into the archives that --record writes, and into WARCs of other tools.

  ls FILE         one line an outcome: what was asked, by whom, and what came of it; NDJSON in a pipe
  show FILE ID    one outcome in full: headers and body; ID as ls shows it, or its beginning
  check FILE      read every record; exit code 0 when the file is whole, 1 when not
  redact FILE     write a copy without bodies, or without some hosts: what was taken out is a miss in a replay
"""
URL_CHARACTERS = 100


class RedactOptions(Struct, frozen=True, kw_only=True):
    """What the copy leaves out."""

    output: Annotated[str, Meta(description="The copy, a new file; -o for short.")] = ""
    bodies: Annotated[bool, Meta(description="Take out the bodies of all pages.")] = False
    host: Annotated[tuple[str, ...], Meta(description="Take out what was heard from this host and those below it.")] = ()


def archive(arguments: list[str]) -> int:
    """Carry out `cribble archive …`. Returns the exit code. Raises UsageError, ArchiveError."""
    name, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    if name in ("", "-h", "--help"):
        write(f"usage: {chr(10).join(f'       {usage}' for usage in USAGES.values()).strip()}\n\n{HELP}".encode())
        return FOUND if name else NOTHING + 1
    command = _COMMANDS.get(name)
    if command is None:
        raise UsageError(f"no such command: {name}{alternatives(name, tuple(_COMMANDS))}")
    return command(rest)


def _given(name: str, arguments: list[str], words: int, options: tuple[Option, ...] = ()) -> Given:
    """What a command was given. Raises UsageError for another number of words."""
    given = understood(USAGES[name], HELP, {"options": options} if options else {}, arguments)
    if len(given.words) != words:
        raise UsageError(f"usage: {USAGES[name]}")
    return given


def _ls(arguments: list[str]) -> int:
    from stages.net.contents import as_json, entries

    given = _given("ls", arguments, 1)
    form: Callable[[Entry], bytes] = _line if os.isatty(1) else as_json
    return _written(form(entry) + b"\n" for entry in entries(Path(given.words[0])))


def _written(lines: Iterable[bytes]) -> int:
    code = NOTHING
    for line in lines:
        write(line)
        code = FOUND
    return code


def _line(entry: Entry) -> bytes:
    """For a terminal: outcome, size and address, with what ran it."""
    size = f"{entry.bytes:>9}" if entry.bytes else " " * 9
    who = " ".join(filter(None, (entry.stage, f"#{entry.attempt}" if entry.attempt > 1 else "")))
    about = entry.url[:URL_CHARACTERS] or entry.message[:URL_CHARACTERS] or entry.date
    what = "" if entry.what in ("exchange", "response") else entry.what
    return safe(f"{entry.id[:12]:12} {entry.outcome[:14]:14} {size} {who:10.10} {' '.join(filter(None, (what, about)))}").encode()


def _show(arguments: list[str]) -> int:
    from stages.net.contents import find

    path, beginning = _given("show", arguments, 2).words
    shown = find(Path(path), beginning)
    head = "".join(f"{name}: {value}\n" for name, value in shown.headers.items())
    if not os.isatty(1):
        write(f"{head}\n".encode() + shown.block)
        return FOUND
    write(f"{safe(head)}\n{safe(_readable(shown))}\n".encode())
    return FOUND


def _readable(shown: Shown) -> str:
    """The block for a terminal: bytes that are no text are only counted."""
    from stages.net.media import charset_of, is_noise
    from stages.text.charset import decode

    head, mark, body = shown.block.partition(b"\r\n\r\n") if shown.entry.media_type else (b"", b"", shown.block)
    if is_noise(body):
        text = f"({len(body)} bytes of {shown.entry.media_type or 'data'})"
    else:
        lines = (line.partition(":") for line in head.decode("latin-1").split("\r\n"))
        text = decode(body, charset_of(tuple((name.lower(), value) for name, _, value in lines)))[0]
    return head.decode("latin-1").replace("\r", "") + ("\n\n" if mark else "") + text


def _check(arguments: list[str]) -> int:
    from stages.net.contents import check

    path = Path(_given("check", arguments, 1).words[0])
    report = check(path)
    counted = f"{report.records} records, {report.outcomes} outcomes"
    lines = [f"{path}: {problem}" for problem in report.problems] or [f"{path}: whole"]
    write(safe("\n".join((*lines, counted, ""))).encode())
    return NOTHING if report.problems else FOUND


def _redact(arguments: list[str]) -> int:
    from stages.net.redaction import redact

    given = _given("redact", ["--output" if word == "-o" else word for word in arguments], 1, options_of(RedactOptions))
    options = checked(RedactOptions, given.values)
    if not options.output:
        raise UsageError(f"say where to: {USAGES['redact']}")
    if not options.bodies and not options.host:
        raise UsageError("say what to take out: --bodies, --host HOST, or both")
    hosts = tuple(host.lower().strip(".") for host in options.host)
    done = redact(Path(given.words[0]), Path(options.output), bodies=options.bodies, hosts=hosts)
    told = f"{options.output}: {done.kept} records kept, {done.emptied} without their body, {done.dropped} taken out\n"
    write(safe(told).encode())
    return FOUND


_COMMANDS: dict[str, Callable[[list[str]], int]] = {"ls": _ls, "show": _show, "check": _check, "redact": _redact}

__all__ = ["archive"]
