"""A WARC that another tool wrote, replayed by URL: the first response to a GET of an address answers whoever asks for it.

Bodies come out of their transfer and content codings. What the file lacks is a miss, but a missing robots.txt allows, and the
replay says so. `read_archive` tells such a file from cribble's own.
"""

from __future__ import annotations

import io
import re
import stat
import zlib
from hashlib import blake2b
from typing import TYPE_CHECKING

from stages.core.env import Reply
from stages.core.errors import ArchiveError, StageError
from stages.net.outcome_store import OutcomeStore, read_first
from stages.net.warc import MAX_RECORD_BYTES, Place, Warc
from stages.net.warc_plain import START, PlainWarc
from stages.records import Notice, Run
from stages.vocabulary import VERSION, WIRE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from stages.core.env import Cut
    from stages.net.outcomes import Key

_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z")
_NO_DATE = "1970-01-01T00:00:00Z"
_CODINGS = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})
"""What is read here; brotli too, where its package is installed."""


class OtherArchive:
    """Replies by address over one file: an index of places, bodies are read when somebody asks."""

    def __init__(self, warc: Warc | PlainWarc) -> None:
        self.name = warc.path.name
        self._warc = warc
        self._places: dict[str, Place] = {}
        self.run = Run(wire=WIRE, cribble=VERSION, id="", start=_NO_DATE)
        self._index()

    def _index(self) -> None:
        dates: list[str] = []
        names = blake2b(digest_size=8)
        for place, headers in self._warc.walk():
            names.update(headers.get("warc-record-id", "").encode())
            dates += [headers["warc-date"]] if _DATE.fullmatch(headers.get("warc-date", "")) else []
            if headers.get("warc-type") in ("response", "resource") and headers.get("warc-target-uri"):
                self._places.setdefault(_address(headers["warc-target-uri"]), place)
        if not self._places:
            raise ArchiveError(f"{self._warc.path}: holds no page (or is cut off before its first one)")
        self.run = Run(wire=WIRE, cribble=VERSION, id=names.hexdigest(), start=min(dates, default=_NO_DATE))

    def close(self) -> None:
        """Close the file."""
        self._warc.close()

    def find(self, key: Key) -> Reply | StageError | None:
        """What the address answered to a GET; None for what is not there. Raises ArchiveError."""
        if key.what != "exchange" or key.method != "GET" or key.sha256:
            return None
        place = self._places.get(_address(key.url))
        if place is None:
            return Reply(url="", status=404, exchange=key.id) if key.url.endswith("/robots.txt") and not key.stage else None
        return self._reply(place, key)

    def find_cuts(self, _stage: str) -> Mapping[str, Cut]:
        """None: nobody ran cribble."""
        return {}

    def notice(self, stage: str) -> Notice:
        """What the caller must know of such a replay."""
        message = f"{self.name} was not recorded by cribble: pages are found by address, and a robots.txt that it lacks allows"
        return Notice(stage=stage, code="degraded", message=message)

    def _reply(self, place: Place, key: Key) -> Reply | StageError:
        from warcio.archiveiterator import ArchiveIterator
        from warcio.exceptions import ArchiveLoadFailed

        try:
            record = next(ArchiveIterator(io.BytesIO(self._warc.raw(place))))
            coding = (record.http_headers.get_header("content-encoding", "") if record.http_headers else "").strip().lower()
            body = record.content_stream().read(MAX_RECORD_BYTES)
        except (ArchiveLoadFailed, StopIteration, zlib.error, EOFError, ValueError):
            raise ArchiveError(f"{self._warc.path}: damaged at byte {place.offset}") from None
        if coding not in _CODINGS and not (coding == "br" and _has_brotli()):
            return StageError(
                "unsupported_content", f"{self.name} holds this page in {coding[:20]}, which cannot be unpacked here"
            )
        if record.http_headers is None:
            kind = (("content-type", record.rec_headers.get_header("content-type", "")),)
            return Reply(url="", status=200, headers=kind, body=body, exchange=key.id)
        headers = tuple((name.lower(), value) for name, value in record.http_headers.headers)
        return Reply(url="", status=_status(record.http_headers.get_statuscode()), headers=headers, body=body, exchange=key.id)


def read_archive(path: Path) -> OutcomeStore | OtherArchive:
    """What an archive holds, whoever wrote it. Raises ArchiveError."""
    warc = open_warc(path)
    try:
        if isinstance(warc, Warc) and is_own(warc):
            return OutcomeStore.over(warc)
        return OtherArchive(warc)
    except ArchiveError:
        warc.close()
        raise


def read_run(path: Path) -> Run:
    """The run that an archive was recorded from; for one of another tool, a run that began with its first page."""
    warc = open_warc(path)
    try:
        return read_first(warc) if isinstance(warc, Warc) and is_own(warc) else OtherArchive(warc).run
    finally:
        warc.close()


def open_warc(path: Path) -> Warc | PlainWarc:
    """A WARC, compressed record by record or not at all. Raises ArchiveError."""
    try:
        # a pipe may never answer, and the name may come from somebody else's Run line
        if not stat.S_ISREG(path.stat().st_mode):
            raise ArchiveError(f"{path}: a directory, pipe or device, not a file")
        with path.open("rb") as file:
            start = file.read(len(START))
    except OSError as error:
        raise ArchiveError(f"{path}: cannot open the archive ({error.strerror})") from None
    return PlainWarc(path) if start == START else Warc.open(path)


def is_own(warc: Warc) -> bool:
    """Whether cribble recorded it, by its first record. The walk begins anew."""
    place, headers = next(warc.walk(), (None, {}))
    warc.end = 0
    if place is None:
        raise ArchiveError(f"{warc.path}: not a WARC, or cut off within its first record")
    return headers.get("warc-type") == "warcinfo" and b"cribble-run:" in warc.read(place)[1]


def _address(url: str) -> str:
    """As a client writes it: some tools put the address in angle brackets, or leave the path out."""
    import can_ada

    bare = url.strip().removeprefix("<").removesuffix(">").partition("#")[0]
    try:
        return str(can_ada.parse(bare).href)
    except (ValueError, TypeError):
        return bare


def _status(text: str) -> int:
    return int(text) if re.fullmatch(r"\d{3}", text, re.ASCII) else 0


def _has_brotli() -> bool:
    from importlib.util import find_spec

    return any(find_spec(name) for name in ("brotli", "brotlicffi"))


__all__ = ["OtherArchive", "is_own", "open_warc", "read_archive", "read_run"]
