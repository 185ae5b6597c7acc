"""UNFOLDS: every typed request that does not map one to one, by name."""

from __future__ import annotations

from pipelines.unfolds.unfold import Unfold

UNFOLDS: tuple[Unfold, ...] = ()


def by_name(name: str) -> Unfold | None:
    """The unfold of this name, if there is one."""
    return next((unfold for unfold in UNFOLDS if unfold.name == name), None)


__all__ = ["UNFOLDS", "Unfold", "by_name"]
