"""One command that runs stages: where its input comes from, where its output goes, and what its exit code is."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any

import anyio
import anyio.to_thread

from pipelines import feed, texts
from pipelines.config import Config, configured
from pipelines.interrupt import heard
from pipelines.output import complain, write
from pipelines.run import carry
from pipelines.verdict import Verdict
from pipelines.view import View
from stages import load
from stages.core.errors import INTERRUPTED, UsageError
from stages.core.plan import Step, build
from stages.core.stage import Options, names
from stages.core.wire import Item, encoded
from stages.records import BY_TAG, Page, Record


def session(steps: Sequence[tuple[str, Options]], words: tuple[str, ...], flags: dict[str, Any]) -> int:
    """Run the stages over the words, files or standard input. Returns the exit code. Raises UsageError."""
    config = configured(flags)
    plan = build(steps, load)
    if words and len(steps) > 1:
        _ordered([name for name, _ in steps], words)
    if not words and os.isatty(0):
        raise UsageError(_wanted(steps[0][0], plan))
    return anyio.run(_until_interrupted, plan, words, config)


def _ordered(stages: list[str], words: tuple[str, ...]) -> None:
    """Raises UsageError for a stage that nothing before it works for. What comes from a pipe may be anything."""
    from pipelines.flow import follow

    made = texts.from_words(stages[0], words)
    for hop in follow(stages, (Page,) if made is None else tuple(type(one) for one in made if isinstance(one, Record)))[0]:
        if not hop.lifted_for and not hop.sees:
            name = hop.stage.name
            raise UsageError(f"{name} reads {names(hop.stage.reads)}, and only {names(hop.arrives)} reach it: change the order")


async def _until_interrupted(plan: list[Step], words: tuple[str, ...], config: Config) -> int:
    with anyio.CancelScope() as scope, heard(scope.cancel):
        return await _run(plan, words, config)
    return INTERRUPTED


async def _run(plan: list[Step], words: tuple[str, ...], config: Config) -> int:
    verdict = Verdict(plan[-1].stage, frozenset(step.stage.name for step in plan))
    view = View() if os.isatty(1) else None
    progress = progress_of(config)

    async def sink(items: list[Item]) -> None:
        verdict.add(items)
        if view is not None:
            view.add(items)
        else:
            # in a thread: a slow reader must not stop the clock of requests under way
            await anyio.to_thread.run_sync(write, b"".join(map(encoded, items)), abandon_on_cancel=True)

    try:
        async with _feed(plan, words, everything=view is not None) as source:
            await carry(plan, source, config, sink, progress)
            reason = "nothing found: the input is empty" if source.empty else verdict.reason
    finally:
        if progress is not None:
            progress.clear()
        if view is not None:
            write(view.text().encode())
    if reason:
        complain(f"cribble: {' '.join(reason.split())}")
    return verdict.code


def progress_of(config: Config) -> Any:
    """What draws a line of progress, on a terminal; None elsewhere."""
    if config.flags.quiet or not os.isatty(2):
        return None
    from pipelines.progress import Progress

    return Progress()


@asynccontextmanager
async def _feed(plan: list[Step], words: tuple[str, ...], *, everything: bool) -> AsyncIterator[feed.Feed]:
    first = next(step.stage for step in plan if not step.lifted_for)
    reads = frozenset(tag for step in plan for tag in step.stage.read_tags)
    if not words:
        asks = "question" in first.options.__struct_fields__
        rule = texts.RULES.get(first.name) or texts.refusal(first.name, takes_files="page" in reads, takes_question=asks)
        wanted = frozenset(BY_TAG) if everything else reads | {"run", "attempt", "failure"}  # what the verdict reads
        async with aclosing(feed.standard_input(rule, wanted)) as blocks:
            yield feed.Feed(blocks)
        return
    made = texts.from_words(first.name, words)
    if made is not None:
        yield feed.Feed(feed.items(made))
    elif "page" in reads:
        yield feed.Feed(feed.files(words))
    else:
        raise UsageError(f"{words[0]!r}: {first.name} takes no words and no files, only records on standard input")


def _wanted(name: str, plan: list[Step]) -> str:
    """What to pass, when there is nothing on standard input but a keyboard."""
    if name in ("expand", "search"):
        return f'nothing to do: give a question, as in cribble {name} "your question"'
    if name == "fetch":
        return "nothing to do: give URLs, as in cribble fetch https://example.org/"
    files = any("page" in step.stage.read_tags for step in plan)
    return f"nothing to do: {name} reads records from a pipe{', or files given by name' if files else ''}"
