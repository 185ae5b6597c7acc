"""Which blocks of a page are its text: a model of trees, learned from pages of which people marked the text.

bench/train_extractor.py makes it, and says how well it does on pages of sites that it has not seen. Losing text is worse than
keeping some that is no answer (ranking sets aside what does not answer, and nothing brings back what was lost), so of two
choices about as good the larger one is taken.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files
from io import BytesIO
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from stages.html.markdown import Block, Box

MODEL = "maintext.npz"
EAGER = 0.25
"""Blocks are kept down to this share of the best expected F1; at a half of it the expectation is highest."""
LEAST = 0.05
"""What is less likely to be text than this is none, whatever the page."""
HOLE = 2
"""Blocks between two that are kept, so many at most, are kept too: a text with holes reads badly."""
SURELY_NOT = 0.03
"""But for what is less likely to be text than this, and what is mostly links."""
REPEATED = 20
"""Characters of a block beyond which it is said once: pages have the same card in several places."""


class Trees(Struct, frozen=True):
    """Decision trees side by side: of each node what it asks, and where it leads; a leaf leads to itself."""

    column: Any
    most: Any
    below: Any
    """(nodes, 2): where to go when the value is above `most`, and when it is not."""
    value: Any
    roots: Any
    depth: int
    names: tuple[str, ...]
    """Of the columns that it was trained on."""
    version: str = ""

    def chances(self, matrix: Any) -> Any:
        """How likely each row is text."""
        import numpy as np

        rows = np.arange(len(matrix))
        at = np.broadcast_to(self.roots[:, None], (len(self.roots), len(matrix)))
        for _ in range(self.depth):
            at = self.below[at, (matrix[rows, self.column[at]] <= self.most[at]).astype(np.intp)]
        # rounded: the last bits of a sum of logarithms are not the same on every machine
        return np.round(1 / (1 + np.exp(-self.value[at].sum(axis=0))), 6)


@lru_cache(maxsize=1)
def model() -> Trees:
    """The trees that come with cribble."""
    import numpy as np

    packed = (files("stages.html") / MODEL).read_bytes()
    with np.load(BytesIO(packed)) as arrays:
        return Trees(
            column=arrays["column"].astype(np.intp),
            most=arrays["most"],
            below=arrays["below"].astype(np.intp),
            value=arrays["value"].astype(np.float64),
            roots=arrays["roots"].astype(np.intp),
            depth=int(arrays["depth"]),
            names=tuple(arrays["names"].tolist()),
            version=f"trees/{blake2b(packed, digest_size=4).hexdigest()}",
        )


def version() -> str:
    """By which documents say that this model chose their text."""
    return model().version


def main_blocks(blocks: list[Block], boxes: list[Box], title: str) -> list[Block]:
    """The blocks that are the page's text, in order; all of them where none stands out."""
    if not blocks:
        return []
    from stages.html.features import features

    matrix, _ = features(blocks, boxes, title)
    return kept(blocks, model().chances(matrix), matrix[:, 0]) or blocks


def kept(blocks: list[Block], chances: Any, words: Any) -> list[Block]:
    """Those that are chosen and what stands in the holes between them, each text once."""
    flags = bridged(blocks, chosen(chances, words), chances)
    said: set[str] = set()
    result = []
    for block, flag in zip(blocks, flags, strict=True):
        if flag and block.text not in said:
            result.append(block)
            if len(block.text) > REPEATED:
                said.add(block.text)
    return result


def bridged(blocks: list[Block], flags: Any, chances: Any) -> list[bool]:
    """With the small holes between kept blocks filled."""
    result: list[bool] = list(flags)
    places = [at for at, flag in enumerate(result) if flag]
    for before, after in pairwise(places):
        if after - before <= HOLE + 1:
            for at in range(before + 1, after):
                block = blocks[at]
                result[at] = not block.aside and block.linked < len(block.text) / 2 and bool(chances[at] > SURELY_NOT)
    return result


def chosen(chances: Any, words: Any) -> Any:
    """Which blocks to keep: those of the prefix, by chance, with the best expected F1 over words, and some more."""
    import numpy as np

    order = np.argsort(-chances, kind="stable")
    right, taken = np.cumsum((chances * words)[order]), np.cumsum(words[order])
    expected = 2 * right / (taken + (chances * words).sum() + 1e-9)
    return chances >= max(float(expected.max()) * EAGER, LEAST)
