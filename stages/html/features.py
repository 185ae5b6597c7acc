"""What is measured of the blocks of a page, for the model that tells its main text from what stands around it.

One row a block. A box counts by the blocks it spans; boxes that span the same are one.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from stages.html.block_words import Columns, worded
from stages.html.naming import NUMBERS, purposes

if TYPE_CHECKING:
    from stages.html.markdown import Block, Box

FAR, NONE = 30, 60
"""Levels up beyond which an ancestor is not told apart, and for one that is not there."""
LEVELS = 5
LONG, PARAGRAPH, FEW_LINKS = 8, 25, 0.3
"""Words of a block whose text outside links counts as running text; words, and share of links, of one that surely is some."""
TAGS = ("main", "article", "section", "header", "aside", "form", "ul", "li", "dl", "figure", "figcaption", "p", "div")


def features(blocks: list[Block], boxes: list[Box], title: str) -> tuple[Any, list[str]]:
    """The matrix (float32, a row a block) and the names of its columns."""
    found = worded(blocks, title)
    words, linked = found["words"], found["linked"] * found["words"]
    sums = Sums(found, words, linked)
    found |= _around(blocks, boxes)
    found |= _groups(blocks, boxes, sums)
    found |= _neighbours(found, sums)
    found |= {name: np.full(len(blocks), value) for name, value in sums.page().items()}
    return np.column_stack([np.asarray(column, np.float32) for column in found.values()]), list(found)


class Sums:
    """Running sums over the blocks, so that what a range of them holds is one difference."""

    def __init__(self, own: Columns, words: Any, linked: Any) -> None:
        running = words * (1 - own["linked"]) * (words >= LONG)
        self.words, self.linked, self.running = _sum(words), _sum(linked), _sum(running)
        self.marks, self.headings, self.said = _sum(own["marks"] * words), _sum(own["heading"] > 0), _sum(own["says"] > 0)
        self.all_words, self.all_running = max(1.0, self.words[-1]), max(1.0, self.running[-1])
        self.size = len(words)

    def page(self) -> dict[str, float]:
        """Of the whole page."""
        return {
            "page words": self.words[-1], "page blocks": self.size, "page linked": self.linked[-1] / self.all_words,
            "page running": self.running[-1] / self.all_words, "page headings": self.headings[-1] / self.size,
            "page marks": self.marks[-1] / self.all_words,
        }  # fmt: skip


def _sum(column: Any) -> Any:
    return np.concatenate(([0.0], np.cumsum(column, dtype=np.float64)))


def _around(blocks: list[Block], boxes: list[Box]) -> Columns:
    """How many levels up the nearest box of each tag and purpose stands."""
    width = len(TAGS) + len(NUMBERS)
    places = {tag: number for number, tag in enumerate(TAGS)}
    depth = np.zeros(len(boxes))
    nearest = np.full((len(boxes), width), -NONE, np.float32)
    for number, box in enumerate(boxes):
        if box.parent >= 0:
            nearest[number], depth[number] = nearest[box.parent], depth[box.parent] + 1
        marks = [len(TAGS) + purpose for purpose in purposes(box.names)] if box.names else []
        if box.tag in places:
            marks.append(places[box.tag])
        if marks:
            nearest[number, marks] = depth[number]
    own = np.asarray([block.box for block in blocks])
    up = depth[own][:, None] - nearest[own]
    up = np.where(nearest[own] < 0, NONE, np.minimum(up, FAR))
    names = [f"in <{tag}>" for tag in TAGS] + [f"in {name}" for name in NUMBERS]
    return {"depth": depth[own]} | dict(zip(names, up.T, strict=True))


def _groups(blocks: list[Block], boxes: list[Box], sums: Sums) -> Columns:
    """What the boxes around a block hold, from the innermost that holds more than it up."""
    start, end = (np.asarray([getattr(box, name) for box in boxes]) for name in ("start", "end"))
    parent = np.asarray([box.parent for box in boxes])
    above = _wider(start, end, parent)
    same, among = _siblings(boxes, above)
    at = np.arange(len(blocks))
    own = np.asarray([block.box for block in blocks])
    single = end[own] - start[own] == 1
    found: Columns = {"same": np.where(single, same[own], 1), "among": np.where(single, among[own], 1)}
    group = np.where(single, above[own], own)
    for level in range(1, LEVELS + 1):
        found |= {f"{name} {level}": column for name, column in _of(group, start, end, at, sums).items()}
        found |= {f"same {level}": same[group], f"among {level}": among[group]}
        group = above[group]
    top = _highest(np.where(single, above[own], own), above, sums.words[end] - sums.words[start], sums.all_words)
    found |= {f"{name} top": column for name, column in _of(top, start, end, at, sums).items()}
    return found | _main(boxes, start, end, at, sums)


def _wider(start: Any, end: Any, parent: Any) -> Any:
    """For each box the nearest around it that spans more; the outermost for itself."""
    spans, ups = list(zip(start.tolist(), end.tolist(), strict=True)), parent.tolist()
    above = [0] * len(ups)
    for box in range(1, len(ups)):
        up = ups[box]
        above[box] = up if spans[up] != spans[box] else above[up]
    return np.asarray(above)


def _siblings(boxes: list[Box], above: Any) -> tuple[Any, Any]:
    """How many boxes of the same look each has beside it, and how many in all."""
    looks = [(int(above[number]), box.tag, box.names) for number, box in enumerate(boxes)]
    filled = [box.end > box.start for box in boxes]
    alike = Counter(look for look, full in zip(looks, filled, strict=True) if full)
    beside = Counter(look[0] for look, full in zip(looks, filled, strict=True) if full)
    return np.asarray([alike[look] for look in looks]), np.asarray([beside[look[0]] for look in looks])


def _of(group: Any, start: Any, end: Any, at: Any, sums: Sums) -> Columns:
    first, last = start[group], end[group]
    words = sums.words[last] - sums.words[first]
    some, count = np.maximum(words, 1), np.maximum(last - first, 1)
    running = sums.running[last] - sums.running[first]
    return {
        "group words": words, "group share": words / sums.all_words,
        "group linked": (sums.linked[last] - sums.linked[first]) / some,
        "group blocks": count, "group words a block": words / count, "group marks": (sums.marks[last] - sums.marks[first]) / some,
        "group running": running / some, "group running share": running / sums.all_running,
        "group headings": (sums.headings[last] - sums.headings[first]) / count,
        "group says": (sums.said[last] - sums.said[first]) / count,
        "group place": (at - first) / count,
    }  # fmt: skip


def _highest(group: Any, above: Any, words: Any, all_words: float) -> Any:
    """The outermost box around each block that holds less than half of the page."""
    for _ in range(FAR):
        up = above[group]
        further = np.where((words[up] < all_words / 2) & (up != 0), up, group)
        if (further == group).all():
            break
        group = further
    return group


def _main(boxes: list[Box], start: Any, end: Any, at: Any, sums: Sums) -> Columns:
    """Where a block stands to the box that holds most of the running text."""
    running = sums.running[end] - sums.running[start]
    below: dict[int, list[int]] = {}
    for number, box in enumerate(boxes):
        below.setdefault(box.parent, []).append(number)
    chain = [0]
    while inside := [box for box in below.get(chain[-1], ()) if end[box] - start[box] > 1]:
        best = max(inside, key=lambda box: running[box])
        if running[best] <= 0 or running[best] < 0.75 * running[chain[-1]]:
            break
        chain.append(best)
    first, last = start[chain[-1]], end[chain[-1]]
    away = np.where(at < first, at - first, np.where(at >= last, at - last + 1, 0))
    deep = np.sum([(at >= start[box]) & (at < end[box]) for box in chain], axis=0) / len(chain)
    share = (sums.words[last] - sums.words[first]) / sums.all_words
    return {"main away": away, "main deep": deep, "main share": np.full(len(at), share)}


def _neighbours(found: Columns, sums: Sums) -> Columns:
    """What stands before and behind, near and in the section."""
    size = sums.size
    at = np.arange(size)
    result: Columns = {"place": at / size, "place words": sums.words[:-1] / sums.all_words}
    for name in ("words", "linked"):
        for step in (-2, -1, 1, 2):
            moved = np.full(size, -1.0)
            if step < 0:
                moved[-step:] = found[name][:step] if size > -step else []
            else:
                moved[:-step] = found[name][step:] if size > step else []
            result[f"{name} {step:+d}"] = moved
    for reach in (3, 8, 20):
        first, last = np.maximum(at - reach, 0), np.minimum(at + reach + 1, size)
        words = np.maximum(sums.words[last] - sums.words[first], 1)
        result[f"running near {reach}"] = (sums.running[last] - sums.running[first]) / words
        result[f"linked near {reach}"] = (sums.linked[last] - sums.linked[first]) / words
        result[f"words near {reach}"] = words / (last - first)
    heads = np.maximum.accumulate(np.where(found["heading"] > 0, at, -1))
    behind = np.maximum(heads, 0)
    headed = heads >= 0
    result["since heading"] = np.where(headed, at - heads, 99)
    result["words since heading"] = np.where(headed, sums.words[at] - sums.words[behind], sums.words[at])
    result["under heading"] = np.where(headed, found["heading"][behind], 0)
    result["under says"] = np.where(headed, found["says"][behind], 0)
    long = np.flatnonzero((found["words"] >= PARAGRAPH) & (found["linked"] < FEW_LINKS))
    result["after long"] = at - (long[0] if len(long) else 0)
    result["before last long"] = (long[-1] if len(long) else size) - at
    return result
