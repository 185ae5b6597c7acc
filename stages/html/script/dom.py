"""The parsed page as scripts see it: elements with their classes, styles and attributes, changed where they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from stages.html.css import parse_style
from stages.html.properties import WATCHED, expand
from stages.html.script.later import Clock
from stages.html.script.tokens import UnreadError
from stages.html.script.values import UNKNOWN, Host, ThrownError, text, truth

CHANGED = re.compile(r"class|style|hidden|open|id|dir|lang|media|popover|data-[a-z0-9_-]{1,60}|aria-[a-z]{1,20}", re.IGNORECASE)
"""Attributes that scripts may change here: those that stylesheets ask for, and no carriers of text."""
MAX_VALUE, MAX_SELECTOR, MAX_LOOKED_AT = 4000, 300, 1_500_000
_CAMEL = re.compile(r"[A-Z]")
Undo = Callable[[], None]


class Document:
    """What the scripts of one page share."""

    def __init__(self, parser: Any) -> None:
        self.parser = parser
        self.nodes: dict[int, Node] = {}
        self.limit: Any = None
        """The element up to which the page is read; None when all of it is."""
        self._known: dict[int, int] = {}
        self._named: dict[str, list[Any]] = {}
        self._matching: dict[str, frozenset[int]] = {}
        self._left = MAX_LOOKED_AT
        self.undo: list[Undo] = []
        """How to take back what the script at work did."""
        self.clock = Clock()
        self.handle: Callable[[Node, str], None] = lambda *_: None
        """Runs what an attribute of an element says about an event."""
        self.kind: type[Node] = Node

    def node(self, raw: Any) -> Node | None:
        """The one object that stands for an element."""
        if raw is None:
            return None
        if raw.mem_id not in self.nodes:
            self.nodes[raw.mem_id] = self.kind(self, raw)
        return self.nodes[raw.mem_id]

    def charge(self, amount: int = 0) -> None:
        """Count what is looked at, all of the page where nothing is said; raises UnreadError when it was too much."""
        if not amount:
            amount = len(self._places())
        self._left -= amount
        if self._left < 0:
            raise UnreadError("too much looked at")

    def there(self, raw: Any) -> bool:
        """Whether an element is read already."""
        if self.limit is None:
            return True
        places = self._places()
        return places.get(raw.mem_id, 0) <= places[self.limit.mem_id]

    def _places(self) -> dict[int, int]:
        if not self._known:
            self._known = {each.mem_id: place for place, each in enumerate(self.parser.css("*"))}
        return self._known

    def select(self, selector: Any, within: Node | None = None) -> Iterator[Node]:
        """The elements that a selector finds. Raises ThrownError for none."""
        for raw in self._found(text(selector), within):
            if self.there(raw) and (within is None or raw.mem_id != within.raw.mem_id) and (node := self.node(raw)):
                yield node

    def matching(self, selector: Any) -> frozenset[int]:
        """The ids of the elements that a selector finds. Raises ThrownError for none."""
        selector = text(selector)
        if selector not in self._matching:
            self._matching[selector] = frozenset(raw.mem_id for raw in self._found(selector))
        return self._matching[selector]

    def _found(self, selector: Any, within: Node | None = None) -> list[Any]:
        from selectolax.lexbor import SelectolaxError

        if selector is UNKNOWN or len(selector) > MAX_SELECTOR or selector.count(":has(") > 1:
            return []
        self.charge()
        try:
            found: list[Any] = (within.raw if within else self.parser).css(selector)
        except SelectolaxError:
            raise ThrownError from None
        return found

    def named(self, name: str) -> Node | None:
        """The first element of an id."""
        if not self._named:
            self.charge()
            for raw in self.parser.css("[id]"):
                self._named.setdefault(raw.attributes["id"] or "", []).append(raw)
        self.charge(1)
        return next((self.node(raw) for raw in self._named.get(name, ()) if self.there(raw)), None)

    def changed(self) -> None:
        """Forget what was found."""
        self._matching = {}
        self._named = {}

    def change(self, node: Node, name: str, value: str | None) -> None:
        """Set an attribute, or take it away."""
        if not CHANGED.fullmatch(name) or (value is not None and len(value) > MAX_VALUE):
            return
        attributes = node.raw.attrs
        before = node.attribute(name)
        if value is not None and node.raw.tag in ("html", "body") and name in ("style", "class"):
            value = _seen(name, value, before or "")
        if before == value:
            return
        self.undo.append(lambda: self._set(attributes, name, before))
        self._set(attributes, name, value)

    def _set(self, attributes: Any, name: str, value: str | None) -> None:
        if value is not None:
            attributes[name] = value
        elif name in attributes:
            del attributes[name]
        self._matching = {}
        if name.lower() == "id":
            self._named = {}


def _seen(name: str, value: str, before: str) -> str:
    """A value without what would hide the whole page: another script, that is not at hand, shows it again."""
    if name == "class":
        kept = before.split()
        return " ".join(each for each in value.split() if each in kept or not _WAITING.search(each))
    return "" if _HIDING.search(value) else value


_WAITING = re.compile(r"flicker|async-hide|loading|preload|fouc|hid(?:e|den)|cloak|invisible|opacity", re.IGNORECASE)
_HIDING = re.compile(r"opacity:0(?![.\d])|visibility:hidden|display:none")


class Classes(Host):
    """`classList`."""

    def __init__(self, node: Node) -> None:
        super().__init__()
        self.node = node

    @property
    def items(self) -> list[Any]:
        return list(dict.fromkeys((self.node.attribute("class") or "").split()))

    def put(self, names: list[Any]) -> None:
        """Let these be the classes."""
        self.node.document.change(self.node, "class", " ".join(dict.fromkeys(names)))

    def js_add(self, *names: Any) -> None:
        if names and UNKNOWN not in names:
            self.put(self.items + [_name(name) for name in names])

    def js_remove(self, *names: Any) -> None:
        if names and self.items:
            self.put([each for each in self.items if each not in [_name(name) for name in names if name is not UNKNOWN]])

    def js_toggle(self, name: Any, *force: Any) -> Any:
        wanted = truth(force[0]) if force else name not in self.items
        if wanted is UNKNOWN or name is UNKNOWN:
            return UNKNOWN
        (self.js_add if wanted else self.js_remove)(name)
        return wanted

    def js_replace(self, old: Any, new: Any) -> bool:
        held = old in self.items
        if held:
            self.put([new if each == old else each for each in self.items])
        return held

    def js_contains(self, name: Any) -> Any:
        return UNKNOWN if name is UNKNOWN else name in self.items

    def its_length(self) -> float:
        return float(len(self.items))

    def its_value(self) -> str:
        return self.node.attribute("class") or ""


def _name(value: Any) -> str:
    made = text(value)
    if made is UNKNOWN or not made or any(letter.isspace() for letter in made):
        raise ThrownError
    return str(made)


class Style(Host):
    """`style`: what is declared for one element by its attribute."""

    def __init__(self, node: Node) -> None:
        super().__init__()
        self.node = node

    def get(self, name: str) -> Any:
        method = getattr(self, f"js_{name}", None)
        if method:
            return method
        if name == "cssText":
            return self.node.attribute("style") or ""
        return self.js_getPropertyValue(_dashed(name))

    def has(self, name: str) -> bool:
        """Whether there is such a property."""
        return _dashed(name) in WATCHED

    def set(self, name: str, value: Any) -> None:
        if name == "cssText":
            if value is not UNKNOWN:
                self.node.document.change(self.node, "style", text(value))
        else:
            self.js_setProperty(_dashed(name), value)

    def js_setProperty(self, name: Any, value: Any = "", priority: Any = "") -> None:  # noqa: N802 - as scripts call it
        name = text(name)
        value = "" if value is None else text(value)
        if value is UNKNOWN or name is UNKNOWN:
            return
        value = value.strip()
        important = priority == "important"
        if value and "!" in value:
            return
        if value and name in WATCHED and not expand(name, value):
            return
        kept = [each for each in self._declared() if each[0] != name]
        if value:
            kept.append((name, value, important))
        made = ";".join(f"{each}:{said}{'!important' if must else ''}" for each, said, must in kept)
        self.node.document.change(self.node, "style", made)

    def js_removeProperty(self, name: Any) -> None:  # noqa: N802
        self.js_setProperty(name, "")

    def js_getPropertyValue(self, name: Any) -> Any:  # noqa: N802
        return next((value for each, value, _ in reversed(self._declared()) if each == name), "")

    def _declared(self) -> list[tuple[str, str, bool]]:
        return list(parse_style(self.node.attribute("style") or ""))


def _dashed(name: str) -> str:
    """`webkitTextFillColor` as stylesheets write it."""
    if name == "cssFloat":
        return "float"
    made = _CAMEL.sub(lambda match: "-" + match[0].lower(), name)
    return f"-{made}" if made.startswith("webkit-") else made


class Node(Host):
    """One element, as far as others need to know it."""

    def __init__(self, document: Document, raw: Any) -> None:
        super().__init__()
        self.document, self.raw = document, raw

    def attribute(self, name: str) -> str | None:
        """The value of an attribute, None where it is not there."""
        attributes = self.raw.attributes
        self.document.charge(len(attributes) + 1)
        return (attributes[name] or "") if name in attributes else None
