"""A copy of an archive that can be shown around: without bodies, or without all that was heard from some hosts.

What was taken out is a miss in a replay, never an empty page: a response without its body keeps status, headers and the digest of
what it was, and says that it was removed. robots.txt files stay when bodies go, since without them no page would be asked for.
"""

from __future__ import annotations

from base64 import b32encode
from hashlib import sha1
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from msgspec import Struct

from stages.core.errors import ArchiveError
from stages.net import outcomes
from stages.net.other_warc import is_own, open_warc
from stages.net.warc import Warc, pack

if TYPE_CHECKING:
    from pathlib import Path

    from stages.net.warc import Place


_END = b"\r\n\r\n"
_REPLACED = (b"content-length", b"warc-block-digest")


class Redacted(Struct, frozen=True):
    """What came of it."""

    kept: int
    emptied: int
    dropped: int


def redact(path: Path, out: Path, *, bodies: bool, hosts: tuple[str, ...]) -> Redacted:
    """Write the copy, a new file that only its owner may read. Raises ArchiveError, also for an archive of another tool."""
    source = open_warc(path)
    try:
        if not isinstance(source, Warc) or not is_own(source):
            raise ArchiveError(f"{path}: was not recorded by cribble; only its own archives say what belongs to which host")
        copy = Warc.create(out)
        done = None
        try:
            done = _copied(source, copy, bodies=bodies, hosts=hosts)
        finally:
            copy.close()
            if done is None:  # half a copy is none
                out.unlink(missing_ok=True)
        return done
    finally:
        source.close()


def _copied(source: Warc, copy: Warc, *, bodies: bool, hosts: tuple[str, ...]) -> Redacted:
    kept = emptied = dropped = 0
    with copy.locked():
        for place, headers in source.walk():
            if headers.get("warc-type") != "warcinfo" and _speaks_of(source, place, headers, hosts):
                dropped += 1
                continue
            record = source.raw(place)
            shown = _emptied(record) if bodies and _may_go(headers) else record
            copy.write(pack(shown))
            kept, emptied = kept + (shown is record), emptied + (shown is not record)
    return Redacted(kept, emptied, dropped)


def _speaks_of(source: Warc, place: Place, headers: dict[str, str], hosts: tuple[str, ...]) -> bool:
    """Whether a record comes from one of the hosts or below it, or is a message that names it."""
    if not hosts:
        return False
    name = (urlsplit(headers.get("warc-target-uri", "")).hostname or "").lower()
    if any(name == host or name.endswith(f".{host}") for host in hosts):
        return True
    if headers.get("warc-type") != "metadata":
        return False
    text = source.raw(place).lower()
    return any(host.encode() in text for host in hosts)


def _may_go(headers: dict[str, str]) -> bool:
    """Whether its body goes: that of a request, and of a response to one call. What all calls share are robots.txt files."""
    if headers.get("warc-type") == "request":
        return True
    text = headers.get(outcomes.KEY_HEADER.lower(), "")
    return headers.get("warc-type") == "response" and bool(text) and bool(outcomes.parse_key(text).stage)


def _emptied(record: bytes) -> bytes:
    """The record without its body: the payload's digest stays as it was, so that the body can still be told from others."""
    head, _, rest = record.partition(_END)
    http, _, body = rest.removesuffix(_END).partition(_END)
    if not body:
        return record
    block = http + _END
    version, *lines = head.split(b"\r\n")
    kept = [line for line in lines if line.partition(b":")[0].strip().lower() not in _REPLACED]
    kept += [
        f"{outcomes.REMOVED_HEADER}: {len(body)} bytes".encode(),
        b"WARC-Block-Digest: sha1:" + b32encode(sha1(block, usedforsecurity=False).digest()),
        f"Content-Length: {len(block)}".encode(),
    ]
    return b"\r\n".join((version, *kept)) + _END + block + _END


__all__ = ["Redacted", "redact"]
