"""Text in an image that is drawn where a `use` refers to it: put there, so that it is judged as what it is drawn as.

SVG 2, section 5.6. What is used in its turn uses nothing here, and a page has room for so much of it: no page grows by it.
"""

from __future__ import annotations

from typing import Any

MAX_USES, MAX_CHARACTERS = 200, 20_000


def draw_used(parser: Any) -> None:
    """Give every `use` of a text a copy of what it refers to. A symbol with a view box is drawn in a size that is not known."""
    left = MAX_CHARACTERS
    targets: dict[str, Any] = {}
    for use in parser.css("svg use")[:MAX_USES]:
        attributes = use.attributes
        name = (attributes.get("href") or attributes.get("xlink:href") or "").strip()
        if not name.startswith("#") or use.first_child is not None:
            continue
        if name not in targets:
            targets[name] = _target(parser, name[1:])
        target = targets[name]
        said = target.text() if target is not None else ""
        if not said.strip() or len(said) > left:
            continue
        left -= len(said)
        use.insert_child(_copy(parser, target))
        if "transform" not in attributes and ("x" in attributes or "y" in attributes):
            use.attrs["transform"] = f"translate({attributes.get('x') or 0},{attributes.get('y') or 0})"


def _target(parser: Any, name: str) -> Any:
    """The element of a name inside an image that uses nothing itself; None where there is none."""
    found = next((node for node in parser.css("svg [id]") if node.attributes["id"] == name), None)
    return None if found is None or found.tag == "use" or found.css_first("use") is not None else found


def _copy(parser: Any, target: Any) -> Any:
    if target.tag != "symbol":
        return target.clone()
    group = parser.create_node("g")
    if "viewBox" in target.attributes:
        group.attrs["transform"] = "none"  # neither moved nor in place
    for child in target.iter(include_text=False):
        group.insert_child(child.clone())
    return group
