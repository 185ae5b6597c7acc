"""The `cribble` command: finds out what was asked for, and turns every ending into one exit code and at most one line.

A stage's command imports that stage and nothing else; what a run needs is imported when it runs.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pipelines.output import ClosedOutput, complain, write
from stages import STAGES, load
from stages.core.errors import BUG, CLOSED, FOUND, INTERRUPTED, USAGE, UsageError

if TYPE_CHECKING:
    from pipelines.arguments import Parser
    from stages.core.stage import Options, Stage

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def main() -> None:
    """The console script."""
    _take_standard_descriptors()
    code = outcome(sys.argv[1:])
    sys.stderr.flush()
    if code == INTERRUPTED:
        os._exit(code)  # a thread may still wait in read(2) or write(2), and nothing is left to do
    sys.exit(code)


def _take_standard_descriptors() -> None:
    """Where a standard stream is closed, keep its number from the next file that is opened: output would end up in the archive.

    What stands there instead refuses to be read or written, as a closed stream does; what goes to a closed stderr is lost.
    """
    for descriptor, mode in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, mode)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w")


def outcome(arguments: list[str]) -> int:
    """Carry out a command line and return its exit code. The one place that catches everything."""
    name = f"cribble {arguments[0]}" if arguments and arguments[0] in (*STAGES, *_COMMANDS) else "cribble"
    try:
        return _dispatch(arguments)
    except UsageError as error:
        complain(f"{name}: {error}")
        return USAGE
    except ClosedOutput:
        return CLOSED
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            complain(f"{name}: {error.filename or 'a file'}: {error.strerror}")
            return USAGE
        if os.environ.get("CRIBBLE_TRACEBACK"):
            raise
        complain(f"{name}: a bug: {_place(error)}{type(error).__name__}: {error}; CRIBBLE_TRACEBACK=1 shows where")
        return BUG


def _place(error: BaseException) -> str:
    """`stages/rank.py:71: `, the innermost line of our own."""
    from pathlib import Path

    found = ""
    trace = error.__traceback__
    while trace is not None:
        parts = Path(trace.tb_frame.f_code.co_filename).parts
        for package in ("stages", "pipelines", "mcp_host"):
            if package in parts:
                found = f"{'/'.join(parts[parts.index(package) :])}:{trace.tb_lineno}: "
        trace = trace.tb_next
    return found


def _dispatch(arguments: list[str]) -> int:
    if not arguments:
        _help([])
        return USAGE
    name, *rest = arguments
    if name in STAGES:
        return _stage_command(name, rest)
    if name in _COMMANDS:
        return _COMMANDS[name](rest)
    from pipelines import commands, external
    from pipelines.options import suggestion

    if commands.find(name) is not None and "/" not in name:
        return commands.call(name, rest)

    path = external.find(name)
    if path is not None:
        return external.run(path, rest)
    known = (*STAGES, *(command for command in _COMMANDS if not command.startswith("-")), *commands.commands())
    raise UsageError(f"no command {name}, and no cribble-{name} on PATH{suggestion(name, known)}")


def stage_parser(stage: Stage) -> Parser:
    """The parser of a stage's own command."""
    from pipelines.arguments import parser
    from pipelines.config import Flags
    from pipelines.options import options_of

    own = options_of(stage.options)
    names = {option.name for option in own}
    words = {"expand": "TEXT...", "search": "TEXT...", "fetch": "URL..."}.get(stage.name)
    words = words or ("FILE..." if _reads_pages(stage) else "")
    return parser(
        f"cribble {stage.name}",
        f"cribble {stage.name} [options] {f'[{words}]' if words else ''}".rstrip(),
        stage.doc,
        {"options of this stage": own, "how it runs": tuple(option for option in options_of(Flags) if option.name not in names)},
    )


def _reads_pages(stage: Stage) -> bool:
    return "page" in stage.read_tags or "sanitize" in stage.lifts


def _stage_command(name: str, arguments: list[str]) -> int:
    from pipelines.arguments import parse
    from pipelines.options import checked, options_of

    stage = load(name)
    made = stage_parser(stage)
    given = parse(made, arguments)
    if given.help:
        write(made.format_help().encode())
        return FOUND
    own = options_of(stage.options)
    options: Options = checked(stage.options, given.of(own))
    from pipelines.session import session

    flags = {key: value for key, value in given.values.items() if key not in {option.name for option in own}}
    return session([(name, options)], given.words, flags)


def _run(arguments: list[str]) -> int:
    from pipelines.arguments import parse, parser
    from pipelines.config import Flags
    from pipelines.options import options_of
    from pipelines.steps import parse_steps

    usage = "cribble run 'STAGE [options] | STAGE [options] ...' [options] [TEXT|URL|FILE...]"
    made = parser(
        "cribble run",
        usage,
        "Several stages in one process, as they would run in a shell pipe.",
        {"how it runs": options_of(Flags)},
    )
    given = parse(made, arguments)
    if given.help:
        write(made.format_help().encode())
        return FOUND
    if not given.words:
        raise UsageError(f"say which stages: {usage}")
    steps = parse_steps(given.words[0])
    from pipelines.session import session

    return session(steps, given.words[1:], given.values)


def _demo(arguments: list[str]) -> int:
    from pipelines.showcase import demo

    return demo(arguments)


def _tools(command: str) -> Callable[[list[str]], int]:
    """A command of `pipelines.commands`, imported when it is asked for."""

    def run(arguments: list[str]) -> int:
        from pipelines import commands

        found: Callable[[list[str]], int] = getattr(commands, command)
        return found(arguments)

    return run


def _config(arguments: list[str]) -> int:
    from pipelines.arguments import parse, parser
    from pipelines.config import Flags, configured, shown
    from pipelines.options import options_of

    made = parser(
        "cribble config", "cribble config [options]", "Every setting, its value and its origin.", {"settings": options_of(Flags)}
    )
    given = parse(made, arguments)
    _no_more(given.words)
    write(made.format_help().encode() if given.help else shown(configured(given.values)).encode())
    return FOUND


def _cache(arguments: list[str]) -> int:
    from pipelines.cache import cache

    return cache(arguments)


def _doctor(arguments: list[str]) -> int:
    from pipelines.doctor import doctor

    return doctor(arguments)


def _mcp(arguments: list[str]) -> int:
    from mcp_host.command import command  # the one place that reaches up: the command knows all there is

    return command(arguments)


def _archive(arguments: list[str]) -> int:
    from pipelines.archive import archive

    return archive(arguments)


def _audit(arguments: list[str]) -> int:
    from pipelines.audit import audit

    return audit(arguments)


def _verify(arguments: list[str]) -> int:
    from pipelines.verify import verify

    return verify(arguments)


def _help(arguments: list[str]) -> int:
    from pipelines import catalogue

    texts: dict[str, Callable[[], bytes]] = {
        "": lambda: catalogue.overview().encode(),
        "--json": catalogue.machine,
        "--markdown": lambda: catalogue.markdown().encode(),
    }
    topic = arguments[0] if arguments else ""
    _no_more(arguments[1:])
    if topic in texts:
        write(texts[topic]())
        return FOUND
    return _dispatch([topic, "--help"]) if topic not in ("help", "-h", "--help") else _help([])


def _no_more(words: Sequence[str]) -> None:
    """What would be ignored is an error."""
    if words:
        raise UsageError(f"{words[0]!r} says nothing here")


def _version(arguments: list[str]) -> int:
    from stages.vocabulary import VERSION

    _no_more(arguments)
    write(f"cribble {VERSION}\n".encode())
    return FOUND


_COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "run": _run,
    "demo": _demo,
    "call": _tools("any_tool"),
    "lint": _tools("lint"),
    "explain-tool": _tools("explain"),
    "new-tool": _tools("new"),
    "config": _config,
    "cache": _cache,
    "doctor": _doctor,
    "mcp": _mcp,
    "archive": _archive,
    "audit": _audit,
    "verify": _verify,
    "help": _help,
    "-h": _help,
    "--help": _help,
    "--version": _version,
}
