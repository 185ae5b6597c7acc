"""One HTML page sanitised: parsed, styled, judged, written out."""

from __future__ import annotations

import gc
from typing import Any

from msgspec import Struct

from stages.core.errors import StageError
from stages.html.cascade import HINT, Cascade
from stages.html.conditions import media
from stages.html.css import data_text
from stages.html.emit import Emitter
from stages.html.hints import HINTED, HINTED_FORMULA, hints
from stages.html.paint import Painting
from stages.html.parsing import parsed
from stages.html.quirks import has_quirks
from stages.html.report import EXCERPT, FULL_EXCERPT, Report, is_prose
from stages.html.revealing import reveal
from stages.html.streaming import put_in_place
from stages.html.style import Keyframes, Styling
from stages.html.tree import Element, build
from stages.html.using import draw_used
from stages.records import Threat
from stages.text.unicode import is_suspect
from stages.text.urls import joined

MAX_ROUNDS = 4
"""Writing out and parsing again must come to rest within so many rounds."""
MAX_SHADOW_DEPTH = 8
SHADOWED = frozenset({
    "article", "aside", "blockquote", "body", "div", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "main", "nav", "p",
    "section", "span",
})  # fmt: skip
"""Elements that may have a shadow root, besides those of the page's own making."""


class Clean(Struct, frozen=True):
    """A sanitised page."""

    html: str
    threats: tuple[Threat, ...]
    total: int


def sanitize_html(text: str, url: str = "", stylesheets: dict[str, str] | None = None, *, full_report: bool = False) -> Clean:
    """What of a page a reader would see. Raises StageError when it does not come to rest, or is too large.

    `stylesheets` are those that were got, by address; None where nobody asked for any, as of a file: then what is linked is a
    gap in what is known, and not a sheet that could not be had, so that no class is guessed at.
    """
    collecting = gc.isenabled()
    gc.disable()  # a tree of a hundred thousand objects lives for milliseconds: looking through it for garbage takes longer
    try:
        return _sanitized(text, url, stylesheets, Report(FULL_EXCERPT if full_report else EXCERPT))
    finally:
        if collecting:
            gc.enable()


def _sanitized(text: str, url: str, stylesheets: dict[str, str] | None, report: Report) -> Clean:
    html, unsettled = _once(text, url, stylesheets, report)
    for _ in range(MAX_ROUNDS):
        if not unsettled and _at_rest(html):
            break
        again, unsettled = _once(html, url, None, report)
        if again == html:
            break
        html = again
    else:
        raise StageError("unknown", "the page parses to something else each time it is written out")
    threats, total = report.threats()
    return Clean(html, threats, total)


def _at_rest(html: str) -> bool:
    """A cheap proof that another round would change nothing, where every text is clean by itself: lexbor writes the same."""
    return parsed(html).html == html


def _once(text: str, url: str, stylesheets: dict[str, str] | None, report: Report) -> tuple[str, bool]:
    """The page written out, and whether to look again: texts met, or it was too deep to keep its shape."""
    found = judged(text, url, stylesheets)
    if found is None:
        return "", False
    page, painting = found
    emitter = Emitter(painting, report)
    html = emitter.document(page.root)
    for host, unslotted in page.unslotted:
        report.add("hidden_template", "in no slot of its shadow root", unslotted, host)
    for reason, cause in painting.spared:
        report.add("strip_incomplete", f"hides most of the page, so it is kept: {reason}", "", cause)
    if not page.scripting:
        report.add("detection_degraded", "nothing shows without a script, so what the page says instead is shown")
    if page.missing:
        report.add("detection_degraded", "stylesheets are not attached")
    if page.partial:
        report.add("detection_degraded", "stylesheets were not read to the end")
    for element in painting.uncertain:
        report.add("detection_degraded", "what lies behind a text is not known, or a script shows it", element.text(), element)
    for element in painting.elements:  # a tree that points up as well as down would wait for the garbage collector
        element.parent = element.state = None
    return html, page.deep or (emitter.joined and is_suspect(html))


def judged(text: str, url: str, stylesheets: dict[str, str] | None) -> tuple[Styled, Painting] | None:
    """A page and what of it is seen once its scripts have run; as without scripts, where it is nothing with them. None if empty.

    Raises StageError `too_large` or `crashed`.
    """
    parser = parsed(text)
    if parser.root is None:
        return None
    reveal(parser)
    if "<use" in text:
        draw_used(parser)
    quirks = has_quirks(text)
    page = Styled(parser, url, stylesheets, quirks=quirks)
    painting = page.painted()
    if painting.shell:
        page = Styled(parsed(text), url, stylesheets, scripting=False, quirks=quirks)
        painting = page.painted()
    return page, painting


class Styled:
    """A parsed page with its cascades applied and its shadow roots in place."""

    def __init__(
        self, parser: Any, url: str, stylesheets: dict[str, str] | None, scripting: bool = True, quirks: bool = False
    ) -> None:
        self.stylesheets = stylesheets or {}
        self.guesses = stylesheets is not None
        self.scripting, self.quirks = scripting, quirks
        self.missing: list[str] = []
        self.partial = self.queried = False
        self.chosen = ""
        """The title of the stylesheets that a browser prefers."""
        self.initial: dict[str, str] = {}
        self.fresh: dict[str, str] = {}
        self.unslotted: list[tuple[Element, str]] = []
        self.keyframes: Keyframes = {}
        self.document = parser
        """The tree that the hosts of shadow roots are found in."""
        while (before := parser.root.prev) is not None:
            before.decompose()  # the engine takes a document type for a sibling of the root
        self.root, elements, self.deep = build(parser.root)
        first = parser.css_first("base[href]")
        base = (first.attributes["href"] or "") if first is not None else ""
        self.base = joined(url, base) or url
        self.styled(elements, parser, None)
        moved = self.compose(elements, parser.root, 0)
        moved = put_in_place(elements) or moved
        self.elements = list(self.root.walk()) if moved else elements

    def painted(self) -> Painting:
        """What of it is seen."""
        return Painting(self.elements, Styling(self.keyframes, self.fresh, self.queried), self.initial, bool(self.missing))

    def styled(self, elements: list[Element], engine: Any, host: Element | None) -> None:
        """Run the cascade of a document or a shadow root."""
        cascade = Cascade(elements, engine, self.stylesheets, host)
        cascade.document, cascade.quirks = self.document, self.quirks
        for element in elements:
            if element.tag in ("style", "link"):
                if not (self.scripting and any(above.tag == "noscript" for above in element.ancestors())):
                    self.sheet(element, cascade)
            elif element.attributes and (element.tag in HINTED or element.drawn or element.tag in HINTED_FORMULA):
                declared = hints(element)
                if declared:
                    element.declare((HINT, declared))
        if host is None and self.guesses and (self.missing or cascade.missing):
            cascade.fill_in()
        cascade.match()
        for element in () if self.scripting else elements:
            if element.tag == "noscript" and element.parent is not None and element.parent.tag != "head":
                element.tag = "div"
        self.missing += cascade.missing
        self.partial = self.partial or cascade.partial
        self.queried = self.queried or cascade.queried
        self.keyframes |= cascade.keyframes
        self.initial |= cascade.initial
        self.fresh |= cascade.fresh

    def sheet(self, element: Element, cascade: Cascade) -> None:
        """Take in a `style` or `link`, if it is for a screen, and of the set that the first one with a title is of."""
        title = element.attributes.get("title", "")
        if title and cascade.host is None and "alternate" not in element.attributes.get("rel", "").lower():
            self.chosen = self.chosen or title
            if title != self.chosen:
                return
        if element.tag == "style":
            if _applies(element):
                cascade.add(element.text(), self.base)
            return
        rel, loaded = element.attributes.get("rel", "").lower().split(), element.attributes.get("onload", "")
        href = element.attributes.get("href", "").strip()
        linked = "stylesheet" in rel or ("preload" in rel and "stylesheet" in loaded)
        if not linked or not href or "alternate" in rel or "disabled" in element.attributes:
            return
        if not _applies(element) and "media" not in loaded:
            return
        if href.lower().startswith("data:"):
            cascade.add(data_text(href), self.base)
            return
        address = joined(self.base, href)
        sheet = self.stylesheets.get(address)
        if not address:
            return  # no browser can read it either
        if sheet is None:
            self.missing.append(address)
        else:
            cascade.add(sheet, address)

    def compose(self, elements: list[Element], engine: Any, depth: int) -> bool:
        """Put declarative shadow roots where they show, with what their slots take in. Returns whether there was a template."""
        templates = [element for element in elements if element.tag == "template"]
        if not templates:
            return False
        hosts = {
            element.parent: element
            for element in reversed(elements)
            if element.tag == "template"
            and element.attributes.get("shadowrootmode", "").lower() in ("open", "closed")
            and element.parent is not None
            and (element.parent.tag in SHADOWED or "-" in element.parent.tag)
        }
        contents = {node.mem_id: node for node in engine.css("template")}
        for element in templates:
            fragments = contents[element.id].template_fragments() if element.id in contents else []
            if not fragments:
                continue
            inner, below, deep = build(fragments[0])
            self.deep = self.deep or deep
            if element.parent is not None and hosts.get(element.parent) is element and depth < MAX_SHADOW_DEPTH:
                self.shadow(element.parent, element, below, fragments[0], depth)
            else:
                element.filled([inner.text(), *_within(fragments[0], depth)])
        return True

    def shadow(self, host: Element, template: Element, below: list[Element], fragment: Any, depth: int) -> None:
        """Put one shadow root into its host."""
        inner, *elements = below
        light = [child for child in host.children if child is not template]
        inner.tag = "div"
        self.styled(elements, fragment, host)
        for element in elements if host.parts else ():
            named = set(element.attributes.get("part", "").split())
            for names, entry in host.parts:
                if names <= named:
                    element.declare(entry)
        around, self.document = self.document, fragment
        self.compose(elements, fragment, depth + 1)
        self.document = around
        host.filled(inner.children)
        for slot in [element for element in host.walk() if element.tag == "slot"]:
            name = slot.attributes.get("name", "")
            taken = [child for child in light if _slot_of(child) == name]
            if any(not isinstance(child, str) or child.strip() for child in taken):
                if is_prose(instead := slot.text()):
                    self.unslotted.append((host, instead))
                slot.filled(taken)
                light = [child for child in light if child not in taken]
        left = "".join(child if isinstance(child, str) else child.text() for child in light)
        if left.strip():
            self.unslotted.append((host, left))


def _within(fragment: Any, depth: int) -> list[Element | str]:
    """What templates inside of a template say."""
    found: list[Element | str] = []
    for node in fragment.css("template") if depth < MAX_SHADOW_DEPTH else ():
        for inner in node.template_fragments():
            found += [" ", build(inner)[0].text(), *_within(inner, depth + 1)]
    return found


def _slot_of(child: Element | str) -> str:
    return "" if isinstance(child, str) else child.attributes.get("slot", "")


def _applies(element: Element) -> bool:
    import tinycss2

    kind = element.attributes.get("type", "").strip().lower()
    query = element.attributes.get("media", "")
    return kind in ("", "text/css") and (not query or media(tinycss2.parse_component_value_list(query)))
