"""Stylesheets made into rules, once: at-rules judged, nesting unfolded, only what can hide or show text kept."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any
from urllib.parse import unquote_to_bytes

from stages.html.conditions import media, supports
from stages.html.containers import Query, conditional, query
from stages.html.functions import defined
from stages.html.properties import WATCHED
from stages.html.scoping import scope
from stages.html.selectors import Selector, compile_selectors, split
from stages.html.sheets import Declaration, Found, Frames, Import, Layer, Rule, Sheet
from stages.text.urls import joined

MAX_RULES = 20_000
MAX_SHEET = 1 << 20
"""Characters of one stylesheet; the rest is not read, and the report says so."""
MAX_STYLE = 1 << 14
"""Characters of a style attribute."""
MAX_NESTING = 8


@lru_cache(maxsize=1024)
def parse_sheet(text: str, base: str = "") -> Sheet:
    """The rules of a stylesheet that hold on a reader's screen."""
    import tinycss2

    reader = _Reader(base)
    reader.partial = len(text) > MAX_SHEET
    text = text[:MAX_SHEET].replace("<!--", " ").replace("-->", " ")
    for rule in tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True):
        try:
            reader.rule(rule, "", (), 0)
        except RecursionError:  # brackets nested by the thousand
            reader.partial = True
    index: dict[str, list[Found]] = {}
    imports = []
    for place, rule in enumerate(reader.rules):
        if isinstance(rule, Import):
            imports.append((place, rule))
            continue
        for selector in rule.selectors:
            rarest = max(selector.keys, key=_rarity, default="")
            index.setdefault(rarest, []).append((place, rule, selector))
    layers = tuple(dict.fromkeys(reader.layers))
    keys = frozenset(
        key for found in index.values() for _, _, selector in found for key in (*selector.keys, *_steps_keys(selector))
    )
    return Sheet(
        index,
        tuple(imports),
        reader.keyframes,
        reader.initial,
        frozenset(reader.fresh),
        layers,
        reader.partial,
        reader.queried,
        keys,
    )


def _steps_keys(selector: Selector) -> list[str]:
    return [key for _, keys in selector.steps for key in keys]


def _rarity(key: str) -> int:
    return " .#".find(key[0])


@lru_cache(maxsize=8192)
def parse_style(text: str) -> tuple[Declaration, ...]:
    """The declarations of a `style` attribute."""
    import tinycss2

    nodes = tinycss2.parse_blocks_contents(text[:MAX_STYLE], skip_comments=True, skip_whitespace=True)
    try:
        return tuple(_declarations(nodes))
    except RecursionError:
        return ()


def _declarations(nodes: list[Any]) -> Iterator[Declaration]:
    for node in nodes:
        if node.type == "declaration":
            name = node.name if node.name.startswith("--") else node.lower_name
            if name in WATCHED or name.startswith("--"):
                yield name, _text(node.value), node.important


def _text(tokens: list[Any]) -> str:
    return "".join(token.serialize() for token in tokens if token.type != "comment").strip()


class _Reader:
    def __init__(self, base: str) -> None:
        self.base = base
        self.rules: list[Rule | Import] = []
        self.keyframes: dict[str, Frames] = {}
        self.initial: dict[str, str] = {}
        self.fresh: set[str] = set()
        self.layers: list[Layer] = []
        self.partial = self.begun = self.queried = False
        self.anonymous = 0
        self.queries: tuple[Query, ...] = ()
        """The container queries around."""

    def rule(self, rule: Any, parent: str, layer: Layer, depth: int) -> None:
        if len(self.rules) >= MAX_RULES or depth > MAX_NESTING:
            self.partial = True
        elif rule.type == "qualified-rule":
            self.begun = True
            self.style(rule, parent, layer, depth)
        elif rule.type == "at-rule":
            self.at_rule(rule, parent, layer, depth)

    def style(self, rule: Any, parent: str, layer: Layer, depth: int) -> None:
        import tinycss2

        selectors = compile_selectors(rule.prelude, parent)
        nodes = tinycss2.parse_blocks_contents(rule.content, skip_comments=True, skip_whitespace=True)
        self.contents(nodes, selectors, layer)
        nested = [node for node in nodes if node.type in ("qualified-rule", "at-rule")]
        if nested and selectors:
            inside = ",".join(selector.text for selector in selectors if not selector.pseudo)
            for node in nested:
                self.rule(node, inside, layer, depth + 1)

    def contents(self, nodes: list[Any], selectors: tuple[Selector, ...], layer: Layer) -> None:
        declarations = tuple(_declarations(nodes))
        if declarations and self.queries:
            declarations = conditional(declarations, self.queries)
        if declarations and selectors:
            self.rules.append(Rule(selectors, declarations, layer))

    def at_rule(self, rule: Any, parent: str, layer: Layer, depth: int) -> None:
        name = rule.lower_at_keyword
        if name == "import":
            self.import_(rule, layer)
        elif name == "layer":
            self.layer(rule, parent, layer, depth)
        elif name.endswith("keyframes") and rule.content:
            self.frames(rule)
        elif name == "property":
            self.property(rule)
        elif rule.content is None:
            return
        elif name == "function":
            self.initial |= defined(rule)
        elif name == "scope":
            self.scope(rule, parent, layer, depth)
        elif name == "container":
            self.queried = True
            outer, self.queries = self.queries, (*self.queries, query(rule.prelude))
            self.block(rule, parent, layer, depth)
            self.queries = outer
        elif _holds(name, rule.prelude):
            self.block(rule, parent, layer, depth)

    def block(self, rule: Any, parent: str, layer: Layer, depth: int) -> None:
        """What is inside holds; declarations may stand bare where a rule is around."""
        import tinycss2

        nodes = tinycss2.parse_blocks_contents(rule.content, skip_comments=True, skip_whitespace=True) if parent else (
            tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
        )  # fmt: skip
        if parent:
            self.contents(nodes, _parents(parent), layer)
        for node in nodes:
            self.rule(node, parent, layer, depth + 1)

    def scope(self, rule: Any, parent: str, layer: Layer, depth: int) -> None:
        lists = [
            [one.text for one in compile_selectors(token.content, parent)] for token in rule.prelude if token.type == "() block"
        ]
        limited = any(getattr(token, "lower_value", "") == "to" for token in rule.prelude)
        roots, limits = (lists[0] if len(lists) > limited else [":root"], lists[-1] if limited and lists else [])
        if lists and roots:
            self.block(rule, scope(roots, limits), layer, depth)
        elif not lists:
            self.block(rule, parent, layer, depth)

    def layer(self, rule: Any, parent: str, layer: Layer, depth: int) -> None:
        names = [_text(part) for part in split(rule.prelude)]
        if rule.content is None:
            self.layers.extend((*layer, *name.split(".")) for name in names if name)
            return
        if not names[0]:
            self.anonymous += 1
        path = (*layer, *(names[0] or f"\0{self.base}{self.anonymous}").split("."))
        self.layers.append(path)
        self.block(rule, parent, path, depth)

    def import_(self, rule: Any, layer: Layer) -> None:
        words = [token for token in rule.prelude if token.type not in ("whitespace", "comment")]
        if not words or words[0].type not in ("string", "url", "function"):
            return
        first = words[0]
        url = first.arguments[0].value if first.type == "function" and first.arguments else getattr(first, "value", "")
        rest, path = words[1:], layer
        if rest and (
            (rest[0].type == "function" and rest[0].lower_name == "layer") or getattr(rest[0], "lower_value", "") == "layer"
        ):
            name = _text(rest[0].arguments) if rest[0].type == "function" else f"\0import{len(self.rules)}"
            path, rest = (*layer, *name.split(".")), rest[1:]
            self.layers.append(path)
        if rest and rest[0].type == "function" and rest[0].lower_name == "supports":
            if not supports(rest[0].arguments if _is_condition(rest[0].arguments) else [_block(rest[0].arguments)]):
                return
            rest = rest[1:]
        if self.begun:
            return  # an import behind a rule is none
        address = url if isinstance(url, str) and url.startswith("data:") else joined(self.base, str(url or ""))
        if isinstance(url, str) and address and media(rest):
            self.rules.append(Import(address, path))

    def frames(self, rule: Any) -> None:
        import tinycss2

        frames: list[tuple[float, tuple[Declaration, ...]]] = []
        for frame in tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True):
            if frame.type == "qualified-rule":
                inside = tuple(_declarations(tinycss2.parse_blocks_contents(frame.content)))
                frames.extend((_offset(part), inside) for part in split(frame.prelude))
        frames.sort(key=lambda frame: frame[0])
        self.keyframes[_text(rule.prelude).strip("\"'")] = tuple(frames)

    def property(self, rule: Any) -> None:
        import tinycss2

        said = {
            node.lower_name: _text(node.value)
            for node in tinycss2.parse_blocks_contents(rule.content or [])
            if node.type == "declaration"
        }
        if "initial-value" in said:
            self.initial[_text(rule.prelude)] = said["initial-value"]
            if said.get("inherits") == "false":
                self.fresh.add(_text(rule.prelude))


def _is_condition(tokens: list[Any]) -> bool:
    return any(token.type in ("() block", "function") for token in tokens) and not any(
        token.type == "literal" and token.value == ":" for token in tokens
    )


def _block(tokens: list[Any]) -> Any:
    import tinycss2

    return tinycss2.parse_one_component_value(f"({tinycss2.serialize(tokens)})")


def _holds(name: str, prelude: list[Any]) -> bool:
    judge = {"media": media, "supports": supports}.get(name)
    return judge is not None and judge(prelude)


def _parents(parent: str) -> tuple[Selector, ...]:
    import tinycss2

    return compile_selectors(tinycss2.parse_component_value_list(parent))


def _offset(tokens: list[Any]) -> float:
    text = _text(tokens).lower()
    if text in ("from", "to"):
        return 0.0 if text == "from" else 100.0
    try:
        return float(text.rstrip("%"))
    except ValueError:
        return 50.0


def data_text(url: str) -> str:
    """The text of a `data:` address of a stylesheet."""
    from base64 import b64decode

    head, _, body = url.partition(",")
    raw = unquote_to_bytes(body)
    if head.lower().endswith(";base64"):
        try:
            raw = b64decode(raw + b"==", validate=False)
        except ValueError:
            return ""
    return raw.decode("utf-8", "replace")
