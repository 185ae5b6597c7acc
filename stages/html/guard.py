"""Where a page waits for its script: a style that hides what the page is there for is no hiding place, so it is not obeyed."""

from __future__ import annotations

from collections import defaultdict

from stages.html.tree import Element

MAX_SHARE = 0.6
LITTLE = 1500
"""A rule that takes more than that share of a page's text and leaves fewer characters than this is a page waiting for its script,
not an attack: it is not obeyed. Where an article remains to be seen, a long hidden text is as suspect as a short one."""
BESIDE = frozenset({"a", "nav", "header", "footer", "button", "select", "aside", "label"})
"""Elements whose text is not what a page is there for."""
FADED = frozenset({"opacity", "visibility: hidden"})
"""What a script undoes once it runs, by fading in or when its components are there."""
BODIES = frozenset({"main", "article", "h1"})
"""Elements that only what a page is there for holds."""
SHELL = 400
"""Fewer characters than this, and less than a third of what its `noscript` says, is a page that is nothing without its script."""

Key = tuple[str, str]
"""A reason, and how the element that it began at is told."""


class Shares:
    """How much of a page's text is seen, and how much each rule takes, by the key that elements it styles alike have."""

    def __init__(self, elements: list[Element]) -> None:
        self.seen = self.seen_main = 0
        self.taken: dict[Key, list[Element]] = defaultdict(list)
        self.sizes: dict[Key, int] = defaultdict(int)
        self.main: dict[Key, int] = defaultdict(int)
        """Of what is no link, button, label or other text beside the page's own."""
        self._beside: set[int] = set()
        for element in elements:
            if element.tag in BESIDE or (element.parent is not None and id(element.parent) in self._beside):
                self._beside.add(id(element))

    def sees(self, element: Element) -> None:
        """Count text that is seen."""
        self.seen += element.size
        if id(element) not in self._beside:
            self.seen_main += element.size

    def takes(self, element: Element, key: Key) -> None:
        """Count text that a rule takes."""
        self.taken[key].append(element)
        self.sizes[key] += element.size
        if id(element) not in self._beside:
            self.main[key] += element.size

    def waiting(self) -> list[Key]:
        """The rules that are not to be obeyed, the largest first."""
        found: list[Key] = []
        faded = {key for key in self.sizes if key[0] in FADED and self.main[key]}
        fading = self._most(sum(self.main[key] for key in faded))
        seen = self.seen
        for key in sorted(self.sizes, key=lambda key: -self.sizes[key]):
            size, cause = self.sizes[key], self.cause(key)
            most = self.main[key] > 0 and size > MAX_SHARE * (seen + size) and seen < LITTLE
            page = (fading and key in faded) or (self._most(self.main[key]) and _is_body(cause))
            if most or page or cause.tag in ("html", "body"):
                found.append(key)
                seen += size
        return found

    def cause(self, key: Key) -> Element:
        """The element at which the first text that a rule takes began to be hidden."""
        first = self.taken[key][0]
        cause: Element = first.state.cause or first
        return cause

    def _most(self, size: int) -> bool:
        """Whether so much, a page's worth, is most of what the page is there for."""
        return size >= LITTLE > self.seen_main and size > MAX_SHARE * (self.seen_main + size)


def _is_body(element: Element) -> bool:
    return any(each.tag in BODIES for each in element.walk())


def is_shell(texts: list[Element], verdicts: dict[Element, str]) -> bool:
    """Whether a page shows nothing to speak of where scripts run, and says in `noscript` what it is about."""
    without = sum(element.size for element in texts if verdicts.get(element) == "<noscript>")
    if without < SHELL:
        return False
    seen = sum(element.size for element in texts if element not in verdicts)
    return seen < SHELL and seen * 3 < without
