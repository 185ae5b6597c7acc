"""Of all that is declared for an element, what wins: importance, layers, specificity, order; with everything put in."""

from __future__ import annotations

from typing import Any

from stages.html.functions import stands_for, substitute
from stages.html.properties import expand

Named = list[tuple[str, str, Any]]
"""Name, value, and the layer it is declared in."""


def in_order(declared: Any) -> Named:
    """All that is declared for an element, the weakest first."""
    ordered: list[tuple[Any, str, str, Any]] = []
    for priority, declarations in declared:
        inline, rank, *rest = priority
        for name, value, important in declarations:
            # Important declarations reverse the layers, and beat inline ones that are not.
            key = (important, tuple(-each for each in rank), inline, *rest) if important else (important, inline, rank, *rest)
            ordered.append((key, name, value, (important, inline, rank)))
    ordered.sort(key=lambda item: item[0])
    return [(name, value, layer) for _, name, value, layer in ordered]


def winners(
    named: Named, variables: dict[str, str], attributes: dict[str, str] | None = None, fresh: dict[str, str] | None = None
) -> tuple[dict[str, str], dict[str, str]]:
    """Longhand -> winning value, and the custom properties in force, of what is declared in order.

    `fresh` are the custom properties that are not inherited, with what they begin with.
    """
    if fresh:
        variables = variables | fresh
    own = {name: value for name, value, _ in named if name.startswith("--") and value.lower() not in ("inherit", "unset")}
    if own:
        variables = _in_force(variables | own, own)
    found: dict[str, str] = {}
    layers: dict[str, list[tuple[Any, str | None]]] = {}
    back = any(value == "revert-layer" for _, value, _ in named)
    for name, value, layer in named:
        if name.startswith("--"):
            continue
        if stands_for(value):
            value = substitute(value, variables, attributes) or "unset"  # noqa: PLW2901 - the same value, worked out
        got = expand(name, value)
        if value == "revert-layer":
            got = {each: before for each in got if (before := _before(layers.get(each, []), layer)) is not None}
            for each in expand(name, value).keys() - got.keys():
                found.pop(each, None)
        if "all" in got:
            found = {"all": got["all"]}
        else:
            found |= got
        if back:
            for each, one in got.items():
                layers.setdefault(each, []).append((layer, one))
    return found, variables


def _before(earlier: list[tuple[Any, str | None]], layer: Any) -> str | None:
    """What was declared before a layer."""
    return next((value for other, value in reversed(earlier) if other != layer), None)


def _in_force(variables: dict[str, str], own: dict[str, str]) -> dict[str, str]:
    """Custom properties with each other put in; one that cannot be worked out is as good as not there."""
    made = dict(variables)
    for name, value in own.items():
        if stands_for(value):
            worked_out = substitute(value, variables)
            if worked_out is None:
                made.pop(name)
            else:
                made[name] = worked_out
    return made
