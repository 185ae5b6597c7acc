"""Cursors: short signed handles into a result that was kept, and the place to read on from. Pure.

A result is named by a hash of what it holds. Its key comes from the Run, whose id is random when live and recorded in a replay:
so a replay gives the same cursors, a cursor works for as long as its result is kept, in any process, and nobody can make one
for a result that he was not given.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from hmac import compare_digest

import msgspec
from msgspec import Struct

from pipelines.story import Rejected
from stages.records import Run

_CURSOR = re.compile(r"([0-9a-f]{20})\.([0-9]{1,9})\.([0-9a-f]{16})")


class Result(Struct, frozen=True, kw_only=True):
    """What is kept: the fold that can go on with it, the key of its cursors, and what the fold needs."""

    fold: str
    key: bytes
    body: bytes

    @property
    def packed(self) -> bytes:
        """As it is stored and recorded."""
        return msgspec.msgpack.encode(self)

    @property
    def name(self) -> str:
        """A hash of all of it, 20 hex digits."""
        return blake2b(self.packed, digest_size=10).hexdigest()

    def cursor(self, place: int) -> str:
        """The handle that reads on at this place, in code points."""
        return f"{self.name}.{place}.{self._sign(self.name, place)}"

    def _sign(self, name: str, place: int) -> str:
        return blake2b(f"{name}.{place}".encode(), key=self.key, digest_size=8).hexdigest()

    def place(self, cursor: str, fold: str) -> int:
        """Where the cursor stands. Raises Rejected for one that was not given out, or is of another tool."""
        name, place, sign = _parts(cursor)
        if name != self.name or not compare_digest(sign, self._sign(name, int(place))):
            raise Rejected("the cursor is not one that was given out: use it exactly as the reply has it")
        if fold != self.fold:
            raise Rejected(f"the cursor is of {self.fold}, and cannot be read on with {fold}")
        return int(place)


def sealed(run: Run, fold: str, body: bytes) -> Result:
    """A result of this run."""
    return Result(fold=fold, key=blake2b(f"cursor:{run.id}:{run.seed}".encode(), digest_size=32).digest(), body=body)


def unsealed(packed: bytes) -> Result:
    """What `Result.packed` made. Raises msgspec.DecodeError."""
    return msgspec.msgpack.decode(packed, type=Result)


def name_of(cursor: str) -> str:
    """The name of the result that it leads into. Raises Rejected."""
    return _parts(cursor)[0]


def _parts(cursor: str) -> tuple[str, str, str]:
    found = _CURSOR.fullmatch(cursor)
    if found is None:
        raise Rejected("the cursor is not one that was given out: use it exactly as the reply has it")
    return found[1], found[2], found[3]


__all__ = ["Result", "name_of", "sealed", "unsealed"]
