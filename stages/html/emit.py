"""A judged tree written out as HTML: what is seen, in elements that parse back to the same."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.html.attributes import MAX_META, escaped, meta_goes_on, rendered
from stages.html.paint import Painting
from stages.html.report import Report, is_order, is_prose
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
    "object": "",
    "map": "",
    "applet": "div",
    "portal": "div",
}
"""What extraction tools or parsers treat otherwise than its text deserves. An empty name leaves only what is inside."""
GONE = frozenset({
    "style", "template", "noscript", "noembed", "noframes", "iframe", "frame", "object", "embed", "video", "audio", "canvas",
    "source", "track", "param", "area", "rp", "datalist", "fencedframe",
})  # fmt: skip
SVG_GONE = frozenset({
    "title", "desc", "metadata", "defs", "symbol", "style", "script", "clippath", "mask", "pattern", "marker", "filter",
    "lineargradient", "radialgradient",
})  # fmt: skip
LINKS = frozenset({"canonical", "alternate", "amphtml", "shortlink", "author", "license", "next", "prev", "icon", "shortcut"})
MAX_TEX = 500
MAX_JSON_LD = 200_000
_TAG = re.compile(r"[a-z][a-z0-9-]{0,60}")
_NO_TEXT = frozenset({"html", "head", "table", "tr", "tbody", "ul", "ol"})
_SPECIAL = re.compile(r"[^\t\n -%'-;=?-~]").search
"""What keeps a text from being written out as it is."""
ALWAYS = frozenset({"html", "head", "body"})
NEVER_PAINTED = frozenset({"meta", "link", "base", "title", "script"}) | GONE
LOOKED_AT = NEVER_PAINTED | ALWAYS | {"annotation", "annotation-xml", "input"}
"""Elements about which more than their style is asked."""
QUIET = frozenset({"clipped", "off-screen", "a box without room"})
"""How labels for screen readers and skip links are hidden: reported only when they are longer than a label."""
LABEL = 80


class Emitter:
    """Writes one document."""

    def __init__(self, painting: Painting, report: Report) -> None:
        self.painting, self.report = painting, report
        self.out: list[str] = []
        self.titled = False
        self.wide = self.newline = -1
        """Lengths of what is written: behind the last text with more than ASCII, and behind a start that swallows a newline."""
        self.joined = False
        """Whether texts met of which one has more than ASCII: then what they form together is not known to be clean."""
        self.spared_causes = {id(cause) for _, cause in painting.spared}
        self._names: dict[str, str] = {}
        self.usual: dict[str, str] = {}
        """What is written for elements with an end about which nothing but their style is asked."""

    def document(self, root: Element) -> str:
        """The whole page."""
        self.out.append("<!DOCTYPE html>")
        out, write, start, usual = self.out, self.text, self.start, self.usual
        report, verdicts = self.report, self.painting.verdicts
        stack: list[tuple[Iterator[Element | str], str]] = []
        children: Iterator[Element | str] = iter((root,))
        end = ""
        while True:
            for child in children:
                if isinstance(child, str):
                    if self.wide != len(out) != self.newline and not _SPECIAL(child):
                        out.append(child)
                    else:
                        write(child)
                    continue
                tag = usual.get(child.tag)
                if tag and not (child.drawn or child.comments or child.state.hidden or child in verdicts):
                    out.append(f"<{tag}{rendered(child, report)}>" if child.attributes else f"<{tag}>")
                    if child.children:
                        stack.append((children, end))
                        children, end = iter(child.children), f"</{tag}>"
                        break
                    out.append(f"</{tag}>")
                    continue
                begun = start(child)
                if begun is not None:
                    stack.append((children, end))
                    children, end = begun
                    break
            else:
                if end:
                    out.append(end)
                if not stack:
                    return "".join(out)
                children, end = stack.pop()

    def start(self, element: Element) -> tuple[Iterator[Element | str], str] | None:
        """Write an element's start: what is inside and how it ends, None when it is written or left out already."""
        if element.comments:
            for comment in element.comments:
                if is_prose(comment):
                    self.report.add("hidden_template", "comment", comment, element)
        raw = element.tag
        if raw in LOOKED_AT or element.drawn or raw != raw.lower():
            gone = self.skipped(element, raw.lower())
        else:
            gone = bool(element.state.hidden) and self.unshown(element)
        if gone:
            return None
        tag = self._names.get(raw) if not element.drawn else None
        if tag is None:
            tag = self.name(element, raw.lower())
        inside = element.children if element not in self.painting.verdicts else self.inside(element)
        return self.opened(element, tag, inside) if tag else (iter(inside), "")

    def opened(self, element: Element, tag: str, inside: list[Element | str]) -> tuple[Iterator[Element | str], str] | None:
        """Write a start tag, and the end where nothing is to come between."""
        out = self.out
        out.append(f"<{tag}{rendered(element, self.report)}>" if element.attributes else f"<{tag}>")
        if tag in VOID:
            return None
        if not inside:
            out.append(f"</{tag}>")
            return None
        if tag == "script":
            out += (*(child for child in inside if isinstance(child, str)), "</script>")
            return None
        if tag == "head":
            out.append('<meta charset="utf-8">')
        elif tag in RAW_NEWLINE:
            self.newline = len(out)
        return iter(inside), f"</{tag}>"

    def name(self, element: Element, tag: str) -> str:
        """What an element is called when it is written out; empty when only what is inside is."""
        if tag == "svg" or element.drawn:
            tag = "span" if tag == "svg" or tag in ("text", "foreignobject", "a") else ""
        tag = RENAMED.get(tag, tag)
        if tag and not _TAG.fullmatch(tag):
            tag = "span"
        if not element.drawn:
            self._names[element.tag] = tag
            if tag not in VOID and tag not in RAW_NEWLINE and element.tag not in LOOKED_AT and element.tag == element.tag.lower():
                self.usual[element.tag] = tag
        return tag

    def inside(self, element: Element) -> list[Element | str]:
        """The children of an element whose text is not seen: the text left out, a blank for it where it may part words."""
        reason = self.painting.verdicts[element]
        if not reason:
            return element.children
        text = "".join(child for child in element.children if isinstance(child, str))
        self.hidden(reason, text, element.state.cause or element)
        parts: list[Element | str] = []
        for child in element.children:
            if isinstance(child, Element):
                parts.append(child)
            elif child.strip() != child or not parts:
                parts.append(" " if element.tag not in _NO_TEXT else "")
        return parts

    def text(self, text: str) -> None:
        """Write text as it goes on."""
        wide = not text.isascii()
        if wide or not text.isprintable():
            text, counts = scan(text)
            if counts:
                self.report.counts.update(counts)
        out = self.out
        if not text:
            return
        if self.newline == len(out) and text.startswith("\n"):
            out.append("\n")
        elif self.wide == len(out) or (wide and out[-1][-1:] != ">"):
            self.joined = True
        out.append(escaped(text))
        if wide:
            self.wide = len(out)

    def skipped(self, element: Element, tag: str) -> bool:  # noqa: PLR0911 - one case after the other
        """Whether the element goes as a whole; hidden prose in it is reported."""
        if tag in ALWAYS:
            return False
        if tag == "script" and element.attributes.get("type", "").strip().lower() == "application/ld+json":
            return not self.structured(element)
        if tag in NEVER_PAINTED:
            return not self.unseen(element, tag)
        if tag in ("annotation", "annotation-xml"):
            return not self.tex(element)
        if element.drawn and tag in SVG_GONE:
            self.gone(element, f"<svg {tag}>")
            return True
        if tag == "input" and element.attributes.get("type", "").lower() == "hidden":
            rendered(element, self.report)
            return True
        return bool(element.state.hidden) and self.unshown(element)

    def unshown(self, element: Element) -> bool:
        """Whether a style that hides the element is obeyed; what it says is reported then."""
        state = element.state
        if state.hidden[:1] == "<" or id(state.cause) in self.spared_causes:
            return False
        self.gone(element, state.hidden)
        return True

    def structured(self, element: Element) -> bool:
        """Structured data for the extractor: cleaned, and with nothing left that could end the element."""
        text = scan(element.text())[0].replace("<", "\\u003c")
        element.children = [text]
        return len(text) <= MAX_JSON_LD

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
            relation = element.attributes.get("rel", "")  # a longer one would be left out, and the link with it next time
            return len(relation) <= MAX_META and bool(LINKS & set(relation.lower().split()))
        if tag == "base" or (tag == "object" and not element.state.hidden):
            return True
        if tag in ("area", "track"):
            rendered(element, self.report)
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
        never_text = reason.startswith("<") or reason == "annotation" or (element.tag == "svg" and not _draws_text(element))
        if reason == "<script>" and "text/" not in element.attributes.get("type", "").replace("text/javascript", ""):
            return
        if text.strip() and (not never_text or is_prose(re.sub(r"<[^>]{0,500}>", " ", text).strip())):
            self.hidden(reason, text, element.state.cause or element)

    def hidden(self, reason: str, text: str, cause: Element) -> None:
        """One finding about text that nobody sees."""
        text = text.strip()
        if not text or (reason in QUIET and len(text) <= LABEL and not is_order(text)):
            return
        if reason.startswith("<") or reason == "annotation":
            self.report.add("hidden_template", reason, re.sub(r"<[^>]{0,500}>", " ", text), cause)
        else:
            markup = reason in ("hidden attribute", "closed dialog", "popover")
            self.report.add("hidden_attribute" if markup else "hidden_css", reason, text, cause)


def _draws_text(image: Element) -> bool:
    """Whether an image has any text but titles and descriptions."""
    return any(each.tag.lower() in ("text", "foreignobject") for each in image.walk())
