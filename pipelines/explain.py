"""What a tool takes, where each argument goes, and its stages as a picture: in text, and in Mermaid."""

from __future__ import annotations

import textwrap
from typing import Any

import msgspec

from pipelines.bindings import Place, places
from pipelines.flow import Hop, hops
from pipelines.grammar import reference
from pipelines.loader import Pipeline
from pipelines.options import Option, options_of
from stages.core.stage import names

COLUMNS = 100


def text(pipeline: Pipeline) -> str:
    """Arguments with their bindings, the pipe from top to bottom, times and reply."""
    file, raw = pipeline.file, _raw(pipeline)
    lines = [f"{file.name}: {file.title}", f"{pipeline.path} (profile {pipeline.profile})", "", file.description.strip(), ""]
    lines += ["Takes", *_arguments(pipeline, places(raw)), "", "Stages", *_stages(pipeline, raw), ""]
    told = [f"{key} = {value}" for key, value in file.reply.items() if key not in ("fold", "text")]
    lines.append(f"Reply: fold {pipeline.fold.name}, as {pipeline.form}{', ' + ', '.join(told) if told else ''}")
    lines.append(f"Time: {file.deadline_secs:g} seconds, {file.reserve_secs:g} of them kept back for stages without network")
    return "\n".join(lines) + "\n"


def _raw(pipeline: Pipeline) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.toml.decode(pipeline.path.read_bytes())
    return found


def _arguments(pipeline: Pipeline, bound: dict[str, list[Place]]) -> list[str]:
    """Name, kind and limits; then what it means; then where it goes."""
    lines = []
    for option in options_of(pipeline.arguments):
        limits = ", ".join(filter(None, (option.kind, option.limits, _default(option), " | ".join(option.words))))
        lines.append(f"  {option.name} ({limits})")
        lines += textwrap.wrap(option.description, COLUMNS, initial_indent="      ", subsequent_indent="      ")
        goes = [f"{place.where}{', a record each' if place.each else ''}" for place in bound.get(option.name, [])]
        lines.append(f"      -> {'; '.join(goes) or 'unfold ' + str(pipeline.file.request.get('unfold', ''))}")
    return lines


def _default(option: Option) -> str:
    if option.required:
        return "required"
    return f"default {option.default_text}" if option.default_text else "optional"


def _stages(pipeline: Pipeline, raw: dict[str, Any]) -> list[str]:
    steps, end = hops(raw)
    if not steps:
        return ["  none"]
    given = {stage["use"]: {key: value for key, value in stage.items() if key != "use"} for stage in pipeline.file.stage}
    lines = [f"  {_fed(pipeline)}"]
    for hop in steps:
        options = "" if hop.lifted_for else _options(given[hop.stage.name])
        mark = f"(put in for {hop.lifted_for})" if hop.lifted_for else options
        flow = f"{names(hop.sees)} -> {names(hop.stage.writes)}"
        lines.append(f"    | {hop.stage.name + ('*' if hop.stage.uses_env else ''):9} {flow:38} {mark}".rstrip())
    shown = names(tuple(kind for kind in end if kind in pipeline.fold.needs))
    return [*lines, f"  {pipeline.fold.name} of {shown}", "  * uses the network"]


def _fed(pipeline: Pipeline) -> str:
    feed = pipeline.file.feed
    if not feed:
        unfold = pipeline.file.request.get("unfold")
        return f"what the unfold {unfold} makes" if unfold else "nothing"
    fields = _options({key: value for key, value in feed.items() if key not in ("record", "each")})
    return f"{feed['record']} ({fields})"


def _options(table: dict[str, Any]) -> str:
    return ", ".join(f"{key} = {value}" for key, value in table.items())


def mermaid(pipeline: Pipeline) -> str:
    """A flowchart: stages as boxes, records on the arrows, arguments as rounded boxes beside them."""
    raw = _raw(pipeline)
    steps, _ = hops(raw)
    fed = _plain(_fed(pipeline).partition(" (")[0])
    lines = ["flowchart TD", f'  feed(["{fed}"])']
    before = "feed"
    for number, hop in enumerate(steps, 1):
        node = f"s{number}"
        network = " (network)" if hop.stage.uses_env else ""
        lines.append(f'  {node}["{hop.stage.name}{network}"]')
        lines.append(f'  {before} -->|"{_plain(names(hop.sees))}"| {node}')
        before = node
    lines.append(f'  reply(["{pipeline.fold.name}"])')
    label = f'|"{_plain(names(pipeline.fold.needs))}"|' if pipeline.fold.needs else ""
    lines.append(f"  {before} -->{label} reply")
    return "\n".join([*lines, *_inputs(raw, steps)]) + "\n"


def _inputs(raw: dict[str, Any], steps: list[Hop]) -> list[str]:
    """An arrow from each argument to where it goes."""
    nodes = {hop.stage.name: f"s{number}" for number, hop in enumerate(steps, 1) if not hop.lifted_for}
    targets = [("feed", raw.get("feed", {})), *((nodes[stage["use"]], stage) for stage in raw.get("stage", ()))]
    lines = []
    for node, table in (*targets, ("reply", raw["reply"])):
        for key, value in table.items():
            if name := reference(value):
                lines.append(f'  in_{name}("{name}") -.->|"{key}"| {node}')
    return lines


def _plain(label: str) -> str:
    return label.replace('"', "'")


__all__ = ["mermaid", "text"]
