"""What became of each hit that `fetch` was given with `keep_hits`: read, or lost and why. A lost one shifts no other."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from pipelines.story import Story
from stages.records import Document, Failure, Hit

_BEHIND = ("sanitize", "extract", "chunk")
"""Stages that lose a page, and with it the address that was asked for: the hit is the one before it, for order is kept."""


class Reading(Struct, frozen=True, kw_only=True):
    """A hit, and the document that was read behind it, or else why there is none."""

    hit: Hit
    document: Document | None = None
    failure: Failure | None = None


def readings(story: Story) -> list[Reading]:
    """One for each hit, in the order of the hits."""
    documents = {one.provenance.asked or one.url: one for one in story.of(Document)}
    found: list[Reading] = []
    for record in story.records:
        if isinstance(record, Hit):
            found.append(Reading(hit=record, document=documents.get(record.url)))
        elif isinstance(record, Failure) and record.stage == "fetch":
            found.append(Reading(hit=_lost(record), failure=record))
        elif isinstance(record, Failure) and record.stage in _BEHIND and found and found[-1].document is None:
            found[-1] = msgspec.structs.replace(found[-1], failure=record)
    return found


def _lost(failure: Failure) -> Hit:
    return msgspec.convert(failure.lost, Hit) if failure.lost_type == "hit" and failure.lost else Hit(url=failure.subject)


__all__ = ["Reading", "readings"]
