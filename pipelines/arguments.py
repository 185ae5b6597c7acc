"""Command-line arguments: an argparse parser out of option structs, and values checked by those structs."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from msgspec import Struct

from pipelines.options import Option, suggestion
from pipelines.output import Helped
from stages.core.errors import UsageError


class Parser(argparse.ArgumentParser):
    """Raises UsageError where argparse would exit."""

    def error(self, message: str) -> NoReturn:
        """What argparse found wrong."""
        raise UsageError(message.removeprefix("argument "))


class Given(Struct, frozen=True, kw_only=True):
    """What stood on the command line: only the options that were given, and the words that are no options."""

    values: dict[str, Any]
    words: tuple[str, ...]
    help: bool = False

    def of(self, options: tuple[Option, ...]) -> dict[str, Any]:
        """The values that belong to these options."""
        return {option.name: self.values[option.name] for option in options if option.name in self.values}

    def besides(self, options: tuple[Option, ...]) -> dict[str, Any]:
        """The values that belong to others."""
        return {name: value for name, value in self.values.items() if all(option.name != name for option in options)}


def understood(usage: str, description: str, groups: dict[str, tuple[Option, ...]], arguments: list[str]) -> Given:
    """A whole command line, by what the command takes. Raises Helped, and UsageError as `parse` does."""
    made = parser("cribble", usage, description, groups)
    given = parse(made, arguments)
    if given.help:
        raise Helped(made.format_help())
    return given


def parser(prog: str, usage: str, description: str, groups: dict[str, tuple[Option, ...]]) -> Parser:
    """A parser for these options, grouped in its help. No option may be abbreviated: scripts would break when one is added."""
    made = Parser(
        prog=prog,
        usage=usage,
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        add_help=False,
    )
    made.add_argument("-h", "--help", action="store_true", help="show this")
    for title, options in groups.items():
        group = made.add_argument_group(title)
        for option in options:
            _add(group, option)
    return made


def _add(group: Any, option: Option) -> None:
    kinds: dict[str, dict[str, Any]] = {
        "switch": {"action": argparse.BooleanOptionalAction},
        "list": {"action": "append", "metavar": "A,B"},
        "choice": {"metavar": "|".join(option.words)},
        "whole number": {"metavar": "N"},
        "number": {"metavar": "N"},
        "text": {"metavar": "TEXT"},
    }
    group.add_argument(
        option.flag, dest=option.name, default=argparse.SUPPRESS, help=option.help.replace("%", "%%"), **kinds[option.kind]
    )


def parse(made: Parser, arguments: list[str]) -> Given:
    """The options that were given, and the other words in order. Whatever follows `--` is a word.

    Raises UsageError with a suggestion for an option that does not exist.
    """
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    found, rest = made.parse_known_args(arguments[:cut])
    known = tuple(flag for action in made._actions for flag in action.option_strings)  # noqa: SLF001 - argparse lists them nowhere else
    for word in rest:
        if word.startswith("-") and word != "-" and " " not in word:
            name = word.partition("=")[0]
            raise UsageError(f"unknown option {name}{suggestion(name, known)}")
    values = {name: _value(value) for name, value in vars(found).items() if name != "help"}
    return Given(values=values, words=(*rest, *arguments[cut + 1 :]), help=found.help)


def _value(value: Any) -> Any:
    """Lists may be repeated, separated by commas, or both."""
    if isinstance(value, list):
        return [part for whole in value for part in whole.split(",") if part]
    return value


__all__ = ["Given", "Parser", "parse", "parser", "understood"]
