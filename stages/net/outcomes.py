"""Outcomes as WARC records, and back: what a request came to, how a call was cut, what notices a stage gave.

An exchange is a standard pair `response` and `request`, its body decoded (headers that spoke of the coded body are renamed to
`x-archive-orig-…`, as web archives do), so that other tools read it. Everything else is a `metadata` record of `MEDIA_TYPE`. The
extra WARC header `WARC-Cribble-Key` says what was asked, by whom; `WARC-Cribble-Reply` holds what HTTP/1.1 cannot say exactly.
"""

from __future__ import annotations

import io
import json
import re
from hashlib import blake2b, sha256
from http import HTTPStatus
from typing import Any, Literal
from urllib.parse import quote
from uuid import UUID

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from stages.core.env import Cut, Reply, Request
from stages.core.errors import StageError
from stages.records import Notice, Run

MEDIA_TYPE = "application/vnd.cribble.outcome+json"
KEY_HEADER = "WARC-Cribble-Key"
REPLY_HEADER = "WARC-Cribble-Reply"
REMOVED_HEADER = "WARC-Cribble-Removed"
"""In a response whose body somebody took out before the archive was passed on."""
RUN_FIELD = "cribble-run"

_OF_CODED_BODY = frozenset({"content-encoding", "content-length", "transfer-encoding"})
_ORIGINAL = "x-archive-orig-"
_PLAIN_NAME = re.compile(rf"(?!{_ORIGINAL})[!#$%&'*+.^_`|~0-9a-z-]+")
_PLAIN_VALUE = re.compile(r"(?:[!-~](?:[ -~]*[!-~])?)?")
_NOT_PLAIN = re.compile(r"[^ -~]+")
_STATUSES = range(100, 1000)
_VISIBLE = "".join(map(chr, range(0x21, 0x7F)))


class Key(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an outcome belongs to. URL and body are in their redacted form; an empty field does not count."""

    what: Literal["exchange", "read", "cut", "notices"] = "exchange"
    stage: str = ""
    record: str = ""
    attempt: int = 0
    """The nth identical request of one call, from 1; 0 where it does not count."""
    method: str = ""
    url: str = ""
    sha256: str = ""
    """Of the body; of the notices."""

    @property
    def text(self) -> str:
        """The key in ASCII: the same in every process, and safe inside a header."""
        return _json(msgspec.to_builtins(self))

    @property
    def id(self) -> str:
        """20 hex digits, the exchange id of records."""
        return blake2b(self.text.encode("ascii"), digest_size=10).hexdigest()


def request_key(request: Request) -> Key:
    """The key of a request that is already redacted, before stage, record and attempt are filled in."""
    return Key(method=request.method.upper(), url=request.url, sha256=sha256(request.body).hexdigest() if request.body else "")


def parse_key(text: str) -> Key:
    """Read what `Key.text` wrote. Raises ValueError."""
    return msgspec.convert(json.loads(text), Key)


def exchange_records(key: Key, request: Request, reply: Reply, date: str) -> list[bytes]:
    """The response and its request, uncompressed; both are redacted already. `date` is the run's start.

    A reply without `url` has that of the request.
    """
    uri, method = _visible(request.url), _visible(request.method.upper()) or "GET"
    related = {"WARC-Concurrent-To": _record_id("request", key), KEY_HEADER: key.text, REPLY_HEADER: _inexact(reply)}
    related["WARC-IP-Address"] = reply.address
    response = _record(
        "response", key, date, reply.body, extra=related, status=_status(reply.status), headers=_standard(reply.headers)
    )
    related = {"WARC-Concurrent-To": _record_id("response", key)}
    headers = _standard((("host", _host(uri)), *request.headers))
    status = f"{method} {_target(uri)} HTTP/1.1"
    return [response, _record("request", key, date, request.body, extra=related, status=status, headers=headers)]


def error_record(key: Key, error: StageError, date: str) -> bytes:
    """A request that failed."""
    return _outcome(key, {"kind": error.kind, "message": str(error), "http_status": error.http_status}, date)


def cut_record(key: Key, cut: Cut, date: str) -> bytes:
    """A call that the runner ended."""
    return _outcome(key, msgspec.to_builtins(cut), date)


def notices_record(stage: str, notices: tuple[Notice, ...], date: str) -> tuple[Key, bytes]:
    """What a stage told the caller."""
    payload = [msgspec.to_builtins(notice) for notice in notices]
    key = Key(what="notices", stage=stage, sha256=sha256(_json(payload).encode("ascii")).hexdigest())
    return key, _outcome(key, payload, date)


def run_record(run: Run, date: str) -> bytes:
    """The first record of an archive: `warcinfo` with the Run in the field `cribble-run`, without the archive's own path."""
    run = replace(run, archive="", replay=False)
    fields = {
        "software": f"cribble/{_visible(run.cribble)}",
        "format": "WARC File Format 1.1",
        "conformsTo": "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        RUN_FIELD: _json(msgspec.to_builtins(run)),
    }
    body = "".join(f"{name}: {value}\r\n" for name, value in fields.items()).encode("ascii")
    return _record("warcinfo", Key(stage=run.id), date, body)


def parse_run(block: bytes) -> Run | None:
    """The Run of a `warcinfo` block; None where there is none. Raises ValueError for one that cannot be understood."""
    pairs = (line.partition(":") for line in block.decode("utf-8", "replace").split("\r\n"))
    text = next((value for name, _, value in pairs if name == RUN_FIELD), None)
    return None if text is None else msgspec.convert(json.loads(text), Run)


def parse_exchange(key: Key, headers: dict[str, str], block: bytes) -> Reply | StageError:
    """The outcome behind a key, as it was written. An empty `url` is that of the request. Raises ValueError."""
    if headers.get("warc-type") != "response":
        return _parse_error(block)
    if REMOVED_HEADER.lower() in headers:
        return StageError("replay_miss", f"the body of {key.url} was taken out of this archive")
    head, _, body = block.partition(b"\r\n\r\n")
    status, *lines = head.decode("ascii", "replace").split("\r\n")
    address = headers.get("warc-ip-address", "")
    reply = Reply(
        url="",
        status=int(status.split(" ", 2)[1]),
        headers=tuple(map(_header, lines)),
        body=body,
        exchange=key.id,
        address=address,
    )
    return replace(reply, **msgspec.convert(json.loads(headers.get(REPLY_HEADER.lower(), "{}")), _Inexact).given())


def parse_cut(block: bytes) -> Cut:
    """Raises ValueError."""
    return msgspec.convert(json.loads(block), Cut)


def parse_notices(block: bytes) -> tuple[Notice, ...]:
    """Raises ValueError."""
    return msgspec.convert(json.loads(block), tuple[Notice, ...])


class _Inexact(Struct, omit_defaults=True):
    """The parts of a reply that its HTTP/1.1 form does not give back exactly."""

    url: str | None = None
    asked: str | None = None
    status: int | None = None
    headers: tuple[tuple[str, str], ...] | None = None
    from_cache: str | None = None

    def given(self) -> dict[str, Any]:
        return {name: value for name in self.__struct_fields__ if (value := getattr(self, name)) is not None}


class _Error(Struct):
    kind: str
    message: str
    http_status: int = 0


def _inexact(reply: Reply) -> str:
    plain = all(_PLAIN_NAME.fullmatch(name) and _PLAIN_VALUE.fullmatch(value) for name, value in reply.headers)
    parts = _Inexact(
        url=reply.url or None,
        asked=reply.asked or None,
        status=reply.status if reply.status not in _STATUSES else None,
        headers=None if plain else reply.headers,
        from_cache=reply.from_cache or None,
    )
    text = _json(msgspec.to_builtins(parts))
    return "" if text == "{}" else text


def _parse_error(block: bytes) -> StageError:
    error = msgspec.convert(json.loads(block), _Error)
    return StageError(error.kind, error.message, http_status=error.http_status)  # type: ignore[arg-type]  # a kind of a newer version passes


def _outcome(key: Key, payload: Any, date: str) -> bytes:
    body = _json(payload).encode("ascii")
    return _record("metadata", key, date, body, extra={KEY_HEADER: key.text}, media_type=MEDIA_TYPE)


def _record(
    kind: str,
    key: Key,
    date: str,
    body: bytes,
    *,
    extra: dict[str, str] | None = None,
    status: str = "",
    headers: list[tuple[str, str]] | None = None,
    media_type: str = "",
) -> bytes:
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    buffer = io.BytesIO()
    writer = WARCWriter(buffer, gzip=False, warc_version="1.1")
    named = {"WARC-Record-ID": _record_id(kind, key), "WARC-Date": date}
    named |= {name: value for name, value in (extra or {}).items() if value}
    protocol, _, rest = status.partition(" ")
    record = writer.create_warc_record(
        _visible(key.url),
        kind,
        payload=io.BytesIO(body),
        length=len(body),
        warc_content_type=media_type,
        warc_headers_dict=named,
        http_headers=StatusAndHeaders(rest, headers, protocol=protocol) if status else None,
    )
    writer.write_record(record)
    return buffer.getvalue()


def _record_id(kind: str, key: Key) -> str:
    digest = blake2b(f"{kind} {key.text}".encode("ascii"), digest_size=16).digest()
    return f"<urn:uuid:{UUID(bytes=digest, version=5)}>"


def _status(status: int) -> str:
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "Unknown"
    return f"HTTP/1.1 {status if status in _STATUSES else 599} {phrase}"


def _standard(headers: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    """As a parser of HTTP/1.1 takes them: visible ASCII, nothing that contradicts the decoded body."""
    renamed = ((f"{_ORIGINAL}{name}" if name.lower() in _OF_CODED_BODY else name, value) for name, value in headers)
    return [(_visible(name).replace(":", "%3A") or "_", _NOT_PLAIN.sub(" ", value).strip()) for name, value in renamed]


def _header(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.removeprefix(_ORIGINAL), value.strip(" ")


def _visible(text: str) -> str:
    """Percent-encoded where it is not visible ASCII, so that it stays on its line."""
    return quote(text, safe=_VISIBLE, errors="replace")


def _host(uri: str) -> str:
    return re.sub(r"^[^/?#]*//(?:[^/?#]*@)?([^/?#]*).*$", r"\1", uri)


def _target(uri: str) -> str:
    path = re.sub(r"^[^/?#]*//[^/?#]*", "", uri).partition("#")[0]
    return path if path.startswith("/") else f"/{path}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))
