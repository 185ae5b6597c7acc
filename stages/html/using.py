"""Text in an image that is drawn where a `use` refers to it: put there, so that it is judged as what it is drawn as.

SVG 2, section 5.6. What is used in its turn uses nothing here, and a page has room for so much of it: no page grows by it.
"""

from __future__ import annotations

from typing import Any

MAX_USES, MAX_CHARACTERS = 200, 20_000


def draw_used(parser: Any) -> None:
    """Give every `use` of a text a copy of what it refers to. A symbol with a view box is drawn in a size that is not known."""
    left, uses = MAX_CHARACTERS, 0
    targets = _targets(parser)
    for use in parser.css("svg use") if targets else ():
        attributes = use.attributes
        name = (attributes.get("href") or attributes.get("xlink:href") or "").strip()
        target = targets.get(name[1:]) if name.startswith("#") else None
        if target is None or use.first_child is not None or len(said := target.text()) > left or uses >= MAX_USES:
            continue
        left, uses = left - len(said), uses + 1
        use.insert_child(_copy(parser, target))
        if "transform" not in attributes and ("x" in attributes or "y" in attributes):
            use.attrs["transform"] = f"translate({attributes.get('x') or 0},{attributes.get('y') or 0})"


def _targets(parser: Any) -> dict[str, Any]:
    """By name, the elements of images that hold a text and use nothing themselves; pages have hundreds of symbols without one."""
    found: dict[str, Any] = {}
    for node in parser.css("svg [id]"):
        found.setdefault(node.attributes["id"] or "", node)
    return {name: node for name, node in found.items() if node.text().strip() and node.css_first("use") is None}


def _copy(parser: Any, target: Any) -> Any:
    if target.tag != "symbol":
        return target.clone()
    group = parser.create_node("g")
    if "viewBox" in target.attributes:
        group.attrs["transform"] = "none"  # neither moved nor in place
    for child in target.iter(include_text=False):
        group.insert_child(child.clone())
    return group
