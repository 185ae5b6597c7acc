"""What must hold of the whole pipe, a line a check with its figures; exit 1 where one does not.

    python bench/acceptance.py [pipe] [hang] [parser] [kill] [load]

pipe    `cribble expand | search | fetch | rank` in the lab: each page asked once, within the cap, nothing forbidden
hang    one page of eight that hangs, drips or never ends costs itself; a deadline holds; in one process and by shell pipe
parser  a page that is hard to parse costs one Failure at most, and nothing else
kill    Ctrl-C at many moments, and kill -9: no traceback, no process left
load    200 pages of the corpus at --parallel 16: seconds, resident memory, descriptors
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from lab_web import CORPUS, cribble, lab, questions
from small_web import CANARY, HARD, SmallWeb, small_web
from watch import Peaks, children, workers

ENGINES = ("searxng.lab", "html.duckduckgo.com", "lab.control")
LITERAL = "{0} expand {1} | {0} search | {0} fetch | {0} rank"
CAP = 8
SHEETS = 6
"""Stylesheets that `fetch` brings along with a page at most."""
GOOD = (1, 2, 3, 4, 5, 6, 7)
AT_ONCE_SECS = 2
Check = dict[str, Any]


def shell(line: str, env: dict[str, str], given: str = "", secs: float = 120) -> tuple[int, list[Check], str, float]:
    """Exit code, records, stderr, seconds of a shell pipe."""
    began = time.perf_counter()
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"], input=given.encode(), capture_output=True, env=env, timeout=secs, check=False
    )
    spent = round(time.perf_counter() - began, 2)
    return done.returncode, [json.loads(row) for row in done.stdout.splitlines()], done.stderr.decode(), spent


def of(rows: list[Check], kind: str) -> list[Check]:
    return [row for row in rows if row["type"] == kind]


def check_pipe() -> Iterator[Check]:
    """The card's pipe, word for word."""
    with lab("--seed", "1", "--budget", "off") as where:
        for question in questions(5):
            before = len(where.requests())
            line = LITERAL.format(shlex.quote(cribble()), shlex.quote(str(question["question"])))
            code, rows, complaint, secs = shell(line, where.environment())
            asked = [row for row in where.requests()[before:] if urlsplit(str(row["url"])).hostname not in ENGINES]
            every = Counter(
                str(row["url"])
                for row in asked
                if not str(row["url"]).endswith("/robots.txt") and not 300 <= int(str(row["status"])) < 400  # noqa: PLR2004
            )
            read = {row["url"] for row in of(rows, "document")} | {row["subject"] for row in of(rows, "failure")}
            pages = {url: times for url, times in every.items() if url in read}
            texts = "\n".join(row["text"] for row in of(rows, "passage"))
            engines = sorted({row["who"] for row in of(rows, "attempt") if row["outcome"] == "ok"})
            stats = where.control("stats")
            yield {
                "check": "pipe", "question": question["id"], "exit": code, "seconds": secs, "pages": len(pages),
                "stylesheets": len(every) - len(pages), "most_often": max(every.values(), default=0),
                "passages": len(of(rows, "passage")), "engines": engines, "forbidden": stats["forbidden"],
                "robots_violations": stats["robots_violations"],
                "ok": code == 0 and not complaint and 0 < len(pages) <= CAP and set(every.values()) == {1}
                and len(every) - len(pages) <= SHEETS * len(pages)
                and bool(texts) and engines == ["duckduckgo", "searxng"] and "<script" not in texts and "LAB-CANARY" not in texts
                and not stats["forbidden"] and not stats["robots_violations"],
            }  # fmt: skip


def eight(web: SmallWeb, trouble: str, *, piped: bool, secs: float = 0, more: str = "") -> Check:
    """Seven good pages and one that troubles, through fetch and rank."""
    urls = [web.url(name) for name in (*GOOD[:3], trouble, *GOOD[3:])]
    limit = f"--deadline-secs {secs:g}" if secs else ""
    rank = "rank --question 'how often does the gauge measure in a storm' --keep 200"
    own = shlex.quote(cribble())
    line = f"{own} fetch {limit} {more} | {own} {rank}" if piped else f'{own} run {limit} "fetch {more} | {rank}"'
    code, rows, complaint, spent = shell(line, web.environment(), "\n".join(urls), 200)
    passages = of(rows, "passage")
    lost = [(row["stage"], row["kind"]) for row in of(rows, "failure")]
    read = {row["url"] for row in passages} - {web.url(trouble)}
    hidden = sum(CANARY in row["text"] or "\u200b" in row["text"] or "\u202e" in row["text"] for row in passages)
    return {
        "check": "hang" if trouble not in HARD else "parser", "page": trouble, "piped": piped, "deadline": secs, "exit": code,
        "seconds": spent,
        "pages_read": len(read), "lost": lost, "hidden_passages": hidden, "stderr": complaint[:200],
        "ok": code == 0 and not complaint and len(read) == len(GOOD) and len(lost) <= 1 and not hidden
        and (not secs or spent <= secs),
    }  # fmt: skip


def check_hang() -> Iterator[Check]:
    """A page of eight that hangs."""
    with small_web() as web:
        for trouble in ("hang", "drip", "endless"):
            for piped in (False, True):
                yield eight(web, trouble, piped=piped, secs=6)
        found = eight(web, "hang", piped=False, more="--timeout-secs 3")
        yield found | {"ok": found["ok"] and found["lost"] == [("fetch", "timeout")]}


def check_parser() -> Iterator[Check]:
    """A page of eight that is hard to parse."""
    with small_web() as web:
        for trouble in HARD:
            yield eight(web, trouble, piped=False)
        for trouble in ("selectors", "nested"):
            yield eight(web, trouble, piped=True, secs=8)


def check_kill() -> Iterator[Check]:
    """Interrupt a run at many moments, then kill it without warning."""
    with lab("--seed", "1", "--budget", "off", "--latency-ms", "60") as where:
        text, own = str(questions(1)[0]["question"]), shlex.quote(cribble())
        one = f"exec {own} run 'expand | search | fetch | rank' {shlex.quote(text)}"
        pipe = LITERAL.format(own, shlex.quote(text))
        chance = random.Random(1)
        for line in (one, pipe):
            codes: Counter[int] = Counter()
            noise, left, early, slowest = [], 0, 0, 0.0
            for turn in range(30):
                after, presses = chance.uniform(0.05, 3.0), 1 + turn % 2
                code, complaint, secs, stayed = interrupted(line, where.environment(), after, presses)
                left += stayed
                slowest = max(slowest, secs)
                if complaint and "/pipelines/" not in complaint:  # Python itself was still starting
                    early += 1
                    continue
                codes[code] += 1
                noise += [complaint] if complaint else []
            yield {
                "check": "interrupt", "piped": line is pipe, "exits": dict(codes), "before_our_first_line": early,
                "noise": [text[-300:] for text in noise[:3]], "left": left, "slowest": round(slowest, 2),
                "ok": set(codes) <= {0, 130} and not noise and not left and slowest < AT_ONCE_SECS,
            }  # fmt: skip
        yield killed(one, where.environment())


def interrupted(line: str, env: dict[str, str], after: float, presses: int) -> tuple[int, str, float, int]:
    """Ctrl-C: SIGINT to the whole group. Exit code, stderr, seconds until all had ended, processes left."""
    process = subprocess.Popen(
        ["bash", "-c", f"set -o pipefail; {line}"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env,
        start_new_session=True,
    )  # fmt: skip
    time.sleep(after)
    began = time.perf_counter()
    for _ in range(presses):
        try:
            os.killpg(process.pid, signal.SIGINT)
        except ProcessLookupError:
            break
        time.sleep(0.03)
    complaint = process.communicate(timeout=60)[1].decode()
    spent = time.perf_counter() - began
    time.sleep(0.05)
    code = process.returncode
    return (130 if code == -signal.SIGINT else code), complaint, spent, len(children(process.pid)) + len(workers(process.pid))


def killed(line: str, env: dict[str, str]) -> Check:
    """The parent is killed without warning while its workers run."""
    process = subprocess.Popen(["bash", "-c", line], stdout=subprocess.DEVNULL, env=env, start_new_session=True)
    while not (running := workers(process.pid)):
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    began = time.perf_counter()
    while workers(process.pid) and time.perf_counter() - began < AT_ONCE_SECS:
        time.sleep(0.01)
    spent = round(time.perf_counter() - began, 2)
    return {"check": "kill -9", "workers": len(running), "seconds_until_gone": spent, "ok": spent < 1}


def check_load() -> Iterator[Check]:
    """200 addresses of the corpus by shell pipe."""
    urls = [json.loads(path.read_text("utf-8"))["url"] for path in sorted((CORPUS / "ground-truth").glob("*.json"))[:200]]
    own = shlex.quote(cribble())
    line = f"{own} fetch --parallel 16 | {own} rank --question 'how much does it cost'"
    with lab("--seed", "1", "--robots", "open") as where:
        peaks = Peaks()
        process = subprocess.Popen(
            ["bash", "-c", f"set -o pipefail; {line}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=where.environment(),
            start_new_session=True,
        )  # fmt: skip
        began = time.perf_counter()
        with peaks.watching(process.pid):
            output = process.communicate("\n".join(urls).encode(), timeout=500)[0]
        rows = [json.loads(row) for row in output.splitlines()]
        lost = Counter(f"{row['stage']} {row['kind']}" for row in of(rows, "failure"))
        fetched = next(row for row in of(rows, "tally") if row["stage"] == "fetch")
        accounted = fetched["went_on"] + sum(fetched.get("dropped", {}).values()) + sum(fetched.get("failed", {}).values())
        yield {
            "check": "load", "addresses": len(urls), "exit": process.returncode,
            "seconds": round(time.perf_counter() - began, 1),
            "read": fetched["read"], "fetched": fetched["wrote"], "documents": len(of(rows, "document")),
            "lost": dict(lost), "peaks": peaks.table(),
            "ok": process.returncode == 0 and fetched["read"] == len(urls) == accounted,
        }  # fmt: skip


CHECKS = {"pipe": check_pipe, "hang": check_hang, "parser": check_parser, "kill": check_kill, "load": check_load}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checks", nargs="*", help=", ".join(CHECKS))
    failed = False
    for name in parser.parse_args().checks or CHECKS:
        for row in CHECKS[name]():
            failed |= not row["ok"]
            print(json.dumps(row), flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
