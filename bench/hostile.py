"""500 pages of the lab at --parallel 16, a third of them faulty: whether every page ends as the lab says that it should.

    python bench/hostile.py [--faults hostile|mild] [--pages 500] [--parallel 16] [--seed 1] [--robots mixed]

hostile  a random choice of recorded pages and every kind of fault once; each must end in an outcome that the lab calls fair
mild     every page with a recoverable fault, and every such kind once; each must be recovered, with as many words of its text
         as come out of the same page without a fault

The sentence that the lab put into a re-encoded page must come out of fetch and sanitize to the letter (it stands behind the
footer: how often `extract` takes it for a part of the main text is only told).

Pages go through fetch, sanitize, extract and chunk, in a process of its own that is watched. Prints a line a disagreement, then
the figures. Exit 1 where a page disagrees, an address inside or closed by robots.txt was asked, pages of a host came closer
together than the pace, memory passed the bound of this file, or a task, thread, descriptor, process or file was left.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
from collections import Counter, defaultdict
from typing import Any
from urllib.parse import urlsplit

from lab_web import CORPUS, Lab, lab
from one_run import carried

STAGES = "fetch --parallel {0} | sanitize | extract | chunk"
SEEN = "fetch --parallel {0} | sanitize"
MAX_MB = 450
"""Resident, of the process that fetches: 16 bodies of 8 MiB under way, and 64 MiB of pages that wait for their turn to go on, are
192 MiB, twice where curl and the page hold a copy each; the interpreter and its libraries are 60."""
MAX_WORKER_MB = 700
"""Resident, of one worker process; it is killed above 2 GiB of address space."""
PACE_SECS = 1.0
SLACK_SECS = 0.25
"""The lab notes when a request was begun, which on a busy machine is later than it was sent."""
AT_LEAST = 0.95
"""Share of the words of the page without a fault."""
FAIR = {
    "unknown": {"unknown", "network"},
    "blocked": {"blocked", "login", "consent"},
    "ok": {"ok"},
    "too_large": {"too_large"},
    "timeout": {"timeout"},
    "refused": {"refused"},
    "unsupported_content": {"unsupported_content"},
    "not_found": {"not_found"},
    "challenge": {"challenge"},
    "robots": {"robots"},
}
"""Our kinds by what the lab expects: it has one word for whatever breaks on the wire, one for walls that ask for something."""
ALSO_FAIR = {
    "pdf": "unsupported_content", "body_30mb": "ok", "https_downgrade": "refused", "truncated_gzip": "ok", "akamai": "blocked",
}  # fmt: skip
"""What the notes of the lab's table call fair too."""


def paced(web: Lab) -> dict[str, str]:
    """The environment of a run in the lab that hurries nobody."""
    return web.environment(CRIBBLE_PACE_SECS=str(PACE_SECS))


def truths() -> dict[str, list[str]]:
    """The words of each recorded page's text."""
    rows = (json.loads(path.read_text(encoding="utf-8")) for path in sorted((CORPUS / "ground-truth").glob("*.json")))
    return {row["url"]: str(row["ground_truth"].get("main_content") or "").split() for row in rows}


def textless() -> set[str]:
    """Recorded pages that hold next to none of their text: a script would have drawn it."""
    found = set()
    for path in sorted((CORPUS / "ground-truth").glob("*.json")):
        row = json.loads(path.read_text(encoding="utf-8"))
        words = set(str(row["ground_truth"].get("main_content") or "").split())
        raw = gzip.decompress((CORPUS / "html" / f"{path.stem}.html.gz").read_bytes()).decode("utf-8", "replace")
        body = raw.partition("</head>")[2]
        if sum(word in body for word in words) <= len(words) / 2:
            found.add(row["url"])
    return found


def expected(web: Lab, urls: list[str], faults: dict[str, dict[str, Any]]) -> dict[str, set[str]]:
    """What is fair for each page: its fault, unless robots.txt closes it first."""
    robots = web.control("robots")
    closed: set[str] = set(robots["disallowed_pages"])  # type: ignore[call-overload]
    broken = {row["host"] for row in robots["special"] if row["mode"] == "error"}  # type: ignore[attr-defined]
    fair = {}
    unwritten = textless()
    for url in urls:
        row = faults.get(url, {})
        if not row and url in unwritten:
            fair[url] = {"ok", "empty", "needs_browser"}
            continue
        fair[url] = FAIR[row.get("expect", "ok")] | ({ALSO_FAIR[row["kind"]]} if row.get("kind") in ALSO_FAIR else set())
        if url in closed or urlsplit(url).hostname in broken or "/robots-denied/" in url:
            fair[url] = {"robots"}
    return fair


def share(text: str, words: list[str]) -> float:
    """Of the words of the page's text, how many came out."""
    if not words:
        return 1.0
    left = Counter(text.replace("\\n", " ").replace('\\"', '"').split())  # JSON stays JSON, with its line breaks escaped
    return sum((Counter(words) & left).values()) / len(words)


def spacing(web: Lab, urls: list[str]) -> float:
    """The smallest time between the first requests of two pages of one host."""
    first: dict[str, float] = {}
    wanted = {url.split("#")[0] for url in urls}
    for row in web.requests():
        if row["url"] in wanted:
            first.setdefault(str(row["url"]), float(row["at"]))  # type: ignore[arg-type]
    by_host: dict[str, list[float]] = defaultdict(list)
    for url, at in first.items():
        by_host[str(urlsplit(url).hostname)].append(at)
    gaps = [
        later - earlier for times in by_host.values() for earlier, later in zip(sorted(times), sorted(times)[1:], strict=False)
    ]
    return min(gaps, default=float("inf"))


def compared(given: argparse.Namespace, urls: list[str]) -> dict[str, float]:
    """Which share of the words comes out of the same pages without faults."""
    words = truths()
    with lab("--seed", str(given.seed), "--budget", "off", "--robots", "open", "--faults", "none") as web:
        rows, _ = carried([url for url in urls if url in words], STAGES.format(given.parallel), paced(web))
    return {url: share(row.get("text", ""), words[url]) for url, row in rows.items()}


def chosen(web: Lab, given: argparse.Namespace) -> tuple[list[str], dict[str, dict[str, Any]]]:
    """The pages, and their faults by address."""
    table = web.control("faults")
    pages: list[dict[str, Any]] = table["pages"]  # type: ignore[assignment]
    always: list[dict[str, Any]] = [row for row in table["always"] if given.faults == "hostile" or row["group"] == "mild"]  # type: ignore[attr-defined]
    faults = {row["url"]: row for row in (*pages, *always)}
    if given.faults == "mild":
        recorded = [row["url"] for row in pages]
    else:
        every = sorted(url for url in truths() if url.startswith("http"))
        recorded = random.Random(given.seed).sample(every, given.pages)
    host = f"https://{urlsplit(always[0]['url']).hostname}"
    return [*recorded, *(row["url"] for row in always), f"{host}/fine/", f"{host}/robots-denied/"], faults


def disagreements(
    rows: dict[str, dict[str, Any]], fair: dict[str, set[str]], faults: dict[str, dict[str, Any]]
) -> list[dict[str, Any]]:
    """Pages that ended otherwise than is fair."""
    found = []
    for url, allowed in fair.items():
        row = rows.get(url, {"outcome": "lost without a word"})
        if row["outcome"] not in allowed:
            kind = faults.get(url, {}).get("kind", "")
            said = {"fair": sorted(allowed), "got": row["outcome"], "message": row.get("message", "")}
            found.append({"url": url, "fault": kind} | said)
    return found


def folded(row: dict[str, Any]) -> str:
    """The text of a row without line breaks."""
    return " ".join(row.get("text", "").split())


def judged(given: argparse.Namespace) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The figures, and every page that disagrees."""
    with lab("--seed", str(given.seed), "--budget", "off", "--robots", given.robots, "--faults", given.faults) as web:
        urls, faults = chosen(web, given)
        fair = expected(web, urls, faults)
        rows, figures = carried(urls, STAGES.format(given.parallel), paced(web))
        stats, gap = web.control("stats"), spacing(web, urls)
        marked = [url for url in urls if faults.get(url, {}).get("mark") and rows[url]["outcome"] == "ok"]
        seen, _ = carried(marked, SEEN.format(given.parallel), paced(web))
    wrong = disagreements(rows, fair, faults)
    marks = {
        name: sum(faults[url]["mark"] in folded(one[url]) for url in marked) for name, one in (("seen", seen), ("main", rows))
    }
    wrong += [
        {"url": url, "fault": faults[url]["kind"], "mark": "lost"}
        for url in marked
        if faults[url]["mark"] not in folded(seen[url])
    ]
    if given.faults == "mild":
        words, clean = truths(), compared(given, urls)
        for url, whole in clean.items():
            row = rows.get(url, {})
            if row.get("outcome") == "ok" and share(row["text"], words[url]) < AT_LEAST * whole:
                kept = round(share(row["text"], words[url]), 3)
                wrong.append({"url": url, "fault": faults[url]["kind"], "words": kept, "without_fault": round(whole, 3)})
    figures |= {
        "faults": given.faults, "pages": len(urls), "faulty": sum(url in faults for url in urls), "disagree": len(wrong),
        "outcomes": dict(Counter(row["outcome"] for row in rows.values()).most_common()),
        "marks": f"{marks['seen']} of {len(marked)}", "in_main_text": marks["main"], "smallest_gap_secs": round(gap, 3),
        "forbidden": stats["forbidden"],
        # asking for the rules themselves is always allowed
        "robots_violations": [url for url in stats["robots_violations"] if not str(url).endswith("/robots.txt")],  # type: ignore[attr-defined]
    }  # fmt: skip
    return figures, wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faults", choices=("hostile", "mild"), default="hostile")
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--parallel", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--robots", choices=("mixed", "open"), default="mixed")
    given = parser.parse_args()
    figures, wrong = judged(given)
    for row in wrong:
        print(json.dumps(row, ensure_ascii=False))
    print(json.dumps(figures))
    good = not wrong and not figures["forbidden"] and not figures["robots_violations"] and not figures["left"]
    good = good and figures["smallest_gap_secs"] >= PACE_SECS - SLACK_SECS and figures["exit"] == 0
    sys.exit(not (good and figures["peak_mb"] <= MAX_MB and figures["worker_peak_mb"] <= MAX_WORKER_MB))


if __name__ == "__main__":
    main()
