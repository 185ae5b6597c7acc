"""A pipe written as one word: `'expand | search --per-engine 5 | fetch | rank'`."""

from __future__ import annotations

import shlex

from pipelines.arguments import understood
from pipelines.options import checked, options_of, suggestion
from stages import STAGES, load
from stages.core.errors import UsageError
from stages.core.stage import Options


def parse_steps(text: str) -> list[tuple[str, Options]]:
    """The stages with their options. Raises UsageError that names the stage."""
    found: list[tuple[str, Options]] = []
    for words in _split(text):
        if not words:
            raise UsageError(f"{text!r}: a stage is missing before or after a |")
        name, *arguments = words
        if name not in STAGES:
            raise UsageError(f"no stage {name}{suggestion(name, STAGES)}")
        found.append((name, _options(name, arguments)))
    return found


def _split(text: str) -> list[list[str]]:
    """Words as a shell would split them; a quoted | is an ordinary character."""
    reader = shlex.shlex(text, posix=True, punctuation_chars="|")
    reader.commenters = ""
    try:
        words = list(reader)
    except ValueError as error:
        raise UsageError(f"{text!r}: {str(error).lower()}") from None
    parts: list[list[str]] = [[]]
    for word in words:
        if set(word) == {"|"}:
            parts += [[] for _ in word]
        else:
            parts[-1].append(word)
    return parts


def _options(name: str, arguments: list[str]) -> Options:
    stage = load(name)
    try:
        options = options_of(stage.options)
        given = understood(f"cribble {name} [options]", stage.doc, {"options of this stage": options}, arguments)
        made = checked(stage.options, given.values)
    except UsageError as error:
        raise UsageError(f"{name}: {error}") from None
    if given.words:
        raise UsageError(f"{name}: {given.words[0]!r} is no option; give words after the stages")
    return made
