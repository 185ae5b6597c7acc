"""STAGES: every stage by name, in pipe order. A stage's module is imported when it is asked for, so that one stage's
command does not pay for the others.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stages.core.stage import Stage

STAGES: tuple[str, ...] = ("expand", "search", "dedupe", "fetch", "sanitize", "extract", "chunk", "rank", "budget")


def load(name: str) -> Stage:
    """The stage of this name. Raises KeyError for a name that is not in STAGES."""
    if name not in STAGES:
        raise KeyError(name)
    stage: Stage = getattr(import_module(f"stages.{name}"), name)
    return stage
