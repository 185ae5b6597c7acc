"""The commands about tools: calling one, checking its file, explaining it, and beginning a new one."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from pipelines import prompts
from pipelines.arguments import Given, understood
from pipelines.checking import problems_of
from pipelines.config import Flags, configured, user_file
from pipelines.grammar import reference
from pipelines.loader import USER, Pipeline, load_file, paths, profiles, read
from pipelines.options import Option, alternatives, checked, options_of
from pipelines.output import complain, safe, write
from pipelines.reading import whole
from stages.core.errors import FOUND, INTERRUPTED, USAGE, UsageError

MAX_INPUT_BYTES = 1 << 20


class Reply(Struct, frozen=True):
    """How a tool's reply is printed."""

    reply: Annotated[
        Literal["", "markdown", "json", "brief"], Meta(description="How the reply reads; by default as its file says.")
    ] = ""


class Template(Struct, frozen=True):
    """How a new tool begins."""

    like: Annotated[str, Meta(description="The tool whose file is copied, as NAME or PROFILE/NAME.")] = "research"


class Picture(Struct, frozen=True):
    """How a tool is drawn."""

    mermaid: Annotated[bool, Meta(description="Only the stages, as a Mermaid flowchart.")] = False


def find(name: str) -> tuple[Path, str] | None:
    """The file of a tool, and its profile: `NAME` in the default profile or the user's folder, `PROFILE/NAME` anywhere."""
    profile, slash, stem = name.rpartition("/")
    stem = stem.replace("-", "_")
    for folder in (profile,) if slash else ("default", USER):
        found = next((path for path in paths(folder) if path.stem == stem), None)
        if found is not None:
            return found, folder
    return None


def commands() -> tuple[str, ...]:
    """The names of the tools that are commands by themselves."""
    return tuple(path.stem for folder in ("default", USER) for path in paths(folder))


def loaded(name: str) -> Pipeline:
    """The tool of this name. Raises UsageError for one that does not exist or whose file has problems."""
    found = find(name)
    if found is None:
        every = tuple(f"{folder}/{path.stem}" for folder in profiles() for path in paths(folder))
        known = (*commands(), *(one for one in every if not one.startswith("default/")))
        raise UsageError(f"no tool is called {name!r}{alternatives(name, known)}")
    pipeline, problems = load_file(*found)
    if pipeline is None:
        more = f" (and {len(problems) - 1} more: cribble lint {found[0]})" if len(problems) > 1 else ""
        raise UsageError(f"{found[0]}: {problems[0]}{more}")
    return pipeline


def _understood(pipeline: Pipeline, name: str, arguments: list[str]) -> Given:
    """The command line of a tool's own command."""
    words = _primary(pipeline)
    metavar = f" [{words.name.upper()}{'...' if words.kind == 'list' else ''}]" if words else ""
    groups = {
        f"what {pipeline.file.name} takes": options_of(pipeline.arguments),
        "how it runs": (*options_of(Reply), *options_of(Flags)),
    }
    return understood(f"cribble {name} [options]{metavar}", pipeline.file.description.strip(), groups, arguments)


def _primary(pipeline: Pipeline) -> Option | None:
    """What plain words are: the argument that must be given, or else the one that a record each is made of."""
    own, feed = options_of(pipeline.arguments), pipeline.file.feed
    each = reference(feed.get(str(feed.get("each", ""))))
    return next((option for option in own if option.required or option.name == each), None)


def call(name: str, arguments: list[str]) -> int:
    """Call a tool from the command line. Returns the exit code; raises UsageError."""
    import anyio

    pipeline = loaded(name.removeprefix("call "))
    given = _understood(pipeline, name, arguments)
    values = _values(pipeline, given)
    if problems := problems_of(pipeline.arguments, values, strict=False):
        raise UsageError(f"{'; '.join(problems)}; cribble {name} --help says what it takes")
    builtins = msgspec.to_builtins(msgspec.convert(values, pipeline.arguments, strict=False))
    config = configured({key: value for key, value in given.of(options_of(Flags)).items() if key not in values})
    form = checked(Reply, given.of(options_of(Reply))).reply or None
    return anyio.run(_until_interrupted, pipeline, {key: builtins[key] for key in values}, config, form)


def _values(pipeline: Pipeline, given: Given) -> dict[str, Any]:
    """The arguments as typed: options, and words or standard input for the one that must be given. A cursor needs neither."""
    values, primary = given.of(options_of(pipeline.arguments)), _primary(pipeline)
    words = given.words
    if primary is None or primary.name in values:
        if words:
            raise UsageError(f"{words[0]!r}: it takes no words besides its options")
        return values
    if not words and "cursor" not in values and not os.isatty(0):
        words = tuple(line.strip() for line in _typed().splitlines() if line.strip())
    if words:
        values[primary.name] = list(words) if primary.kind == "list" else " ".join(words)
    return values


def _typed() -> str:
    """Standard input as text. Raises UsageError."""
    try:
        return whole(None, MAX_INPUT_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError("standard input: not text in UTF-8") from None


async def _until_interrupted(pipeline: Pipeline, arguments: dict[str, Any], config: Any, form: Any) -> int:
    import anyio

    from pipelines.interrupt import heard

    with anyio.CancelScope() as scope, heard(scope.cancel):
        return await _call(pipeline, arguments, config, form)
    return INTERRUPTED


async def _call(pipeline: Pipeline, arguments: dict[str, Any], config: Any, form: Any) -> int:
    from pipelines.session import progress_of
    from pipelines.tool import tool_of

    progress = progress_of(config)
    try:
        reply = await tool_of(pipeline).call(arguments, config=config, progress=progress, form=form)
    finally:
        if progress is not None:
            progress.clear()
    if reply.is_error and not reply.structured:
        sys.stderr.write(safe(reply.text) + "\n")
        return reply.code or USAGE
    if not reply.lasting:
        complain(f"cribble {pipeline.file.name}: the store cannot be used, so the cursors of this reply cannot be read on")
    write((safe(reply.text) if os.isatty(1) else reply.text).encode() + b"\n")
    return reply.code


def any_tool(arguments: list[str]) -> int:
    """`cribble call [PROFILE/]NAME …`: a tool of any profile, and one whose name a stage has too."""
    if not arguments or arguments[0] in ("-h", "--help"):
        every = [f"{folder}/{path.stem}" for folder in (*profiles(), USER) for path in paths(folder)]
        write(("usage: cribble call [PROFILE/]NAME [options]\n\nTools:\n" + "".join(f"  {one}\n" for one in every)).encode())
        return FOUND if arguments else USAGE
    return call(f"call {arguments[0]}", arguments[1:])


def lint(arguments: list[str]) -> int:
    """`cribble lint [FILE...]`: every problem of these files, or of all that there are."""
    given = understood("cribble lint [FILE...]", "Everything that is wrong with pipeline files, at once.", {}, arguments)
    every = ((folder, kind) for folder in (*profiles(), USER) for kind in ("", prompts.FOLDER))
    asked = [Path(word) for word in given.words] or [path for one in every for path in paths(*one)]
    lines = [f"{path}: {problem}" for path in asked for problem in _read(path)[1]]
    if not given.words:
        from pipelines.tool import tools

        told = (*tools().problems, *prompts.prompts().problems)
        lines += [problem for problem in dict.fromkeys(told) if problem not in lines]
    write("".join(f"{safe(line)}\n" for line in lines or [f"{len(asked)} files, nothing wrong"]).encode())
    return USAGE if lines else FOUND


def _read(path: Path) -> tuple[dict[str, Any], list[str]]:
    """What a file is, its folder says."""
    return prompts.read(path) if path.absolute().parent.name == prompts.FOLDER else read(path)


def explain(arguments: list[str]) -> int:
    """`cribble explain-tool NAME`: what it takes, where that goes, and its stages."""
    from pipelines import explain as explaining

    usage = "cribble explain-tool [PROFILE/]NAME [options]"
    about = "What a tool takes, where that goes, and its stages."
    given = understood(usage, about, {"options": options_of(Picture)}, arguments)
    if len(given.words) != 1:
        raise UsageError(f"say which tool: {usage}")
    pipeline = loaded(given.words[0])
    drawn = explaining.mermaid(pipeline) if checked(Picture, given.values).mermaid else explaining.text(pipeline)
    write(drawn.encode())
    return FOUND


def new(arguments: list[str]) -> int:
    """`cribble new-tool NAME`: a file in the user's folder that is a tool at once, to be changed."""
    usage = "cribble new-tool NAME [--like TOOL]"
    about = "Begin a tool of your own, as a copy of another."
    given = understood(usage, about, {"options": options_of(Template)}, arguments)
    if len(given.words) != 1:
        raise UsageError(f"give it a name: {usage}")
    name = given.words[0].replace("-", "_")
    source = loaded(checked(Template, given.values).like)
    path = user_file().parent / "pipelines" / f"{name}.toml"
    text = source.path.read_text("utf-8").replace(f'name = "{source.file.name}"', f'name = "{name}"', 1)
    if find(name) is not None:
        raise UsageError(f"there is a tool called {name} already: choose another name")
    if problems := _problems(text, name):
        raise UsageError(problems[0])
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    write(f"{path}\n\nChange it, then: cribble lint {path}\nIt is a command already: cribble {name} --help\n".encode())
    return FOUND


def _problems(text: str, name: str) -> list[str]:
    from pipelines.lint import check

    return check(msgspec.toml.decode(text.encode()), name)


__all__ = ["any_tool", "call", "commands", "explain", "find", "lint", "loaded", "new"]
