"""Container queries: which boxes around an element they ask, and what is known of those."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from stages.html.conditions import HEIGHT, WIDTH, feature, logic
from stages.html.sheets import Declaration
from stages.html.state import State
from stages.html.tree import Element
from stages.html.values import Scale, length

_ACROSS = frozenset({"width", "inline-size", "min-width", "max-width", "min-inline-size", "max-inline-size"})


class Query(Struct, frozen=True):
    """One `@container`: the name of the container, and what is asked of it."""

    name: str
    words: tuple[Any, ...]


class Conditional(tuple[Declaration, ...]):  # noqa: SLOT001 - a tuple with an attribute more
    """Declarations that hold where all queries do."""

    queries: tuple[Query, ...]


def conditional(declarations: tuple[Declaration, ...], queries: tuple[Query, ...]) -> Conditional:
    """Declarations of a rule inside container queries."""
    made = Conditional(declarations)
    made.queries = queries
    return made


def query(tokens: list[Any]) -> Query:
    """The prelude of a `@container`."""
    words = [token for token in tokens if token.type not in ("whitespace", "comment")]
    name = ""
    if words and words[0].type == "ident" and words[0].lower_value != "not":
        name, words = words[0].value, words[1:]
    return Query(name, tuple(words))


def holding(element: Element) -> Any:
    """What is declared for an element, without what a container query keeps from holding."""
    if not any(isinstance(declarations, Conditional) for _, declarations in element.declared):
        return element.declared
    return [
        entry
        for entry in element.declared
        if not isinstance(entry[1], Conditional) or all(_holds(each, element) for each in entry[1].queries)
    ]


def _holds(asked: Query, element: Element) -> bool:
    if not asked.words:
        return any(_is_named(above, asked.name) for above in element.ancestors())
    return logic(list(asked.words), lambda token: _judged(token, asked.name, element))


def _judged(token: Any, name: str, element: Element) -> bool:
    if token.type == "function":
        return token.lower_name == "style" and _styled(token.arguments, name, element)
    across = next((part for part in token.content if part.type == "ident"), None)
    sized = ("size", "inline-size") if across is not None and across.lower_value in _ACROSS else ("size",)
    container = next((above for above in element.ancestors() if _kind(above) in sized and _is_named(above, name)), None)
    if container is None:
        return False
    wide, tall = _width(container), length(container.state.styles.get("height", "auto"), Scale(container.state.font))
    sizes = {"width": wide, "inline-size": wide, "height": tall or HEIGHT, "block-size": tall or HEIGHT}
    return feature(token, sizes)


def _kind(element: Element) -> str:
    state: State = element.state
    kind = state.styles.get("container-type", "normal")
    return kind.rpartition("/")[2].strip()


def _is_named(element: Element, name: str) -> bool:
    styles = element.state.styles
    names = styles.get("container-name", styles.get("container-type", "").partition("/")[0])
    return not name or name.lower() in names.split()


def _width(container: Element) -> float:
    """How wide a box is at most."""
    wide = WIDTH
    for each in reversed([container, *container.ancestors()]):
        styles, scale = each.state.styles, Scale(each.state.font, wide)
        sizes = [length(styles.get(side, "auto"), scale) for side in ("width", "max-width")]
        wide = min([size for size in sizes if size is not None] or [wide])
    return wide


def _styled(tokens: list[Any], name: str, element: Element) -> bool:
    """`style(--theme: dark)`: every element is a container of its own custom properties."""
    container = next((above for above in element.ancestors() if _is_named(above, name)), None)
    asked, colon, wanted = "".join(token.serialize() for token in tokens if token.type != "comment").partition(":")
    if container is None or not asked.strip().startswith("--"):
        return False
    variables: dict[str, str] = container.state.variables
    value = variables.get(asked.strip())
    return value is not None and (not colon or " ".join(value.split()) == " ".join(wanted.split()))
