"""Train the model that tells a page's text from what stands around it, and say how well it does on sites it has not seen.

`python -m bench.train_extractor [shared directory] [--write]`: five folds by domain, each page judged by a model that saw no
page of its site, beside trafilatura on the same pages; with `--write` a model of all pages goes into `stages/html`. Needs
lightgbm, which cribble itself does without.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import fmean
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from msgspec import Struct

from stages.core.errors import StageError
from stages.html import maintext
from stages.html.article import titled
from stages.html.features import features
from stages.html.markdown import Block, html_boxes
from stages.html.parsing import parsed
from stages.records import Page
from stages.sanitize import Options, sanitize

FOLDS = 5
SETTINGS = {
    "objective": "binary", "num_leaves": 16, "max_depth": 6, "learning_rate": 0.08, "feature_fraction": 0.3,
    "bagging_fraction": 0.7, "bagging_freq": 1, "min_data_in_leaf": 60, "max_bin": 63, "lambda_l2": 5.0, "extra_trees": True,
    "num_threads": 1, "verbose": -1, "seed": 7, "deterministic": True, "force_row_wise": True,
}  # fmt: skip
TREES = 220
GRAM = 3
SHORT = 5
"""Words of a block below which it must stand in the reference between the blocks around it."""
_word = re.compile(r"\w+")


class Example(Struct):
    """A page: its blocks measured, and which of them people marked as text (1, 0; -1 where that is not known)."""

    site: str
    kind: str
    gold: str
    blocks: list[Block]
    matrix: Any
    names: list[str]
    labels: Any
    other: str
    """What trafilatura makes of it."""


def words(text: str) -> list[str]:
    return _word.findall(text.lower())


def score(text: str, gold: str) -> float:
    """F1 over words, as the benchmark has it."""
    found, wanted = Counter(words(text)), Counter(words(gold))
    if not found or not wanted:
        return float(not found and not wanted)
    return 2 * sum((found & wanted).values()) / (sum(found.values()) + sum(wanted.values()))


def pages(shared: Path) -> Iterator[tuple[dict[str, Any], str]]:
    folder = shared / "bench" / "wcxb" / "dev"
    for path in sorted((folder / "ground-truth").glob("*.json")):
        told = json.loads(path.read_text("utf-8"))
        if isinstance(told.get("ground_truth"), dict) and "main_content" in told["ground_truth"]:
            packed = (folder / "html" / f"{path.stem}.html.gz").read_bytes()
            yield told, gzip.decompress(packed).decode("utf-8", "replace")


def example(given: tuple[dict[str, Any], str]) -> Example:
    import trafilatura

    told, html = given
    url = told.get("url") or "https://page.example/"
    gold = told["ground_truth"]["main_content"] or ""
    kind = (told.get("_internal") or {}).get("page_type") or "article"
    try:
        body = sanitize.call(Page(url=url, media_type="text/html", body=html.encode(), charset="utf-8"), Options()).body.decode()
    except StageError:
        body = ""
    tree = parsed(body)
    blocks, boxes = html_boxes(tree.body) if tree.body else ([], [])
    matrix, names = features(blocks, boxes, titled(tree)) if blocks else (np.zeros((0, 0), np.float32), [])
    return Example(
        site=".".join(urlsplit(url).netloc.split(".")[-2:]),
        kind=kind.get("primary", "article") if isinstance(kind, dict) else kind,
        gold=gold,
        blocks=blocks,
        matrix=matrix,
        names=names,
        labels=labels([words(block.text) for block in blocks], words(gold)),
        other=trafilatura.extract(html, include_comments=False) or "",
    )


def labels(blocks: list[list[str]], gold: list[str]) -> Any:
    """How much of each block stands in the reference. A short one counts where it stands between what its neighbours match."""
    places: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for at in range(len(gold) - GRAM + 1):
        places[tuple(gold[at : at + GRAM])].append(at)
    found = np.zeros(len(blocks), np.float32)
    anchors: list[tuple[int, int]] = []
    for number, block in enumerate(blocks):
        grams = [tuple(block[at : at + GRAM]) for at in range(len(block) - GRAM + 1)]
        if len(block) < SHORT or not grams:
            continue
        covered = np.zeros(len(block), bool)
        for at, gram in enumerate(grams):
            if gram in places:
                covered[at : at + GRAM] = True
        found[number] = covered.mean()
        once = [places[gram][0] for gram in grams if len(places.get(gram, ())) == 1]
        if found[number] > 0.7 and once:  # noqa: PLR2004 - most of it
            anchors.append((number, once[len(once) // 2]))
    bounds = _bounds(_rising(anchors), len(blocks), len(gold))
    used: set[int] = set()
    seen: set[tuple[str, ...]] = set()
    for number, block in enumerate(blocks):
        if not block or (len(block) >= SHORT and tuple(block) in seen):
            found[number] = -1  # said before, so that the reference has it or not all the same
        elif len(block) < SHORT:
            found[number] = _stands(block, gold, bounds[number], used)
        seen.add(tuple(block))
    return found


def _rising(anchors: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of anchors that come in the order of the reference."""
    best: list[tuple[int, int]] = []  # for each anchor: length of the longest run that ends there, and the one before it
    for at, (_, place) in enumerate(anchors):
        before = [(best[other][0], other) for other in range(at) if anchors[other][1] < place]
        length, other = max(before, default=(0, -1))
        best.append((length + 1, other))
    at = max(range(len(best)), key=lambda number: best[number][0], default=-1)
    run = []
    while at >= 0:
        run.append(anchors[at])
        at = best[at][1]
    return run[::-1]


def _bounds(anchors: list[tuple[int, int]], blocks: int, words_in_all: int) -> list[tuple[int, int]]:
    """Between which words of the reference each block must stand."""
    bounds = []
    ahead = iter([*anchors, (blocks, words_in_all)])
    low, (number, high) = 0, next(ahead)
    for block in range(blocks):
        if block == number:
            low, (number, high) = high, next(ahead)
        bounds.append((low, high))
    return bounds


def _stands(block: list[str], gold: list[str], bounds: tuple[int, int], used: set[int]) -> float:
    low, high = max(bounds[0] - 2, 0), min(bounds[1] + 2, len(gold))
    while low < high:
        try:
            at = gold.index(block[0], low, high)
        except ValueError:
            break
        if gold[at : at + len(block)] == block and at not in used:
            used.update(range(at, at + len(block)))
            return 1.0
        low = at + 1
    return 0.0


def rows_of(examples: list[Example]) -> tuple[Any, Any, Any]:
    """Matrix, labels and weights: every page counts about the same, and a word of a short text more."""
    filled = [each for each in examples if each.blocks]
    weights = []
    for each in filled:
        count = each.matrix[:, 0]
        whole = len(words(each.gold)) + 0.5 * min(count.sum(), 20_000) + 50
        weights.append(np.where(each.labels < 0, 0, (count + 2) / whole))
    return (
        np.concatenate([each.matrix for each in filled]),
        np.concatenate([each.labels for each in filled]),
        np.concatenate(weights),
    )


def trained(examples: list[Example]) -> maintext.Trees:
    import lightgbm

    matrix, label, weight = rows_of(examples)
    told = weight > 0
    names = next(each.names for each in examples if each.names)
    data = lightgbm.Dataset(matrix[told], (label[told] > 0.5).astype(np.float32), weight=weight[told] / weight[told].mean())  # noqa: PLR2004
    return side_by_side(
        [tree["tree_structure"] for tree in lightgbm.train(SETTINGS, data, TREES).dump_model()["tree_info"]], names
    )


def side_by_side(trees: list[dict[str, Any]], names: list[str]) -> maintext.Trees:
    """Trees as arrays: the nodes of all behind each other."""
    column, most, below, value, roots = [], [], [], [], []

    def add(node: dict[str, Any], level: int) -> tuple[int, int]:
        at = len(column)
        leaf = "leaf_value" in node
        column.append(0 if leaf else node["split_feature"])
        most.append(np.inf if leaf else node["threshold"])
        value.append(node["leaf_value"] if leaf else 0.0)
        below.append((at, at))
        if leaf:
            return at, level
        left, deep = add(node["left_child"], level + 1)
        right, deeper = add(node["right_child"], level + 1)
        below[at] = (right, left)
        return at, max(deep, deeper)

    depth = 0
    for tree in trees:
        root, deep = add(tree, 0)
        roots.append(root)
        depth = max(depth, deep)
    return maintext.Trees(
        column=np.asarray(column), most=np.asarray(most), below=np.asarray(below), value=np.asarray(value),
        roots=np.asarray(roots), depth=depth, names=tuple(names),
    )  # fmt: skip


def text_of(each: Example, trees: maintext.Trees) -> str:
    if not each.blocks:
        return ""
    kept = maintext.kept(each.blocks, trees.chances(each.matrix), each.matrix[:, 0])
    return "\n".join(block.text for block in kept)


def judged(examples: list[Example]) -> dict[str, list[tuple[float, float]]]:
    """F1 of each page, ours beside trafilatura's, by kind of page."""
    folds = {site: number % FOLDS for number, site in enumerate(sorted({each.site for each in examples}))}
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for fold in range(FOLDS):
        trees = trained([each for each in examples if folds[each.site] != fold])
        for each in examples:
            if folds[each.site] == fold:
                row = (score(text_of(each, trees), each.gold), score(each.other, each.gold))
                found[each.kind].append(row)
                found["all"].append(row)
    return found


def main() -> None:
    shared = Path(next((word for word in sys.argv[1:] if not word.startswith("-")), "../shared"))
    with ProcessPoolExecutor(2) as pool:
        examples = list(pool.map(example, pages(shared), chunksize=8))
    for kind, rows in sorted(judged(examples).items(), key=lambda item: -len(item[1])):
        ours, theirs = fmean(row[0] for row in rows), fmean(row[1] for row in rows)
        print(f"{kind:14} {len(rows):5} pages: F1 {ours:.3f}, trafilatura {theirs:.3f}")
    if "--write" in sys.argv:
        trees = trained(examples)
        path = Path(__file__).parent.parent / "stages" / "html" / maintext.MODEL
        np.savez_compressed(
            path,
            column=trees.column.astype(np.uint8),
            most=trees.most.astype(np.float32),
            below=trees.below.astype(np.uint16),
            value=trees.value.astype(np.float32),
            roots=trees.roots.astype(np.uint16),
            depth=trees.depth,
            names=np.asarray(trees.names),
        )
        print(f"{path.name}: {path.stat().st_size} bytes, {len(trees.roots)} trees")


if __name__ == "__main__":
    main()
