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
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from stages.html.markdown import Block, Box

MODEL = "maintext.npz"
EAGER = 0.2
"""Blocks are kept down to this share of the best expected F1, which a half makes the highest."""
LEAST = 0.03
"""What is less likely to be text than this is none, whatever the page."""
SMALL, SURE = 400, 0.5
"""On a page of fewer words there is too little to judge by: all text that likely is kept, and what is in doubt only down to this
share."""
HOLE = 3
"""Blocks between two that are kept, so many at most, are kept too unless they are links: a text with holes reads badly."""
LINKS, LINK_RUN = 0.5, 4
"""Share of a block's characters beyond which it is links; so many such blocks in a row are a run."""
REPEATED = 20
"""Characters of a block beyond which it is said once: pages have the same card in several places."""


ROWS = 2000
"""Blocks that go through the trees at once: a page of a hundred thousand would take a gigabyte."""


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

        parts = [self._sums(matrix[start : start + ROWS]) for start in range(0, len(matrix), ROWS)]
        # rounded: the last bits of a sum of logarithms are not the same on every machine
        return np.round(1 / (1 + np.exp(-np.concatenate(parts))), 6)

    def _sums(self, matrix: Any) -> Any:
        import numpy as np

        rows = np.arange(len(matrix))
        at = np.broadcast_to(self.roots[:, None], (len(self.roots), len(matrix)))
        for _ in range(self.depth):
            at = self.below[at, (matrix[rows, self.column[at]] <= self.most[at]).astype(np.intp)]
        return self.value[at].sum(axis=0)


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
    flags = bridged(blocks, chosen(chances, words, doubtful(blocks)), chances)
    said: set[str] = set()
    result = []
    for block, flag in zip(blocks, flags, strict=True):
        if flag and block.text not in said:
            result.append(block)
            if len(block.text) > REPEATED:
                said.add(block.text)
    return result


def doubtful(blocks: list[Block]) -> list[bool]:
    """What stands in a header or an aside of the page, and runs of links."""
    result = [block.aside for block in blocks]
    for is_links, run in groupby(range(len(blocks)), key=lambda at: _is_links(blocks[at])):
        places = list(run)
        if is_links and len(places) >= LINK_RUN:
            result[places[0] : places[-1] + 1] = [True] * len(places)
    return result


def _is_links(block: Block) -> bool:
    return block.linked > LINKS * len(block.text)


def bridged(blocks: list[Block], flags: Any, chances: Any) -> list[bool]:
    """With the small holes between kept blocks filled."""
    result: list[bool] = list(flags)
    places = [at for at, flag in enumerate(result) if flag]
    for before, after in pairwise(places):
        if after - before <= HOLE + 1:
            for at in range(before + 1, after):
                block = blocks[at]
                result[at] = not block.aside and not _is_links(block) and bool(chances[at] >= LEAST)
    return result


def chosen(chances: Any, words: Any, doubtful: Any) -> Any:
    """Which blocks to keep: those that are likely enough beside the best expected F1 over words."""
    import numpy as np

    order = np.argsort(-chances, kind="stable")
    right, taken = np.cumsum((chances * words)[order]), np.cumsum(words[order])
    best = float((2 * right / (taken + (chances * words).sum() + 1e-9)).max())
    share = EAGER if words.sum() >= SMALL else np.where(doubtful, SURE, 0.0)
    return chances >= np.maximum(best * share, LEAST)
