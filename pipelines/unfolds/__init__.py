"""UNFOLDS: every typed request that does not map one to one, by name."""

from __future__ import annotations

from pipelines.unfolds.better_web_pages import BETTER_WEB_PAGES
from pipelines.unfolds.better_web_search import BETTER_WEB_SEARCH
from pipelines.unfolds.groundhog_read_url import GROUNDHOG_READ_URL
from pipelines.unfolds.groundhog_research import GROUNDHOG_RESEARCH
from pipelines.unfolds.groundhog_search import GROUNDHOG_SEARCH
from pipelines.unfolds.queries import WEB_SEARCH, WEB_SEARCH_IMAGES
from pipelines.unfolds.unfold import Unfold
from pipelines.unfolds.web_scrape import WEB_SCRAPE

UNFOLDS: tuple[Unfold, ...] = (
    WEB_SCRAPE, WEB_SEARCH, WEB_SEARCH_IMAGES,
    GROUNDHOG_RESEARCH, GROUNDHOG_READ_URL, GROUNDHOG_SEARCH,
    *BETTER_WEB_SEARCH, *BETTER_WEB_PAGES,
)  # fmt: skip


def by_name(name: str) -> Unfold | None:
    """The unfold of this name, if there is one."""
    return next((unfold for unfold in UNFOLDS if unfold.name == name), None)


__all__ = ["UNFOLDS", "Unfold", "by_name"]
