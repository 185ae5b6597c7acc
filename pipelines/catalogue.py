"""What there is, as data: stages, options, records, exit codes and environment. Help, tables and the README come from here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from pipelines.config import ENVIRONMENT, Flags
from pipelines.loader import USER, all_of, load_file, paths
from pipelines.options import Option, options_of
from stages import STAGES, load
from stages.core import errors
from stages.core.env import Budget
from stages.core.stage import Stage, names
from stages.engines import ENGINES
from stages.engines import load as engine
from stages.engines.engine import Passport
from stages.records import KINDS
from stages.vocabulary import VERSION, WIRE

EXIT_CODES: dict[int, str] = {
    errors.FOUND: "found something",
    errors.NOTHING: "worked, and found nothing",
    errors.USAGE: "a wrong option, input or archive: one line on stderr says which",
    errors.UNAVAILABLE: "every engine or page refused, or could not be reached",
    errors.BUG: "a bug in cribble or a plug-in",
    errors.CUT: "cut by the deadline with nothing to show",
    errors.INTERRUPTED: "interrupted (Ctrl-C)",
    errors.CLOSED: "the reader of the output closed it",
}

COMMANDS: dict[str, str] = {
    "run": "several stages in one process: cribble run 'expand | search | fetch | rank' \"…\"",
    "demo": "a recorded run, replayed without network: what cribble does, in seconds",
    "call": "a tool of any profile by name: cribble call [PROFILE/]NAME, with its arguments as options",
    "lint": "everything that is wrong with pipeline files, at once: cribble lint [FILE...]",
    "explain-tool": "what a tool takes, where that goes, and its stages as a picture: cribble explain-tool NAME [--mermaid]",
    "new-tool": "begin a tool of your own as a copy of another: cribble new-tool NAME [--like TOOL]",
    "config": "every setting with its value and where it comes from",
    "cache": "what is kept between runs: cribble cache stats, cribble cache clear",
    "doctor": "one live query to each search engine: who answers, and whether the answer can still be read",
    "mcp": "serve the tools to an MCP client, over stdio or HTTP; cribble mcp --check says how to connect one",
    "audit": "a page's hidden text and why, beside what is seen: cribble audit URL|FILE",
    "verify": "whether passages stand in the recorded bytes, worked out again offline: cribble verify [FILE...]",
    "archive": "what a recorded run holds: cribble archive ls|show|check|redact FILE",
    "help": "this, or: cribble help STAGE, cribble help --json, cribble help --markdown",
}


def summary(stage: Stage) -> str:
    """The first line of its documentation."""
    return stage.doc.partition("\n")[0].rstrip(".")


def overview() -> str:
    """`cribble help`."""
    stages = [load(name) for name in STAGES]
    lines = ["usage: cribble COMMAND [options] [TEXT|URL|FILE...]", "", "Stages, in pipe order:"]
    lines += [f"  {stage.name:9} {f'{names(stage.reads)} -> {names(stage.writes)}':38} {summary(stage)}" for stage in stages]
    lines += ["", "Tools, each a file that `cribble explain-tool` draws:"]
    tools = _tools()
    widest = max(len(name) for name in (*COMMANDS, *(name for name, _ in tools)))
    lines += [f"  {name:{widest}} {title}" for name, title in tools]
    lines += ["", "Other commands:", *(f"  {name:{widest}} {text}" for name, text in COMMANDS.items())]
    lines += [f"  {'X':{widest}} runs cribble-X, if there is one beside cribble or on PATH"]
    lines += ["", "Exit codes:", *(f"  {code:<9} {text}" for code, text in EXIT_CODES.items())]
    lines += ["", 'Try: cribble demo, or: cribble expand "your question" | cribble search | cribble fetch | cribble rank', ""]
    return "\n".join(lines)


def _tools() -> list[tuple[str, str]]:
    """Name and title of every tool that is at hand; of one that a stage has the name of, how it is called."""
    found = {one.file.name: one.file.title for one in reversed(all_of(("default", USER))[0])}
    return [(name, f"{found[name]}{f' (cribble call {name})' if name in STAGES else ''}") for name in reversed(found)]


def machine() -> bytes:
    """`cribble help --json`: everything a program needs to drive cribble, as one JSON object."""
    _, schemas = msgspec.json.schema_components(KINDS, ref_template="#/records/{name}")
    listing = {
        "cribble": VERSION,
        "wire": WIRE,
        "stages": [_stage(load(name)) for name in STAGES],
        "engines": [_passport(engine(name).PASSPORT) for name in ENGINES],
        "tools": [path.stem for profile in ("default", USER) for path in paths(profile)],
        "flags": [_option(option) for option in options_of(Flags)],
        "commands": COMMANDS,
        "records": schemas,
        "exit_codes": {str(code): text for code, text in EXIT_CODES.items()},
        "environment": ENVIRONMENT,
    }
    return msgspec.json.format(msgspec.json.encode(listing), indent=1) + b"\n"


def _stage(stage: Stage) -> dict[str, Any]:
    kinds = {"reads": stage.reads, "writes": stage.writes, "keeps": stage.keeps}
    return {
        "name": stage.name,
        "summary": summary(stage),
        "doc": stage.doc,
        "shape": stage.shape,
        **{key: [kind.__name__.lower() for kind in value] for key, value in kinds.items()},
        "lifts": stage.lifts,
        "network": stage.uses_env,
        "options": [_option(option) for option in options_of(stage.options)],
    }


def _option(option: Option) -> dict[str, Any]:
    limits = {"above" if option.above else "minimum": option.low, "maximum": option.high, "choices": option.choices or None}
    return {
        "name": option.name,
        "flag": option.flag,
        "type": option.kind,
        "description": option.description,
        "required": option.required,
        "default": option.default,
        **{key: value for key, value in limits.items() if value is not None},
    }


def markdown() -> str:
    """The tables of the README."""
    parts: list[str] = []
    for name in STAGES:
        stage = load(name)
        title = f"#### `cribble {name}`: {names(stage.reads)} → {names(stage.writes)}"
        parts.append(f"{title}\n\n{summary(stage)}.\n\n{_table(options_of(stage.options))}")
    parts.append(f"#### Search engines\n\n{_rows(_ENGINE_HEAD, [_engine_row(engine(name).PASSPORT) for name in ENGINES])}")
    parts += [_tool(path) for path in paths("default")]
    parts.append(f"#### Every stage and tool command, and `cribble run`\n\n{_table(options_of(Flags))}")
    parts.append(
        "#### Environment\n\n" + _rows(("variable", "what it says"), [(f"`{name}`", text) for name, text in ENVIRONMENT.items()])
    )
    parts.append("#### Exit codes\n\n" + _rows(("code", "means"), [(str(code), text) for code, text in EXIT_CODES.items()]))
    return "\n\n".join(parts) + "\n"


_ENGINE_HEAD = ("engine", "index", "finds", "understands", "spans", "asked at most", "asked")


def _engine_row(passport: Passport) -> tuple[str, ...]:
    asked = "by default" if passport.default else "by name"
    return (
        f"`{passport.name}`",
        passport.family,
        ", ".join(passport.kinds),
        " ".join(sorted(passport.operators)),
        " ".join(span for span in ("day", "week", "month", "year") if span in passport.freshness),
        _pace(passport.budget) if passport.budget else "",
        f"{asked}, with `CRIBBLE_{passport.setting.upper()}`" if passport.setting else asked,
    )


def _pace(budget: Budget) -> str:
    a_day = budget.per_minute * 24 * 60
    return f"{budget.per_minute:g} a minute" if budget.per_minute >= 1 else f"{a_day:.0f} a day"


def _passport(passport: Passport) -> dict[str, Any]:
    return {
        name: sorted(value) if isinstance(value, frozenset) else value for name, value in msgspec.structs.asdict(passport).items()
    }


def _tool(path: Path) -> str:
    pipeline, _ = load_file(path, "default")
    assert pipeline is not None  # noqa: S101  tests lint it
    name = f"call {path.stem}" if path.stem in STAGES else path.stem
    first = pipeline.file.description.strip().replace("\n", " ").partition(". ")[0].rstrip(".")
    return f"#### `cribble {name}`: {pipeline.file.title}\n\n{first}.\n\n{_table(options_of(pipeline.arguments))}"


def _table(options: tuple[Option, ...]) -> str:
    if not options:
        return "No options."
    head = ("option", "what it does", "limits", "default")
    return _rows(head, [(f"`{o.flag}`", o.description, o.limits or ", ".join(o.words), o.default_text) for o in options])


def _rows(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in (head, ("---",) * len(head), *rows)]
    return "\n".join(lines)
