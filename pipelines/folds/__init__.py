"""FOLDS: every way to turn a run into a reply, by name."""

from __future__ import annotations

from pipelines.folds.better_web_extract import BETTER_WEB_EXTRACT
from pipelines.folds.better_web_research import BETTER_WEB_RESEARCH
from pipelines.folds.better_web_search import BETTER_WEB_SEARCH
from pipelines.folds.fold import Fold
from pipelines.folds.groundhog_read_url import GROUNDHOG_READ_URL
from pipelines.folds.groundhog_research import GROUNDHOG_RESEARCH
from pipelines.folds.groundhog_search import GROUNDHOG_SEARCH
from pipelines.folds.groundhog_status import GROUNDHOG_STATUS
from pipelines.folds.read_url import READ_URL
from pipelines.folds.research import RESEARCH
from pipelines.folds.search import SEARCH
from pipelines.folds.search_images import SEARCH_IMAGES
from pipelines.folds.search_news import SEARCH_NEWS
from pipelines.folds.web_scrape import WEB_SCRAPE
from pipelines.folds.web_search import WEB_SEARCH
from pipelines.folds.web_search_images import WEB_SEARCH_IMAGES

FOLDS: tuple[Fold, ...] = (
    SEARCH, SEARCH_IMAGES, SEARCH_NEWS, RESEARCH, READ_URL,
    WEB_SCRAPE, WEB_SEARCH, WEB_SEARCH_IMAGES,
    GROUNDHOG_RESEARCH, GROUNDHOG_READ_URL, GROUNDHOG_SEARCH, GROUNDHOG_STATUS,
    *BETTER_WEB_SEARCH, BETTER_WEB_RESEARCH, BETTER_WEB_EXTRACT,
)  # fmt: skip


def by_name(name: str) -> Fold | None:
    """The fold of this name, if there is one."""
    return next((fold for fold in FOLDS if fold.name == name), None)


__all__ = ["FOLDS", "Fold", "by_name"]
