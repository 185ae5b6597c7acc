"""How fast records pass that no stage reads, and in how much memory: four stages in one process.

    python bench/pass_through.py --records 1000000

Measures the contract prototype in the same run where `../shared/prototypes/contract` is there (with fewer records: it is slower).
Prints one JSON object.
"""

from __future__ import annotations

import argparse
import datetime
import json
import resource
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

PROTOTYPE = Path(__file__).parents[2] / "shared" / "prototypes" / "contract"
BATCH = 256


def ours(records: int) -> None:
    """Run the pipe on lines of a type that nobody reads."""
    import anyio

    from stages import load
    from stages.core.env import NoLedger
    from stages.core.plan import build
    from stages.core.runner import Batch, Context, run
    from stages.core.wire import parse_line
    from stages.records import Run

    raw = b'{"type":"note","text":"a record that no stage reads","number":%d}'
    wanted = frozenset({"question", "hit"})

    async def feed() -> AsyncIterator[Batch]:
        for start in range(0, records, BATCH):
            yield [parse_line(raw % number, number, wanted) for number in range(start, min(start + BATCH, records))]

    class NoDoor:
        def bind(self, *_: object) -> None: ...
        async def aclose(self) -> None: ...

    seen = 0

    async def sink(batch: Batch) -> None:
        nonlocal seen
        seen += len(batch)

    plan = build([(name, load(name).options()) for name in ("expand", "search", "dedupe", "budget")], load)
    plan = [step for step in plan if not step.lifted_for]
    origin = Run(wire=1, cribble="bench", id="bench", start="2026-01-01T00:00:00.000Z")
    anyio.run(run, plan, feed(), Context(run=origin, door=NoDoor(), ledger=NoLedger()), sink)
    assert seen >= records


def prototype(records: int) -> None:
    """The same with the prototype's runner: two each-stages, a stream and a whole."""
    sys.path.insert(0, str(PROTOTYPE))
    import anyio
    import catalogue as c
    import records as r
    import runner

    plan = [(c.search, c.SearchO()), (c.dedupe, c.NoneO()), (c.fetch, c.FetchO()), (c.rank, c.RankO())]

    async def go() -> None:
        await runner.run(plan, (r.Tally(stage="note", read=0, wrote=0) for _ in range(records)), runner.Env())

    anyio.run(go)


def measured(which: str, records: int) -> dict[str, float]:
    """Rate and peak memory of a run in a process of its own."""
    import time

    began = time.perf_counter()
    (ours if which == "ours" else prototype)(records)
    seconds = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"records": records, "records_per_second": round(records / seconds), "peak_megabytes": round(peak, 1)}


def child(which: str, records: int) -> dict[str, float]:
    """Measure in a fresh process."""
    command = [sys.executable, __file__, "--only", which, "--records", str(records)]
    done = subprocess.run(command, check=True, capture_output=True, cwd=Path(__file__).parents[1])
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--only", choices=("ours", "prototype"))
    options = parser.parse_args()
    if options.only:
        print(json.dumps(measured(options.only, options.records)))
        return
    result: dict[str, object] = {"date": str(datetime.datetime.now(tz=datetime.UTC).date())}
    result["few"] = child("ours", options.records // 10)
    result["cribble"] = many = child("ours", options.records)
    if PROTOTYPE.exists():
        result["prototype"] = slow = child("prototype", max(1, options.records // 20))
        result["ratio"] = round(many["records_per_second"] / slow["records_per_second"], 1)
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
