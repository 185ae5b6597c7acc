"""A page as light objects: what lexbor parsed, with declarative shadow roots put where a browser shows them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stages.core.errors import StageError

MAX_NODES = 400_000
MAX_DEPTH = 512
"""Browsers flatten what is nested deeper; so does the walk here."""


class Element:
    """One element. `children` holds elements and strings; comments are kept apart because nobody sees them."""

    # What most elements never have is said once for all of them: a page makes thousands.
    declared: Any = ()
    """Matching (priority, declarations), in no order."""
    comments: list[str] | None = None
    size = 0
    """Characters of text directly inside, blank ends not counted."""
    drawn = False
    """Whether it is part of an SVG image."""
    pseudo = False
    """Whether a pseudo-element of it is painted."""
    boxes: dict[str, list[Any]] | None = None
    """What is declared for its pseudo-elements before and after its text."""
    parts: Any = ()
    """Of the host of a shadow root: names of parts of it, and what the page declares for those."""
    position = 0
    """Place in document order."""
    state: Any = None
    names: dict[str, Element] | None = None
    """Of a root: its elements by id, once somebody asked."""

    def __init__(self, tag: str, attributes: dict[str, str], parent: Element | None, node_id: int = 0) -> None:
        self.tag = tag
        self.attributes = attributes
        self.parent = parent
        self.id = node_id
        self.children: list[Element | str] = []
        if parent is not None and (parent.drawn or parent.tag == "svg") and parent.tag.lower() != "foreignobject":
            self.drawn = True

    def declare(self, entry: Any) -> None:
        """Note what a rule declares for it: priority and declarations, the same object for all that it matches."""
        if self.declared:
            self.declared.append(entry)
        else:
            self.declared = [entry]

    def filled(self, children: list[Element | str]) -> None:
        """Put other children in place of what it has."""
        self.children = children
        self.size = sum(len(child.strip()) for child in children if isinstance(child, str))
        for child in children:
            if isinstance(child, Element):
                child.parent = self

    def classes(self) -> list[str]:
        """Its class names."""
        value = self.attributes.get("class", "")
        return value.split() if value else []

    def ancestors(self) -> Iterator[Element]:
        """From its parent up."""
        at = self.parent
        while at is not None:
            yield at
            at = at.parent

    def walk(self) -> Iterator[Element]:
        """Itself and every element below, in document order."""
        stack = [self]
        while stack:
            element = stack.pop()
            yield element
            stack.extend(child for child in reversed(element.children) if not isinstance(child, str))

    def text(self) -> str:
        """All text below."""
        parts: list[str] = []
        stack: list[Element | str] = [self]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                parts.append(item)
            else:
                stack.extend(reversed(item.children))
        return "".join(parts)


def build(root: Any) -> tuple[Element, list[Element], bool]:  # noqa: C901 - the one loop over every node: a call more costs as much as the node
    """The light tree of a lexbor element or fragment, its elements in document order, and whether it was too deep.

    Raises StageError for a page of too many nodes.
    """
    parent = top = Element(root.tag or "", _attributes(root) if root.is_element_node else {}, None, root.mem_id)
    elements = [top]
    children = top.children
    depth, left, deep = 1, MAX_NODES, False
    stack: list[tuple[Any, Element, int]] = []
    node = root.first_child
    while True:
        while node is not None:
            left -= 1
            tag = node.tag or "-"
            if tag == "-text":
                text = node.text_content or ""
                children.append(text)
                if not text.isspace():
                    parent.size += len(text.strip())
            elif tag[0] != "-":
                attributes = node.attributes
                if attributes and None in attributes.values():
                    attributes = {name: value or "" for name, value in attributes.items()}
                element = Element(tag, attributes, parent, node.mem_id)
                elements.append(element)
                children.append(element)
                first = node.first_child
                if first is not None:
                    stack.append((node.next, parent, depth))
                    node = first
                    if depth < MAX_DEPTH:
                        parent, depth, children = element, depth + 1, element.children
                    else:
                        deep = True
                    continue
            elif tag == "-comment":
                parent.comments = parent.comments or []
                parent.comments.append(node.comment_content or "")
            node = node.next
            if left < 0:
                raise StageError("too_large", f"more than {MAX_NODES} nodes")
        if not stack:
            return top, elements, deep
        node, parent, depth = stack.pop()
        children = parent.children


def _attributes(node: Any) -> dict[str, str]:
    attributes: dict[str, str] = node.attributes
    if attributes and None in attributes.values():
        return {name: value or "" for name, value in attributes.items()}
    return attributes
