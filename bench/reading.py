"""Share of questions whose answer survives reading: sanitize, extract, chunk, rank and budget over recorded pages, offline.

    python bench/reading.py --set lab                  # 145 questions over real pages, the 8 first hits of the lab's SearXNG
    python bench/reading.py --set cmuqa|wikitq|xquad   # encyclopedia pages, tables, paragraphs in six languages
    python bench/reading.py --set lab --stages         # milliseconds of each stage per page, beside trafilatura's alone

Needs the third-party sets in --shared (default: ../shared beside the repository). An answer counts when the passages of one reply
hold it after NFKC, case and white-space folding. Replies are within the tokens, counted by the named tokenizer; those of the lab
also within four characters a token, as the lab counts.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from stages import load  # noqa: E402 - the repository is not installed here
from stages.core.errors import StageError  # noqa: E402
from stages.records import Document, Page, Passage, Question  # noqa: E402

BUDGETS = (500, 1000, 2000, 4000)
SPACELESS = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
spent: Counter[str] = Counter()


def folded(text: str) -> str:
    """NFKC, case folded, white space as single blanks: as the lab compares."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def normal(text: str) -> str:
    """As the encyclopedia sets compare: words only, without articles."""
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", unicodedata.normalize("NFKC", text).lower())
    words = re.findall(r"\w+", re.sub(r"['\u2019]s\b", "", text))
    return f" {' '.join(word for word in words if word not in ('a', 'an', 'the'))} "


def call(name: str, record: object, **options: object) -> object:
    """One call of a stage's function, timed."""
    stage = load(name)
    began = time.process_time()
    try:
        return stage.call(record, stage.options(**options))
    finally:
        spent[name] += time.process_time() - began


def read(page: Page, size: int, *, raw: bool) -> list[Passage]:
    """The passages of a page; none where it cannot be read."""
    spent["pages"] += 1
    try:
        document = call("extract", page if raw else call("sanitize", page))
    except StageError as error:
        print(f"{page.url}: {error.kind}: {error}", file=sys.stderr)
        return []
    return passages(document, size)


def passages(document: Document, size: int) -> list[Passage]:
    """The document's passages."""
    records = call("chunk", document, tokens=size) if size else call("chunk", document)
    return [record for record in records if isinstance(record, Passage)]


def reply(question: Question, pool: list[Passage], tokens: int, keep: int, *, characters: int = 0) -> list[str]:
    """The texts that a caller gets for a budget."""
    ranked = [record for record in call("rank", [question, *pool], keep=keep) if isinstance(record, Passage)]
    fitted = [record for record in call("budget", ranked, tokens=tokens) if isinstance(record, Passage)]
    texts, room = [], characters or sys.maxsize
    for passage in fitted:
        texts.append(passage.text[:room])
        room -= len(texts[-1])
    return [text for text in texts if text]


def lab_hits(shared: Path) -> dict[str, list[dict[str, str]]]:
    """The first eight hits per question, asked of the lab once and kept in the temporary folder."""
    kept = Path(tempfile.gettempdir()) / "cribble-reading-hits.json"
    if kept.exists():
        return json.loads(kept.read_text())
    import httpx

    command = [sys.executable, str(shared / "lab/lab.py"), "--corpus", str(shared / "bench/wcxb/dev"), "--port", "0"]
    with subprocess.Popen([*command, "--faults", "none", "--robots", "open", "--budget", "off"], stdout=subprocess.PIPE) as lab:
        try:
            with httpx.Client(proxy=json.loads(lab.stdout.readline())["proxy"], timeout=30, trust_env=False) as client:
                found = {
                    row["id"]: client.get("http://searxng.lab/search", params={"q": row["question"], "format": "json"}).json()
                    for row in lab_questions(shared)
                }
        finally:
            lab.terminate()
    hits = {key: [{"url": row["url"], "title": row["title"]} for row in value["results"][:8]] for key, value in found.items()}
    kept.write_text(json.dumps(hits))
    return hits


def lab_questions(shared: Path) -> list[dict]:
    """The questions with their answers."""
    return [json.loads(line) for line in (shared / "bench/questions/dev.jsonl").read_text().splitlines()]


def lab_pages(shared: Path) -> dict[str, Path]:
    """URL -> file of the recorded page."""
    pages: dict[str, Path] = {}
    for path in sorted((shared / "bench/wcxb/dev/ground-truth").glob("*.json")):
        url = json.loads(path.read_text())["url"]
        pages.setdefault(url, shared / f"bench/wcxb/dev/html/{path.stem}.html.gz")
    return pages


def run_lab(shared: Path, size: int, keep: int, *, raw: bool) -> dict[int, list[float]]:
    """Per budget, the share of answers found for each question."""
    hits, files = lab_hits(shared), lab_pages(shared)
    known: dict[str, list[Passage]] = {}
    scores: dict[int, list[float]] = {budget: [] for budget in BUDGETS}
    for row in lab_questions(shared):
        for hit in hits[row["id"]]:
            if hit["url"] not in known:
                body = gzip.decompress(files[hit["url"]].read_bytes())
                page = Page(url=hit["url"], title=hit["title"], media_type="text/html", body=body)
                known[hit["url"]] = read(page, size, raw=raw)
        pool = [passage for hit in hits[row["id"]] for passage in known[hit["url"]]]
        for budget in BUDGETS:
            text = folded("\n".join(reply(Question(text=row["question"]), pool, budget, keep, characters=4 * budget)))
            held = [any(folded(one) in text for one in answer.split("||") if one.strip()) for answer in row["answers"]]
            scores[budget].append(sum(held) / len(held))
    return scores


def run_set(shared: Path, name: str, size: int, keep: int, limit: int, *, raw: bool) -> dict[str, dict[int, list[float]]]:
    """The same for a set of encyclopedia questions, per language."""
    folder = shared / "bench/qa" / name
    with gzip.open(folder / "docs.jsonl.gz", "rt", encoding="utf-8") as file:
        pages = {row["id"]: row for row in map(json.loads, file)}
    questions = [json.loads(line) for line in (folder / "questions.jsonl").read_text().splitlines()]
    known: dict[str, list[Passage]] = {}
    scores: dict[str, dict[int, list[float]]] = {}
    for language in sorted({row["lang"] for row in questions}):
        asked = [row for row in questions if row["lang"] == language and row["answers"]]
        random.Random(1).shuffle(asked)
        scores[language] = {budget: [] for budget in BUDGETS}
        for row in asked[:limit]:
            for name_ in row["pool"]:
                if name_ not in known:
                    known[name_] = set_passages(pages[name_], size, raw=raw)
            pool = [passage for name_ in row["pool"] for passage in known[name_]]
            for budget in BUDGETS:
                texts = reply(Question(text=row["query"]), pool, budget, keep)
                scores[language][budget].append(float(any(holds(text, row["answers"]) for text in texts)))
    return scores


def set_passages(row: dict, size: int, *, raw: bool) -> list[Passage]:
    """The passages of a page of such a set."""
    if "html" in row:
        page = Page(url=row["id"], title=row["title"], media_type="text/html", body=row["html"].encode(), charset="utf-8")
        return read(page, size, raw=raw)
    document = Document(url=row["id"], title=row["title"], text=row["text"], language=row["lang"])
    return passages(document, size)


def holds(text: str, answers: list[str]) -> bool:
    """Whether a passage has one of the answers."""
    if SPACELESS.search("".join(answers)):
        return any("".join(answer.split()) in "".join(text.split()) for answer in answers)
    return any(normal(answer) in normal(text) for answer in answers if normal(answer).strip())


def show(label: str, scores: dict[int, list[float]]) -> None:
    """One line of figures."""
    figures = "  ".join(f"{budget}: {sum(values) / len(values):.3f}" for budget, values in scores.items())
    print(f"{label:12} n={len(scores[BUDGETS[0]]):4}  {figures}", flush=True)


def main() -> None:
    """Run one set."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--set", choices=("lab", "cmuqa", "wikitq", "xquad"), default="lab")
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--tokens", type=int, default=0, help="size of passages; 0: the stage's default")
    parser.add_argument("--keep", type=int, default=200, help="passages that ranking lets through")
    parser.add_argument("--limit", type=int, default=150, help="questions per language of the other sets")
    parser.add_argument("--raw", action="store_true", help="leave sanitize out, to see what it costs")
    parser.add_argument("--stages", action="store_true", help="show what each stage took")
    options = parser.parse_args()
    if options.set == "lab":
        show("lab", run_lab(options.shared, options.tokens, options.keep, raw=options.raw))
    else:
        found = run_set(options.shared, options.set, options.tokens, options.keep, options.limit, raw=options.raw)
        for language, scores in found.items():
            show(f"{options.set} {language}", scores)
    if options.stages:
        for name in ("sanitize", "extract", "chunk"):
            print(f"{name:10} {1000 * spent[name] / max(1, spent['pages']):7.1f} ms a page")


if __name__ == "__main__":
    main()
