"""Ask search engines, a few at once, and keep what each of them did.

Reads Query, writes Attempt and Hit: for every engine asked an Attempt and its Hits behind it, in the order of the engines. Each
bears little, so only the first few are asked, and for each that refuses the next. An engine that refuses costs its own hits
and no others; when all refuse there are Attempts and no Hit. When the answers to an original query are weak, one more Query is
written, made of what they share, and asked too. Failure: unsupported_content when no usable engine answers such queries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import Meta

from stages.core.env import Env
from stages.core.errors import StageError
from stages.core.stage import Each, each
from stages.records import Attempt, Hit, Notice, Query

if TYPE_CHECKING:
    from collections.abc import Callable

    from stages.engines.asking import Answer, Wanted
    from stages.engines.engine import Engine

_ENGINE_SHARE = 2 / 3
"""Of a query's time, for one engine: the rest is for those that are asked in place of it."""
_FEEDBACK_WEIGHT = 0.5
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
    feedback: Annotated[
        Literal["weak", "never"], Meta(description="When an original query is asked once more, with words of its results.")
    ] = "weak"


@each(keeps=True)
async def search(query: Query, options: Options, env: Env) -> list[Query | Hit | Attempt]:
    """One query; a variant of less weight asks fewer engines."""
    import anyio

    from stages.engines import choose

    engines = [engine for engine in choose(options.engines, env.settings) if query.kind in engine.PASSPORT.kinds]
    if not engines:
        raise StageError("unsupported_content", f"no usable engine answers {query.kind} queries")
    began = anyio.current_time()

    def secs() -> float:
        left = options.timeout_secs + began - anyio.current_time()
        share = _ENGINE_SHARE if len(engines) > 1 else 1.0
        return max(0.0, min(left, share * options.timeout_secs))  # at 0 nothing is sent, and the archive knows that too

    records: list[Query | Hit | Attempt] = await _round(query, engines, options, env, secs)
    again = _again(query, records) if options.feedback == "weak" else None
    if again is not None:
        records += [again, *await _round(again, engines, options, env, secs)]
    return records


def _again(query: Query, records: list[Query | Hit | Attempt]) -> Query | None:
    """The query made of a weak answer; None when it was none, or there was none, or the query is one of several."""
    from stages.text.feedback import is_weak, with_feedback
    from stages.text.listing import Shown

    shown = [Shown(hit.url, hit.title, hit.snippet) for hit in records if isinstance(hit, Hit)]
    if query.derived != "original" or query.kind != "web" or not shown or not is_weak(query.text, shown):
        return None
    text = with_feedback(query.text, shown)
    return msgspec.structs.replace(query, text=text, derived="feedback", weight=query.weight * _FEEDBACK_WEIGHT) if text else None


async def _round(
    query: Query, engines: list[Engine], options: Options, env: Env, secs: Callable[[], float]
) -> list[Query | Hit | Attempt]:
    from stages.engines.asking import wanted

    want = wanted(query, env.now, per_engine=options.per_engine, pages=options.pages, strict=options.undated == "drop")
    answers = await _asked(engines, want, options.answers, env, secs)
    _tell(answers, env)
    return [record for answer in answers for record in answer.records]


async def _asked(engines: list[Engine], want: Wanted, wanted: int, env: Env, secs: Callable[[], float]) -> list[Answer]:
    """Answers in the order of the engines. Who is asked depends on what the engines before it did, never on who was faster."""
    import anyio

    from stages.engines.asking import ask

    answers: dict[int, Answer] = {}
    following = iter(range(len(engines)))

    async def ask_in_turn() -> None:
        while (at := next(following, None)) is not None:
            answers[at] = await ask(engines[at], want, env, secs)
            if answers[at].attempt.outcome in ("ok", "empty", "timeout", "deadline"):
                return

    for _ in range(_WAVES):
        async with anyio.create_task_group() as group:
            for _ in range(min(len(engines), max(1, int(wanted * want.query.weight)))):
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
