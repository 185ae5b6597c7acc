"""What one run put out, as a fold reads it: the records in order, and what they amount to."""

from __future__ import annotations

from hashlib import blake2b
from typing import TypeVar

from msgspec import Struct

from stages.core.errors import CUT, FOUND, NOTHING, UNAVAILABLE
from stages.records import Record, Run

R = TypeVar("R", bound=Record)

STATUS = {FOUND: "found", NOTHING: "nothing", UNAVAILABLE: "unavailable", CUT: "deadline"}
"""The exit code in a word."""


class Story(Struct, frozen=True, kw_only=True):
    """A finished run. `fed` is what it was given, `code` the exit code that the same stages would have had in a shell."""

    run: Run
    fed: tuple[Record, ...]
    records: tuple[Record, ...]
    code: int

    def of(self, kind: type[R]) -> list[R]:
        """The records of one kind, in order."""
        return [record for record in self.records if isinstance(record, kind)]

    @property
    def status(self) -> str:
        """`found`, `nothing`, `unavailable` (everybody refused) or `deadline` (cut with nothing to show)."""
        return STATUS[self.code]

    @property
    def nonce(self) -> str:
        """What marks quoted text in this reply. From the Run, whose id is random when live and recorded in a replay."""
        return blake2b(f"{self.run.id}:{self.run.seed}".encode(), digest_size=5).hexdigest()


class Rejected(Exception):  # noqa: N818 - an answer, not a fault
    """The whole call is refused. The first line is what a published interface promises; causes follow."""


__all__ = ["STATUS", "Rejected", "Story"]
