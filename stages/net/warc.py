"""A `.warc.gz` on disk: one gzip member a record, appended under a lock by several processes, read by offset.

Each member says its length in the gzip extra field `sl` (skip length: bytes of the member, bytes of the record; recommended by
WARC 0.9, ignored by every reader that does not know it), so an index is built without inflating bodies and a torn member at the
end is seen. A file that other tools wrote or compressed anew has no such field: its members are inflated to be measured.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import stat
import struct
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec import Struct

from stages.core.errors import ArchiveError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LEVEL = 4
"""200 KB of HTML in 3 to 4 ms, within 2 % of the size at level 6: the event loop waits for it."""
MAX_RECORD_BYTES = 256 << 20
"""A record larger than this when inflated is refused: bodies are capped at 64 MB, the rest is a bomb."""
MAX_HEAD_BYTES = 8 << 20

_MAGIC = b"\x1f\x8b\x08"
_HEADER = struct.Struct("<3sBIBBH2sHII")
_TRAILER = struct.Struct("<II")
_EXTRA_FLAG = 4
_SKIP_LENGTH = (12, b"sl", 8)
"""Bytes of all extra fields; the name of the only one; bytes of its value."""
_LENGTH = re.compile(r"[0-9]{1,12}")
_CHUNK = 4096
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Place(Struct, frozen=True):
    """Where a member lies, in bytes."""

    offset: int
    length: int


class Torn(Exception):  # noqa: N818  an answer of the walk, never shown
    """The member is not all there: its writer was killed, or is still writing."""


def pack(record: bytes) -> bytes:
    """One complete gzip member; equal records give equal bytes."""
    deflater = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    data = deflater.compress(record) + deflater.flush()
    length = _HEADER.size + len(data) + _TRAILER.size
    head = _HEADER.pack(_MAGIC, _EXTRA_FLAG, 0, 0, 255, *_SKIP_LENGTH, length, len(record) & 0xFFFFFFFF)
    return head + data + _TRAILER.pack(zlib.crc32(record), len(record) & 0xFFFFFFFF)


class Warc:
    """An open archive. `end` is the end of the last complete member that was walked or written."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self.end = 0
        self._descriptor = descriptor

    @classmethod
    def create(cls, path: Path) -> Warc:
        """A new file that only its owner may read. Raises ArchiveError, also where the path is taken."""
        try:
            return cls(path, os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            raise ArchiveError(f"{path} exists; a recording starts a new file (remove it, or name another)") from None
        except OSError as error:
            raise ArchiveError(f"{path}: cannot record there ({error.strerror})") from None

    @classmethod
    def open(cls, path: Path, *, writable: bool = False) -> Warc:
        """An existing archive; one that is read is never written. Raises ArchiveError."""
        try:
            warc = cls(path, os.open(path, os.O_NONBLOCK | (os.O_RDWR | os.O_APPEND if writable else os.O_RDONLY)))
        except OSError as error:
            raise ArchiveError(f"{path}: cannot open the archive ({error.strerror})") from None
        try:
            warc._check()
        except ArchiveError:
            warc.close()
            raise
        return warc

    def _check(self) -> None:
        if not stat.S_ISREG(os.fstat(self._descriptor).st_mode):
            # a pipe may never answer, and the name may come from somebody else's Run line
            raise ArchiveError(f"{self.path}: a directory, pipe or device, not a file")
        start = self._read(0, 5)
        if not start.startswith(_MAGIC):
            raise ArchiveError(f"{self.path}: not a .warc.gz archive")

    def close(self) -> None:
        """Close the file; twice is fine."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep the other writers out."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        except OSError as error:
            raise ArchiveError(f"{self.path}: cannot lock the archive ({error.strerror})") from None
        try:
            yield
        finally:
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def size(self) -> int:
        """Bytes of the file."""
        return os.fstat(self._descriptor).st_size

    def places(self) -> Iterator[Place]:
        """Members beyond `end`, up to the last complete one. Raises ArchiveError where no member begins."""
        size = self.size()
        while self.end < size:
            try:
                place = Place(self.end, self._length(self.end, size))
            except Torn:
                return
            self.end += place.length
            yield place

    def walk(self) -> Iterator[tuple[Place, dict[str, str]]]:
        """Members beyond `end`, with their WARC headers (names in lower case), up to the last complete one."""
        for place in self.places():
            yield place, self._head(place)

    def write(self, data: bytes) -> int:
        """Append complete members in one write; returns their offset. Only under the lock and after a walk to the end.

        What stands beyond `end` then is what a killed writer left, and is cut off. Raises ArchiveError when there is no room.
        """
        try:
            if os.fstat(self._descriptor).st_size > self.end:
                os.ftruncate(self._descriptor, self.end)
            written = os.write(self._descriptor, data)
        except OSError as error:
            self._undo()
            if error.errno in _NO_ROOM:
                raise ArchiveError(f"no room left for the archive {self.path} ({error.strerror})") from None
            raise ArchiveError(f"{self.path}: cannot write the archive ({error.strerror})") from None
        if written < len(data):
            self._undo()
            raise ArchiveError(f"no room left for the archive {self.path} (wrote {written} of {len(data)} bytes)")
        offset, self.end = self.end, self.end + written
        return offset

    def _undo(self) -> None:
        try:
            os.ftruncate(self._descriptor, self.end)
        except OSError:
            return  # the next writer finds the torn member and cuts it off

    def read(self, place: Place) -> tuple[dict[str, str], bytes]:
        """The WARC headers and the block of one record. Raises ArchiveError when the member is damaged."""
        head, mark, block = self.raw(place).partition(b"\r\n\r\n")
        headers = warc_headers(head)
        length = headers.get("content-length", "")
        if not mark or not _LENGTH.fullmatch(length) or len(block) < int(length):
            raise self._damaged(place.offset)
        return headers, block[: int(length)]

    def raw(self, place: Place) -> bytes:
        """What a member holds: a whole record. Raises ArchiveError when the member is damaged."""
        inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
        try:
            record = inflater.decompress(self._read(place.offset, place.length), MAX_RECORD_BYTES)
        except zlib.error:
            raise self._damaged(place.offset) from None
        if not inflater.eof:
            raise self._damaged(place.offset)
        return record

    def _length(self, offset: int, size: int) -> int:
        """Bytes of the member that begins here. Raises Torn."""
        raw = self._read(offset, _HEADER.size)
        if not raw.startswith(_MAGIC[: len(raw)]):
            raise self._damaged(offset)
        if len(raw) < _HEADER.size:
            raise Torn
        _, flags, _, _, _, *extra, length, _ = _HEADER.unpack(raw)
        if flags != _EXTRA_FLAG or tuple(extra) != _SKIP_LENGTH or length <= _HEADER.size:
            return self._measure(offset)
        if offset + length > size:
            raise Torn
        return int(length)

    def _measure(self, offset: int) -> int:
        inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
        at = offset
        while not inflater.eof:
            chunk = self._read(at, _CHUNK)
            if not chunk:
                raise Torn
            at += len(chunk)
            self._inflate(inflater, chunk, offset)
        return at - len(inflater.unused_data) - offset

    def _head(self, place: Place) -> dict[str, str]:
        inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
        text, at = bytearray(), place.offset
        while b"\r\n\r\n" not in text:
            if inflater.eof or at >= place.offset + place.length or len(text) > MAX_HEAD_BYTES:
                raise self._damaged(place.offset)
            chunk = self._read(at, min(_CHUNK, place.offset + place.length - at))
            at += len(chunk)
            text += self._inflate(inflater, chunk, place.offset)
        head = bytes(text).partition(b"\r\n\r\n")[0]
        if not head.startswith(b"WARC/"):
            raise self._damaged(place.offset)
        return warc_headers(head)

    def _inflate(self, inflater: zlib._Decompress, chunk: bytes, offset: int) -> bytes:
        try:
            return inflater.decompress(chunk)
        except zlib.error:
            raise self._damaged(offset) from None

    def _read(self, offset: int, length: int) -> bytes:
        try:
            return os.pread(self._descriptor, length, offset)
        except OSError as error:
            raise ArchiveError(f"{self.path}: cannot read the archive ({error.strerror})") from None

    def _damaged(self, offset: int) -> ArchiveError:
        return ArchiveError(f"{self.path}: damaged at byte {offset}")


def warc_headers(head: bytes) -> dict[str, str]:
    """The fields of a record's header, names in lower case."""
    lines = head.decode("utf-8", "replace").split("\r\n")[1:]
    pairs = (line.partition(":") for line in lines)
    return {name.strip().lower(): value.strip() for name, _, value in pairs}
