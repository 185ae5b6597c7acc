"""One engine is asked one query: its steps and pages, what its answer is worth, and what becomes of the query's operators."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from stages.core.env import Env, Reply, Request
from stages.core.errors import StageError
from stages.engines.engine import Engine, Paged, Resting
from stages.engines.relevant import check_relevance
from stages.records import Attempt, Found, Hit, Query
from stages.text.conditions import at_site, fits, in_time
from stages.text.http_dates import retry_after_secs
from stages.text.query import Asked, operators, parse
from stages.vocabulary import Outcome

if TYPE_CHECKING:
    from stages.engines.engine import Passport

_MAX_STEPS = 3
"""Exchanges that lead to the results of one engine: a token, a list of ids, the results."""
_SPANS = (("day", 1), ("week", 7), ("month", 31), ("year", 366))
_COOL_SECS: dict[Outcome, float] = {"rate_limited": 180, "blocked": 180, "challenge": 3600}
"""How long an engine is left alone when it does not say: as long as metasearch instances that many people use do."""
_SOFT_CHALLENGE_SECS = 60
"""A status of 202 with a challenge comes of too many requests, and ends with them: its sender shuts nobody out."""
_LONGEST_SECS = 24 * 3600
_STUCK = 0.5
"""A page that shows so much of the one before it again is that page."""


class Wanted(Struct, frozen=True, kw_only=True):
    """What one query wants of any engine."""

    query: Query
    """As it came."""
    asked: Asked
    narrowed: Query
    """With the operators of its text in its fields, which is what engines read."""
    per_engine: int = 10
    pages: int = 1
    strict: bool = False
    """Whether what bears no date is left out where dates matter."""

    @property
    def dated(self) -> bool:
        """Whether the day of publication matters."""
        return bool(self.narrowed.published_after or self.narrowed.published_before)


class Answer(Struct, frozen=True):
    """What came of it."""

    attempt: Attempt
    hits: list[Hit]

    @property
    def records(self) -> list[Hit | Attempt]:
        """The Attempt, and the hits behind it."""
        return [self.attempt, *self.hits]


def wanted(query: Query, now: str, *, per_engine: int = 10, pages: int = 1, strict: bool = False) -> Wanted:
    """Read the query. Of two bounds, its own and one in its text, the narrower counts."""
    asked = parse(query.text)
    days = min([days for name, days in _SPANS if name == query.freshness] + [asked.days] * bool(asked.days), default=0)
    oldest = (datetime.fromisoformat(now) - timedelta(days=min(days, 36500))).date().isoformat() if days else ""
    narrowed = msgspec.structs.replace(
        query,
        language=asked.language or query.language,
        region=asked.region or query.region,
        freshness=next((name for name, span in _SPANS if 0 < days <= span), ""),
        published_after=max(asked.after, query.published_after, oldest),
        published_before=min((day for day in (asked.before, query.published_before) if day), default=""),
    )
    return Wanted(query=query, asked=asked, narrowed=narrowed, per_engine=per_engine, pages=pages, strict=strict)


class _Talk(Struct):
    """What is said between an engine and us."""

    engine: Engine
    want: Wanted
    env: Env
    secs: Callable[[], float]
    replies: list[Reply]

    async def step(self, request: Request) -> list[Hit] | Request:
        """One exchange, and what it gave or leads to."""
        request = msgspec.structs.replace(request, timeout_secs=self.secs())
        self.replies.append(await self.env.net.read(request, obey_robots=False))
        found = self.engine.parse(self.replies[-1], self.want.narrowed, self.env.now)
        if (rest := self.rest_secs) and self.engine.PASSPORT.budget is not None:
            await self.env.net.cool(self.engine.PASSPORT.budget, min(rest, _LONGEST_SECS), "asked for a rest")
        return found

    @property
    def last(self) -> Reply | None:
        """The latest answer."""
        return self.replies[-1] if self.replies else None

    @property
    def rest_secs(self) -> float:
        """How long the latest answer asks for a rest in the engine's own words; one of the cache asked long ago."""
        told = isinstance(self.engine, Resting) and self.last is not None and not self.last.from_cache
        return self.engine.rest_secs(self.last, self.env.now) if told else 0.0  # type: ignore[attr-defined]


async def ask(engine: Engine, want: Wanted, env: Env, secs: Callable[[], float]) -> Answer:
    """Ask, and never raise: a refusal is an Attempt that says why. `secs` tells how long the next exchange may take."""
    passport, talk = engine.PASSPORT, _Talk(engine, want, env, secs, [])
    attempt = Attempt(stage="search", who=passport.name, subject=want.query.text, outcome="ok")
    change = msgspec.structs.replace
    try:
        found = await _first(talk)
        check_relevance(found, want.asked, want.narrowed.language)
        found, ended = await _further(talk, found)
    except StageError as error:
        await _refused(talk, error)
        status = error.http_status or (talk.last.status if talk.last else 0)
        return Answer(change(attempt, outcome=error.kind, http_status=status, message=str(error)), [])
    ranked = [_placed(hit, rank, passport, want.query) for rank, hit in enumerate(found, 1)]
    kept = [hit for hit in ranked if _fits(hit, want)]
    status = talk.last.status if talk.last else 0
    attempt = change(attempt, http_status=status, operators=_honoured(want, passport, ranked))
    if not kept:
        return Answer(change(attempt, outcome="empty", message=f"{len(ranked)} results, none of them {_unmet(want)}"), [])
    hits = kept[: want.per_engine * want.pages]
    return Answer(change(attempt, results=len(hits), message=ended), hits)


async def _first(talk: _Talk) -> list[Hit]:
    request = talk.engine.request(talk.want.narrowed, talk.env.settings, talk.env.now)
    for _ in range(_MAX_STEPS):
        step = await talk.step(request)
        if not isinstance(step, Request):
            return step
        request = step
    raise StageError("parse_changed", "one page leads to another and none to results")


async def _further(talk: _Talk, found: list[Hit]) -> tuple[list[Hit], str]:
    """With the further pages that are wanted and there; a refusal costs the pages from there on."""
    engine, latest = talk.engine, found
    for page in range(2, talk.want.pages + 1):
        more = isinstance(engine, Paged) and page <= engine.PASSPORT.pages and talk.last is not None
        request = engine.next_page(talk.last, talk.want.narrowed, page, talk.env.now) if more else None  # type: ignore[attr-defined]
        if request is None:
            return found, f"there is no page {page}"
        try:
            step = await talk.step(request)
        except StageError as error:
            await _refused(talk, error)
            return found, f"page {page}: {error.kind}: {error}"
        seen = {hit.url for hit in latest}
        latest = step if isinstance(step, list) else []
        if not latest or sum(hit.url in seen for hit in latest) >= _STUCK * len(latest):
            await talk.env.net.forget(talk.replies[-1])
            return found, f"page {page}: rate_limited: page {page - 1} is shown again"
        known = {hit.url for hit in found}
        found = [*found, *(hit for hit in latest if hit.url not in known)]
    return found, ""


async def _refused(talk: _Talk, error: StageError) -> None:
    """Leave an engine alone that itself refused. One that was skipped gave no status."""
    env, budget = talk.env, talk.engine.PASSPORT.budget
    if talk.last is not None and error.kind in (*_COOL_SECS, "consent", "irrelevant"):
        await env.net.forget(talk.last)
    if budget is None or error.kind not in _COOL_SECS or not error.http_status:
        return
    told = retry_after_secs(talk.last.header("retry-after"), talk.last.header("date")) if talk.last is not None else None
    told = max(told or 0.0, 0.0) or talk.rest_secs
    usual = _SOFT_CHALLENGE_SECS if error.http_status == HTTPStatus.ACCEPTED else _COOL_SECS[error.kind]
    await env.net.cool(budget, min(told or usual, _LONGEST_SECS), error.kind)


def _placed(hit: Hit, rank: int, passport: Passport, query: Query) -> Hit:
    """The hit with where it was found, unless the engine says that better itself."""
    found = Found(engine=passport.name, family=passport.family, query=query.text, rank=rank, weight=query.weight)
    return hit if hit.found else msgspec.structs.replace(hit, found=(found,))


def _fits(hit: Hit, want: Wanted) -> bool:
    query, asked, url = want.narrowed, want.asked, hit.url
    if hit.opaque:  # its address is the engine's, and says nothing: where its outlet is at home is all that is known
        asked, url = msgspec.structs.replace(asked, inurl=(), filetypes=()), hit.source_url
    if not at_site(url, query.include_domains, query.exclude_domains):
        return False
    return fits(asked, url, hit.title, query.language) and (not want.dated or _in_time(hit, want))


def _in_time(hit: Hit, want: Wanted) -> bool:
    """Only a trusted date excludes; of those who want dated results only, a half trusted one too, and none."""
    if hit.published and (hit.published_trust == "trusted" or (want.strict and hit.published_trust == "semi")):
        return in_time(hit.published, want.narrowed.published_after, want.narrowed.published_before)
    return not want.strict


def _honoured(want: Wanted, passport: Passport, hits: list[Hit]) -> dict[str, str]:
    """What saw to each operator. A phrase that the engine does not know lifts what has it, when hits are fused."""
    query, told = want.narrowed, {}
    said = [*operators(want.asked)]
    said += ["site"] * bool(query.include_domains and "site" not in said)
    said += ["-site"] * bool(query.exclude_domains and "-site" not in said)
    for name in said:
        several = name in ("site", "filetype") and len(want.asked.filetypes if name == "filetype" else want.asked.sites) > 1
        native = name in passport.operators and not (several and "or" not in passport.operators)
        told[name] = "native" if native else "ignored" if name == "or" else "post"
    checked = "post" if want.strict or any(hit.published_trust == "trusted" for hit in hits) else "ignored"
    if query.freshness:
        told["freshness"] = "native" if query.freshness in passport.freshness else checked
    bounds = (("after", want.asked.after or want.query.published_after), ("before", query.published_before))
    return told | {name: "native" if passport.dates else checked for name, day in bounds if day}


def _unmet(want: Wanted) -> str:
    """What nothing met, in words."""
    query, names = want.narrowed, [name for name in operators(want.asked) if name not in ("phrase", "or", "site", "-site")]
    sites = bool(want.asked.sites or want.asked.not_sites or query.include_domains or query.exclude_domains)
    parts = ["at the domains asked for"] * sites + [f"with the {name} asked for" for name in names]
    return " and ".join(parts + ["in the time asked for"] * want.dated)
