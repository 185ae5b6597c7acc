"""Everything that is wrong with a pipeline file, at once, one line each.

A file without problems loads: the loader refuses what is reported here, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET

from pipelines import folds, unfolds
from pipelines.bindings import Place, argument, places, shape, tables
from pipelines.checking import fields_of, misfit, problems_of
from pipelines.config import Flags
from pipelines.flow import flow_problems
from pipelines.grammar import Annotations, File, Form, Input, Request, literal, reference
from pipelines.options import suggestion
from stages import STAGES, load
from stages.core.stage import Stage
from stages.records import BY_TAG

TAKEN = ("help", "reply")
"""Flags of every tool's command, besides those of a run."""

__all__ = ["check", "input_types"]


def check(raw: dict[str, Any], stem: str) -> list[str]:
    """The problems of a file, in its own order. `stem` is its name without `.toml`."""
    shaped = problems_of(File, raw, kind="key")
    if any(key in raw and misfit(raw[key], fields_of(File)[key].type) for key in _TABLES):
        return shaped  # nothing below could be looked at
    if "name" in raw and raw["name"] != stem:
        shaped.append(f'name: it is "{raw["name"]}" in a file called {stem}.toml; they must be the same')
    found = [*shaped, *_names(raw), *_options(raw), *_arguments(raw), *_request(raw)]
    found += [*_times(raw), *_annotations(raw)]
    if not found:  # what flows can be told once every name is right
        found += flow_problems(raw)
    if not found:
        found += _examples(raw)
    return found


_TABLES = ("input", "feed", "request", "reply", "annotations", "stage", "example")


def _names(raw: dict[str, Any]) -> Iterator[str]:
    """Records, stages and folds that do not exist."""
    feed = raw.get("feed", {})
    fed = [key for key in ("feed", "request") if raw.get(key)]
    if fed and not raw.get("stage"):
        yield f"{fed[0]}: there is no stage to feed"
    if raw.get("stage") and not feed and "request" not in raw:
        yield "feed: say which record the pipe is fed, or which unfold makes them in [request]"
    if feed:
        record = str(feed.get("record", ""))
        if record not in BY_TAG:
            yield f"feed.record: no record is called {record!r}{suggestion(record, tuple(BY_TAG))}"
        if feed.get("each") is not None and not reference(feed.get(str(feed["each"]))):
            yield f'feed.each: {feed["each"]!r} must be a field that stands below with a "$name"'
    for number, stage in enumerate(raw.get("stage", ()), 1):
        name = str(stage.get("use", ""))
        if name not in STAGES:
            yield f"stage {number}: no stage is called {name!r}{suggestion(name, STAGES)}"
    reply = raw.get("reply", {})
    fold = str(reply.get("fold", ""))
    if folds.by_name(fold) is None:
        yield f"reply.fold: no fold is called {fold!r}{suggestion(fold, tuple(one.name for one in folds.FOLDS))}"
    if wrong := misfit(reply.get("text", "markdown"), Form):
        yield f"reply.text{wrong}"


def _options(raw: dict[str, Any]) -> Iterator[str]:
    """Unknown options, values that do not fit, and what is missing, in every table of options."""
    for where, table, struct, extra in tables(raw):
        if struct is None:
            continue
        fields = fields_of(struct)
        for key, value in table.items():
            if key in extra:
                continue
            if key not in fields:
                yield f"{where}: unknown option {key}{suggestion(key, (*fields, *extra))}"
            elif not reference(value) and (wrong := misfit(literal(value), fields[key].type)):
                yield f"{where} {key}{wrong}"
        yield from (f"{where}: {name} is missing" for name, field in fields.items() if field.required and name not in table)


def _arguments(raw: dict[str, Any]) -> Iterator[str]:
    """Every `$name` is declared, every input used, described, and within the limits of what it is bound to."""
    bound, declared = places(raw), raw.get("input", {})
    unfold = unfolds.by_name(str(raw.get("request", {}).get("unfold", "")))
    known = (*declared, *(unfold.gives if unfold else ()))
    for name, where in bound.items():
        if name not in known and where:
            yield f'{where[0].where}: "${name}" is not declared{suggestion(name, known)}'
    for name in unfold.gives if unfold else ():
        if name not in bound:
            yield f'request: the unfold gives "{name}", which no stage uses'
    for name, table in declared.items():
        wrong = problems_of(Input, table, where=f"input.{name}: ", kind="key")
        yield from wrong
        if not wrong:
            yield from _input(name, msgspec.convert(table, Input), bound.get(name, []))


def _input(name: str, given: Input, bound: list[Place]) -> Iterator[str]:
    if not name.isidentifier() or name.startswith("_"):
        yield f"input.{name}: a name is letters, digits and underscores"
    if name in (*Flags.__struct_fields__, *TAKEN):
        yield f"input.{name}: the command of every tool has --{name.replace('_', '-')} already"
    if not bound:
        yield f'input.{name}: nothing uses it; bind it with "${name}"'
        return
    hint, _, problems = argument(name, given, bound)
    yield from problems
    described = any(getattr(part, "description", "") for part in getattr(hint, "__metadata__", ()))
    if not described:
        yield f"input.{name}: describe it; {bound[0].where} has no description to take"
    if given.required and given.default is not UNSET:
        yield f"input.{name}: required, so its default is never used"


def input_types(raw: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Type and default of every input of a file without problems."""
    bound = places(raw)
    return {name: argument(name, msgspec.convert(table, Input), bound[name])[:2] for name, table in raw.get("input", {}).items()}


def _request(raw: dict[str, Any]) -> Iterator[str]:
    if "request" not in raw:
        return
    request = raw["request"]
    yield from problems_of(Request, request, where="request: ", kind="key")
    name = str(request.get("unfold", ""))
    unfold = unfolds.by_name(name)
    if unfold is None:
        yield f"request.unfold: no unfold is called {name!r}{suggestion(name, tuple(one.name for one in unfolds.UNFOLDS))}"
    for key in ("input", "feed"):
        if raw.get(key):
            yield f"{key}: the unfold makes arguments and records, so there is no [{key}]"


def _annotations(raw: dict[str, Any]) -> Iterator[str]:
    told = raw.get("annotations", {})
    wrong = problems_of(Annotations, told, where="annotations: ", kind="key")
    yield from wrong
    network = [str(stage["use"]) for stage in raw.get("stage", ()) if stage.get("use") in STAGES and load(stage["use"]).uses_env]
    if not wrong and network and not told["open_world"]:
        yield f"annotations.open_world: it is false, but {network[0]} uses the network"


def _times(raw: dict[str, Any]) -> Iterator[str]:
    """One hanging engine must leave time to fetch: the network stages, each at its slowest, end before the soft deadline."""
    deadline, reserve = raw.get("deadline_secs"), raw.get("reserve_secs")
    if not isinstance(deadline, (int, float)) or not isinstance(reserve, (int, float)):
        return
    if reserve >= deadline:
        yield f"reserve_secs: {reserve} leaves nothing of {deadline} seconds"
        return
    slowest = {}
    for stage in raw.get("stage", ()):
        if stage.get("use") in STAGES and (known := load(stage["use"])).uses_env:
            slowest[known.name] = _slowest(stage, known, raw)
    if slowest and sum(slowest.values()) > deadline - reserve:
        told = " and ".join(f"{name} {secs:g}" for name, secs in slowest.items())
        yield f"deadline_secs: the network stages may take {told} seconds, past the {deadline - reserve:g} that they have"


def _slowest(table: dict[str, Any], stage: Stage, raw: dict[str, Any]) -> float:
    """Seconds that one call may take: as written, or the most that the argument allows. An unfold sees to its own."""
    field = fields_of(stage.options).get("timeout_secs")
    if field is None:
        return 0
    value = table.get("timeout_secs", field.default)
    if name := reference(value):
        given = raw.get("input", {}).get(name)
        return float(given.get("maximum", shape(field.type).limits.get("le", 0))) if given is not None else 0
    return value if isinstance(value, (int, float)) else 0


def _examples(raw: dict[str, Any]) -> Iterator[str]:
    from pipelines.loader import arguments_of

    struct = arguments_of(raw)
    for number, example in enumerate(raw.get("example", ()), 1):
        yield from problems_of(struct, example, where=f"example {number}: ")
