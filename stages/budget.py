"""Fit passages into a number of tokens.

Reads Passage, writes Passage and Drop (over_budget). Order is kept. Tokens are counted here, by the named tokenizer, whatever the
passage says. One source may fill `per_source` of the budget; what it has beyond that comes in only where room is left when every
other source was served. The first passage too large for the room that is left is cut to it, `clamped`, when at least 40 tokens
remain. The tokens that go on never pass `tokens`. Fails with nothing.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from stages.core.stage import Options as Base
from stages.core.stage import whole
from stages.records import Drop, Passage
from stages.text.tokens import TOKENIZER, count, count_all, truncate

LEAST = 40
"""A shorter rest of a passage is not worth reading."""


class Options(Base, frozen=True):
    """How much may go on."""

    tokens: Annotated[int, Meta(ge=50, le=200_000, description=f"Most tokens ({TOKENIZER}) in all passages together.")] = 4000
    per_source: Annotated[
        float, Meta(gt=0, le=1, description="Share of the tokens that one page may fill while others wait.")
    ] = 0.7


@whole(lifts=("sanitize", "extract", "chunk"))
def budget(passages: list[Passage], options: Options) -> list[Passage | Drop]:
    """Take the best first, then what the share held back."""
    counts = count_all(passage.text for passage in passages)
    share, left = int(options.tokens * options.per_source), options.tokens
    used: dict[str, int] = {}
    taken: dict[int, Passage] = {}
    for limit in (share, options.tokens):
        for place, (passage, tokens) in enumerate(zip(passages, counts, strict=True)):
            held = used.get(passage.url, 0)
            if place in taken or tokens > left or held + tokens > limit:
                continue
            taken[place] = msgspec.structs.replace(passage, tokens=tokens)
            used[passage.url] = held + tokens
            left -= tokens
    return _in_order(passages, taken, left)


def _in_order(passages: list[Passage], taken: dict[int, Passage], left: int) -> list[Passage | Drop]:
    """What was taken, and the first that was not, cut to the room that is left; a Drop for every other."""
    result: list[Passage | Drop] = []
    for place, passage in enumerate(passages):
        found = taken.get(place)
        if found is None and left >= LEAST:
            found = clamped(passage, left)
            left = 0 if found else left
        result.append(found or Drop(stage="budget", subject=passage.url, reason="over_budget", message=passage.id))
    return result


def clamped(passage: Passage, tokens: int) -> Passage | None:
    """The passage cut to so many tokens, at a word's end where there is one; None when too little stays."""
    text = truncate(passage.text, tokens)
    space = max(text.rfind(" "), text.rfind("\n"))
    if space > len(text) // 2:
        text = text[:space]
    text = text.rstrip()
    counted = count(text)
    if counted < LEAST // 2 or counted > tokens:
        return None
    return msgspec.structs.replace(passage, text=text, end=passage.start + len(text), tokens=counted, clamped=True)
