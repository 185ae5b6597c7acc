"""What an archive holds, for people: its outcomes one by one, each in full, and whether the file is whole.

Any WARC will do, compressed record by record or not; only cribble's own name stage, record and outcome.
"""

from __future__ import annotations

import json
from base64 import b32encode
from collections.abc import Iterator
from hashlib import blake2b, new
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import Struct

from stages.core.env import Reply
from stages.core.errors import ArchiveError, StageError
from stages.net import outcomes
from stages.net.media import media_type_of
from stages.net.other_warc import is_own, open_warc
from stages.net.warc import Place, Warc

if TYPE_CHECKING:
    from pathlib import Path

    from stages.net.outcomes import Key
    from stages.net.warc_plain import PlainWarc

MAX_PROBLEMS = 100
_LISTED = frozenset({"response", "resource", "metadata", "warcinfo", "revisit"})
_DIGESTS = frozenset({"md5", "sha1", "sha256", "sha384", "sha512"})


class Entry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One outcome. `id` is what pages name as their `exchange`; `offset` and `bytes` are those of the body, before packing."""

    id: str
    what: Literal["exchange", "read", "cut", "notices", "run", "response", "resource", "metadata", "revisit"]
    outcome: str = ""
    """HTTP status, or why there is none."""
    method: str = ""
    url: str = ""
    stage: str = ""
    record: str = ""
    attempt: int = 0
    media_type: str = ""
    bytes: int = 0
    date: str = ""
    message: str = ""


class Shown(Struct, frozen=True):
    """An outcome in full: what it is, the WARC header's lines, and the block as it stands."""

    entry: Entry
    headers: dict[str, str]
    block: bytes


class Report(Struct, frozen=True):
    """What a check came to."""

    records: int
    outcomes: int
    problems: tuple[str, ...]


def entries(path: Path) -> Iterator[Entry]:
    """Every outcome in the order of the file. Raises ArchiveError where it is damaged."""
    for shown in shown_all(path):
        yield shown.entry


def shown_all(path: Path) -> Iterator[Shown]:
    """Every outcome in full. Requests are told by their responses, and left out."""
    warc = open_warc(path)
    try:
        for place, headers in warc.walk():
            if headers.get("warc-type", "") in _LISTED:
                fields, block = warc.read(place)
                yield Shown(_entry(fields, block), fields, block)
    finally:
        warc.close()


def askers(path: Path) -> dict[str, str]:
    """The record that each exchange was made for, by the exchange's id; other tools' archives name none. Raises ArchiveError."""
    warc = open_warc(path)
    try:
        keys = [_key(headers) for _, headers in warc.walk() if headers.get("warc-type", "") in _LISTED]
    finally:
        warc.close()
    return {key.id: key.record for key in keys if key is not None}


def _key(headers: dict[str, str]) -> Key | None:
    text = headers.get(outcomes.KEY_HEADER.lower())
    try:
        return None if text is None else outcomes.parse_key(text)
    except (ValueError, IndexError, RecursionError):
        raise _damaged(headers) from None


def _damaged(headers: dict[str, str]) -> ArchiveError:
    return ArchiveError(f"the record {headers.get('warc-record-id', '')} is damaged")


def find(path: Path, wanted: str) -> Shown:
    """The one outcome whose id begins so. Raises ArchiveError for none and for several."""
    found = [shown for shown in shown_all(path) if shown.entry.id.startswith(wanted)]
    exact = [shown for shown in found if shown.entry.id == wanted]
    if len(exact or found) == 1:
        return (exact or found)[0]
    problem = f"{len(found)} outcomes have an id that begins so" if found else "no outcome has this id"
    raise ArchiveError(f"{path}: {problem}: {wanted!r} (cribble archive ls shows them)")


def _entry(headers: dict[str, str], block: bytes) -> Entry:
    key = _key(headers)
    try:
        if key is not None:
            return _own(key, headers, block)
        run = outcomes.parse_run(block) if headers.get("warc-type") == "warcinfo" else None
    except (ValueError, IndexError, RecursionError):
        raise _damaged(headers) from None
    if run is not None:
        return Entry(id=run.id, what="run", date=run.start, outcome=f"cribble {run.cribble}", bytes=len(block))
    return _other(headers, block)


def _own(key: Key, headers: dict[str, str], block: bytes) -> Entry:
    entry = Entry(
        id=key.id,
        what=key.what,
        method=key.method,
        url=key.url,
        stage=key.stage,
        record=key.record,
        attempt=key.attempt,
        date=headers.get("warc-date", ""),
    )
    if key.what == "notices":
        notices = outcomes.parse_notices(block)
        return msgspec.structs.replace(entry, outcome="notices", message="; ".join(one.message for one in notices))
    if key.what == "cut":
        cut = outcomes.parse_cut(block)
        return msgspec.structs.replace(entry, outcome=cut.kind, message=cut.message)
    return _answered(entry, outcomes.parse_exchange(key, headers, block))


def _answered(entry: Entry, outcome: Reply | StageError) -> Entry:
    if isinstance(outcome, StageError):
        return msgspec.structs.replace(entry, outcome=outcome.kind, message=str(outcome))
    media_type = media_type_of(outcome.headers)
    return msgspec.structs.replace(entry, outcome=str(outcome.status), media_type=media_type, bytes=len(outcome.body))


def _other(headers: dict[str, str], block: bytes) -> Entry:
    kind = headers.get("warc-type", "")
    what = "metadata" if kind == "warcinfo" else kind
    head, _, body = block.partition(b"\r\n\r\n") if kind == "response" else (b"", b"", block)
    lines = head.decode("latin-1").split("\r\n")
    pairs = tuple((name.strip().lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines[1:]))
    status = lines[0].split(" ")[1:2] if lines[0].startswith("HTTP/") else []
    return Entry(
        id=blake2b(headers.get("warc-record-id", "").encode(), digest_size=10).hexdigest(),
        what=what,  # type: ignore[arg-type]  # one of _LISTED
        outcome="".join(status),
        url=headers.get("warc-target-uri", ""),
        media_type=media_type_of(pairs) or (headers.get("content-type", "") if kind == "resource" else ""),
        bytes=len(body),
        date=headers.get("warc-date", ""),
    )


def check(path: Path) -> Report:
    """Read every record: its length, its checksum, its digests, and its outcome. Raises ArchiveError for what is no archive."""
    warc = open_warc(path)
    try:
        if isinstance(warc, Warc):
            is_own(warc)
        return _checked(warc)
    finally:
        warc.close()


def _checked(warc: Warc | PlainWarc) -> Report:
    records = found = 0
    problems: list[str] = []
    try:
        for place in warc.places():
            records += 1
            wrong, listed = _judged(warc, place)
            problems += wrong
            found += listed
            if len(problems) >= MAX_PROBLEMS:
                problems.append("more problems than these")
                break
        else:
            if warc.end < warc.size():
                problems.append(f"cut off: {warc.size() - warc.end} bytes after the last complete record, at byte {warc.end}")
    except ArchiveError as error:
        problems.append(_short(error, warc.path))
    return Report(records, found, tuple(problems))


def _judged(warc: Warc | PlainWarc, place: Place) -> tuple[list[str], bool]:
    """What is wrong with one record, and whether it is an outcome."""
    try:
        headers, block = warc.read(place)
        wrong = [f"byte {place.offset}: {name} does not match" for name in _mismatches(headers, block)]
        listed = headers.get("warc-type", "") in _LISTED
        if listed:
            _entry(headers, block)
    except ArchiveError as error:
        return [_short(error, warc.path)], False
    return wrong, listed and headers.get("warc-type") != "warcinfo"


def _short(error: ArchiveError, path: Path) -> str:
    return str(error).removeprefix(f"{path}: ")


def _mismatches(headers: dict[str, str], block: bytes) -> Iterator[str]:
    """Digests that the record names and does not have; algorithms that are not known here are passed over."""
    removed = outcomes.REMOVED_HEADER.lower() in headers
    payload = block.partition(b"\r\n\r\n")[2] if headers.get("content-type", "").startswith("application/http") else block
    for name, data in (("warc-block-digest", block), ("warc-payload-digest", payload)):
        algorithm, _, wanted = headers.get(name, "").partition(":")
        coded = algorithm.lower().replace("-", "")
        if coded not in _DIGESTS or (removed and data is payload) or headers.get("warc-type") == "revisit":
            continue
        digest = new(coded, data, usedforsecurity=False)
        if wanted.lower() not in (digest.hexdigest(), b32encode(digest.digest()).decode().lower()):
            yield name


def as_json(entry: Entry) -> bytes:
    """One line."""
    return json.dumps(msgspec.to_builtins(entry), ensure_ascii=False).encode()


__all__ = ["Entry", "Report", "Shown", "as_json", "check", "entries", "find", "shown_all"]
