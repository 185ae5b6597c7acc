"""Pages a second through the door, against curl_cffi alone doing the same GETs of the lab; what the guard costs of it; the store.

    python bench/throughput.py [--pages 300] [--parallel 16] [--rounds 3]

The rounds alternate between the two, so that a busy machine is busy for both. Bare curl_cffi does what one would write by hand:
one session, impersonation, the proxy, no look-up, no cap, no pacing. The door has everything but pacing, with names looked up
before the clock starts (the lab's resolver would be one more request a host, `lookup_milliseconds` each); `with the store` has
a cold cache and pacing of a millisecond: every page costs its transactions and nothing waits. Guard: the time that it takes
to parse, judge and resolve (from memory) one URL, as a share of one page's time in the door.

Must hold: the door reaches at least 0.7 of bare curl_cffi, and the guard costs at most 5 %.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
from lab_web import CORPUS, Lab, lab

from stages.core.env import Request, Settings
from stages.core.errors import StageError
from stages.net.client import LiveDoor
from stages.net.identity_browser import BROWSERS
from stages.store.database import Store

FLOOR, GUARD_CEILING = 0.7, 0.05
TIMEOUT_SECS = 20.0


def addresses(count: int) -> list[str]:
    """The first recorded pages, one a host while there are such."""
    rows = [json.loads(path.read_text(encoding="utf-8"))["url"] for path in sorted((CORPUS / "ground-truth").glob("*.json"))]
    by_host: dict[str, list[str]] = {}
    for url in filter(lambda url: url.startswith("http"), rows):
        by_host.setdefault(url.split("/")[2], []).append(url)
    ranked = sorted((rank, host, url) for host, urls in by_host.items() for rank, url in enumerate(urls))
    return [url for _, _, url in ranked[:count]]


async def each(urls: list[str], parallel: int, get: Callable[[str], Awaitable[int]]) -> tuple[float, int]:
    """Seconds for all of them and the bytes that came."""
    total, limit = 0, anyio.Semaphore(parallel)

    async def one(url: str) -> None:
        nonlocal total
        async with limit:
            total += await get(url)

    began = time.perf_counter()
    async with anyio.create_task_group() as group:
        for url in urls:
            group.start_soon(one, url)
    return time.perf_counter() - began, total


async def bare(urls: list[str], parallel: int, web: Lab) -> tuple[float, int]:
    """curl_cffi alone."""
    from curl_cffi.requests import AsyncSession

    async with AsyncSession(trust_env=False, max_clients=parallel) as session:

        async def get(url: str) -> int:
            answer = await session.get(
                url, impersonate=BROWSERS[0], proxy=web.proxy, verify=web.authority, allow_redirects=False, timeout=TIMEOUT_SECS
            )
            return len(answer.content)

        return await each(urls, parallel, get)


async def through(urls: list[str], parallel: int, web: Lab, *, stored: bool) -> tuple[float, int]:
    """The same through the door."""
    settings = Settings(
        proxy=web.proxy, ca_bundle=web.authority, resolver=f"{web.proxy}/dns", cache=stored, pace_secs=0.001 if stored else 0.0
    )
    with tempfile.TemporaryDirectory() as folder:
        door = LiveDoor(settings, store=Store(Path(folder)))
        net = door.bind("fetch", "bench", math.inf, set())

        async def look_up(url: str) -> int:
            await door.way(*door.judge(Request(url=url)))
            return 0

        async def get(url: str) -> int:
            try:
                return len((await net.send(Request(url=url, timeout_secs=TIMEOUT_SECS))).body)
            except StageError as error:
                raise SystemExit(f"{url}: {error}") from None

        try:
            await each(urls, parallel, look_up)
            return await each(urls, parallel, get)
        finally:
            await door.aclose()


async def guard_secs(urls: list[str], web: Lab) -> tuple[float, float]:
    """Seconds of guard for one page, names already looked up; and with looking them up, where no other page of the host did."""
    settings = Settings(proxy=web.proxy, ca_bundle=web.authority, resolver=f"{web.proxy}/dns")
    door = LiveDoor(settings, store=Store(None))
    requests = [Request(url=url) for url in urls]
    secs = []
    for _ in range(2):
        began = time.perf_counter()
        for request in requests:
            await door.way(*door.judge(request))
        secs.append((time.perf_counter() - began) / len(requests))
    await door.aclose()
    return secs[1], secs[0]


async def measure(given: argparse.Namespace, web: Lab) -> dict[str, object]:
    """The figures of all rounds."""
    urls = addresses(given.pages)
    ways = {
        "curl_cffi": lambda: bare(urls, given.parallel, web),
        "door": lambda: through(urls, given.parallel, web, stored=False),
        "with_store": lambda: through(urls, given.parallel, web, stored=True),
    }
    for way in ways.values():
        await way()  # imports, certificates of the lab, its page cache
    secs: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(given.rounds):
        for name, way in ways.items():
            taken, size = await way()
            assert size > 0
            secs[name].append(taken)
    middle = {name: statistics.median(taken) for name, taken in secs.items()}
    guard, first = await guard_secs(urls, web)
    return {
        "pages": len(urls),
        "pages_a_second": {name: round(len(urls) / taken, 1) for name, taken in middle.items()},
        "door_to_curl": round(middle["curl_cffi"] / middle["door"], 3),
        "store_to_curl": round(middle["curl_cffi"] / middle["with_store"], 3),
        "guard_microseconds": round(guard * 1e6, 1),
        "lookup_milliseconds": round(first * 1e3, 2),
        "guard_share": round(guard * len(urls) / middle["door"], 4),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--parallel", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with lab("--robots", "open", "--faults", "none", "--latency-ms", "0") as web:
        figures = asyncio.run(measure(given, web))
    print(json.dumps(figures, indent=1))
    if figures["door_to_curl"] < FLOOR or figures["guard_share"] > GUARD_CEILING:
        raise SystemExit("below what must hold")


if __name__ == "__main__":
    main()
