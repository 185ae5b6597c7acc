"""FOLDS: every way to turn a run into a reply, by name."""

from __future__ import annotations

from pipelines.folds.fold import Fold
from pipelines.folds.groundhog_research import GROUNDHOG_RESEARCH
from pipelines.folds.read_url import READ_URL
from pipelines.folds.research import RESEARCH
from pipelines.folds.search import SEARCH
from pipelines.folds.web_scrape import WEB_SCRAPE

FOLDS: tuple[Fold, ...] = (SEARCH, RESEARCH, READ_URL, WEB_SCRAPE, GROUNDHOG_RESEARCH)


def by_name(name: str) -> Fold | None:
    """The fold of this name, if there is one."""
    return next((fold for fold in FOLDS if fold.name == name), None)


__all__ = ["FOLDS", "Fold", "by_name"]
