"""A pipeline file as a tool: what it is called, what it takes and gives, and the call itself.

The command line, the library and the MCP host all come through here, so that they give the same reply.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec import Struct, structs

from pipelines import feed
from pipelines.config import Config
from pipelines.cursor import Result
from pipelines.folds.fold import Fold
from pipelines.grammar import Form
from pipelines.loader import USER, Job, Pipeline, all_of, cursors, distinct, job
from pipelines.run import carry
from pipelines.story import Rejected, Story
from pipelines.verdict import Verdict
from stages.core.errors import FOUND, USAGE
from stages.core.wire import Item, decoded
from stages.records import Record, Run

Progress = Callable[[str, int, int], None]
"""Told a stage's name, how many records it has read and how many of them are dealt with."""


class ToolReply(Struct, frozen=True, kw_only=True):
    """What a call gives back. `structured` is of the tool's output schema, or empty where the call was refused as a whole.

    `code` is the exit code that the tool's command ends with. `lasting` is false where cursors in the reply work in this
    process only, because the store cannot be used.
    """

    structured: dict[str, Any]
    text: str
    is_error: bool = False
    code: int = FOUND
    lasting: bool = True


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
    pipeline: Pipeline

    async def call(
        self, arguments: dict[str, Any], *, config: Config, progress: Progress | None = None, form: Form | None = None
    ) -> ToolReply:
        """Carry out one call. Wrong arguments give a reply that is an error and says what to do.

        `form` is how the text reads; without it, as the file says. Raises UsageError for what the configuration must change
        (an archive that cannot be read); a bug raises what it raises.
        """
        try:
            run, recalled = await _recalled(self.pipeline, arguments, config)
            asked = job(self.pipeline, arguments, recalled)
        except Rejected as refused:
            return ToolReply(structured={}, text=str(refused), is_error=True, code=USAGE)
        fold, options, lasting = self.pipeline.fold, asked.reply_options, True
        code = USAGE
        try:
            if getattr(options, "cursor", ""):
                story, reply = await _read_on(fold, options, config)
            else:
                story = await _told(asked, run, config, progress)
                code = story.code
                reply = fold.fold(story, options)
                lasting = await _kept(story, fold.kept(story, options, reply), config)
        except Rejected as refused:
            return ToolReply(structured={}, text=str(refused), is_error=True, code=code)
        return ToolReply(
            structured=msgspec.json.decode(msgspec.json.encode(reply)),  # lists where builtins would have tuples
            text=fold.text(reply, form or self.pipeline.form, story.nonce, options),
            is_error=fold.failed(reply),
            code=story.code,
            lasting=lasting,
        )


async def _read_on(fold: Fold, options: Any, config: Config) -> tuple[Story, Any]:
    """A run without stages, and the reply from the cursor on. Raises Rejected."""
    from pipelines import results

    assert fold.resume is not None  # noqa: S101  it has the option
    run, kept = await results.recall(config, options.cursor)
    story = Story(run=run, fed=(), records=(), code=FOUND)
    return story, fold.resume(story, kept, kept.place(options.cursor, fold.name), options)


async def _recalled(pipeline: Pipeline, arguments: dict[str, Any], config: Config) -> tuple[Run | None, dict[str, Result]]:
    """What the cursors in a request lead into, and the run that has begun by looking. Raises Rejected."""
    named = cursors(pipeline, arguments)
    if not named:
        return None, {}
    from pipelines import results

    return await results.recall_all(_timed(config, pipeline.file.deadline_secs, pipeline.file.reserve_secs), named)


async def _kept(story: Story, made: tuple[Result, ...], config: Config) -> bool:
    """Keep what the reply was cut from. Returns whether other processes can read on."""
    if not made:
        return True
    from pipelines import results

    return await results.keep(story.run, config, made)


async def _told(asked: Job, begun: Run | None, config: Config, progress: Progress | None) -> Story:
    """Run the plan to its end, in the run that has begun if one has, and keep what comes out.

    Where there are no stages, nothing can fail to be found.
    """
    verdict = Verdict(asked.plan[-1].stage) if asked.plan else None
    run: list[Run] = []
    records: list[Record] = []

    async def sink(items: list[Item]) -> None:
        if verdict is not None:
            verdict.add(items)
        for item in items:
            record = decoded(item)
            if isinstance(record, Run):
                run.append(record)
            else:
                records.append(record)

    items = feed.items((begun, *asked.records) if begun else asked.records)
    await carry(asked.plan, feed.Feed(items), _timed(config, asked.deadline_secs, asked.reserve_secs), sink, progress)
    return Story(run=run[0], fed=asked.records, records=tuple(records), code=verdict.code if verdict else FOUND)


def _timed(config: Config, deadline_secs: float, reserve_secs: float) -> Config:
    """The file's times, where nothing nearer says otherwise. A shorter deadline keeps back a third of it at most."""
    flags, given = config.flags, {name for name, origin in config.origins.items() if origin != "default"}
    if "deadline_secs" not in given:
        flags = structs.replace(flags, deadline_secs=deadline_secs)
    if "reserve_secs" not in given:
        least = min(reserve_secs, flags.deadline_secs / 3) if flags.deadline_secs else reserve_secs
        flags = structs.replace(flags, reserve_secs=least)
    return structs.replace(config, flags=flags)


class ToolSet(Struct, frozen=True, kw_only=True):
    """The tools in the order of their files, and what is wrong with the files that were left out, one line each."""

    tools: tuple[Tool, ...]
    problems: tuple[str, ...] = ()


def tools(profiles: Sequence[str] = ("default",), *, prefix: str = "") -> ToolSet:
    """The tools of these profiles and of the user's own folder. A broken file is left out and told in `problems`.

    Raises UsageError for a profile that does not exist and for two profiles with a tool of the same name.
    """
    pipelines, problems = all_of(list(dict.fromkeys((*profiles, USER))))
    taken, more = distinct(pipelines, "tool", prefix)
    return ToolSet(tools=tuple(_tool(name, pipeline) for name, pipeline in taken.items()), problems=(*problems, *more))


def tool_of(pipeline: Pipeline) -> Tool:
    """The tool of one pipeline."""
    return _tool(pipeline.file.name, pipeline)


def _tool(name: str, pipeline: Pipeline) -> Tool:
    file = pipeline.file
    return Tool(
        name=name,
        title=file.title,
        description=file.description.strip(),
        input_schema=schema(pipeline.arguments),
        output_schema=schema(pipeline.fold.reply),
        read_only=pipeline.annotations.read_only,
        open_world=pipeline.annotations.open_world,
        profile=pipeline.profile,
        pipeline=pipeline,
    )


def schema(struct: type[Struct]) -> dict[str, Any]:
    """The JSON schema of a struct, as an object at the root; what it refers to stands in `$defs`.

    The root has no title or description: those are the tool's.
    """
    (outer,), parts = msgspec.json.schema_components([struct], ref_template="#/$defs/{name}")
    own = outer["$ref"].rpartition("/")[2]
    root = {key: value for key, value in parts.pop(own).items() if key not in ("title", "description")}
    return {**root, **({"$defs": parts} if parts else {})}


__all__ = ["Progress", "Tool", "ToolReply", "ToolSet", "schema", "tool_of", "tools"]
