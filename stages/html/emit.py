"""A judged tree written out as HTML: what is seen, in elements that parse back to the same."""

from __future__ import annotations

import re

from stages.html.attributes import kept, meta_goes_on
from stages.html.paint import Painting
from stages.html.report import Report, is_prose
from stages.html.tree import Element
from stages.text.unicode import scan

VOID = frozenset(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr", "param"])
RAW_NEWLINE = frozenset({"pre", "textarea", "listing"})
"""Elements of which the parser swallows the first newline."""
RENAMED = {
    "dialog": "div",
    "xmp": "pre",
    "plaintext": "pre",
    "listing": "pre",
    "slot": "",
    "frameset": "div",
    "marquee": "div",
    "image": "img",
}
"""What extraction tools or parsers treat otherwise than its text deserves. An empty name leaves only what is inside."""
GONE = frozenset({
    "style", "template", "noscript", "noembed", "noframes", "iframe", "frame", "object", "embed", "video", "audio", "canvas",
    "source", "track", "param", "area", "map", "rp", "datalist", "applet", "portal", "fencedframe",
})  # fmt: skip
SVG_GONE = frozenset({
    "title", "desc", "metadata", "defs", "symbol", "style", "script", "clippath", "mask", "pattern", "marker", "filter",
    "lineargradient", "radialgradient",
})  # fmt: skip
LINKS = frozenset({"canonical", "alternate", "amphtml", "shortlink", "author", "license", "next", "prev", "icon", "shortcut"})
MAX_TEX = 500
MAX_JSON_LD = 200_000
_TAG = re.compile(r"[a-z][a-z0-9-]{0,60}")
_TEXT = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\xa0": "&nbsp;"}
_VALUE = {"&": "&amp;", '"': "&quot;", "\xa0": "&nbsp;", "<": "&lt;", ">": "&gt;"}
_TEXT_TABLE, _VALUE_TABLE = str.maketrans(_TEXT), str.maketrans(_VALUE)
_NO_TEXT = frozenset({"html", "head", "table", "tr", "tbody", "ul", "ol"})
_ESCAPED = re.compile("[&<>\xa0]")
_QUOTED = re.compile('[&<>"\xa0]')
QUIET = frozenset({"clipped", "off-screen", "a box without room"})
"""How labels for screen readers and skip links are hidden: reported only when they are longer than a label."""
LABEL = 80


class Emitter:
    """Writes one document."""

    def __init__(self, painting: Painting, report: Report) -> None:
        self.painting, self.report = painting, report
        self.out: list[str] = []
        self.titled = False

    def document(self, root: Element, doctype: bool) -> str:
        """The whole page."""
        if doctype:
            self.out.append("<!DOCTYPE html>")
        stack: list[Element | str | tuple[str]] = [root]
        while stack:
            item = stack.pop()
            if isinstance(item, tuple):
                self.out.append(item[0])
            elif isinstance(item, Element):
                stack.extend(reversed(self.element(item)))
            else:
                self.out.append(item)
        return "".join(self.out)

    def element(self, element: Element) -> list[Element | str | tuple[str]]:
        """Write its start; what is to be written after it."""
        for comment in element.comments:
            if is_prose(comment):
                self.report.add("hidden_template", "comment", comment, element)
        tag = element.tag.lower()
        if self.skipped(element, tag):
            return []
        if tag == "svg" or element.drawn:
            tag = "span" if tag == "svg" or tag in ("text", "foreignobject", "a") else ""
        tag = RENAMED.get(tag, tag)
        if tag and not _TAG.fullmatch(tag):
            tag = "span"
        inside = self.inside(element)
        if not tag:
            return inside
        self.out.append(f"<{tag}{self.attributes(element)}>" if element.attributes else f"<{tag}>")
        if tag == "head":
            self.out.append('<meta charset="utf-8">')
        if tag in VOID:
            return []
        if tag in RAW_NEWLINE and inside and isinstance(inside[0], str) and inside[0].startswith("\n"):
            self.out.append("\n")
        return [*inside, (f"</{tag}>",)]

    def attributes(self, element: Element) -> str:
        """What goes on of the attributes, with a blank before each."""
        pairs = kept(element, self.report)
        return "".join(
            [f' {name}="{value.translate(_VALUE_TABLE) if _QUOTED.search(value) else value}"' for name, value in pairs]
        )

    def inside(self, element: Element) -> list[Element | str | tuple[str]]:
        """Its children as they go on: text judged and cleaned, hidden elements left out."""
        reason = self.painting.verdicts.get(element, "")
        if reason:
            text = "".join(child for child in element.children if isinstance(child, str))
            self.hidden(reason, text, element.state.cause or element)
        parts: list[Element | str | tuple[str]] = []
        for child in element.children:
            if isinstance(child, Element):
                parts.append(child)
            elif not reason:
                parts.append(child if element.tag == "script" else self.text(child))
            elif child.strip() != child or not parts:
                parts.append(" " if element.tag not in _NO_TEXT else "")
        return parts

    def text(self, text: str) -> str:
        """Text as it goes on."""
        if not (text.isascii() and text.isprintable()):
            text, counts = scan(text)
            if counts:
                self.report.counts.update(counts)
        return text.translate(_TEXT_TABLE) if _ESCAPED.search(text) else text

    def skipped(self, element: Element, tag: str) -> bool:  # noqa: PLR0911 - one case after the other
        """Whether the element goes as a whole; hidden prose in it is reported."""
        if tag in ("html", "head", "body"):
            return False
        if tag == "script" and element.attributes.get("type", "").strip().lower() == "application/ld+json":
            return not self.structured(element)
        if tag in ("meta", "link", "base", "title", "script") or tag in GONE:
            return not self.unseen(element, tag)
        if tag in ("annotation", "annotation-xml"):
            return not self.tex(element)
        if element.drawn and tag in SVG_GONE:
            self.gone(element, f"<svg {tag}>")
            return True
        if tag == "input" and element.attributes.get("type", "").lower() == "hidden":
            return True
        state = element.state
        if state.hidden and state.hidden[:1] != "<" and not self.spared(element):
            self.gone(element, state.hidden)
            return True
        return False

    def structured(self, element: Element) -> bool:
        """Structured data for the extractor: cleaned, and with nothing left that could end the element."""
        text = scan(element.text())[0].replace("<", "\\u003c")
        element.children = [text]
        return len(text) <= MAX_JSON_LD

    def spared(self, element: Element) -> bool:
        """Whether the guard kept what hides this element from taking it out."""
        return any(element.state.cause is cause for _, cause in self.painting.spared)

    def unseen(self, element: Element, tag: str) -> bool:
        """Elements that are never painted: whether this one is wanted all the same."""
        if tag == "title":
            first, self.titled = not self.titled and not element.drawn, True
            if not first and element.text().strip():
                self.gone(element, "<title>")
            return first
        if tag == "meta":
            return meta_goes_on(element, self.report)
        if tag == "link":
            return bool(LINKS & set(element.attributes.get("rel", "").lower().split()))
        if tag == "base":
            return True
        self.gone(element, f"<{tag}>")
        return False

    def tex(self, element: Element) -> bool:
        """The source of a formula, when that is what it is."""
        text = element.text()
        if (
            element.attributes.get("encoding", "").lower() in ("application/x-tex", "tex", "latex")
            and len(text) <= MAX_TEX
            and not is_prose(text, 40)
        ):
            return True
        self.gone(element, "annotation")
        return False

    def gone(self, element: Element, reason: str) -> None:
        """Report what an element that is left out says, all of it at once."""
        if reason in ("<style>", "<rp>"):
            return
        text = element.text() if reason != "<iframe>" else element.text() + " " + element.attributes.get("srcdoc", "")
        never_text = reason.startswith("<") or reason == "annotation"
        if reason == "<script>" and "text/" not in element.attributes.get("type", "").replace("text/javascript", ""):
            return
        if text.strip() and (not never_text or is_prose(re.sub(r"<[^>]{0,500}>", " ", text).strip())):
            self.hidden(reason, text, element.state.cause or element)

    def hidden(self, reason: str, text: str, cause: Element) -> None:
        """One finding about text that nobody sees."""
        text = text.strip()
        if not text or (reason in QUIET and len(text) <= LABEL):
            return
        if reason.startswith("<") or reason == "annotation":
            self.report.add("hidden_template", reason, re.sub(r"<[^>]{0,500}>", " ", text), cause)
        else:
            markup = reason in ("hidden attribute", "closed dialog", "popover")
            self.report.add("hidden_attribute" if markup else "hidden_css", reason, text, cause)
