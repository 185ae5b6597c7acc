"""Text that a page's own markup says a script puts in place while it loads.

React streams parts of a page as `<div hidden id="S:1">` and calls `$RC("B:1","S:1")` or `$RS("S:1","P:1")` to move them where the
template of the other id stands. A reader sees them, so they are moved here too. Only such a call counts, never the look of an id.
"""

from __future__ import annotations

import re

from stages.html.tree import Element

_CALL = re.compile(r"\$R([CSR])\(\s*\"([A-Za-z0-9:_-]{1,40})\"\s*,\s*\"([A-Za-z0-9:_-]{1,40})\"")


def put_in_place(elements: list[Element]) -> bool:
    """Move every streamed part to its place; whether there is any."""
    calls: list[tuple[str, str]] = []
    for element in elements:
        if element.tag == "script" and element.size:
            text = element.text()
            for kind, first, second in _CALL.findall(text) if "$R" in text else ():
                calls.append((first, second) if kind == "S" else (second, first))
    if not calls:
        return False
    by_id = {element.attributes["id"]: element for element in elements if "id" in element.attributes}
    for part, place in calls:
        source, target = by_id.get(part), by_id.get(place)
        if source is not None and target is not None and target.parent is not None and "hidden" in source.attributes:
            _move(source, target)
    return True


def _move(source: Element, target: Element) -> None:
    parent = target.parent
    if parent is None or target is source or any(each is source for each in target.ancestors()) or target not in parent.children:
        return
    at = parent.children.index(target)
    parent.filled(parent.children[:at] + source.children + parent.children[at:])
    source.filled([])
