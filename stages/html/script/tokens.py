"""A script as tokens, in one pass; brackets know where they end, so that what never runs is never read."""

from __future__ import annotations

import re
import sys
from typing import Any, NamedTuple

MAX_NESTED = 20
"""Templates inside of templates."""


class UnreadError(Exception):
    """A script that is not understood, or takes too long: what it does is not known."""


class Token(NamedTuple):
    """One word of a script."""

    kind: str
    """`name`, `number`, `string`, `template`, `regex`, `sign` or `end`."""
    value: Any
    new_line: bool = False
    """Whether a line ends before it."""


_TOKEN = re.compile(
    r"(?P<gap>(?:\s+|//[^\n\r\u2028\u2029]*|<!--[^\n]*|/\*(?:[^*]|\*(?!/))*+\*/)*+)(?:"
    r"(?P<name>[^\W\d][\w$]*|[$#][\w$]*)"
    r"|(?P<slash>/)"
    r"|(?P<sign>[{}()\[\];,:]|=>|===?|!==?|&&=?|\|\|=?|\.\.\.|\?\.(?!\d)|\.(?!\d)|\?\??=?|\+[+=]?|-[-=]?|\*\*?=?|%=?"
    r"|<<?=?|>>?>?=?|[&|^]=?|[=!~@])"
    r"|(?P<string>\"(?:[^\"\\\n]|\\[\s\S])*+\"|'(?:[^'\\\n]|\\[\s\S])*+')"
    r"|(?P<number>0[xX][\da-fA-F]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?n?)"
    r"|(?P<template>`)|(?P<end>\Z))"
)
_REGEX = re.compile(r"/((?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*+\])++)/([a-z]*)")
_ESCAPE = re.compile(r"\\(?:u\{([\da-fA-F]{1,6})\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|(\r\n|[\s\S]))")
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}
_OPERATOR_BEFORE = frozenset({
    "return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do", "instanceof", "await", "yield",
})  # fmt: skip
CLOSING = {"(": ")", "[": "]", "{": "}"}


class Tokens:
    """The tokens of a script, the last of kind `end`, and for every opening bracket the place of the one that closes it."""

    def __init__(self, every: list[Token]) -> None:
        self.every = every
        self.ends = _ends(every)

    @classmethod
    def read(cls, text: str) -> Tokens:
        """Those of a whole script."""
        return cls(_lexed(text, 0, False, 0)[0])


def _lexed(text: str, at: int, inside: bool, depth: int) -> tuple[list[Token], int]:
    """Tokens from a place on, and where they end: behind the text or, `inside` a template, at the bracket that closes it."""
    found: list[Token] = []
    add, match_at, open_braces = found.append, _TOKEN.match, 0
    while match := match_at(text, at):
        kind, gap = match.lastgroup or "", match["gap"]
        line, at = "\n" in gap, match.end()
        value: Any = match[kind]
        if kind == "sign":
            if value == "{":
                open_braces += 1
            elif value == "}":
                open_braces -= 1
                if inside and open_braces < 0:
                    return [*found, Token("end", "", True)], at
        elif kind == "string":
            value = unescaped(value[1:-1])
        elif kind == "end":
            return [*found, Token("end", "", True)], at
        elif kind != "name":
            kind, value, at = _special(text, match, kind, found, depth)
        add(Token(kind, value, line))
    raise UnreadError(f"{text[at : at + 1]!r} is no token")


def _special(text: str, match: re.Match[str], kind: str, found: list[Token], depth: int) -> tuple[str, Any, int]:
    """Kind, value and end of a number, of what starts with a slash, and of a template."""
    at, written = match.end(), match[kind]
    if kind == "template":
        parts, at = _template(text, at, depth)
        return kind, parts, at
    if kind == "number":
        return kind, float(int(written, 16) if written[:2] in ("0x", "0X") else written.rstrip("n").replace("_", "")), at
    pattern = _REGEX.match(text, at - 1) if _starts_value(found) else None
    if pattern:
        return "regex", (pattern[1], pattern[2]), pattern.end()
    return "sign", ("/=", "/")[text[at : at + 1] != "="], at + (text[at : at + 1] == "=")


def _template(text: str, at: int, depth: int) -> tuple[list[Any], int]:
    """A template: its parts, each a string or the tokens of an expression."""
    parts: list[Any] = []
    start = at
    while at < len(text):
        letter = text[at]
        if letter == "\\":
            at += 2
        elif letter == "`":
            parts.append(unescaped(text[start:at]))
            return parts, at + 1
        elif letter == "$" and text[at + 1 : at + 2] == "{":
            if depth > MAX_NESTED:
                break
            parts.append(unescaped(text[start:at]))
            tokens, at = _lexed(text, at + 2, True, depth + 1)
            parts.append(tokens)
            start = at
        else:
            at += 1
    raise UnreadError("a template without an end")


def _starts_value(found: list[Token]) -> bool:
    """Whether a slash begins a pattern, by what stands before it."""
    if not found:
        return True
    kind, value, _ = found[-1]
    if kind == "name":
        return value in _OPERATOR_BEFORE
    return bool(kind == "sign" and value not in (")", "]", "}", "++", "--"))


def unescaped(text: str) -> str:
    """The inside of a string literal."""
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code:
        return chr(min(int(code, 16), sys.maxunicode))
    return _LETTERS.get(match[4], match[4])


def _ends(tokens: list[Token]) -> dict[int, int]:
    ends: dict[int, int] = {}
    waiting: list[tuple[int, str]] = []
    for place, token in enumerate(tokens):
        if token.kind != "sign":
            continue
        if token.value in CLOSING:
            waiting.append((place, CLOSING[token.value]))
        elif token.value in (")", "]", "}"):
            if not waiting or waiting[-1][1] != token.value:
                raise UnreadError("brackets that do not match")
            ends[waiting.pop()[0]] = place
    if waiting:
        raise UnreadError("a bracket without an end")
    return ends
