"""Which rankings show a page that answers, before any page is read: cribble's fused hits, each engine alone, and plain RRF.

    python bench/hits.py [--limit 20] [--engines duckduckgo,bing,…] [--default bing,…] [--keep FILE] [--kept FILE]

Every question of `../shared/bench/questions/dev.jsonl` is asked in the lab, whose budgets are on and start anew with each
ranking. `cribble` is `expand | search | dedupe`, all of whose requests share the budgets; `engine NAME` the question as it
stands, at one engine; `plain rrf` sums 1 / (60 + rank) over these. Prints hit@1, @5, @10 and the mean reciprocal rank, each
with its 95 % interval (bootstrap, fixed seed), the paired difference of hit@10 to cribble's, and how engines answered.
`--keep` writes what was found, `--kept` reads it again instead of asking, so that changes to dedupe alone can be compared.
"""

from __future__ import annotations

import argparse
import datetime
import json
import random
import statistics
import sys
from collections import Counter, defaultdict
from pathlib import Path

import anyio
import msgspec
from lab_web import ROOT, Lab, lab, questions

sys.path.insert(0, str(ROOT))
from stages import load
from stages.core.env import Env, Settings
from stages.net.client import LiveDoor
from stages.records import Attempt, Hit, Query, Question, Record, encode
from stages.text.urls import canonical_key

SEARXNG = "http://searxng.lab"
DEPTH = 10
PLAIN_K = 60
RESAMPLES = 10_000
PER_ENGINE = 20
NOW = f"{datetime.datetime.now(tz=datetime.UTC):%Y-%m-%dT%H:%M:%S}.000Z"


class Found(msgspec.Struct):
    """What one question came to: cribble's records, and each engine's."""

    gold: list[str]
    pipe: list[Query | Attempt | Hit]
    alone: dict[str, list[Query | Attempt | Hit]]


async def ask(queries: list[Query], where: Lab, engines: tuple[str, ...], answers: int) -> list[Record]:
    """Hits and attempts of the queries, whose engines start with full budgets."""
    where.control("reset")
    settings = Settings(
        proxy=where.proxy, ca_bundle=where.authority, resolver=f"{where.proxy}/dns", engines=engines, searxng_url=SEARXNG
    )
    search, door, notices = load("search"), LiveDoor(settings), set()
    options = search.options(per_engine=PER_ENGINE, timeout_secs=8, answers=answers)
    results: list[list[Record]] = [[] for _ in queries]
    limit = anyio.Semaphore(options.parallel)

    async def one(at: int, query: Query) -> None:
        net = door.bind("search", str(at), float("inf"), notices)
        env = Env(net=net, now=NOW, random=random.Random(0), settings=settings, notices=notices)
        async with limit:
            results[at] = [query, *await search.call(query, options, env)]

    async with anyio.create_task_group() as group:
        for at, query in enumerate(queries):
            group.start_soon(one, at, query)
    await door.aclose()
    return [record for result in results for record in result]


async def gather(where: Lab, arguments: argparse.Namespace) -> list[Found]:
    """Ask everything."""
    expand = load("expand")
    rows = []
    for question in questions(arguments.limit):
        asked = Question(text=str(question["question"]))
        queries = expand.call(asked, expand.options(queries=arguments.queries))
        pipe = await ask(queries, where, arguments.default, arguments.answers)
        alone = {name: await ask(queries[:1], where, (name,), 1) for name in arguments.engines}
        rows.append(Found(gold=question["gold_urls"], pipe=pipe, alone=alone))
    return rows


def hits(records: list[Record]) -> list[Hit]:
    return [record for record in records if isinstance(record, Hit)]


def plain(lists: list[list[str]]) -> list[str]:
    """Reciprocal rank fusion as it is usually done."""
    scores: dict[str, float] = defaultdict(float)
    for keys in lists:
        for rank, key in enumerate(dict.fromkeys(keys), 1):
            scores[key] += 1 / (PLAIN_K + rank)
    return sorted(scores, key=lambda key: -scores[key])


def rankings(row: Found) -> dict[str, list[str]]:
    """Page keys of each ranking, best first."""
    dedupe = load("dedupe")
    fused = hits(dedupe.call(hits(row.pipe), dedupe.options(limit=100)))
    alone = {name: [canonical_key(hit.url) for hit in hits(records)] for name, records in row.alone.items()}
    return {
        "cribble": [canonical_key(hit.url) for hit in fused],
        "plain rrf": plain(list(alone.values())),
        **{f"engine {name}": keys for name, keys in alone.items()},
    }


def rank_of(gold: list[str], keys: list[str]) -> int:
    """The place of the first page that answers; 0 when none is there."""
    wanted = {canonical_key(url) for url in gold}
    return next((rank for rank, key in enumerate(keys, 1) if key in wanted), 0)


def interval(values: list[float]) -> list[float]:
    """The mean and 95 % of its bootstrap."""
    chance, count = random.Random(1), len(values)
    means = sorted(sum(chance.choices(values, k=count)) / count for _ in range(RESAMPLES))
    return [round(value, 3) for value in (statistics.mean(values), means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES)])]


def measured(rows: list[Found]) -> dict[str, dict[str, object]]:
    """The table."""
    ranks: dict[str, list[int]] = defaultdict(list)
    for row in rows:
        for name, keys in rankings(row).items():
            ranks[name].append(rank_of(row.gold, keys))
    table = {}
    for name, places in ranks.items():
        line: dict[str, object] = {f"hit@{top}": interval([float(0 < place <= top) for place in places]) for top in (1, 5, DEPTH)}
        line["mrr"] = interval([1 / place if place else 0.0 for place in places])
        pairs = list(zip(ranks["cribble"], places, strict=True))
        line["cribble_has_more_by"] = interval([(0 < own <= DEPTH) - (0 < place <= DEPTH) for own, place in pairs])
        table[name] = line
    pipe = [record for row in rows for record in row.pipe]
    return {
        "date": str(datetime.datetime.now(tz=datetime.UTC).date()), "questions": len(rows), "rankings": table,
        "queries": dict(Counter(one.derived.partition(":")[0] for one in pipe if isinstance(one, Query))),
        "attempts": dict(Counter(f"{one.who} {one.outcome}" for one in pipe if isinstance(one, Attempt)).most_common()),
    }  # fmt: skip


def names(text: str) -> tuple[str, ...]:
    return tuple(name for name in text.split(",") if name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, default=0, help="only so many questions")
    parser.add_argument("--engines", type=names, default=names("duckduckgo,bing,brave,mojeek"), help="asked alone")
    parser.add_argument("--default", type=names, default=(), help="what cribble may ask; its own choice when empty")
    parser.add_argument("--queries", type=int, default=6, help="variants of a question at most")
    parser.add_argument("--answers", type=int, default=3, help="engines whose answers are wanted for a query")
    parser.add_argument("--faults", default="mild", choices=("none", "mild", "hostile"))
    parser.add_argument("--keep", help="write what was found here")
    parser.add_argument("--kept", help="read it here, and ask nothing")
    arguments = parser.parse_args()
    if arguments.kept:
        rows = msgspec.json.decode(Path(arguments.kept).read_bytes(), type=list[Found])
    else:
        with lab("--faults", arguments.faults) as where:
            rows = anyio.run(gather, where, arguments)
    if arguments.keep:
        Path(arguments.keep).write_bytes(encode(rows))
    told = measured(rows)
    for name, line in told.pop("rankings").items():
        print(f"{name:20}", json.dumps(line))
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
