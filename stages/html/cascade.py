"""Which declarations win for each element: origin, importance, layers, specificity, order; custom properties put in."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

from stages.html.css import data_text, parse_sheet, parse_style
from stages.html.quirks import spelled_out
from stages.html.selectors import Selector
from stages.html.sheets import Declaration, Frames, Import, Layer, Sheet
from stages.html.tree import Element
from stages.html.utility import stylesheet

MAX_ENGINE_CALLS = 4000
"""Selectors of a page that the HTML engine is asked for."""
FEW = 24
"""Elements up to which climbing from each is quicker than the engine's walk over the page."""
MANY = 25
"""Elements of the page for one more of them."""
ONE_LINE = 100
"""Characters that stand in one line."""
FIRST_LINE = frozenset({"color", "-webkit-text-fill-color", "font-size", "font", "background", "background-color", "text-shadow"})
MAX_HAS = 2
"""`:has()` in one selector: the engine's time grows with the power of it."""
MAX_IMPORT_DEPTH = 4
MAX_MATCHES = 2_000_000
"""Elements that the rules of a page match in all."""
REST = math.inf
"""What is in no layer comes after every layer."""

Priority = tuple[Any, ...]
Place = tuple[int, ...]
"""Where a stylesheet stands: its number, and behind it where each that it is imported by says so."""
INLINE: Priority = (1, (REST,), 0, (0, 0, 0), ())
HINT: Priority = (0, (-1.0,), 0, (0, 0, 0), ())


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
        self.quirks = False  # whether browsers read the page as they once did
        self.missing: list[str] = []
        """Stylesheets that are linked and not attached."""
        self.partial = self.queried = False
        self.keyframes: dict[str, Frames] = {}
        self.initial: dict[str, str] = {}
        self.fresh: dict[str, str] = {}
        """Those that are not inherited."""
        self._sheets: list[tuple[Sheet, Layer, Place]] = []
        self._layers: dict[Layer, int] = {}
        self._calls = self._matches = 0
        self._members: dict[str, set[int]] = {}
        self._index: dict[str, list[Element]] = defaultdict(list)
        self._cases: dict[str, list[str]] = defaultdict(list)  # how stylesheets spell a name, by its small letters
        self._by_id: dict[int, Element] = {}
        self._asked: dict[tuple[str, bool], list[int]] = {}

    def add(self, text: str, base: str = "", layer: Layer = (), place: Place = ()) -> None:
        """One stylesheet after those before it, with what it imports."""
        sheet = parse_sheet(text, base)
        place = place or (len(self._sheets),)
        self._note(sheet, layer)
        self._sheets.append((sheet, layer, place))
        for number, imported in sheet.imports:
            self._import(imported, layer, (*place, number))

    def _note(self, sheet: Sheet, layer: Layer) -> None:
        self.partial = self.partial or sheet.partial
        self.queried = self.queried or sheet.queried
        self.keyframes |= sheet.keyframes
        self.initial |= sheet.initial
        self.fresh |= {name: sheet.initial[name] for name in sorted(sheet.fresh)}
        for path in sheet.layers:
            full = (*layer, *path)
            for size in range(1, len(full) + 1):
                self._layers.setdefault(full[:size], len(self._layers))

    def _import(self, rule: Import, layer: Layer, place: Place) -> None:
        text = data_text(rule.url) if rule.url.startswith("data:") else self.external.get(rule.url)
        if text is None or len(place) > MAX_IMPORT_DEPTH + 1:
            self.missing.append(rule.url)
            return
        self.add(text, rule.url, (*layer, *rule.layer), place)

    def fill_in(self) -> None:
        """Where stylesheets are missing, let well-known classes mean what they are known for; every rule at hand comes after."""
        defined = frozenset().union(*(sheet.keys for sheet, _, _ in self._sheets))
        self._sheets.insert(0, (parse_sheet(stylesheet(defined)), (), (-1,)))

    def match(self) -> None:
        """Put what matches on every element's `declared`."""
        self._look()
        index = self._index
        for sheet, outer, place in self._sheets:
            known = sheet.index
            keys = [key for key in known if key in index] if len(known) < len(index) else [key for key in index if key in known]
            for key in ("", *keys) if "" in known else keys:
                for number, rule, selector in known[key]:
                    if not all([other in index for other in selector.keys]):  # noqa: C419 - quicker than a generator
                        continue
                    rank = self._rank((*outer, *rule.layer))
                    self._apply(selector, self._read(rule.declarations), (0, rank, 1, selector.specificity, (*place, number)))

    def _look(self) -> None:
        """Index the elements by what the stylesheets ask for, and note their style attributes."""
        wanted = self._wanted()
        classes: dict[str, list[list[Element]]] = {}
        styles: dict[str, tuple[Priority, Any]] = {}
        tags = {tag: self._lists([tag.lower()], wanted) for tag in dict.fromkeys([element.tag for element in self.elements])}
        for element in self.elements:
            for members in tags[element.tag]:
                members.append(element)
            attributes = element.attributes
            if not attributes:
                continue
            names = attributes.get("class")
            if names:
                if names not in classes:
                    classes[names] = self._lists(["." + name for name in names.split()], wanted)
                for members in classes[names]:
                    members.append(element)
            if "id" in attributes:
                self._identify(element, "#" + attributes["id"], wanted)
            style = attributes.get("style")
            if style:
                if style not in styles:
                    styles[style] = (INLINE, self._read(parse_style(style)))
                element.declare(styles[style])

    def _identify(self, element: Element, key: str, wanted: frozenset[str]) -> None:
        if self.quirks or key in wanted:
            for members in self._lists([key], wanted):
                members.append(element)

    def _wanted(self) -> frozenset[str]:
        """All that the stylesheets ask for by name."""
        wanted = {key for sheet, _, _ in self._sheets for key in sheet.keys}
        for key in wanted if self.quirks else ():
            self._cases[key.lower()].append(key)
        return frozenset(wanted)

    def _read(self, declarations: tuple[Declaration, ...]) -> tuple[Declaration, ...]:
        return spelled_out(declarations) if self.quirks else declarations

    def _lists(self, keys: list[str], wanted: frozenset[str]) -> list[list[Element]]:
        if self.quirks:
            keys = [spelled for key in keys for spelled in self._cases.get(key.lower(), ())]
        return [self._index[key] for key in dict.fromkeys(keys) if key in wanted]

    def _rank(self, layer: Layer) -> tuple[float, ...]:
        if not layer:
            return (REST,)
        return (*(self._layers.get(layer[: size + 1], 0) for size in range(len(layer))), REST)

    def _apply(self, selector: Selector, declarations: tuple[Declaration, ...], priority: Priority) -> None:
        if selector.condition and not self._host_is(selector.condition):
            return
        if selector.pseudo == "first-line":
            self._first_line(selector, declarations, priority)
            return
        if selector.pseudo in ("host", "slotted"):
            self._outside(selector, declarations, priority)
            return
        found = self._found(selector)
        if selector.pseudo:
            _beside(selector.pseudo, found, declarations, priority)
            return
        self._matches += len(found)
        if self._matches > MAX_MATCHES:
            self.partial = True
            return
        entry = (priority, declarations)
        for element in found:
            element.declare(entry)

    def _found(self, selector: Selector) -> list[Element]:
        index = self._index
        if selector.simple:
            sets = [index[key] for key in selector.keys]
            fewest = min(sets, key=len)
            others = [{id(element) for element in one} for one in sets if one is not fewest]
            return [element for element in fewest if all(id(element) in one for one in others)] if others else fewest
        few = max(FEW, len(self.elements) // MANY)
        if selector.steps and min(len(index[key]) for key in selector.steps[0][1]) <= few:
            return self._climbed(selector)
        if selector.text == "*":
            return self.elements
        if selector.text == ":root" and self.host is None:
            return self.elements[:1]
        if not self._by_id:
            self._by_id = {element.id: element for element in self.elements}
        return [self._by_id[node_id] for node_id in self._ask(selector.text) if node_id in self._by_id]

    def _climbed(self, selector: Selector) -> list[Element]:
        """What a chain of plain compounds matches: from the elements of its last one upwards."""
        steps = [(joint, [self._ids(key) for key in keys]) for joint, keys in selector.steps]
        candidates = min((self._index[key] for key in selector.steps[0][1]), key=len)
        return [element for element in candidates if _holds(element, steps[0][1]) and _above(element, steps, 1)]

    def _host_is(self, condition: str) -> bool:
        return self.host is not None and self.host.id in self._ask(condition, outside=True)

    def _first_line(self, selector: Selector, declarations: tuple[Declaration, ...], priority: Priority) -> None:
        """A text of one line is styled by what is said about its first line."""
        entry = ((*priority[:2], 2, *priority[3:]), tuple(each for each in declarations if each[0] in FIRST_LINE))
        for element in self._found(selector):
            if len(element.text().strip()) <= ONE_LINE:
                element.declare(entry)

    def _ids(self, key: str) -> set[int]:
        if key not in self._members:
            self._members[key] = {id(element) for element in self._index[key]}
        return self._members[key]

    def _outside(self, selector: Selector, declarations: tuple[Declaration, ...], priority: Priority) -> None:
        """What a shadow root says about its host and what is put in its slots; the document's own rules come before."""
        if self.host is None:
            return
        low = (0, (-2.0,), *priority[2:])
        if selector.pseudo == "host":
            self.host.declare((low, declarations))
            return
        ids = set(self._ask(selector.text, outside=True))
        for child in self.host.children:
            if isinstance(child, Element) and child.id in ids:
                child.declare((low, declarations))

    def _ask(self, selector: str, outside: bool = False) -> list[int]:
        """Ids of the nodes that the HTML engine finds; none for what it cannot parse, as a browser drops such a rule."""
        from selectolax.lexbor import SelectolaxError

        if (selector, outside) in self._asked:
            return self._asked[selector, outside]
        self._calls += 1
        if self._calls > MAX_ENGINE_CALLS or selector.count(":has(") > MAX_HAS:
            self.partial = True
            return []
        try:
            found = [node.mem_id for node in (self.document if outside else self.engine).css(selector)]
        except SelectolaxError:
            self.partial = True
            found = []
        self._asked[selector, outside] = found
        return found


def _holds(element: Element, sets: list[set[int]]) -> bool:
    number = id(element)
    return all([number in members for members in sets])  # noqa: C419 - quicker than a generator


def _above(element: Element, steps: list[tuple[str, list[set[int]]]], at: int) -> bool:
    """Whether what a chain asks for from its step `at` on stands above an element."""
    if at == len(steps):
        return True
    joint, sets = steps[at]
    nearest = at + 1 < len(steps) and steps[at + 1][0] != ">"  # what is not above the nearest is above none beyond it
    ancestor = element.parent
    while ancestor is not None:
        if _holds(ancestor, sets):
            if _above(ancestor, steps, at + 1):
                return True
            if nearest:
                return False
        if joint == ">":
            return False
        ancestor = ancestor.parent
    return False


def _beside(pseudo: str, found: list[Element], declarations: tuple[Declaration, ...], priority: Priority) -> None:
    """Note what is declared for a pseudo-element of some elements, or for parts of their shadow trees."""
    if pseudo.startswith("part "):
        part = (frozenset(pseudo.split()[1:]), ((*priority[:2], 2, *priority[3:]), declarations))
        for host in found:
            host.parts = (*host.parts, part)
    elif pseudo in ("before", "after"):
        paints = _paints(declarations)
        for element in found:
            element.pseudo = element.pseudo or paints
            element.boxes = element.boxes or {}
            element.boxes.setdefault(pseudo, []).append((priority, declarations))


def _paints(declarations: tuple[Declaration, ...]) -> bool:
    """Whether a pseudo-element of these has a background of its own."""
    return any(
        name.startswith("background") and value.lower() not in ("none", "transparent", "inherit")
        for name, value, _ in declarations
    )
