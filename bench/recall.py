"""Answer recall at token budgets, end to end in the lab, beside the baseline client in the same run.

    python bench/recall.py [--limit 20] [--details FILE]

Every question of `../shared/bench/questions/dev.jsonl` goes through `cribble run 'expand | search | dedupe | fetch | rank'`,
whose output the budget stage then cuts to each size, and through `baseline.py --mode bm25`, whose reply at the largest size
begins with its replies at the smaller ones. A reply counts only within its budget at 4 characters a token, as the lab counts.
Prints the shares, the paired difference and its 95 % interval (10,000 bootstrap resamples, fixed seed).
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import random
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
from lab_web import SHARED, Lab, cribble, lab, questions

from stages import load
from stages.records import Passage

sys.path.insert(0, str(SHARED / "lab"))
from score_e2e import answered, folded  # the lab's own comparison

BUDGETS = (500, 1000, 2000, 4000)
RESAMPLES = 10_000
CHARACTERS = 4


def fitting(texts: list[str], budget: int) -> str:
    """The text that counts: a reply over budget loses what is beyond it."""
    left, kept = budget * CHARACTERS, []
    for text in texts:
        kept.append(text[:left])
        left -= len(kept[-1])
    return "\n".join(kept)


def ours(question: dict[str, object], environment: dict[str, str], limit: int) -> dict[int, str]:
    """Passages of one run up to rank, budgeted for each size by the stage."""
    pipe = f"expand | search | dedupe --limit {limit} | fetch | rank --keep 200"
    command = [cribble(), "run", pipe, str(question["question"])]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    ranked = [line for line in done.stdout.splitlines() if b'"type":"passage"' in line[:40]]
    passages = [msgspec.json.decode(line, type=Passage) for line in ranked]
    stage = load("budget")
    kept = {budget: stage.call(passages, stage.options(tokens=budget)) for budget in BUDGETS}
    return {budget: fitting([one.text for one in found if isinstance(one, Passage)], budget) for budget, found in kept.items()}


def theirs(question: dict[str, object], environment: dict[str, str]) -> dict[int, str]:
    """The baseline at the largest budget: it fills from the best chunk on, so the smaller replies are its beginnings."""
    script = str(SHARED / "lab" / "baseline.py")
    command = [sys.executable, script, "--mode", "bm25", "--budget", str(max(BUDGETS)), str(question["question"])]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    try:
        texts = [passage["text"] for passage in json.loads(done.stdout)["passages"]]
    except ValueError:
        texts = []
    return {budget: fitting(texts, budget) for budget in BUDGETS}


def interval(differences: list[float]) -> tuple[float, float]:
    """95 % of the bootstrap means of paired differences."""
    chance = random.Random(1)
    count = len(differences)
    means = sorted(sum(chance.choices(differences, k=count)) / count for _ in range(RESAMPLES))
    return round(means[int(0.025 * RESAMPLES)], 4), round(means[int(0.975 * RESAMPLES)], 4)


def run(where: Lab, options: argparse.Namespace) -> dict[str, object]:
    """Both clients over all questions."""
    rows, seconds = [], []
    environment = where.environment(CRIBBLE_ENGINES=options.engines)
    peer = os.environ | {"HTTP_PROXY": where.proxy, "HTTPS_PROXY": where.proxy, "SSL_CERT_FILE": where.authority, "NO_PROXY": ""}

    def one(question: dict[str, object]) -> dict[str, object]:
        began = time.perf_counter()
        own = ours(question, environment, options.pages)
        seconds.append(time.perf_counter() - began)
        base = {} if options.no_baseline else theirs(question, peer)
        answers = question["answers"]
        score = {budget: answered(answers, folded(text)) for budget, text in own.items()}
        return {
            "id": question["id"],
            "cribble": score,
            "baseline": {budget: answered(answers, folded(text)) for budget, text in base.items()},
        }

    with ThreadPoolExecutor(options.parallel) as pool:
        rows = list(pool.map(one, questions(options.limit)))
    if options.details:
        Path(options.details).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    shares = {
        who: {budget: round(statistics.mean(row[who].get(budget, 0) for row in rows), 4) for budget in BUDGETS}
        for who in ("cribble", "baseline")
    }
    paired = {budget: interval([row["cribble"][budget] - row["baseline"].get(budget, 0) for row in rows]) for budget in BUDGETS}
    return {
        "date": str(datetime.datetime.now(tz=datetime.UTC).date()), "questions": len(rows), "answer_recall": shares,
        "difference_95": paired, "p50_seconds": round(statistics.median(seconds), 2),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, default=0, help="only so many questions")
    parser.add_argument("--pages", type=int, default=8, help="pages to read a question")
    parser.add_argument("--parallel", type=int, default=2)
    parser.add_argument("--no-baseline", action="store_true")
    parser.add_argument("--engines", default="searxng", help="as CRIBBLE_ENGINES; empty: those that are asked by default")
    parser.add_argument("--details", help="write one line a question here")
    options = parser.parse_args()
    with lab("--faults", "none", "--robots", "open", "--budget", "off") as where:
        print(json.dumps(run(where, options), indent=1))


if __name__ == "__main__":
    main()
