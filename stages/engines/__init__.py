"""ENGINES: every search engine by name, best first: the first few are asked, and for each that refuses the next.

A file named like an engine is that engine, pure, and imported when it is used. What they share: `engine` (passport, refusals),
`markup` and `answers` (how pages, JSON and feeds are read), `refusals` (a page without results), `relevant` (junk). `asking` asks
one engine one query for the search stage, `fusion` scores for dedupe.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

from stages.core.errors import UsageError

if TYPE_CHECKING:
    from stages.core.env import Settings
    from stages.engines.engine import Engine

ENGINES: tuple[str, ...] = (
    "searxng", "brave_api", "serper", "tavily", "exa",
    "duckduckgo", "brave", "mojeek", "bing", "yahoo", "bing_rss", "duckduckgo_lite", "startpage", "marginalia",
    "wikipedia", "hacker_news", "stack_exchange", "github", "arxiv", "crossref", "pubmed",
    "bing_images", "duckduckgo_images", "openverse", "wikimedia_commons",
    "google_news", "bing_news", "duckduckgo_news",
)  # fmt: skip


def load(name: str) -> Engine:
    """The engine of this name. Raises UsageError for a name that is not in ENGINES."""
    if name not in ENGINES:
        raise UsageError(f"no engine is called {name!r}; there are {', '.join(ENGINES)}")
    return cast("Engine", import_module(f"stages.engines.{name}"))


def choose(asked: tuple[str, ...], settings: Settings) -> list[Engine]:
    """The engines asked for, or else those of the settings, or else the default ones whose setting is there; best first.

    Names keep their order. Raises UsageError for an unknown one, and for an engine asked for by name whose setting is missing.
    """
    wanted = tuple(dict.fromkeys(asked or settings.engines))
    engines = [load(name) for name in wanted or ENGINES]
    engines = [engine for engine in engines if wanted or engine.PASSPORT.default]
    missing = [engine for engine in engines if engine.PASSPORT.setting and not getattr(settings, engine.PASSPORT.setting)]
    if wanted and missing:
        raise UsageError(f"{missing[0].PASSPORT.name} needs CRIBBLE_{missing[0].PASSPORT.setting.upper()}")
    return [engine for engine in engines if engine not in missing]
