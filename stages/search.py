"""Ask search engines, a few at once, and keep what each of them did.

Reads Query, writes Attempt and Hit: for every engine asked an Attempt and its Hits behind it, in the order of the engines. Each
bears little, so only the first few are asked, and for each that refuses the next. An engine that refuses costs its own hits
and no others; when all refuse there are Attempts and no Hit. Failure: unsupported_content when no usable engine answers queries
of this kind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta

from stages.core.env import Env
from stages.core.errors import StageError
from stages.core.stage import Each, each
from stages.records import Attempt, Hit, Notice, Query

if TYPE_CHECKING:
    from stages.engines.asking import Answer, Wanted
    from stages.engines.engine import Engine

_ENGINE_SHARE = 2 / 3
"""Of a query's time, for one engine: the rest is for those that are asked in place of it."""
_LEAST_SHARE = 1 / 20
_WAVES = 2
"""How often engines are asked while nothing was found and none refused outright. More would not fit into the time."""


class Options(Each, frozen=True):
    """Options of `search`."""

    parallel: Annotated[int, Meta(ge=1, le=64, description="Queries asked at once.")] = 4
    timeout_secs: Annotated[float, Meta(gt=0, le=600, description="Seconds that one query may take, whoever is asked.")] = 6.0
    engines: Annotated[tuple[str, ...], Meta(description="Engines to ask, best first; without any, those of the settings.")] = ()
    answers: Annotated[int, Meta(ge=1, le=16, description="Engines whose answers are wanted; for one that refuses the next.")] = 3
    per_engine: Annotated[int, Meta(ge=1, le=50, description="Hits taken from one page of an engine.")] = 10
    pages: Annotated[int, Meta(ge=1, le=10, description="Pages of results to ask an engine for.")] = 1
    undated: Annotated[
        Literal["keep", "drop"], Meta(description="What becomes of hits that bear no date when the query asks for a time.")
    ] = "keep"


@each(keeps=True)
async def search(query: Query, options: Options, env: Env) -> list[Hit | Attempt]:
    """One query; a variant of less weight asks fewer engines."""
    from stages.engines import choose
    from stages.engines.asking import wanted

    engines = [engine for engine in choose(options.engines, env.settings) if query.kind in engine.PASSPORT.kinds]
    if not engines:
        raise StageError("unsupported_content", f"no usable engine answers {query.kind} queries")
    want = wanted(query, env.now, per_engine=options.per_engine, pages=options.pages, strict=options.undated == "drop")
    answers = await _asked(engines, want, options, env)
    _tell(answers, env)
    return [record for answer in answers for record in answer.records]


async def _asked(engines: list[Engine], want: Wanted, options: Options, env: Env) -> list[Answer]:
    """Answers in the order of the engines. Who is asked depends on what the engines before it did, never on who was faster."""
    import anyio

    from stages.engines.asking import ask

    began = anyio.current_time()
    answers: dict[int, Answer] = {}
    following = iter(range(len(engines)))

    def secs() -> float:
        left = options.timeout_secs + began - anyio.current_time()
        share = _ENGINE_SHARE if len(engines) > 1 else 1.0
        return max(min(left, share * options.timeout_secs), _LEAST_SHARE * options.timeout_secs)

    async def ask_in_turn() -> None:
        while (at := next(following, None)) is not None:
            answers[at] = await ask(engines[at], want, env, secs)
            if answers[at].attempt.outcome in ("ok", "empty", "timeout", "deadline"):
                return

    for _ in range(_WAVES):
        async with anyio.create_task_group() as group:
            for _ in range(min(len(engines), max(1, int(options.answers * want.query.weight)))):
                group.start_soon(ask_in_turn)
        if any(answer.hits for answer in answers.values()):
            break
    return [answers[at] for at in sorted(answers)]


def _tell(answers: list[Answer], env: Env) -> None:
    """A Notice for each operator that nobody could honour."""
    told = [answer.attempt.operators for answer in answers if answer.hits]
    for name in sorted({name for one in told for name in one}):
        if all(one.get(name) == "ignored" for one in told):
            env.notice(Notice(stage="search", code="operator_ignored", message=f"no engine asked can honour {name}", option=name))
