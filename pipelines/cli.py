"""The `cribble` command: finds out what was asked for, and turns every ending into one exit code and at most one line.

A stage's command imports that stage and nothing else; what a run needs is imported when it runs.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from pipelines.output import ClosedOutput, Helped, complain, write
from stages import STAGES, load
from stages.core.errors import BUG, CLOSED, FOUND, INTERRUPTED, USAGE, UsageError

if TYPE_CHECKING:
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
        return _answered(arguments)
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


def _answered(arguments: list[str]) -> int:
    try:
        return _dispatch(arguments)
    except Helped as wanted:
        write(str(wanted).encode())
        return FOUND


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
    if name.startswith("-"):
        raise UsageError(f"unknown option {name}; cribble help says what there is")
    known = (*STAGES, *(command for command in _COMMANDS if not command.startswith("-")), *commands.commands())
    raise UsageError(f"no command {name}, and no cribble-{name} on PATH{suggestion(name, known)}")


def _stage_command(name: str, arguments: list[str]) -> int:
    from pipelines.arguments import understood
    from pipelines.config import Flags
    from pipelines.options import checked, options_of

    stage = load(name)
    own = options_of(stage.options)
    shared = tuple(option for option in options_of(Flags) if option.name not in stage.options.__struct_fields__)
    usage = f"cribble {name} [options] {_words(stage)}".rstrip()
    given = understood(usage, stage.doc, {"options of this stage": own, "how it runs": shared}, arguments)
    options: Options = checked(stage.options, given.of(own))
    from pipelines.session import session

    return session([(name, options)], given.words, given.besides(own))


def _words(stage: Stage) -> str:
    """What may stand on its command line besides options."""
    if stage.name in ("expand", "search", "fetch"):
        return "[URL...]" if stage.name == "fetch" else "[TEXT...]"
    return "[FILE...]" if "page" in stage.read_tags or "sanitize" in stage.lifts else ""


def _run(arguments: list[str]) -> int:
    from pipelines.arguments import understood
    from pipelines.config import Flags
    from pipelines.options import options_of
    from pipelines.steps import parse_steps

    usage = "cribble run 'STAGE [options] | STAGE [options] ...' [options] [TEXT|URL|FILE...]"
    about = "Several stages in one process, as they would run in a shell pipe."
    given = understood(usage, about, {"how it runs": options_of(Flags)}, arguments)
    if not given.words:
        raise UsageError(f"say which stages: {usage}")
    steps = parse_steps(given.words[0])
    from pipelines.session import session

    return session(steps, given.words[1:], given.values)


def _later(module: str, command: str) -> Callable[[list[str]], int]:
    """A command that is imported when it is asked for."""

    def run(arguments: list[str]) -> int:
        found: Callable[[list[str]], int] = getattr(import_module(f"pipelines.{module}"), command)
        return found(arguments)

    return run


def _config(arguments: list[str]) -> int:
    from pipelines.arguments import understood
    from pipelines.config import Flags, configured, shown
    from pipelines.options import options_of

    about = "Every setting, its value and its origin."
    given = understood("cribble config [options]", about, {"settings": options_of(Flags)}, arguments)
    _no_more(given.words)
    write(shown(configured(given.values)).encode())
    return FOUND


def _mcp(arguments: list[str]) -> int:
    from mcp_host.command import command  # the one place that reaches up: the command knows all there is

    return command(arguments)


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
    "demo": _later("showcase", "demo"),
    "call": _later("commands", "any_tool"),
    "lint": _later("commands", "lint"),
    "explain-tool": _later("commands", "explain"),
    "new-tool": _later("commands", "new"),
    "config": _config,
    "cache": _later("cache", "cache"),
    "doctor": _later("doctor", "doctor"),
    "mcp": _mcp,
    "archive": _later("archive", "archive"),
    "audit": _later("audit", "audit"),
    "verify": _later("verify", "verify"),
    "help": _help,
    "-h": _help,
    "--help": _help,
    "--version": _version,
}
