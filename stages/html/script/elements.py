"""Elements as scripts see them."""

from __future__ import annotations

from typing import Any

from stages.html.script import methods
from stages.html.script.dom import Classes, Document, Node, Style
from stages.html.script.values import UNKNOWN, Host, text, truth

PLACE = {
    "top": 100.0, "bottom": 140.0, "left": 8.0, "right": 608.0, "width": 600.0, "height": 40.0, "x": 8.0, "y": 100.0,
}  # fmt: skip
"""Where every box is taken to be, as nothing is laid out here: in sight, as what a person scrolls to is."""
_SIZES = {
    "offsetTop": 100.0, "offsetLeft": 8.0, "offsetHeight": 40.0, "offsetWidth": 600.0, "clientHeight": 900.0,
    "clientWidth": 1280.0, "scrollTop": 0.0, "scrollLeft": 0.0, "nodeType": 1.0,
}  # fmt: skip
_REFLECTED = frozenset({"id", "dir", "lang", "media"})
_SWITCHES = frozenset({"hidden", "open"})


def _kebab(name: str) -> str:
    return "data-" + "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name)


class Data(Host):
    """`dataset`."""

    def __init__(self, node: Node) -> None:
        super().__init__()
        self.node = node

    def get(self, name: str) -> Any:
        return self.node.attribute(_kebab(name))

    def has(self, name: str) -> bool:
        """Whether there is such an attribute."""
        return self.get(name) is not None

    def set(self, name: str, value: Any) -> None:
        if text(value) is not UNKNOWN:
            self.node.document.change(self.node, _kebab(name), text(value))


class Listening(Host):
    """What events happen to."""

    def __init__(self) -> None:
        super().__init__()
        self.listeners: dict[str, list[Any]] = {}

    def js_addEventListener(self, kind: Any = None, function: Any = None, *_: Any) -> None:  # noqa: N802 - as scripts call it
        if isinstance(kind, str):
            self.listeners.setdefault(kind, []).append(function)

    def js_dispatchEvent(self, event: Any = None) -> None:  # noqa: N802
        kind = event.get("type") if isinstance(event, Host | dict) else None
        if isinstance(kind, str):
            self.happens(kind)

    def heard(self, kind: str) -> list[Any]:
        """What is to be called when an event happens."""
        event = {"type": kind, "target": self, "currentTarget": self, "preventDefault": _nothing, "stopPropagation": _nothing}
        functions = [*self.listeners.get(kind, []), self.own.get(f"on{kind}")]
        return [_bound(function, self, event) for function in functions if callable(function)]

    def happens(self, kind: str) -> None:
        """Call what listens to an event."""
        for call in self.heard(kind):
            call()


def _nothing(*_: Any) -> None:
    """What an event is asked for that changes nothing here."""


def _bound(function: Any, this: Any, event: Any) -> Any:
    called = getattr(function, "called", None)
    return (lambda: called(this, [event])) if called else (lambda: function(event))


class Element(Node, Listening):
    """One element."""

    def __init__(self, document: Document, raw: Any) -> None:
        Listening.__init__(self)
        self.document, self.raw = document, raw

    def get(self, name: str) -> Any:
        if name in _SIZES and name not in self.own:
            return _SIZES[name]
        if name in _REFLECTED:
            return self.attribute(name) or ""
        if name in _SWITCHES:
            return self.attribute(name) is not None
        return super().get(name)

    def set(self, name: str, value: Any) -> None:
        change = self.document.change
        if name == "style":
            self.its_style().set("cssText", value)
        elif value is UNKNOWN and name not in self.own:
            return
        elif name in ("className", "classList") or name in _REFLECTED:
            change(self, "class" if name in ("className", "classList") else name, text(value))
        elif name in _SWITCHES:
            change(self, name, "" if truth(value) and value != "until-found" else None)
        elif name in ("textContent", "innerHTML", "innerText") and self.raw.tag == "style":
            self.raw.insert_child(str(value))
        else:
            super().set(name, value)

    # Properties

    def its_classList(self) -> Classes:  # noqa: N802 - as scripts call it
        return Classes(self)

    def its_className(self) -> str:  # noqa: N802
        return self.attribute("class") or ""

    def its_style(self) -> Style:
        return Style(self)

    def its_dataset(self) -> Data:
        return Data(self)

    def its_tagName(self) -> str:  # noqa: N802
        return str(self.raw.tag).upper()

    its_nodeName = its_tagName  # noqa: N815

    def its_textContent(self) -> Any:  # noqa: N802
        self.document.charge()
        return self.raw.text(deep=True)

    its_innerText = its_textContent  # noqa: N815

    def its_parentElement(self) -> Any:  # noqa: N802
        raw = self.raw.parent
        return self.document.node(raw) if raw is not None and raw.is_element_node else None

    its_parentNode = its_parentElement  # noqa: N815

    def its_children(self) -> list[Any]:
        self.document.charge()
        return [
            self.document.node(raw)
            for raw in self.raw.iter(include_text=False)
            if raw.is_element_node and self.document.there(raw)
        ]

    def its_firstElementChild(self) -> Any:  # noqa: N802
        return next(iter(self.its_children()), None)

    def its_lastElementChild(self) -> Any:  # noqa: N802
        return next(reversed(self.its_children()), None)

    def its_nextElementSibling(self) -> Any:  # noqa: N802
        return self._beside("next")

    def its_previousElementSibling(self) -> Any:  # noqa: N802
        return self._beside("prev")

    def _beside(self, way: str) -> Any:
        raw = getattr(self.raw, way)
        while raw is not None and not raw.is_element_node:
            raw = getattr(raw, way)
        return self.document.node(raw) if raw is not None and self.document.there(raw) else None

    # Finding

    def js_querySelectorAll(self, selector: Any = None) -> list[Any]:  # noqa: N802
        return list(self.document.select(selector, self))

    def js_querySelector(self, selector: Any = None) -> Any:  # noqa: N802
        return next(self.document.select(selector, self), None)

    def js_getElementsByClassName(self, names: Any = "") -> list[Any]:  # noqa: N802
        return self.js_querySelectorAll("".join(f".{name}" for name in text(names).split()))

    js_getElementsByTagName = js_querySelectorAll  # noqa: N815

    def js_matches(self, selector: Any = None) -> Any:
        return self.raw.mem_id in self.document.matching(selector)

    def js_closest(self, selector: Any = None) -> Any:
        found = self.document.matching(selector)
        node: Any = self
        while node is not None and node.raw.mem_id not in found:
            node = node.its_parentElement()
        return node

    def js_contains(self, other: Any = None) -> Any:
        while isinstance(other, Element) and other is not self:
            other = other.its_parentElement()
        return other is self

    def js_getBoundingClientRect(self) -> dict[str, float]:  # noqa: N802
        return dict(PLACE)

    # Attributes

    def js_getAttribute(self, name: Any = None) -> Any:  # noqa: N802
        return self.attribute(text(name))

    def js_hasAttribute(self, name: Any = None) -> bool:  # noqa: N802
        return self.attribute(text(name)) is not None

    def js_setAttribute(self, name: Any = None, value: Any = None) -> None:  # noqa: N802
        if UNKNOWN not in (text(name), text(value)):
            self.document.change(self, text(name).lower(), text(value))

    def js_removeAttribute(self, name: Any = None) -> None:  # noqa: N802
        self.document.change(self, text(name).lower(), None)

    def js_toggleAttribute(self, name: Any = None, *force: Any) -> None:  # noqa: N802
        wanted = truth(force[0]) if force else not self.js_hasAttribute(name)
        if wanted is not UNKNOWN:
            self.document.change(self, text(name).lower(), "" if wanted else None)

    # Showing

    def js_show(self) -> None:
        self.document.change(self, "open", "")

    js_showModal = js_show  # noqa: N815

    def js_close(self) -> None:
        self.document.change(self, "open", None)

    def js_showPopover(self) -> None:  # noqa: N802
        self.document.change(self, "popover", None)

    def js_animate(self, frames: Any = None, options: Any = None) -> Any:
        """The last keyframe stays where the animation fills."""
        if isinstance(options, dict) and options.get("fill") in ("forwards", "both"):
            last = frames[-1] if isinstance(frames, list) and frames else frames
            for name, value in last.items() if isinstance(last, dict) else ():
                self.its_style().set(name, value[-1] if isinstance(value, list) else value)
        return UNKNOWN

    def js_click(self) -> None:
        self.document.handle(self, "onclick")
        self.happens("click")

    def js_append(self, *given: Any) -> Any:
        """A stylesheet that was made begins to count. What is taken out or moved stays: mostly it is put in again elsewhere."""
        for child in given:
            if isinstance(child, Element) and child.raw.tag == "style" and child.raw.parent is None:
                self.raw.insert_child(child.raw)
                self.document.changed()
        return given[0] if given else None

    def js_remove(self) -> None:
        if self.raw.tag == "style":
            self.document.change(self, "media", "not all")
        elif not self.raw.text(deep=True).strip():
            self.its_style().js_setProperty("display", "none", "important")  # a curtain: no text goes with it

    def js_removeChild(self, child: Any = None) -> Any:  # noqa: N802
        if isinstance(child, Element):
            child.js_remove()
        return child

    js_appendChild = js_prepend = js_before = js_after = js_insertBefore = js_append  # noqa: N815

    def has(self, name: Any) -> Any:
        """`in`: what elements have is not listed here."""
        return name in self.own or methods.get(self, name) is not UNKNOWN or UNKNOWN
