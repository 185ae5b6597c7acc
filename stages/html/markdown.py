"""HTML as a list of markdown blocks, in document order: the plain walk that extraction stands on.

Nothing is judged here but what is never text (scripts, controls, pictures) and what the page itself marks as navigation. Each
block says how much of it is link text, so that a caller can judge further.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from stages.html.tables import data_table

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

Kind = Literal["heading", "text", "item", "quote", "code", "table"]

NO_TEXT = frozenset(
    (
        "script", "style", "template", "svg", "annotation", "annotation-xml", "iframe", "object", "embed", "canvas", "audio",
        "video", "map", "select", "button", "input", "textarea", "option", "datalist", "head", "title", "meta", "link", "base",
        "noembed", "noframes",
    )
)  # fmt: skip
NAVIGATION = frozenset(("nav", "footer", "menu", "dialog"))
NAVIGATION_ROLES = frozenset(("navigation", "contentinfo", "search", "menu", "menubar", "dialog", "alertdialog", "tablist"))
MAIN, BESIDE = frozenset(("main", "article")), frozenset(("header", "aside"))
BREAKING = frozenset(
    (
        "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "div", "dl", "dt", "fieldset",
        "figcaption", "figure", "form", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "html",
        "legend", "li", "main", "noscript", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th",
        "thead", "tr", "ul",
    )
)  # fmt: skip
CODE = frozenset(("code", "kbd", "samp", "tt"))
HEADINGS = {f"h{level}": level for level in range(1, 7)}
LISTS = frozenset(("ul", "ol", "dl"))
ANCHOR_MARKS = frozenset(("", "#", "\u00b6", "\u00a7", "\U0001f517"))
"""What documentation generators link a heading to itself by: it shows under the pointer and is no part of the heading."""

_space = re.compile(r"[ \t\r\n\f\v\u00a0]+")
_markup = re.compile(r"^(?=#{1,6}\s|```|~~~|\|)", re.MULTILINE)
_language = re.compile(r"\b(?:language|lang|highlight-source|brush:)[-\s]?([A-Za-z0-9+#]{1,20})\b")
_ticks = re.compile(r"`{3,}")


class Block(Struct, frozen=True):
    """A run of text that stands apart. `text` is markdown without a newline at its ends."""

    kind: Kind
    text: str
    linked: int = 0
    """Characters of it that are link text."""
    aside: bool = False
    """Stands in a header or an aside of the page, not in one of its main part."""
    links: tuple[tuple[str, str], ...] = ()
    """Label and reference of each link, in order."""
    box: int = 0
    """The innermost box that it stands in, as a place in the list of boxes."""


class Box(Struct):
    """An element that breaks lines, as a range of blocks. Boxes come in the order of the page, each behind what it stands in."""

    tag: str
    names: str
    """Its class, id and role."""
    parent: int
    start: int
    end: int = 0


def html_boxes(root: LexborNode) -> tuple[list[Block], list[Box]]:
    """Every block below this node, and the boxes they stand in. Walks without recursion, so that depth is no danger."""
    walk, stop = _Walk(), root.mem_id
    node: LexborNode | None = root
    while node is not None:
        if walk.enter(node):
            child = node.child
            if child is not None:
                node = child
                continue
            walk.leave(node)
        while node is not None and node.mem_id != stop and node.next is None:
            node = node.parent
            if node is not None:
                walk.leave(node)
        node = node.next if node is not None and node.mem_id != stop else None
    walk.flush()
    walk.boxes[0].end = len(walk.blocks)
    return walk.blocks, walk.boxes


def as_markdown(blocks: list[Block]) -> str:
    """One text: items of a list on adjoining lines, everything else divided by an empty line."""
    parts: list[str] = []
    for number, block in enumerate(blocks):
        parts += (between(blocks[number - 1], block) if number else "", block.text)
    return "".join(parts)


def between(before: Block, block: Block) -> str:
    """What divides two blocks."""
    return "\n" if block.kind == "item" == before.kind else "\n\n"


class _Walk:
    """Gathers inline text until a block ends."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.boxes = [Box("body", "", -1, 0)]
        self._box = 0
        self._parts: list[str] = []
        self._linked = 0
        self._open_links: list[tuple[str, int]] = []
        """Reference of each, and the part of the text that it began at."""
        self._found: list[tuple[str, str]] = []
        self._lists: list[int] = []
        """Per open list: the number of its next item, or -1 where it is not numbered."""
        self._marker = ""
        self._heading = 0
        self._quotes = 0
        self._main = 0
        self._beside = 0

    def enter(self, node: LexborNode) -> bool:
        """Whether to walk into the node."""
        tag = node.tag or "-"
        if tag == "-text":
            self._text(node.text_content or "")
            return False
        if tag in NO_TEXT or tag in NAVIGATION or tag[0] == "-":
            return False
        if tag == "a":
            if self._heading and node.text(deep=True).strip() in ANCHOR_MARKS:
                return False
            self._open_links.append((node.attributes.get("href") or "", len(self._parts)))
        elif tag == "br":
            self._parts.append("\n")
        elif tag in CODE:
            self._parts.append("`")
        elif tag in BREAKING:
            return self._open(node, tag)
        return True

    def _open(self, node: LexborNode, tag: str) -> bool:
        attributes = node.attributes
        if attributes.get("role") in NAVIGATION_ROLES:
            return False
        self.flush()
        if tag == "pre":
            self._code(node)
            return False
        if tag == "table" and (rows := data_table(node)):
            links = node.css("a")
            self._found = [(_label(link.text(deep=True)), link.attributes.get("href") or "") for link in links]
            self._add("table", rows, sum(len(link.text(strip=True)) for link in links))
            return False
        if tag in LISTS:
            self._lists.append(1 if tag == "ol" else -1)
        elif tag in ("li", "dt"):
            self._marker = self._next_marker()
        self._count(tag, 1)
        names = " ".join(filter(None, (attributes.get("class"), attributes.get("id"), attributes.get("role"))))
        self.boxes.append(Box(tag, names, self._box, len(self.blocks)))
        self._box = len(self.boxes) - 1
        return True

    def leave(self, node: LexborNode) -> None:
        """Close what `enter` opened."""
        tag = node.tag or "-"
        if tag == "a":
            self._end_link(*self._open_links.pop())
        elif tag in CODE:
            self._parts.append("`")
        elif tag in BREAKING:
            self.flush()
            if tag in LISTS:
                self._lists.pop()
            self._marker = ""
            self._count(tag, -1)
            box = self.boxes[self._box]
            box.end, self._box = len(self.blocks), box.parent

    def _count(self, tag: str, step: int) -> None:
        if tag in HEADINGS:
            self._heading = HEADINGS[tag] if step > 0 else 0
        elif tag == "blockquote":
            self._quotes += step
        elif tag in MAIN:
            self._main += step
        elif tag in BESIDE:
            self._beside += step

    def flush(self) -> None:
        """End the block that is being gathered, if it has any text. What is linked goes on in the next one."""
        for number, (reference, began) in enumerate(self._open_links):
            self._end_link(reference, began)
            self._open_links[number] = (reference, 0)
        lines = (_space.sub(" ", line).strip() for line in "".join(self._parts).split("\n"))
        text = "\n".join(line for line in lines if line and line != "``")
        linked, self._parts, self._linked = self._linked, [], 0
        if text:
            self._add(*self._styled(text), linked)
        self._found = []

    def _add(self, kind: Kind, text: str, linked: int = 0) -> None:
        aside = self._beside > 0 and not self._main
        self.blocks.append(Block(kind, text, linked, aside, tuple(self._found), self._box))
        self._found = []

    def _end_link(self, reference: str, began: int) -> None:
        if reference and (label := _label("".join(self._parts[began:]))):
            self._found.append((label, reference))

    def _styled(self, text: str) -> tuple[Kind, str]:
        if self._heading:
            return "heading", f"{'#' * self._heading} {' '.join(text.split())}"
        text = _markup.sub(r"\\", text)
        if self._quotes:
            return "quote", "\n".join(f"> {line}" for line in text.split("\n"))
        if not self._lists:
            return "text", text
        marker, self._marker = self._marker or "  ", ""
        indent = "  " * (len(self._lists) - 1)
        return "item", "\n".join(f"{indent}{'  ' if place else marker}{line}" for place, line in enumerate(text.split("\n")))

    def _text(self, text: str) -> None:
        text = _space.sub(" ", text)
        self._parts.append(text)
        if self._open_links:
            self._linked += len(text.strip())

    def _next_marker(self) -> str:
        if not self._lists or self._lists[-1] < 0:
            return "- "
        self._lists[-1] += 1
        return f"{self._lists[-1] - 1}. "

    def _code(self, node: LexborNode) -> None:
        text = node.text(deep=True).replace("\r\n", "\n").strip("\n")
        if not text.strip():
            return
        inner = node.css_first("code")
        names = f"{node.attributes.get('class') or ''} {(inner.attributes.get('class') or '') if inner else ''}"
        language = _language.search(names)
        fence = "`" * max([3, *(len(run) + 1 for run in _ticks.findall(text))])
        self._add("code", f"{fence}{language[1].lower() if language else ''}\n{text}\n{fence}")


def _label(text: str) -> str:
    return _space.sub(" ", text).strip()
