"""What it costs to bring stylesheets along: the lab's pages fetched with and without them, 16 at a time.

    python bench/stylesheets_cost.py [PAGES] [LATENCY_MS]

The lab has the pages but not their stylesheets, so each asked-for stylesheet is a quick 404: this is the cost of the round trips.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Awaitable, Callable

import anyio
from lab_web import Lab, lab

from stages.core.env import Env, Settings
from stages.core.errors import StageError
from stages.fetch import Options, fetch
from stages.net import stylesheets
from stages.net.client import LiveDoor
from stages.records import Hit, Page, Stylesheet

PARALLEL = 16


async def _nothing(_read: object, _url: str, _body: bytes, _charset: str) -> tuple[Stylesheet, ...]:
    return ()


async def fetched(
    web: Lab, urls: list[str], attached: Callable[..., Awaitable[tuple[Stylesheet, ...]]]
) -> tuple[float, list[Page]]:
    """Seconds and pages."""
    stylesheets.attached = attached  # type: ignore[assignment]
    settings = Settings(proxy=web.proxy, ca_bundle=web.authority, resolver=f"{web.proxy}/dns")
    door, pages, limit = LiveDoor(settings), [], anyio.CapacityLimiter(PARALLEL)

    async def one(url: str) -> None:
        env = Env(
            net=door.bind("fetch", url, time.time() + 600, set()),
            now="2026-01-01T00:00:00Z",
            random=random.Random(0),
            settings=settings,
            notices=set(),
        )
        async with limit:
            try:
                pages.append(await fetch.call(Hit(url=url), Options(), env))
            except StageError:
                return

    began = time.monotonic()
    async with anyio.create_task_group() as group:
        for url in urls:
            group.start_soon(one, url)
    took = time.monotonic() - began
    await door.aclose()
    return took, pages


def main() -> None:
    count, latency = (int(word) for word in (*sys.argv[1:], "150", "50")[:2])
    with lab("--faults", "none", "--robots", "open", "--latency-ms", str(latency)) as web:
        urls = _pages()[:count]
        real = stylesheets.attached
        for name, attached in (
            ("warm-up", _nothing),
            ("without", _nothing),
            ("with", real),
            ("without", _nothing),
            ("with", real),
        ):
            before = len(web.requests())
            took, pages = anyio.run(fetched, web, urls, attached)
            asked = len(web.requests()) - before
            named = sum(min(len(stylesheets.links(page.body, page.charset, page.url)), stylesheets.MAX_SHEETS) for page in pages)
            print(f"{name:8} {len(pages)} pages in {took:5.2f} s, {asked} requests; stylesheets of the same site named: {named}")


def _pages() -> list[str]:
    from lab_web import QUESTIONS

    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    urls = dict.fromkeys(url for row in rows for url in row["gold_urls"])
    return list(urls)


if __name__ == "__main__":
    main()
