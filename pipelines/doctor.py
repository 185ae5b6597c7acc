"""`cribble doctor [ENGINE...]`: one live query to each search engine, and whether its answer can still be read.

Exit code 0 when every engine asked gave results, 69 when every one refused, 1 otherwise. Budgets hold here as everywhere, so an
engine that was asked a lot lately is told as `rate_limited`. A recorded examination replays without network.
"""

from __future__ import annotations

import math
import random
import time
from functools import partial
from typing import Annotated, Literal

import anyio
import msgspec
from msgspec import Meta, Struct, structs

from pipelines.arguments import understood
from pipelines.config import Config, Flags, configured
from pipelines.options import checked, options_of
from pipelines.output import safe, write
from pipelines.run import begin, network, opened, settings
from pipelines.verdict import REFUSALS
from stages import load
from stages.core.env import Env
from stages.core.errors import FOUND, NOTHING, UNAVAILABLE, UsageError
from stages.core.plan import Step
from stages.engines import ENGINES, choose
from stages.engines.asking import ask, wanted
from stages.engines.engine import Engine
from stages.records import Attempt, Notice, Query, record_id
from stages.vocabulary import Outcome

Kind = Literal["web", "image", "news"]
PROBES: dict[Kind, str] = {"web": "python programming language", "image": "mountain lake", "news": "weather"}
"""What every engine of the kind has something for, the learned ones too."""
_READ = ("ok", "empty", "irrelevant")
USAGE = "cribble doctor [options] [ENGINE...]"


class Examination(Struct, frozen=True):
    """What is asked."""

    kind: Annotated[
        Literal["", "web", "image", "news"], Meta(description="Only engines of this kind; each by its first kind without.")
    ] = ""
    query: Annotated[str, Meta(description="Ask this instead of what each kind is usually asked.")] = ""
    timeout_secs: Annotated[float, Meta(gt=0, le=60, description="Seconds that one exchange may take.")] = 10.0
    json: Annotated[bool, Meta(description="One JSON object instead of a table.")] = False


class Finding(Struct, frozen=True, kw_only=True):
    """One engine. `reads`: whether its layout is still understood; null when it gave nothing to read."""

    engine: str
    kind: Kind
    outcome: Outcome
    results: int
    milliseconds: int
    http_status: int
    reads: bool | None
    message: str


class Report(Struct, frozen=True, kw_only=True):
    """All engines asked, in the order of ENGINES or as named, and those left out because a setting is missing."""

    findings: tuple[Finding, ...]
    without_setting: tuple[str, ...]


def doctor(arguments: list[str]) -> int:
    """Carry out the command. Returns the exit code; raises UsageError."""
    own = options_of(Examination)
    given = understood(USAGE, __doc__ or "", {"what is asked": own, "how it runs": options_of(Flags)}, arguments)
    asked = checked(Examination, given.of(own))
    config = configured(given.besides(own))
    report = anyio.run(examine, config, given.words, asked)
    write(msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n" if asked.json else shown(report).encode())
    return verdict(report)


async def examine(config: Config, names: tuple[str, ...], asked: Examination) -> Report:
    """Ask every engine named, or all that can be asked, at once. Raises UsageError for a name or setting that is missing."""
    config = structs.replace(config, flags=structs.replace(config.flags, cache=False))  # a stored answer proves nothing
    run = begin(None, config, time.time())
    own = settings(run, config)
    known = choose(names or tuple(name for name in ENGINES if _usable(name, own)), own)
    engines = [engine for engine in known if not asked.kind or asked.kind in engine.PASSPORT.kinds]
    if not engines:
        raise UsageError(f"none of the engines named answers {asked.kind} queries")
    search = load("search")
    door, _ = opened(run, partial(network, [Step(search, search.options())], config, run), joins=False)
    findings: dict[str, Finding] = {}

    async def look(engine: Engine) -> None:
        passport = engine.PASSPORT
        kind: Kind = asked.kind or passport.kinds[0]
        query, notices = Query(text=asked.query or PROBES[kind], kind=kind), set[Notice]()
        key = f"{passport.name}:{record_id(query)}"
        chance = random.Random(f"{run.seed}:{key}")  # noqa: S311 - repeatable on purpose
        net = door.bind("doctor", key, math.inf, notices)
        env = Env(net=net, now=run.start, random=chance, settings=own, notices=notices)
        began = anyio.current_time()
        answer = await ask(engine, wanted(query, run.start), env, lambda: asked.timeout_secs)
        findings[passport.name] = _finding(answer.attempt, kind, round((anyio.current_time() - began) * 1000))

    try:
        async with anyio.create_task_group() as group:
            for engine in engines:
                group.start_soon(look, engine)
    finally:
        await door.aclose()
    missing = tuple(name for name in ENGINES if not _usable(name, own)) if not names else ()
    return Report(findings=tuple(findings[engine.PASSPORT.name] for engine in engines), without_setting=missing)


def _usable(name: str, own: object) -> bool:
    from stages.engines import load as engine

    setting = engine(name).PASSPORT.setting
    return not setting or bool(getattr(own, setting))


def _finding(attempt: Attempt, kind: Kind, milliseconds: int) -> Finding:
    reads = True if attempt.outcome in _READ else False if attempt.outcome == "parse_changed" else None
    return Finding(
        engine=attempt.who,
        kind=kind,
        outcome=attempt.outcome,
        results=attempt.results,
        milliseconds=milliseconds,
        http_status=attempt.http_status,
        reads=reads,
        message=attempt.message,
    )


def verdict(report: Report) -> int:
    """0 when all gave results, 69 when all refused, 1 otherwise."""
    outcomes = {one.outcome for one in report.findings}
    if outcomes == {"ok"}:
        return FOUND
    return UNAVAILABLE if outcomes <= REFUSALS else NOTHING


def shown(report: Report) -> str:
    """A line an engine."""
    words = {True: "reads", False: "changed", None: "-"}
    lines = [f"{'engine':18} {'kind':5} {'outcome':13} {'results':>7} {'ms':>6}  layout"]
    for one in report.findings:
        row = f"{one.engine:18} {one.kind:5} {one.outcome:13} {one.results:7} {one.milliseconds:6}  {words[one.reads]:8}"
        lines.append(safe(f"{row} {one.message}".rstrip()))
    if report.without_setting:
        lines.append(f"not asked, for want of a setting: {', '.join(report.without_setting)}")
    return "\n".join(lines) + "\n"


__all__ = ["Examination", "Finding", "Report", "doctor", "examine", "shown", "verdict"]
