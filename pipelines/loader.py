"""Finds pipeline files, and makes of each what a call needs: a typed request, a plan and a reply.

A profile is a folder of files beside this module. The user's own files stand in `pipelines/` beside the user's configuration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec import NODEFAULT, Struct, structs

from pipelines import folds, unfolds
from pipelines.checking import fields_of, problems_of
from pipelines.config import user_file
from pipelines.cursor import Result
from pipelines.folds.fold import Fold
from pipelines.grammar import Annotations, File, Form, literal, reference
from pipelines.lint import check, input_types
from pipelines.options import alternatives
from pipelines.reading import toml
from pipelines.story import Rejected
from pipelines.unfolds.unfold import Unfolded
from stages import load
from stages.core.errors import UsageError
from stages.core.plan import Step, build
from stages.core.stage import Options
from stages.records import BY_TAG, Record

USER = "user"
"""The profile of the user's own files."""

HERE = Path(__file__).parent
MOST_BYTES = 256 << 10
LEAST_TOKENS = 50
MOST_PROBLEMS = 20
"""Problems of one call that are told one by one."""


class Pipeline(Struct, frozen=True, kw_only=True):
    """A pipeline file without problems."""

    path: Path
    profile: str
    file: File
    annotations: Annotations
    arguments: type[Struct]
    fold: Fold

    @property
    def form(self) -> Form:
        """How its reply reads as text, unless the caller says otherwise."""
        return self.file.reply.get("text", "markdown")  # type: ignore[no-any-return]  # checked by lint


class Job(Struct, frozen=True, kw_only=True):
    """One call, ready to run."""

    records: tuple[Record, ...]
    plan: list[Step]
    reply_options: Any
    deadline_secs: float
    reserve_secs: float


def profiles() -> tuple[str, ...]:
    """The profiles that come with cribble; `default` first."""
    found = sorted(path.name for path in HERE.iterdir() if path.is_dir() and path.name != "recorded" and _toml(path))
    return tuple(sorted(found, key=lambda name: name != "default"))


def paths(profile: str, kind: str = "") -> list[Path]:
    """The files of a profile, by name; those in its folder `kind`. Raises UsageError for a profile that does not exist."""
    if profile == USER:
        return _toml(user_file().parent / "pipelines" / kind)
    if profile not in profiles():
        raise UsageError(f"no profile is called {profile!r}{alternatives(profile, profiles())}")
    return _toml(HERE / profile / kind)


def _toml(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.glob("*.toml") if not path.name.startswith("."))
    except OSError:  # a folder that may not be read holds nothing for us
        return []


def read(path: Path) -> tuple[dict[str, Any], list[str]]:
    """The file of a tool as it stands, and what is wrong with it: one line each, without the name of the file."""
    raw, problems = raw_of(path)
    return raw, problems or check(raw, path.stem)


def raw_of(path: Path) -> tuple[dict[str, Any], list[str]]:
    """Any file as it stands, and why it cannot be read."""
    try:
        with path.open("rb") as file:
            text = file.read(MOST_BYTES + 1)
    except OSError as error:
        return {}, [str(error.strerror)]
    if len(text) > MOST_BYTES:
        return {}, [f"larger than {MOST_BYTES >> 10} KiB"]
    try:
        return toml(text), []
    except UsageError as error:
        return {}, [str(error)]


def load_file(path: Path, profile: str) -> tuple[Pipeline | None, list[str]]:
    """The pipeline, or what is wrong with its file."""
    raw, problems = read(path)
    if problems:
        return None, problems
    fold = folds.by_name(raw["reply"]["fold"])
    assert fold is not None  # noqa: S101  lint has seen to it
    made = Pipeline(
        path=path,
        profile=profile,
        file=msgspec.convert(raw, File),
        annotations=msgspec.convert(raw["annotations"], Annotations),
        arguments=arguments_of(raw),
        fold=fold,
    )
    return made, []


def arguments_of(raw: dict[str, Any]) -> type[Struct]:
    """The struct of the tool's arguments."""
    if request := raw.get("request"):
        unfold = unfolds.by_name(request["unfold"])
        assert unfold is not None  # noqa: S101  lint has seen to it
        return unfold.arguments
    fields: list[Any] = []
    for name, (hint, default) in input_types(raw).items():
        fields.append((name, hint) if default is NODEFAULT else (name, hint, default))
    return msgspec.defstruct(
        f"{raw['name']}_arguments", fields, kw_only=True, frozen=True, forbid_unknown_fields=True, module=__name__
    )


def cursors(pipeline: Pipeline, given: dict[str, Any]) -> tuple[str, ...]:
    """The cursors that a call wants looked up. Raises Rejected."""
    unfold = unfolds.by_name(str(pipeline.file.request.get("unfold", "")))
    return unfold.cursors(_arguments(pipeline, given)) if unfold and unfold.cursors else ()


def job(pipeline: Pipeline, given: dict[str, Any], recalled: Mapping[str, Result] = {}) -> Job:
    """One call. Raises Rejected with every problem of the arguments, and what to do.

    `recalled` is what its `cursors` lead into.
    """
    arguments = _arguments(pipeline, given)
    unfolded = _unfolded(pipeline, arguments, recalled)
    _check_cursor(pipeline, arguments, fed=bool(unfolded.records))
    file, values = pipeline.file, unfolded.values
    reply = {key: _value(value, values) for key, value in file.reply.items() if key not in ("fold", "text")}
    reply_options = msgspec.convert(reply, pipeline.fold.options)
    steps: list[tuple[str, Options]] = []
    for stage in file.stage:
        options = {key: _value(value, values) for key, value in stage.items() if key != "use"}
        if stage["use"] == "budget" and "tokens" in options:  # what surrounds the passages needs room too
            options["tokens"] = max(LEAST_TOKENS, options["tokens"] - pipeline.fold.frame_tokens(reply_options))
        steps.append((stage["use"], msgspec.convert(options, load(stage["use"]).options)))
    return Job(
        records=(*unfolded.notices, *unfolded.records),
        plan=build(steps, load),
        reply_options=reply_options,
        deadline_secs=unfolded.deadline_secs or file.deadline_secs,
        reserve_secs=file.reserve_secs,
    )


def _arguments(pipeline: Pipeline, given: dict[str, Any]) -> Struct:
    problems = problems_of(pipeline.arguments, given)
    if problems:
        known = ", ".join(fields_of(pipeline.arguments))
        unfold = unfolds.by_name(str(pipeline.file.request.get("unfold", "")))
        first = unfold.refusal if unfold and unfold.refusal else f"{pipeline.file.name} was not called:"
        lines = "\n".join(f"- {problem}" for problem in problems[:MOST_PROBLEMS])
        if len(problems) > MOST_PROBLEMS:
            lines += f"\n- and {len(problems) - MOST_PROBLEMS} more"
        raise Rejected(f"{first}\n{lines}\nCall it again with these put right. It takes: {known}.")
    return msgspec.convert(given, pipeline.arguments)


def _check_cursor(pipeline: Pipeline, arguments: Struct, *, fed: bool) -> None:
    """A cursor says all but how much; without one there must be something to do. Raises Rejected."""
    reply, feed = pipeline.file.reply, pipeline.file.feed
    cursor = reference(reply.get("cursor"))
    if not cursor:
        return
    own = (cursor, reference(reply.get("max_tokens")))
    if getattr(arguments, cursor):
        more = [
            one.name for one in structs.fields(arguments) if one.name not in own and getattr(arguments, one.name) != one.default
        ]
        if more:
            raise Rejected(f"{pipeline.file.name} was not called:\n- {cursor} reads on by itself: leave out {', '.join(more)}")
    elif not fed:
        raise Rejected(f"{pipeline.file.name} was not called:\n- give {reference(feed.get(feed.get('each', '')))}, or a {cursor}")


def _unfolded(pipeline: Pipeline, arguments: Struct, recalled: Mapping[str, Result]) -> Unfolded:
    file = pipeline.file
    if file.request:
        unfold = unfolds.by_name(file.request["unfold"])
        assert unfold is not None  # noqa: S101  lint has seen to it
        return unfold.resume(arguments, recalled) if unfold.resume else unfold.call(arguments)
    values = structs.asdict(arguments)
    if not file.feed:
        return Unfolded(records=(), values=values)
    kind, each = BY_TAG[file.feed["record"]], str(file.feed.get("each", ""))
    fields = {key: _value(value, values) for key, value in file.feed.items() if key not in ("record", "each")}
    many = dict.fromkeys(fields[each]) if each else (None,)
    records = [msgspec.convert({**fields, each: one} if each else fields, kind) for one in many]
    return Unfolded(records=tuple(records), values=values)


def _value(value: Any, values: dict[str, Any]) -> Any:
    name = reference(value)
    return values[name] if name else literal(value)


def all_of(names: Sequence[str]) -> tuple[list[Pipeline], list[str]]:
    """The pipelines of these profiles in the order of their files, and the problems of those left out."""
    found: list[Pipeline] = []
    problems: list[str] = []
    for profile in names:
        for path in paths(profile):
            made, wrong = load_file(path, profile)
            problems += [f"{path}: {problem}" for problem in wrong]
            if made is not None:
                found.append(made)
    return found, problems


class _Named(Protocol):
    @property
    def path(self) -> Path: ...
    @property
    def profile(self) -> str: ...
    @property
    def file(self) -> Any: ...


N = TypeVar("N", bound=_Named)


def distinct(found: Sequence[N], what: str, prefix: str) -> tuple[dict[str, N], list[str]]:
    """Those of several profiles by name, and the problem of each of the user's own whose name is taken.

    Raises UsageError for a name that two profiles have. `what` they are is told.
    """
    taken: dict[str, N] = {}
    problems: list[str] = []
    for one in found:
        name = prefix + one.file.name
        if name not in taken:
            taken[name] = one
        elif one.profile == USER:
            problems.append(f"{one.path}: {taken[name].profile} has a {what} called {one.file.name}: choose another name")
        else:
            raise UsageError(f"{taken[name].profile} and {one.profile} both have a {what} called {name}: serve one of them")
    return taken, problems


__all__ = [
    "USER", "Job", "Pipeline", "all_of", "arguments_of", "cursors", "distinct", "job", "load_file", "paths", "profiles", "raw_of",
    "read",
]  # fmt: skip
