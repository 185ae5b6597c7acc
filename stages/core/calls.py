"""What comes of one call: records, with an expected error turned into a Failure, and the count of it all."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import msgspec

from stages.core.errors import RETRYABLE, StageError
from stages.records import Drop, Failure, Notice, Page, Record, Tally, encode, record_id, subject, tag
from stages.vocabulary import Outcome

SMALL_BYTES = 4096
"""A lost record up to this size stands whole in its Failure."""


def as_list(out: Any) -> list[Any]:
    """A stage may return a record, a list of them, or None."""
    if out is None:
        return []
    return list(out) if isinstance(out, (list, tuple)) else [out]


def failure(stage: str, record: Record, kind: Outcome, message: str) -> Failure:
    """What stands in place of the record: its id always, the record itself when it is small and has no body."""
    small = not isinstance(record, Page) and len(encode(record)) <= SMALL_BYTES
    return Failure(
        stage=stage,
        subject=subject(record),
        kind=kind,
        message=message,
        retryable=kind in RETRYABLE,
        lost_id=record_id(record),
        lost_type=tag(record),
        lost=msgspec.to_builtins(record) if small else {},
    )


def failed(stage: str, record: Record, error: StageError) -> Failure:
    """The Failure of an expected error."""
    return failure(stage, record, error.kind, str(error))


class Count:
    """What a stage did so far. `went_on` is measured where a call has one record, and derived where it has them all."""

    def __init__(self, stage: str) -> None:
        self.stage = stage
        self.read = 0
        self.went_on = 0
        self.wrote = 0
        self.dropped: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.began = time.monotonic()

    def outputs(self, records: list[Record]) -> None:
        """Count what was written; drops and failures by their reason."""
        for record in records:
            if isinstance(record, Drop) and record.stage == self.stage:
                self.dropped[record.reason] += 1
            elif isinstance(record, Failure) and record.stage == self.stage:
                self.failed[record.kind] += 1
            elif not isinstance(record, Notice):
                self.wrote += 1

    def call(self, records: list[Record]) -> None:
        """One record was read and these came of it."""
        before = self.dropped.total() + self.failed.total()
        self.read += 1
        self.outputs(records)
        lost = self.dropped.total() + self.failed.total() - before
        if lost > 1:
            raise ValueError(f"one record gave {lost} drops and failures")
        self.went_on += not lost

    def all(self, read: int, records: list[Record]) -> None:
        """So many records were read together and these came of them."""
        self.read += read
        self.outputs(records)
        self.went_on = self.read - self.dropped.total() - self.failed.total()
        if self.went_on < 0:
            raise ValueError(f"{self.read} records were read, and more were dropped or failed")

    def tally(self) -> Tally:
        """The record that ends the stage."""
        return Tally(
            stage=self.stage,
            read=self.read,
            went_on=self.went_on,
            wrote=self.wrote,
            dropped=dict(sorted(self.dropped.items())),
            failed=dict(sorted(self.failed.items())),
            milliseconds=round((time.monotonic() - self.began) * 1000),
        )
