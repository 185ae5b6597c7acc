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
        variables = {name: value for name, value in variables.items() if value.lower() != "initial"}
    worked_out: Named = []
    for name, value, layer in named:
        if not name.startswith("--"):
            plain = (substitute(value, variables, attributes) or "unset") if stands_for(value) else value
            worked_out.append((name, plain, layer))
    if any(value == "revert-layer" for _, value, _ in worked_out):
        return _rolled_back(worked_out), variables
    found: dict[str, str] = {}
    for name, value, _ in worked_out:
        got = expand(name, value)
        if "all" in got:
            found.clear()
        found.update(got)
    return found, variables


def _rolled_back(named: Named) -> dict[str, str]:
    """What wins where a layer gives back to the one before it."""
    found: dict[str, str] = {}
    layers: dict[str, list[tuple[Any, str]]] = {}
    for name, value, layer in named:
        got = expand(name, value)
        if value == "revert-layer":
            for each in got:
                found.pop(each, None)
            got = {each: before for each in got if (before := _before(layers.get(each, []), layer)) is not None}
        found = got if "all" in got else found | got
        for each, one in got.items():
            layers.setdefault(each, []).append((layer, one))
    return found


def _before(earlier: list[tuple[Any, str]], layer: Any) -> str | None:
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
