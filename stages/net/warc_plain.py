"""An uncompressed `.warc` on disk, as other tools write them: only read, never written."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from stages.core.errors import ArchiveError
from stages.net.warc import MAX_HEAD_BYTES, MAX_RECORD_BYTES, Place, warc_headers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

START = b"WARC/"
_END = b"\r\n\r\n"
_CHUNK = 8192


class PlainWarc:
    """Reads like `Warc`. `end` is the end of the last complete record that was walked."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.end = 0
        try:
            self._descriptor = os.open(path, os.O_RDONLY)
        except OSError as error:
            raise ArchiveError(f"{path}: cannot open the archive ({error.strerror})") from None

    def close(self) -> None:
        """Close the file; twice is fine."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def size(self) -> int:
        """Bytes of the file."""
        return os.fstat(self._descriptor).st_size

    def places(self) -> Iterator[Place]:
        """Records beyond `end`, up to the last complete one. Raises ArchiveError where no record begins."""
        size = self.size()
        while self.end < size:
            head = self._head(self.end)
            if head is None:
                return
            length = len(head) + len(_END) + self._block_bytes(head, self.end)
            if self.end + length > size:
                return
            place = Place(self.end, length)
            self.end += length
            while self._read(self.end, 2) == b"\r\n":  # two empty lines end a record, and some tools write more or fewer
                self.end += 2
            yield place

    def walk(self) -> Iterator[tuple[Place, dict[str, str]]]:
        """Records beyond `end` with their WARC headers, names in lower case."""
        for place in self.places():
            yield place, warc_headers(self._head(place.offset) or b"")

    def raw(self, place: Place) -> bytes:
        """A whole record."""
        return self._read(place.offset, place.length)

    def read(self, place: Place) -> tuple[dict[str, str], bytes]:
        """The WARC headers and the block of one record."""
        head, _, block = self.raw(place).partition(_END)
        return warc_headers(head), block

    def _head(self, offset: int) -> bytes | None:
        """The WARC headers that begin here; None where the file ends within them."""
        text = b""
        while _END not in text:
            chunk = self._read(offset + len(text), _CHUNK)
            text += chunk
            if not text.startswith(START[: len(text)]) or len(text) > MAX_HEAD_BYTES:
                raise ArchiveError(f"{self.path}: damaged at byte {offset}")
            if not chunk:
                return None
        return text.partition(_END)[0]

    def _block_bytes(self, head: bytes, offset: int) -> int:
        length = warc_headers(head).get("content-length", "")
        if not length.isdecimal() or int(length) > MAX_RECORD_BYTES:
            raise ArchiveError(f"{self.path}: damaged at byte {offset}")
        return int(length)

    def _read(self, offset: int, length: int) -> bytes:
        try:
            return os.pread(self._descriptor, length, offset)
        except OSError as error:
            raise ArchiveError(f"{self.path}: cannot read the archive ({error.strerror})") from None


__all__ = ["START", "PlainWarc"]
