"""The reply that Groundhog's `status` publishes: cribble has no browser, so none is reached, and it says what works without."""

from __future__ import annotations

from pipelines.folds.fold import Fold, NoOptions, same_json
from pipelines.folds.groundhog_types import StatusResult
from pipelines.story import Story

HINT = (
    "This server needs no browser and starts none: pages are read over HTTP, and search, read_url and research work as they are. "
    "A page that draws itself by script cannot be read, and has the status empty. CDP_URL and GROUNDHOG_ variables are not read; "
    "CRIBBLE_SEARXNG_URL stands for SEARXNG_URL, and `cribble config` shows every setting."
)


def fold(_story: Story, _options: NoOptions) -> StatusResult:
    """Nothing is probed: there is nothing to be reached."""
    return StatusResult(browser_reachable=False, cdp_url="", hint=HINT)


GROUNDHOG_STATUS = Fold(name="groundhog_status", reply=StatusResult, needs=(), fold=fold, markdown=same_json, brief=same_json)
