"""`@scope`: what rules inside it are nested in."""

from __future__ import annotations


class Scope(str):
    """The roots, and all that is below one and below no limit."""

    __slots__ = ("roots",)
    roots: str


def scope(roots: list[str], limits: list[str]) -> Scope:
    """Of two selector lists; `limits` may be empty."""
    beyond = f":not({','.join(f'{each},{each} *' for each in limits)})" if limits else ""
    made = Scope(",".join(f"{each},{each} *{beyond}" for each in roots))  # the engine finds nothing for :is(:is(a) *)
    made.roots = ",".join(roots)
    return made
