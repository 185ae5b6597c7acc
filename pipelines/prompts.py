"""Prompts: what a client offers its user to begin with. Each is a file in `prompts/` of a profile, or of the user's own folder.

    format = 1
    name = "compare"                      # that of the file
    title = "Compare two pages"
    description = "Say in what two pages differ."
    say = ["Read both and say in what they differ:", "$one", "$other"]

    [argument.one]
    description = "The address of the first page."
    …

It makes one message of the user, a paragraph for each text of `say`. An argument is a paragraph of its own: what somebody else
may have written does not run on into what is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct

from pipelines.checking import misfit, problems_of
from pipelines.grammar import PromptArgument, PromptFile, literal, reference
from pipelines.loader import USER, distinct, paths, raw_of
from pipelines.options import suggestion
from pipelines.story import Rejected

FOLDER = "prompts"


class Prompt(Struct, frozen=True, kw_only=True):
    """A prompt of a file without problems."""

    path: Path
    profile: str
    file: PromptFile
    name: str
    arguments: type[Struct]

    def message(self, given: Mapping[str, str]) -> str:
        """What the user says. Raises Rejected, in one line, for arguments that do not fit."""
        if problems := problems_of(self.arguments, given):
            raise Rejected(f"{self.name} was not made: {'; '.join(problems)}")
        return "\n\n".join(given[name] if (name := reference(text)) else literal(text) for text in self.file.say)


class PromptSet(Struct, frozen=True, kw_only=True):
    """The prompts in the order of their files, and what is wrong with the files that were left out, one line each."""

    prompts: tuple[Prompt, ...]
    problems: tuple[str, ...] = ()


def prompts(profiles: Sequence[str] = ("default",), *, prefix: str = "") -> PromptSet:
    """The prompts of these profiles and of the user's own folder. A broken file is left out and told in `problems`.

    Raises UsageError for a profile that does not exist and for two profiles with a prompt of the same name.
    """
    found: list[Prompt] = []
    problems: list[str] = []
    for profile in dict.fromkeys((*profiles, USER)):
        for path in paths(profile, FOLDER):
            raw, wrong = read(path)
            problems += [f"{path}: {problem}" for problem in wrong]
            if not wrong:
                found.append(_made(raw, path, profile, prefix))
    taken, more = distinct(found, "prompt", prefix)
    return PromptSet(prompts=tuple(taken.values()), problems=(*problems, *more))


def read(path: Path) -> tuple[dict[str, Any], list[str]]:
    """The file as it stands, and what is wrong with it: one line each, without the name of the file."""
    raw, problems = raw_of(path)
    return raw, problems or check(raw, path.stem)


def check(raw: dict[str, Any], stem: str) -> list[str]:
    """The problems of a file. `stem` is its name without `.toml`."""
    found = problems_of(PromptFile, raw, kind="key")
    if "name" in raw and raw["name"] != stem:
        found.append(f'name: it is "{raw["name"]}" in a file called {stem}.toml; they must be the same')
    return found or list(_arguments(raw))


def _arguments(raw: dict[str, Any]) -> Iterator[str]:
    """Every `$name` is declared, every argument used and described."""
    declared, used = raw.get("argument", {}), [name for text in raw["say"] if (name := reference(text))]
    for name in dict.fromkeys(used):
        if name not in declared:
            yield f'say: "${name}" is not declared{suggestion(name, tuple(declared))}'
    for name, table in declared.items():
        yield from problems_of(PromptArgument, table, where=f"argument.{name}: ", kind="key")
        if not name.isidentifier() or name.startswith("_"):
            yield f"argument.{name}: a name is letters, digits and underscores"
        if name not in used:
            yield f'argument.{name}: nothing uses it; "${name}" must be a text of say'
        if not misfit(pattern := table.get("pattern", ""), str) and (wrong := _no_pattern(pattern)):
            yield f"argument.{name}: pattern: not a regular expression: {wrong}"


def _no_pattern(pattern: str) -> str:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return str(error)
    return ""


def _made(raw: dict[str, Any], path: Path, profile: str, prefix: str) -> Prompt:
    file = msgspec.convert(raw, PromptFile)
    fields = []
    for name, table in file.argument.items():
        given = msgspec.convert(table, PromptArgument)
        pattern = None if given.pattern is UNSET else given.pattern
        fields.append((name, Annotated[str, Meta(description=given.description, pattern=pattern)]))
    arguments = msgspec.defstruct(f"{file.name}_arguments", fields, kw_only=True, frozen=True, module=__name__)
    return Prompt(path=path, profile=profile, file=file, name=prefix + file.name, arguments=arguments)


__all__ = ["FOLDER", "Prompt", "PromptSet", "check", "prompts", "read"]
