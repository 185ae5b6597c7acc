"""Which declarations win for each element: origin, importance, layers, specificity, order; custom properties put in."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from typing import Any

from stages.html.css import Declaration, Import, Layer, Rule, Sheet, data_text, parse_sheet, parse_style
from stages.html.properties import expand
from stages.html.selectors import Selector
from stages.html.tree import Element

MAX_ENGINE_CALLS = 4000
"""Selectors of a page that the HTML engine is asked for."""
FEW = 24
"""Elements up to which climbing from each is quicker than the engine's walk over the page."""
MAX_HAS = 2
"""`:has()` in one selector: the engine's time grows with the power of it."""
MAX_IMPORT_DEPTH = 4
MAX_SUBSTITUTED = 4000
"""Characters of a value once its variables are put in: they can be made to double each other."""
MAX_MATCHES = 2_000_000
"""Elements that the rules of a page match in all."""
REST = math.inf
"""What is in no layer comes after every layer."""

Priority = tuple[Any, ...]


class Cascade:
    """The rules of one tree: a document, or a shadow root."""

    def __init__(self, elements: list[Element], engine: Any, sheets: dict[str, str], host: Element | None = None) -> None:
        self.elements = elements
        self.host = host
        """What a shadow root belongs to."""
        self.engine = engine
        self.document = engine
        """Where the light children of a host are found."""
        self.external = sheets
        self.missing: list[str] = []
        """Stylesheets that are linked and not attached."""
        self.partial = False
        self.keyframes: dict[str, tuple[tuple[Declaration, ...], ...]] = {}
        self.initial: dict[str, str] = {}
        self._rules: list[tuple[Rule, Layer]] = []
        self._layers: dict[Layer, int] = {}
        self._calls = self._matches = 0
        self._members: dict[str, set[int]] = {}

    def add(self, text: str, base: str = "", depth: int = 0, layer: Layer = ()) -> None:
        """One stylesheet after those before it, with what it imports."""
        sheet = parse_sheet(text, base)
        self._note(sheet, layer)
        for rule in sheet.rules:
            if isinstance(rule, Rule):
                self._rules.append((rule, (*layer, *rule.layer)))
            else:
                self._import(rule, depth, layer)

    def _note(self, sheet: Sheet, layer: Layer) -> None:
        self.partial = self.partial or sheet.partial
        self.keyframes |= sheet.keyframes
        self.initial |= sheet.initial
        for path in sheet.layers:
            full = (*layer, *path)
            for size in range(1, len(full) + 1):
                self._layers.setdefault(full[:size], len(self._layers))

    def _import(self, rule: Import, depth: int, layer: Layer) -> None:
        text = data_text(rule.url) if rule.url.startswith("data:") else self.external.get(rule.url)
        if text is None or depth >= MAX_IMPORT_DEPTH:
            self.missing.append(rule.url)
            return
        self.add(text, rule.url, depth + 1, (*layer, *rule.layer))

    def match(self) -> None:
        """Put what matches on every element's `declared`."""
        index: dict[str, list[Element]] = defaultdict(list)
        by_id: dict[int, Element] = {}
        for element in self.elements:
            by_id[element.id] = element
            index[element.tag.lower()].append(element)
            for name in element.classes():
                index["." + name].append(element)
            if "id" in element.attributes:
                index["#" + element.attributes["id"]].append(element)
            style = element.attributes.get("style")
            if style:
                element.declared.append(((1, (REST,), 0, (0, 0, 0), 0), parse_style(style)))
        for order, (rule, layer) in enumerate(self._rules):
            rank = self._rank(layer)
            for selector in rule.selectors:
                self._apply(selector, rule, (0, rank, 1, selector.specificity, order), index, by_id)

    def _rank(self, layer: Layer) -> tuple[float, ...]:
        return (*(self._layers.get(layer[: size + 1], 0) for size in range(len(layer))), REST)

    def _apply(
        self, selector: Selector, rule: Rule, priority: Priority, index: dict[str, list[Element]], by_id: dict[int, Element]
    ) -> None:
        if selector.pseudo in ("host", "slotted"):
            self._outside(selector, rule, priority)
            return
        if any(key not in index for key in selector.keys):
            return
        found = self._found(selector, index, by_id)
        if selector.pseudo:
            paints = selector.pseudo in ("before", "after") and _paints(rule.declarations)
            for element in found if paints else ():
                element.pseudo = True
            return
        self._matches += len(found)
        if self._matches > MAX_MATCHES:
            self.partial = True
            return
        for element in found:
            element.declared.append((priority, rule.declarations))

    def _found(self, selector: Selector, index: dict[str, list[Element]], by_id: dict[int, Element]) -> list[Element]:
        if selector.simple:
            sets = [index[key] for key in selector.keys]
            fewest = min(sets, key=len)
            others = [{id(element) for element in one} for one in sets if one is not fewest]
            return [element for element in fewest if all(id(element) in one for one in others)] if others else fewest
        if selector.steps and min(len(index[key]) for key in selector.steps[0][1]) <= FEW:
            return self._climbed(selector, index)
        if selector.text == "*":
            return self.elements
        return [by_id[node_id] for node_id in self._ask(selector.text) if node_id in by_id]

    def _climbed(self, selector: Selector, index: dict[str, list[Element]]) -> list[Element]:
        """What a chain of plain compounds matches: from the elements of its last one upwards."""

        def holds(element: Element, keys: tuple[str, ...]) -> bool:
            return all(id(element) in members(key) for key in keys)

        def members(key: str) -> set[int]:
            if key not in self._members:
                self._members[key] = {id(element) for element in index[key]}
            return self._members[key]

        def above(element: Element, at: int) -> bool:
            if at == len(selector.steps):
                return True
            joint, keys = selector.steps[at]
            for ancestor in element.ancestors():
                if holds(ancestor, keys) and above(ancestor, at + 1):
                    return True
                if joint == ">":
                    return False
            return False

        keys = selector.steps[0][1]
        candidates = min((index[key] for key in keys), key=len)
        return [element for element in candidates if holds(element, keys) and above(element, 1)]

    def _outside(self, selector: Selector, rule: Rule, priority: Priority) -> None:
        """What a shadow root says about its host and what is put in its slots; the document's own rules come before."""
        if self.host is None:
            return
        low = (0, (-2.0,), *priority[2:])
        if selector.pseudo == "host":
            self.host.declared.append((low, rule.declarations))
            return
        ids = set(self._ask(selector.text, outside=True))
        for child in self.host.children:
            if isinstance(child, Element) and child.id in ids:
                child.declared.append((low, rule.declarations))

    def _ask(self, selector: str, outside: bool = False) -> list[int]:
        """Ids of the nodes that the HTML engine finds; none for what it cannot parse, as a browser drops such a rule."""
        from selectolax.lexbor import SelectolaxError

        self._calls += 1
        if self._calls > MAX_ENGINE_CALLS or selector.count(":has(") > MAX_HAS:
            self.partial = True
            return []
        try:
            return [node.mem_id for node in (self.document if outside else self.engine).css(selector)]
        except SelectolaxError:
            self.partial = True
            return []


def _paints(declarations: tuple[Declaration, ...]) -> bool:
    """Whether a pseudo-element of these has a background of its own."""
    return any(
        name.startswith("background") and value.lower() not in ("none", "transparent", "inherit")
        for name, value, _ in declarations
    )


def winners(
    element: Element, variables: dict[str, str], extra: tuple[Declaration, ...] = ()
) -> tuple[dict[str, str], dict[str, str]]:
    """Longhand -> winning value, and the custom properties in force on this element. `extra` is what animations end in."""
    if not element.declared and not extra:
        return {}, variables
    ordered: list[tuple[Priority, str, str]] = []
    for priority, declarations in element.declared:
        inline, rank, *rest = priority
        for name, value, important in declarations:
            # Important declarations reverse the layers, and beat inline ones that are not.
            key = (important, tuple(-each for each in rank), inline, *rest) if important else (important, inline, rank, *rest)
            ordered.append((key, name, value))
    ordered.sort(key=lambda item: item[0])
    named = [(name, value) for _, name, value in ordered] + [(name, value) for name, value, _ in extra]
    own = {name: value for name, value in named if name.startswith("--")}
    if own:
        own = {name: value for name, value in own.items() if value.lower() not in ("inherit", "unset")}
        variables = variables | own
        variables = variables | {name: substitute(value, variables) for name, value in own.items() if "var(" in value}
    found: dict[str, str] = {}
    for name, value in named:
        if name.startswith("--"):
            continue
        if "var(" in value:
            value = substitute(value, variables)  # noqa: PLW2901 - the same value, worked out
        got = expand(name, value)
        if "all" in got:
            found = {"all": got["all"]}
        else:
            found |= got
    return found, variables


_VARIABLE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,((?:[^()]|\((?:[^()]|\([^()]*\))*\))*))?\)")


def substitute(value: str, variables: dict[str, str]) -> str:
    """`var()` replaced, innermost first; empty when one is missing, circular, or grows without end."""
    for _ in range(16):
        if "var(" not in value:
            return value
        if len(value) > MAX_SUBSTITUTED:
            return ""
        value, count = _VARIABLE.subn(lambda match: variables.get(match[1], (match[2] or "\0").strip()), value)
        if not count or len(value) > MAX_SUBSTITUTED or "\0" in value:
            return ""
    return ""
