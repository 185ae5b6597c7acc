"""How well copies are told from different texts: `dedupe` over two sets of pages whose stories were grouped by hand.

    python bench/neardup.py

`../shared/bench/neardup/scoop`: news items (address, title, summary), of which many came again on another day. `pages`: revisions
of encyclopedia articles over three years, as a list would show them: title and the first words of the text. All pairs count.
Prints precision and recall of pairs by what found them: the address alone, and address or text. Pairs of equal addresses and
equal texts are left in: they are what lists are full of.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from itertools import combinations

from lab_web import ROOT, SHARED

sys.path.insert(0, str(ROOT))
from stages.text.listing import Shown
from stages.text.similarity import copies
from stages.text.urls import canonical_key

FOLDER = SHARED / "bench" / "neardup"
SNIPPET_CHARACTERS = 300
PARAGRAPH_CHARACTERS = 80
"""A shorter line is a heading, a list or a picture's legend, which no list shows."""


def rows(name: str) -> list[dict[str, str]]:
    """A file's objects."""
    with gzip.open(FOLDER / name, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def news() -> tuple[list[str], list[Shown]]:
    """The story of each item, and what a list shows of it."""
    items = rows("scoop/items.jsonl.gz")
    return [item["cluster"] for item in items], [Shown(item["url"], item["title"], item["text"]) for item in items]


def revisions() -> tuple[list[str], list[Shown]]:
    """The article of each page, and what a list shows of it. Each has an address of its own."""
    from stages.html.article import read_html

    pages = rows("pages.jsonl.gz")
    shown = []
    for number, page in enumerate(pages):
        url = f"https://host{number}.example/"
        article = read_html(page["html"], url, "")
        paragraphs = [line for line in article.text.split("\n\n") if len(line) >= PARAGRAPH_CHARACTERS]
        shown.append(Shown(url, article.title, " ".join(" ".join(paragraphs).split())[:SNIPPET_CHARACTERS]))
    return [page["cluster"] for page in pages], shown


def scored(gold: list[str], found: list[object]) -> dict[str, float]:
    """Precision and recall over pairs."""
    told = Counter((a == b, c == d) for (a, c), (b, d) in combinations(zip(gold, found, strict=True), 2))
    right, wrong, missed = told[True, True], told[False, True], told[True, False]
    return {
        "precision": round(right / ((right + wrong) or 1), 4), "recall": round(right / ((right + missed) or 1), 4),
        "pairs": right + missed, "wrong": wrong,
    }  # fmt: skip


def grouped(shown: list[Shown]) -> tuple[list[object], list[object]]:
    """Groups by address, and by address or text."""
    keys: list[object] = [canonical_key(page.url) for page in shown]
    firsts = {key: at for at, key in reversed(list(enumerate(keys)))}
    pages = sorted(firsts.values())
    like = dict(zip(pages, copies([shown[at] for at in pages]), strict=True))
    return keys, [pages[like[firsts[key]]] for key in keys]


def main() -> None:
    for name, (gold, shown) in (("news", news()), ("revisions", revisions())):
        by_address, by_text = grouped(shown)
        print(json.dumps({"set": name, "items": len(gold), "groups": len(set(gold)), "address": scored(gold, by_address),
                          "address or text": scored(gold, by_text)}))  # fmt: skip


if __name__ == "__main__":
    main()
