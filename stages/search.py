"""Ask search engines, several at once, and keep what each of them did.

Reads Query, writes Attempt and Hit: for every engine an Attempt and its Hits behind it, in the order of the engines. An engine
that refuses costs its own hits and no others; when all refuse there are Attempts and no Hit. Failure: unsupported_content when no
usable engine answers queries of this kind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from stages.core.env import Env, Request
from stages.core.errors import StageError
from stages.core.stage import Each, each
from stages.records import Attempt, Found, Hit, Query

if TYPE_CHECKING:
    from stages.engines.engine import Engine


_MAX_STEPS = 3
"""Exchanges that lead to the results of one engine: a token, a list of ids, the results."""


class Options(Each, frozen=True):
    """Options of `search`."""

    parallel: Annotated[int, Meta(ge=1, le=64, description="Queries asked at once.")] = 4
    timeout_secs: Annotated[float, Meta(gt=0, le=600, description="Seconds that one engine may take.")] = 6.0
    engines: Annotated[tuple[str, ...], Meta(description="Engines to ask; without any, all that the settings allow.")] = ()
    per_engine: Annotated[int, Meta(ge=1, le=50, description="Hits taken from one engine for one query.")] = 10


@each(keeps=True)
async def search(query: Query, options: Options, env: Env) -> list[Hit | Attempt]:
    """One query, all engines at once."""
    import anyio

    from stages.engines import choose

    engines = [engine for engine in choose(options.engines, env.settings) if query.kind in engine.PASSPORT.kinds]
    if not engines:
        raise StageError("unsupported_content", f"no usable engine answers {query.kind} queries")
    answers: list[list[Hit | Attempt]] = [[] for _ in engines]

    async def ask_into(at: int) -> None:
        answers[at] = await _ask(engines[at], query, options, env)

    async with anyio.create_task_group() as group:
        for at in range(len(engines)):
            group.start_soon(ask_into, at)
    return [record for answer in answers for record in answer]


async def _ask(engine: Engine, query: Query, options: Options, env: Env) -> list[Hit | Attempt]:
    """What one engine did, and its hits."""
    from stages.engines.engine import check_relevance

    attempt = Attempt(stage="search", who=engine.PASSPORT.name, subject=query.text, outcome="ok")
    change = msgspec.structs.replace
    try:
        request = engine.request(query, env.settings, env.now)
        for _ in range(_MAX_STEPS):
            reply = await env.net.read(change(request, timeout_secs=options.timeout_secs), obey_robots=False)
            attempt = change(attempt, http_status=reply.status)
            step = engine.parse(reply, query, env.now)
            if not isinstance(step, Request):
                break
            request = step
        found = _hits(step)
        check_relevance(found, query)
    except StageError as error:
        return [change(attempt, outcome=error.kind, http_status=error.http_status or attempt.http_status, message=str(error))]
    hits = [_placed(hit, rank, engine, query) for rank, hit in enumerate(found, 1) if _wanted(hit.url, query)][
        : options.per_engine
    ]
    if not hits:
        return [change(attempt, outcome="empty", message=f"{len(found)} results, none of them at the domains asked for")]
    return [change(attempt, results=len(hits)), *hits]


def _hits(step: list[Hit] | Request) -> list[Hit]:
    if isinstance(step, Request):
        raise StageError("parse_changed", "one page leads to another and none to results")
    return step


def _placed(hit: Hit, rank: int, engine: Engine, query: Query) -> Hit:
    """The hit with where it was found, unless the engine says that better itself."""
    passport = engine.PASSPORT
    found = Found(engine=passport.name, family=passport.family, query=query.text, rank=rank, weight=query.weight)
    return hit if hit.found else msgspec.structs.replace(hit, found=(found,))


def _wanted(url: str, query: Query) -> bool:
    """Whether the address is at a domain asked for and at none excluded; engines take `site:` loosely."""
    from stages.text.urls import host

    name = host(url)
    if query.include_domains and not any(_within(name, domain) for domain in query.include_domains):
        return False
    return not any(_within(name, domain) for domain in query.exclude_domains)


def _within(name: str, domain: str) -> bool:
    """Whether the host is the domain or inside of it; `www.` on either side is not a place inside."""
    domain = domain.lower().strip(".")
    return name.removeprefix("www.") == domain.removeprefix("www.") or name.endswith(f".{domain}")
