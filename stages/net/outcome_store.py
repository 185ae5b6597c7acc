"""Outcomes by key over one `.warc.gz`: an index of offsets in memory, bodies are read when somebody asks.

The first outcome written for a key stands, whichever process wrote it. Whoever writes reads first, under the same lock, what the
others have added.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeVar

from stages.core.errors import ArchiveError, StageError
from stages.net import outcomes
from stages.net.warc import Place, Warc, pack
from stages.records import Notice, Run
from stages.vocabulary import WIRE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from stages.core.env import Cut, Reply
    from stages.net.outcomes import Key

_Parsed = TypeVar("_Parsed")


class OutcomeStore:
    """Outcomes by key over one file: an index of offsets, bodies are read when they are asked for."""

    def __init__(self, warc: Warc, run: Run) -> None:
        self.run = run
        self.name = warc.path.name
        self._warc = warc
        self._places: dict[str, Place] = {}
        self._cut_places: dict[str, dict[str, Place]] = {}
        self._cuts: dict[str, dict[str, Cut]] = {}
        self._notices: dict[str, list[Place]] = {}

    @classmethod
    def start(cls, path: Path, run: Run) -> OutcomeStore:
        """A new file whose first record is the run. Raises ArchiveError."""
        warc = Warc.create(path)
        try:
            with warc.locked():
                warc.write(pack(outcomes.run_record(run, run_date(run))))
        except ArchiveError:
            warc.close()
            path.unlink(missing_ok=True)
            raise
        return cls(warc, run)

    @classmethod
    def open(cls, path: Path, *, writable: bool = False) -> OutcomeStore:
        """An archive that cribble recorded. Raises ArchiveError."""
        warc = Warc.open(path, writable=writable)
        try:
            if writable:
                with warc.locked():
                    return cls.over(warc)
            return cls.over(warc)
        except ArchiveError:
            warc.close()
            raise

    @classmethod
    def over(cls, warc: Warc) -> OutcomeStore:
        """What an open file holds so far. Raises ArchiveError."""
        store = cls(warc, read_first(warc))
        store._catch_up()
        return store

    def close(self) -> None:
        """Close the file; what was written is complete at any time."""
        self._warc.close()

    def find(self, key: Key) -> Reply | StageError | None:
        """What a request came to, as it was written; None when nobody asked. Raises ArchiveError."""
        place = self._places.get(key.id)
        return None if place is None else self._parsed(place, partial(outcomes.parse_exchange, key))

    def find_cuts(self, stage: str) -> Mapping[str, Cut]:
        """How calls of the stage were cut, by record id; read once. Raises ArchiveError."""
        if stage not in self._cuts:
            keyed = self._cut_places.get(stage, {}).items()
            self._cuts[stage] = {
                record: self._parsed(place, lambda _, block: outcomes.parse_cut(block)) for record, place in keyed
            }
        return self._cuts[stage]

    def find_notices(self, stage: str) -> tuple[Notice, ...]:
        """Those of every process in which the stage ran, each once, in the order of the file."""
        found = (self._parsed(place, lambda _, block: outcomes.parse_notices(block)) for place in self._notices.get(stage, ()))
        return tuple(dict.fromkeys(notice for notices in found for notice in notices))

    def put(self, key: Key, records: list[bytes]) -> bool:
        """Write the records of one outcome, the one with the key first; False when there was one already. Raises ArchiveError."""
        members = [pack(record) for record in records]
        with self._warc.locked():
            self._catch_up()
            if key.id in self._places:
                return False
            offset = self._warc.write(b"".join(members))
            self._note(key, Place(offset, len(members[0])))
            return True

    def _catch_up(self) -> None:
        """Index what other processes have written since."""
        for place, headers in self._warc.walk():
            text = headers.get(outcomes.KEY_HEADER.lower())
            if text is None:
                continue
            try:
                self._note(outcomes.parse_key(text), place)
            except (ValueError, RecursionError):
                raise ArchiveError(f"{self._warc.path}: damaged at byte {place.offset}") from None

    def _note(self, key: Key, place: Place) -> None:
        if key.id in self._places:
            return
        self._places[key.id] = place
        if key.what == "cut":
            self._cut_places.setdefault(key.stage, {})[key.record] = place
        elif key.what == "notices":
            self._notices.setdefault(key.stage, []).append(place)

    def _parsed(self, place: Place, parse: Callable[[dict[str, str], bytes], _Parsed]) -> _Parsed:
        headers, block = self._warc.read(place)
        try:
            return parse(headers, block)
        except (ValueError, IndexError, RecursionError):
            raise ArchiveError(f"{self._warc.path}: damaged at byte {place.offset}") from None


def read_first(warc: Warc) -> Run:
    """The run of an archive, from its first record. Raises ArchiveError where cribble did not record it."""
    place, headers = next(warc.walk(), (None, {}))
    if place is None:
        raise ArchiveError(f"{warc.path}: not a WARC, or cut off within its first record")
    run = None
    if headers.get("warc-type") == "warcinfo":
        try:
            run = outcomes.parse_run(warc.read(place)[1])
        except (ValueError, RecursionError) as error:
            raise ArchiveError(f"{warc.path}: its cribble run cannot be read ({error})") from None
    if run is None:
        raise ArchiveError(f"{warc.path}: a WARC that cribble did not record, which this version cannot replay")
    if run.wire > WIRE:
        raise ArchiveError(
            f"{warc.path}: recorded by a newer cribble ({run.cribble}, wire {run.wire}; this one reads wire {WIRE})"
        )
    return run


def run_date(run: Run) -> str:
    """The WARC-Date of every record: the frozen start of the run, so that equal runs give equal bytes."""
    return run.start.removesuffix("+00:00").removesuffix("Z") + "Z"
