"""Selectors made ready for the HTML engine: specificity, nesting, pseudo-elements, states that a page at rest is not in."""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

from stages.html.pseudo import ALWAYS, NEVER, is_known, typed
from stages.html.scoping import Scope, weight

MAX_SELECTOR = 2000
"""Characters of one complex selector, nesting expanded."""

Specificity = tuple[int, int, int]

_LEGACY_PSEUDO = frozenset({"before", "after", "first-line", "first-letter"})
_LISTS = frozenset({"is", "not", "where", "has", "-webkit-any"})

Step = tuple[str, tuple[str, ...]]
MAX_STEPS = 4
"""Longer chains are the engine's: each step more multiplies the ways up."""
_COMPOUND = r"(?:[a-zA-Z][\w-]*|\*|(?=[.#]))(?:[.#][a-zA-Z_][\w-]*)*"
_CHAIN = re.compile(rf"{_COMPOUND}(?:(?:\s*>\s*|\s+){_COMPOUND})*", re.ASCII)
_LINK = re.compile(r"([>\s]*)([^>\s]+)")
_KEY = re.compile(r"[.#]?[\w-]+", re.ASCII)


class Selector(Struct, frozen=True):
    """One complex selector. `keys` are what a page must hold somewhere for it to match: `#id`, `.class`, `tag`."""

    text: str
    specificity: Specificity
    keys: tuple[str, ...]
    simple: bool
    """Whether it is one compound of just those keys."""
    pseudo: str = ""
    """The pseudo-element it styles, a part with its names; empty for the element itself."""
    steps: tuple[Step, ...] = ()
    """Right to left, each with what joins it to the one before, where only blanks and `>` join plain compounds; else empty."""
    condition: str = ""
    """What the host of the shadow root must match."""


class _Never(Exception):  # noqa: N818 - control flow, never seen outside
    """The selector holds for nothing."""


class _Invalid(Exception):  # noqa: N818 - control flow, never seen outside
    """A browser drops the whole list."""


def compile_selectors(tokens: list[Any], parent: str = "") -> tuple[Selector, ...]:
    """Every selector of a rule's prelude that can match a page at rest. `parent` is what `&` stands for."""
    parts = split(tokens)
    try:
        found = [_compile(part, parent) for part in parts]
    except _Invalid:
        return ()
    if len(parts) > 1 and not all(_trimmed(part) for part in parts):
        return ()
    return tuple(selector for selector in found if selector is not None)


def split(tokens: list[Any]) -> list[list[Any]]:
    """The tokens between top-level commas."""
    parts: list[list[Any]] = [[]]
    for token in tokens:
        if token.type == "literal" and token.value == ",":
            parts.append([])
        elif token.type != "comment":
            parts[-1].append(token)
    return parts


def _compile(tokens: list[Any], parent: str) -> Selector | None:
    writer = _Writer(parent)
    try:
        text = writer.write(tokens, top=True).strip()
    except _Never:
        return None
    relative = text[:1] in (">", "+", "~")
    if isinstance(parent, Scope):
        text = f"{f':is({parent.roots})' if relative and not writer.nested else ''}{text or '*'}:is({parent})"
    elif parent and not writer.nested:
        writer.add(*weight(parent))
        text = f":is({parent}){'' if relative else ' '}{text}"
    if text.startswith(":host"):
        writer.simple, rest = False, text[5:]
        if rest[:1] in (":", ".", "[", "#"):
            own, _, rest = rest.partition(" ")
            writer.condition += own
        rest = rest.lstrip(" >")
        writer.pseudo, text = (writer.pseudo, rest) if rest else ("host", "*")
    if not text or len(text) > MAX_SELECTOR:
        return None
    keys = tuple(dict.fromkeys(writer.keys))
    simple = writer.simple and not parent and bool(keys)
    return Selector(typed(text), writer.specificity, keys, simple, writer.pseudo, _steps(text), typed(writer.condition))


def _steps(text: str) -> tuple[Step, ...]:
    links = _LINK.findall(text) if _CHAIN.fullmatch(text) else []
    if not 1 < len(links) <= MAX_STEPS:
        return ()
    compounds = [tuple(key if key[0] in ".#" else key.lower() for key in _KEY.findall(compound)) for _, compound in links]
    joints = [">" if ">" in joint else " " for joint, _ in links]
    if not compounds[-1]:
        return ()
    return tuple(zip(["", *reversed(joints[1:])], reversed(compounds), strict=True))


class _Writer:
    """Walks the tokens of one complex selector once."""

    def __init__(self, parent: str) -> None:
        self.parent = parent
        self.nested = False
        self.simple = True
        self.pseudo = self.condition = ""
        self.keys: list[str] = []
        self.specificity: Specificity = (0, 0, 0)

    def add(self, ids: int, classes: int, types: int) -> None:
        a, b, c = self.specificity
        self.specificity = (a + ids, b + classes, c + types)

    def write(self, tokens: list[Any], top: bool) -> str:
        out: list[str] = []
        at = 0
        tokens = _trimmed(tokens)
        while at < len(tokens):
            token = tokens[at]
            at += 1
            if token.type == "literal" and token.value == ":":
                at, text = self.colon(tokens, at)
                out.append(text)
                if text == "" and "".join(out)[-1:] in ("", " ", ">", "+", "~"):
                    out.append("*")
            elif token.type == "literal" and token.value == "." and at < len(tokens) and tokens[at].type == "ident":
                self.add(0, 1, 0)
                self.key("." + tokens[at].value, top)
                out.append("." + tokens[at].serialize())
                at += 1
            else:
                out.append(self.token(token, tokens, at, top))
        return "".join(out)

    def key(self, key: str, top: bool) -> None:
        if top:
            self.keys.append(key)

    def token(self, token: Any, tokens: list[Any], at: int, top: bool) -> str:
        if token.type == "literal" and token.value == "&":
            self.nested, self.simple = True, False
            self.add(*weight(self.parent))
            return f":is({getattr(self.parent, 'roots', self.parent)})" if self.parent else ":root"
        if token.type == "hash":
            self.add(1, 0, 0)
            self.key("#" + token.value, top)
        elif token.type == "[] block":
            self.add(0, 1, 0)
            self.simple = False
        elif token.type == "ident" and at < len(tokens) and tokens[at].type == "literal" and tokens[at].value == "|":
            if token.lower_value in ("svg", "math"):
                raise _Never
        elif token.type == "ident":
            self.add(0, 0, 1)
            self.key(token.lower_value, top)
        elif token.type == "whitespace":
            self.simple = False
            return " "
        elif token.type == "literal" and token.value in ">+~|*":
            self.simple = self.simple and token.value == "*"
        elif token.type != "ident":
            raise _Never
        return str(token.serialize())

    def colon(self, tokens: list[Any], at: int) -> tuple[int, str]:
        if at >= len(tokens):
            raise _Never
        token = tokens[at]
        if token.type == "literal" and token.value == ":":
            name = tokens[at + 1] if at + 1 < len(tokens) else token
            return at + 2, self.element(name)
        if token.type == "ident":
            return at + 1, self.pseudo_class(token.lower_value)
        if token.type == "function":
            return at + 1, self.function(token)
        raise _Never

    def element(self, token: Any) -> str:
        if token.type == "function" and token.lower_name == "slotted" and not self.pseudo:
            self.pseudo, self.simple = "slotted", False
            return self.outside(token.arguments)
        if token.type == "function" and token.lower_name == "part" and not self.pseudo:
            self.pseudo = "part " + " ".join(name.value for name in token.arguments if name.type == "ident")
            self.add(0, 0, 1)
            return ""
        if token.type == "function" or self.pseudo:
            raise _Never
        if token.type != "ident" or not is_known(token.lower_value):
            raise _Invalid
        self.pseudo = token.lower_value
        self.add(0, 0, 1)
        return ""

    def pseudo_class(self, name: str) -> str:
        if name in _LEGACY_PSEUDO:
            self.pseudo = name
            self.add(0, 0, 1)
            return ""
        self.simple = False
        self.add(0, 1, 0)
        if not is_known(name):
            raise _Invalid
        if name in NEVER:
            raise _Never
        if name == "scope" and isinstance(self.parent, Scope):
            self.nested = True
            return f":is({self.parent.roots})"
        return ALWAYS.get(name, ":" + name)

    def outside(self, tokens: list[Any]) -> str:
        """What is asked of an element that is not in the tree itself, so that the tree need hold none of its keys."""
        keys, self.keys = self.keys, []
        text, self.keys = self.write(tokens, top=False), keys
        return text

    def host(self, name: str, token: Any) -> str:
        """What a shadow root asks of the element that it belongs to, or of those around that."""
        text = self.outside(token.arguments).strip()
        self.condition = f":is({text},:is({text}) *)" if name == "host-context" else text
        return ":host"

    def function(self, token: Any) -> str:
        self.simple = False
        name = token.lower_name
        if name not in _LISTS:
            self.add(0, 1, 0)
            if name in ("lang", "dir"):
                text = "".join(part.serialize() for part in token.arguments).strip()
                if name == "lang":
                    if any(part.type == "string" for part in token.arguments):
                        raise _Invalid
                    return f':is([lang|="{text}" i],[lang|="{text}" i] *)'
                return ":not([dir=rtl],[dir=rtl] *)" if text == "ltr" else ":is([dir=rtl],[dir=rtl] *)"
            if name in ("host", "host-context"):
                return self.host(name, token)
            if not name.startswith("nth-"):
                raise _Never if is_known(name) else _Invalid
            if name.endswith("of-type") and any(part.type == "ident" and part.lower_value == "of" for part in token.arguments):
                raise _Invalid
            return f":{name}({''.join(part.serialize() for part in token.arguments)})"
        return self.options(name, token)

    def options(self, name: str, token: Any) -> str:
        """A pseudo-class that takes a list of selectors; what never holds is left out of it."""
        options, keys = list[str](), list[str]()
        highest: Specificity = (0, 0, 0)
        for part in split(token.arguments):
            inner = _Writer(self.parent)
            try:
                text = inner.write(part, top=name not in ("not", "has")).strip()
            except _Never:
                highest = max(highest, inner.specificity)
                continue
            except _Invalid:
                if name in ("not", "has"):
                    raise
                continue
            self.nested = self.nested or inner.nested
            if text and not inner.pseudo:
                options, keys = [*options, text], inner.keys
            highest = max(highest, inner.specificity)
        if name != "where":
            self.add(*highest)
        if name == "not" and not token.arguments:
            raise _Invalid
        if name == "not":
            return f":not({','.join(options)})" if options else ""
        if not options:
            raise _Never
        self.keys += keys if len(options) == 1 else []
        return f":{'has' if name == 'has' else 'is'}({','.join(options)})"


def _trimmed(tokens: list[Any]) -> list[Any]:
    """Without outer blanks, and without blanks beside combinators."""
    out: list[Any] = []
    for token in tokens:
        if token.type == "comment":
            continue
        if token.type == "whitespace" and (not out or out[-1].type == "whitespace"):
            continue
        out.append(token)
    while out and out[-1].type == "whitespace":
        out.pop()
    return out
