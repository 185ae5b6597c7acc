"""What a stylesheet is made into."""

from __future__ import annotations

from msgspec import Struct

from stages.html.selectors import Selector

Declaration = tuple[str, str, bool]
"""Name, value, and whether it is `!important`."""
Layer = tuple[str, ...]
Frames = tuple[tuple[float, tuple[Declaration, ...]], ...]
"""Keyframes, first to last: percentage and declarations."""


class Rule(Struct, frozen=True):
    """What some selectors declare."""

    selectors: tuple[Selector, ...]
    declarations: tuple[Declaration, ...]
    layer: Layer = ()


class Import(Struct, frozen=True):
    """Another stylesheet to be put in this place."""

    url: str
    layer: Layer = ()


Found = tuple[int, Rule, Selector]
"""A selector with its rule and the rule's place in the stylesheet."""


class Sheet(Struct, frozen=True):
    """A stylesheet as far as a reader's screen is concerned."""

    index: dict[str, list[Found]]
    """Something that must be on a page -> the selectors that need it; those that need nothing known are under the empty name."""
    imports: tuple[tuple[int, Import], ...] = ()
    """With their places among the rules."""
    keyframes: dict[str, Frames] = {}
    initial: dict[str, str] = {}
    """Custom property -> its registered initial value."""
    fresh: frozenset[str] = frozenset()
    """Those that are not inherited."""
    layers: tuple[Layer, ...] = ()
    """In order of first mention."""
    partial: bool = False
    """True when something was too large to be read."""
    queried: bool = False
    """Whether some of its rules are inside container queries."""
    keys: frozenset[str] = frozenset()
    """All that its selectors ask for by name."""
