"""What jQuery does for scripts, on pages that load it."""

from __future__ import annotations

from typing import Any

from stages.html.script import methods
from stages.html.script.elements import Element, Listening
from stages.html.script.later import FRAME
from stages.html.script.values import UNKNOWN, Host, ThrownError, text, truth
from stages.html.script.window import Window

GOING_ON = frozenset({
    "off", "delay", "stop", "finish", "append", "prepend", "appendTo", "prependTo", "insertBefore", "insertAfter", "before",
    "after", "wrap", "remove", "detach", "empty", "focus", "blur", "scroll", "resize", "hover", "submit", "change", "mouseenter",
    "mouseleave", "keyup", "keydown", "removeData", "scrollTop",
})  # fmt: skip
"""Methods that change nothing here, and go on with the same elements."""


class Chosen(Host):
    """Some elements, and what can be done to all of them at once."""

    def __init__(self, window: Window, items: list[Any]) -> None:
        super().__init__()
        self.window, self.items = window, items

    def get(self, name: str) -> Any:
        if name == "length":
            return float(len(self.items))
        if name.isdigit():
            return methods.get(self.items, name)
        found = super().get(name)
        if found is UNKNOWN and name not in self.own:
            return lambda *_: self if name in GOING_ON else UNKNOWN
        return found

    @property
    def elements(self) -> list[Element]:
        """Those that are elements."""
        return [item for item in self.items if isinstance(item, Element)]

    def of(self, items: list[Any]) -> Chosen:
        """Others, each once."""
        return Chosen(self.window, list(dict.fromkeys(item for item in items if item is not None)))

    # Events

    def js_ready(self, function: Any = None) -> Chosen:
        self.window.document.clock.later(0.0, function, [self.window.get("$")])
        return self

    def js_on(self, kinds: Any = "", *given: Any) -> Chosen:
        if isinstance(kinds, str) and given and not isinstance(given[0], str):
            for item in self.items:
                for kind in kinds.split() if isinstance(item, Listening) else ():
                    item.js_addEventListener(kind.partition(".")[0], given[-1])
        return self

    js_one = js_bind = js_on

    def js_load(self, function: Any = None) -> Chosen:
        return self.js_on("load", function)

    def js_click(self, *given: Any) -> Chosen:
        if given:
            return self.js_on("click", *given)
        for element in self.elements:
            element.js_click()
        return self

    def js_trigger(self, kind: Any = "") -> Chosen:
        for item in self.items:
            if kind == "click" and isinstance(item, Element):
                item.js_click()
            elif isinstance(item, Listening):
                item.happens(text(kind))
        return self

    # Showing

    def js_show(self, *given: Any) -> Chosen:
        for element in self.elements:
            element.its_style().js_setProperty("display", "block")
        return self.then(given)

    js_fadeIn = js_slideDown = js_show  # noqa: N815 - as scripts call it

    def js_hide(self, *given: Any) -> Chosen:
        for element in self.elements:
            element.its_style().js_setProperty("display", "none")
        return self.then(given)

    js_fadeOut = js_slideUp = js_hide  # noqa: N815

    def js_toggle(self, *given: Any) -> Chosen:
        wanted = truth(given[0]) if given and isinstance(given[0], bool) else UNKNOWN
        return self if wanted is UNKNOWN else self.js_show() if wanted else self.js_hide()

    def js_animate(self, styles: Any = None, *given: Any) -> Chosen:
        self.js_css(styles)
        return self.then(given)

    def js_fadeTo(self, _time: Any = None, opacity: Any = None, *given: Any) -> Chosen:  # noqa: N802
        self.js_css("opacity", opacity)
        return self.then(given)

    def then(self, given: tuple[Any, ...]) -> Chosen:
        """What is to be called when it is done."""
        for function in given:
            if callable(function):
                self.window.document.clock.later(FRAME, function, [])
        return self

    # Attributes

    def js_addClass(self, names: Any = "") -> Chosen:  # noqa: N802
        return self._classes("js_add", names)

    def js_removeClass(self, names: Any = None) -> Chosen:  # noqa: N802
        if names is None:
            self.js_attr("class", "")
            return self
        return self._classes("js_remove", names)

    def js_toggleClass(self, names: Any = "", *force: Any) -> Chosen:  # noqa: N802
        for element in self.elements:
            for name in text(names).split():
                element.its_classList().js_toggle(name, *force)
        return self

    def _classes(self, method: str, names: Any) -> Chosen:
        if isinstance(names, str):
            for element in self.elements:
                getattr(element.its_classList(), method)(*names.split())
        return self

    def js_hasClass(self, name: Any = "") -> bool:  # noqa: N802
        return any(name in element.its_classList().items for element in self.elements)

    def js_css(self, name: Any = None, *value: Any) -> Any:
        styles = name if isinstance(name, dict) else {text(name): value[0]} if value else None
        if styles is None:
            return UNKNOWN
        for element in self.elements:
            for each, said in styles.items():
                unit = "px" if isinstance(said, float) and each not in ("opacity", "zIndex", "z-index", "zoom") else ""
                element.its_style().set(each, f"{text(said)}{unit}" if isinstance(said, float) else said)
        return self

    def js_attr(self, name: Any = None, *value: Any) -> Any:
        if not value:
            return self.elements[0].attribute(text(name)) if self.elements else None
        for element in self.elements:
            element.js_setAttribute(name, value[0])
        return self

    def js_prop(self, name: Any = None, *value: Any) -> Any:
        if not value:
            return methods.get(self.elements[0], name) if self.elements else None
        for element in self.elements:
            element.set(text(name), value[0])
        return self

    def js_removeAttr(self, names: Any = "") -> Chosen:  # noqa: N802
        for element in self.elements:
            for name in text(names).split():
                element.js_removeAttribute(name)
        return self

    # Finding

    def js_each(self, function: Any = None) -> Chosen:
        for at, item in enumerate(self.items):
            call = getattr(function, "called", None)
            if call is None:
                break
            call(item, [float(at), item])
        return self

    def js_find(self, selector: Any = None) -> Chosen:
        return self.of([found for element in self.elements for found in element.js_querySelectorAll(selector)])

    def js_eq(self, at: Any = 0.0) -> Chosen:
        item = methods.get(self.items, "at")(at)
        return self.of([item])

    def js_first(self) -> Chosen:
        return self.of(self.items[:1])

    def js_last(self) -> Chosen:
        return self.of(self.items[-1:])

    def js_filter(self, selector: Any = None) -> Chosen:
        return self.of([element for element in self.elements if isinstance(selector, str) and element.js_matches(selector)])

    def js_not(self, selector: Any = None) -> Chosen:
        return self.of([element for element in self.elements if isinstance(selector, str) and not element.js_matches(selector)])

    def js_parent(self, *_: Any) -> Chosen:
        return self.of([element.its_parentElement() for element in self.elements])

    def js_children(self, *selector: Any) -> Chosen:
        found = self.of([child for element in self.elements for child in element.its_children()])
        return found.js_filter(*selector) if selector else found

    def js_next(self, *_: Any) -> Chosen:
        return self.of([element.its_nextElementSibling() for element in self.elements])

    def js_prev(self, *_: Any) -> Chosen:
        return self.of([element.its_previousElementSibling() for element in self.elements])

    def js_closest(self, selector: Any = None) -> Chosen:
        return self.of([element.js_closest(selector) for element in self.elements])

    def js_siblings(self, *_: Any) -> Chosen:
        return (
            self.js_parent().js_children().of([each for each in self.js_parent().js_children().items if each not in self.items])
        )


class JQuery(Host):
    """`$`."""

    def __init__(self, window: Window) -> None:
        super().__init__()
        self.window = window

    def __call__(self, what: Any = None, within: Any = None, *_: Any) -> Any:
        if isinstance(what, Chosen):
            return what
        if isinstance(what, str):
            return self._selected(what, within)
        if callable(what):
            return Chosen(self.window, []).js_ready(what)
        return Chosen(self.window, what if isinstance(what, list) else [what] if isinstance(what, Host) else [])

    def _selected(self, selector: str, within: Any) -> Any:
        if selector.lstrip().startswith("<"):
            return Chosen(self.window, [])
        try:
            if isinstance(within, Element | Chosen):
                return self(within).js_find(selector)
            return Chosen(self.window, list(self.window.document.select(selector)))
        except ThrownError:  # a selector that only jQuery knows
            return UNKNOWN
