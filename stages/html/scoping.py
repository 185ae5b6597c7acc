"""`@scope`: what rules inside it are nested in."""

from __future__ import annotations

from functools import lru_cache


class Scope(str):
    """The roots, and all that is below one and below no limit."""

    __slots__ = ("roots",)
    roots: str


def scope(roots: list[str], limits: list[str]) -> Scope:
    """Of two selector lists; `limits` may be empty."""
    beyond = f":not({','.join(f'{each},{each} *' for each in limits)})" if limits else ""
    ended = f":not({','.join(limits)})" if limits else ""
    made = Scope(",".join(f"{each}{ended},{each} *{beyond}" for each in roots))  # the engine finds nothing for :is(:is(a) *)
    made.roots = ",".join(roots)
    return made


@lru_cache(maxsize=4096)
def weight(parent: str) -> tuple[int, int, int]:
    """How specific a rule is in which others are nested; being below a root adds nothing."""
    import tinycss2

    from stages.html.selectors import compile_selectors

    found = () if isinstance(parent, Scope) else compile_selectors(tinycss2.parse_component_value_list(parent))
    return max((selector.specificity for selector in found), default=(0, 0, 0))
