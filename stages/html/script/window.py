"""The window and the document as scripts see them: a light screen of 1280 by 900 pixels, nobody has been here before."""

from __future__ import annotations

import math
import re
from typing import Any

from stages.html.script.dom import Document
from stages.html.script.elements import Element, Listening
from stages.html.script.evaluating import Evaluating
from stages.html.script.later import FRAME, SLOW, Clock, Maker, Promise, Watcher
from stages.html.script.library import LANGUAGE
from stages.html.script.values import UNKNOWN, Host, amount, text

KNOWN = frozenset({
    "IntersectionObserver", "MutationObserver", "ResizeObserver", "requestAnimationFrame", "requestIdleCallback", "matchMedia",
    "localStorage", "sessionStorage", "fetch", "Promise", "addEventListener", "customElements", "CSS", "history", "performance",
    "URL", "URLSearchParams", "Map", "Set", "WeakMap", "Symbol", "Proxy", "JSON", "navigator", "screen", "crypto",
    "getComputedStyle", "XMLHttpRequest", "HTMLElement", "Element", "Node", "NodeList", "Event", "CustomEvent", "Error", "Intl",
    "Image", "alert", "scrollTo", "scrollBy", "open", "print", "BigInt", "Function", "Number", "Date", "Object", "Array", "eval",
    "TypeError", "FormData", "AbortController", "visualViewport", "Worker", "WebSocket", "top", "parent", "HTMLDialogElement",
    "speechSynthesis", "Notification", "structuredClone", "encodeURIComponent", "decodeURIComponent", "btoa", "atob", "DOMParser",
    "removeEventListener", "clearTimeout", "clearInterval", "cancelAnimationFrame", "location", "console", "RegExp", "String",
})  # fmt: skip
"""What every browser's window has, whether or not anything is known of it here."""


_STYLE = re.compile(r"\s*<style[^>]{0,200}>(.*?)</style>\s*", re.IGNORECASE | re.DOTALL)


class Page(Listening):
    """`document`."""

    def __init__(self, document: Document) -> None:
        super().__init__()
        self.document = document
        self.own = {
            "readyState": "loading", "hidden": False, "visibilityState": "visible", "cookie": "",
            "referrer": "", "currentScript": None,
        }  # fmt: skip

    def js_querySelectorAll(self, selector: Any = None) -> list[Any]:  # noqa: N802 - as scripts call it
        return list(self.document.select(selector))

    def js_querySelector(self, selector: Any = None) -> Any:  # noqa: N802
        return next(self.document.select(selector), None)

    js_getElementsByTagName = js_querySelectorAll  # noqa: N815

    def js_getElementById(self, name: Any = None) -> Any:  # noqa: N802
        name = text(name)
        return UNKNOWN if name is UNKNOWN else self.document.named(name)

    def js_getElementsByClassName(self, names: Any = "") -> list[Any]:  # noqa: N802
        return list(self.document.select("".join(f".{name}" for name in text(names).split())))

    def js_createElement(self, tag: Any = None) -> Any:  # noqa: N802
        return Element(self.document, self.document.parser.create_node("style")) if text(tag).lower() == "style" else Host()

    def js_write(self, *given: Any) -> None:
        """A stylesheet that is written counts; other markup would have to be read on with the page."""
        match = _STYLE.fullmatch("".join(each for each in given if isinstance(each, str)))
        script = self.own["currentScript"]
        if match and script is not None:
            made = self.document.parser.create_node("style")
            made.insert_child(match[1])
            script.raw.parent.insert_child(made)

    js_writeln = js_write

    def its_documentElement(self) -> Any:  # noqa: N802
        return self.js_querySelector("html")

    its_scrollingElement = its_documentElement  # noqa: N815

    def its_body(self) -> Any:
        return self.js_querySelector("body")

    def its_head(self) -> Any:
        return self.js_querySelector("head")

    def its_fonts(self) -> Any:
        ready = Promise(self.document.clock)
        ready.keep()
        return {"ready": ready, "load": lambda *_: ready}


def _none(*_: Any) -> None:
    """What changes nothing, or finds nothing."""


_SCREEN = {
    "innerWidth": 1280.0, "innerHeight": 900.0, "outerWidth": 1280.0, "outerHeight": 900.0, "scrollY": 0.0, "scrollX": 0.0,
    "pageYOffset": 0.0, "pageXOffset": 0.0, "devicePixelRatio": 1.0,
}  # fmt: skip


class Window(Listening):
    """`window`, and the names that are its properties."""

    def __init__(self, document: Document, running: Evaluating) -> None:
        super().__init__()
        self.document, self.running = document, running
        self.page = Page(document)
        self.table: dict[str, Any] = {
            "document": self.page,
            **dict.fromkeys(("window", "self", "globalThis", "this"), self),
            **LANGUAGE,
            **_SCREEN,
            **{name: {"getItem": _none, "setItem": _none, "removeItem": _none} for name in ("localStorage", "sessionStorage")},
            "location": Host({"hash": "", "search": ""}),
            "console": dict.fromkeys(("log", "warn", "error", "info", "debug"), _none),
            **dict.fromkeys(("removeEventListener", "scrollTo"), _none),
            "matchMedia": self.media,
            "getComputedStyle": lambda *_: UNKNOWN,
            **self._later(document.clock),
        }

    def _later(self, clock: Clock) -> dict[str, Any]:
        """What calls functions later."""
        ready = Promise(clock)
        ready.keep()
        return {
            "requestAnimationFrame": lambda function=None, *_: self.start(FRAME, function, [FRAME]),
            "requestIdleCallback": lambda function=None, *_: self.start(FRAME, function, [UNKNOWN]),
            "queueMicrotask": lambda function=None: self.start(0.0, function, []),
            "setTimeout": lambda function=None, delay=0.0, *given: self.start(amount(delay), function, list(given)),
            "setInterval": self.interval,
            **dict.fromkeys(("clearTimeout", "clearInterval", "cancelAnimationFrame"), clock.forget),
            "Promise": Maker(lambda run=None: Promise(clock, run), resolve=lambda *_: ready, all=lambda *_: ready),
            "IntersectionObserver": Maker(lambda function=None, *_: Watcher(clock, function)),
        }

    def start(self, delay: Any, function: Any, given: list[Any]) -> float:
        """Call a function later; the number by which that is called off."""
        return self.document.clock.later(0.0 if delay is UNKNOWN or math.isnan(delay) else delay, function, given)

    def interval(self, function: Any = None, delay: Any = 0.0, *given: Any) -> float:
        """What comes again and again is looked at once, and what turns slowly not at all."""
        delay = amount(delay)
        return self.start(delay, function, list(given)) if delay is not UNKNOWN and delay < SLOW else 0.0

    def has(self, name: Any) -> Any:
        """`in`."""
        if name in self.table or name in KNOWN or name in self.own:
            return True
        return False if self.running.known else UNKNOWN

    def get(self, name: str) -> Any:
        top = self.running.top.names
        if name in self.own or f"js_{name}" in _LISTENING:
            return super().get(name)
        if name in top:
            return top[name]
        if name in self.table:
            return self.table[name]
        named = self.page.js_getElementById(name)
        if named is not None:
            return named
        return UNKNOWN if name in KNOWN or not self.running.known else None

    def media(self, query: Any = None) -> Any:
        """`matchMedia`."""
        import tinycss2

        from stages.html.conditions import media

        nothing = lambda *_: None  # noqa: E731
        matches = media(tinycss2.parse_component_value_list(query)) if isinstance(query, str) else UNKNOWN
        return {"matches": matches, "addEventListener": nothing, "addListener": nothing}


_LISTENING = frozenset(name for name in dir(Listening) if name.startswith("js_"))
