"""A page as light objects: what lexbor parsed, with declarative shadow roots put where a browser shows them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stages.core.errors import StageError

MAX_NODES = 400_000
MAX_DEPTH = 512
"""Browsers flatten what is nested deeper; so does the walk here."""
HTML, TEXT, COMMENT = 0, 1, 2


class Element:
    """One element. `children` holds elements and strings; comments are kept apart because nobody sees them."""

    __slots__ = ("attributes", "children", "comments", "declared", "drawn", "id", "parent", "position", "pseudo", "state", "tag")

    def __init__(self, tag: str, attributes: dict[str, str], parent: Element | None, node_id: int = 0) -> None:
        self.tag = tag
        self.attributes = attributes
        self.parent = parent
        self.children: list[Element | str] = []
        self.comments: list[str] = []
        self.id = node_id
        self.position = 0
        """Place in document order."""
        self.declared: list[tuple[Any, Any]] = []
        """Matching (priority, declarations), in no order."""
        self.pseudo = False
        """Whether a pseudo-element of it is painted."""
        self.state: Any = None
        self.drawn: bool = parent is not None and (
            parent.tag == "svg" or (parent.drawn and parent.tag.lower() != "foreignobject")
        )
        """Whether it is part of an SVG image."""

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


def build(root: Any) -> Element:
    """The light tree of a lexbor element or fragment. Raises StageError for a page of too many nodes."""
    top = _element(root, None)
    nodes = 0
    stack: list[tuple[Any, Element, int]] = [(root.first_child, top, 1)]
    while stack:
        node, parent, depth = stack.pop()
        while node is not None:
            nodes += 1
            if nodes > MAX_NODES:
                raise StageError("too_large", f"more than {MAX_NODES} nodes")
            if node.is_text_node:
                parent.children.append(node.text_content or "")
            elif node.is_element_node:
                element = _element(node, parent)
                element.position = nodes
                parent.children.append(element)
                first = node.first_child
                if first is not None:
                    deeper = depth < MAX_DEPTH
                    stack.append((node.next, parent, depth))
                    node, parent, depth = first, element if deeper else parent, depth + deeper
                    continue
            elif node.is_comment_node:
                parent.comments.append(node.comment_content or "")
            node = node.next
    return top


def _element(node: Any, parent: Element | None) -> Element:
    attributes: dict[str, str] = node.attributes if node.is_element_node else {}
    if None in attributes.values():
        attributes = {name: value or "" for name, value in attributes.items()}
    return Element(node.tag or "", attributes, parent, node.mem_id)
