"""Functions that stand for a value found elsewhere, put in before the value is read.

`var()`, `env()`, `attr()`, `if()`, the place among siblings, and those that a stylesheet defines.
"""

from __future__ import annotations

import re
from typing import Any

from stages.html.conditions import media, supports
from stages.html.tree import Element
from stages.html.values import pieces

MAX_SUBSTITUTED = 4000
"""Characters of a value once its variables are put in: they can be made to double each other."""
MAX_ROUNDS = 16
_REST = r"(?:,((?:[^()]|\((?:[^()]|\([^()]*\))*\))*))?"
_VARIABLE = re.compile(rf"var\(\s*(--[\w-]+)\s*{_REST}\)")
_ENVIRONMENT = re.compile(rf"env\(\s*([\w-]+)[^,()]*{_REST}\)", re.IGNORECASE)
_ATTRIBUTE = re.compile(rf"attr\(\s*([\w-]+)\s*(?:type\((?:[^()]|\([^()]*\))*\)|[\w%-]+)?\s*{_REST}\)", re.IGNORECASE)
_IF = re.compile(r"if\(((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*)\)", re.IGNORECASE)
_OWN = re.compile(r"(?<![\w-])(--[\w-]+)\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)")
_PLACE = re.compile(r"(sibling-(?:index|count))\(\s*\)", re.IGNORECASE)
_CALLS = re.compile(r"(?:var|env|attr|\bif|--[\w-]+|\bsibling-(?:index|count))\(", re.IGNORECASE)
_CONDITION = re.compile(r"(not\s+)?(media|supports)\((.*)\)", re.IGNORECASE | re.DOTALL)
MISSING, BODY = "\0", "\1"


def stands_for(value: str) -> bool:
    """Whether something is to be put into a value."""
    return "(" in value and _CALLS.search(value) is not None


def substitute(value: str, variables: dict[str, str], attributes: dict[str, str] | None = None) -> str | None:
    """A value with all put in, innermost first; None when something is missing, circular, or grows without end."""
    for _ in range(MAX_ROUNDS):
        if len(value) > MAX_SUBSTITUTED:
            return None
        before = value
        value = _VARIABLE.sub(lambda match: variables.get(match[1], _fallback(match[2])), value)
        value = _ENVIRONMENT.sub(lambda match: "0px" if match[1].startswith("safe-area") else _fallback(match[2]), value)
        value = _ATTRIBUTE.sub(lambda match: (attributes or {}).get(match[1].lower()) or _fallback(match[2]), value)
        value = _OWN.sub(lambda match: _called(variables.get(f"{match[1]}()"), match[2]), value)
        value = _PLACE.sub(lambda match: (attributes or {}).get(f"{match[1].lower()}()", MISSING), value)
        value = _IF.sub(lambda match: _chosen(match[1]), value)
        if MISSING in value or len(value) > MAX_SUBSTITUTED:
            return None
        if value == before:
            break
    return None if stands_for(value) else value


def defined(rule: Any) -> dict[str, str]:
    """A function that a stylesheet defines, under its name and brackets: its parameters, and what it comes to."""
    import tinycss2

    called = next((token for token in rule.prelude if token.type == "function"), None)
    nodes = tinycss2.parse_blocks_contents(rule.content, skip_comments=True, skip_whitespace=True)
    results = [node for node in nodes if node.type == "declaration" and node.lower_name == "result"]
    if called is None or not results:
        return {}
    parameters = "".join(token.serialize() for token in called.arguments)
    return {f"{called.name}()": f"{parameters}{BODY}{tinycss2.serialize(results[-1].value).strip()}"}


def _called(function: str | None, given: str) -> str:
    """What a function comes to for what it is given; its parameters stand in it as variables do."""
    if function is None:
        return MISSING
    parameters, _, result = function.partition(BODY)
    values = [each.strip() for each in pieces(given, ",")]
    for at, parameter in enumerate(pieces(parameters, ",")):
        name, _, default = parameter.partition(":")
        value = values[at] if at < len(values) else default.strip() or MISSING
        result = re.sub(rf"var\(\s*{re.escape(name.split()[0])}\s*\)", value.replace("\\", r"\\"), result)
    return result


def place(element: Element) -> dict[str, str]:
    """Which of how many elements one is, as the functions that say so are called."""
    siblings = [child for child in element.parent.children if not isinstance(child, str)] if element.parent else [element]
    return {"sibling-index()": str(siblings.index(element) + 1), "sibling-count()": str(len(siblings))}


def _fallback(given: str | None) -> str:
    return MISSING if given is None else given.strip()


def _chosen(branches: str) -> str:
    """The first branch of an `if()` that holds."""
    import tinycss2

    for branch in pieces(branches, ";"):
        condition, _, value = branch.partition(":") if branch.strip().lower().startswith("else") else _parted(branch)
        match = _CONDITION.fullmatch(condition.strip())
        if condition.strip().lower() == "else":
            return value.strip()
        if match is not None:
            tokens = tinycss2.parse_component_value_list(
                f"({match[3]})" if ":" in match[3] or ">" in match[3] or "<" in match[3] else match[3]
            )
            if (media if match[2].lower() == "media" else supports)(tokens) != bool(match[1]):
                return value.strip()
    return MISSING


def _parted(branch: str) -> tuple[str, str, str]:
    """Condition and value: the colon behind the condition's brackets."""
    depth = 0
    for at, letter in enumerate(branch):
        depth += (letter == "(") - (letter == ")")
        if letter == ":" and not depth:
            return branch[:at], ":", branch[at + 1 :]
    return branch, "", ""
