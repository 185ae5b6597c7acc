"""How engines that answer in JSON, RSS or Atom are asked and read. Raises StageError and nothing else, whatever the answer holds.

A web page where JSON or a feed belongs is a bot check. A string that is none, a number that is none, is left out.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime, timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from stages.core.env import Budget, Reply, Request, Settings
from stages.core.errors import StageError
from stages.engines.engine import check_body, check_layout, check_status, one_line
from stages.vocabulary import VERSION, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from stages.records import Hit, Query

MAX_BYTES = 2 << 20
_LARGEST = 10_000_000
"""A larger number is no width, height or place."""
_LAST_YEAR = 2100
_YEAR_2100 = 4_102_444_800
_LONGEST = 20_000
"""Characters of a snippet's markup that are read."""
_BREAK = re.compile(r"<(?:/?p|/?div|/?li|br|/?jats:p|/jats:title)\b[^<>]{0,300}>", re.IGNORECASE)
"""Where a reader sees a new line, and the text alone would be glued together."""
DAY_SECS = 86_400
_DAYS = {"day": 1, "week": 7, "month": 31, "year": 365}


def ask(url: str, fields: Mapping[str, str], budget: Budget | None, settings: Settings, **more: str) -> Request:
    """A GET by the honest identity. `more` are headers, with `_` for `-`; who is to be written to stands in the user agent."""
    return Request(
        url=f"{url}?{urlencode(fields)}",
        headers=headers(settings, more),
        identity="api",
        max_bytes=MAX_BYTES,
        budget=budget,
    )


def ask_json(url: str, fields: Mapping[str, Any], budget: Budget | None, settings: Settings, **more: str) -> Request:
    """A POST of a JSON object by the honest identity."""
    sent = headers(settings, {"content_type": "application/json", **more})
    body = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return Request(url=url, method="POST", headers=sent, body=body, identity="api", max_bytes=MAX_BYTES, budget=budget)


def headers(settings: Settings, more: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """What every such request carries, and `more`."""
    agent = {"user_agent": f"cribble/{VERSION} ({settings.contact})"} if settings.contact else {}
    return tuple((name.replace("_", "-"), value) for name, value in ({"accept": "application/json"} | agent | dict(more)).items())


def read_json(reply: Reply, *, engine_host: str) -> Any:
    """The JSON of an answer, of whatever status. Raises StageError for a refusal, a web page, and what cannot be read."""
    check_status(reply, engine_host=engine_host)
    try:
        return json.loads(_utf8(reply.body))  # unlike msgspec it lets half a surrogate in one title pass: `clean` replaces it
    except (ValueError, RecursionError):
        raise _unreadable(reply, "JSON") from None


def _utf8(body: bytes) -> bytes | str:
    """JSON is UTF-8; one bad byte in one title is no reason to lose the others."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return body if body[:2] in (b"\xff\xfe", b"\xfe\xff") else body.decode("utf-8", "replace")
    return body


def read_object(reply: Reply, *, engine_host: str) -> dict[str, Any]:
    """The object that an answer of status 200 holds; another status is the refusal that it stands for."""
    return as_object(reply, read_json(reply, engine_host=engine_host))


def as_object(reply: Reply, answer: Any) -> dict[str, Any]:
    """The same of JSON that was read already."""
    check_body(reply, "")
    if not isinstance(answer, dict):
        raise StageError("parse_changed", "an answer that is no object", http_status=reply.status)
    return answer


def read_feed(reply: Reply, *, engine_host: str, page: Outcome = "challenge") -> Any:
    """The root of a feed, as lxml has it; no entity is unfolded, no address asked. Raises StageError, `page` for a web page."""
    from lxml import etree

    check_status(reply, engine_host=engine_host)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, recover=True, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(reply.body, parser) if reply.body.strip() else None
    except (etree.XMLSyntaxError, ValueError):
        root = None
    if root is None or local_name(root) not in ("rss", "feed", "RDF"):
        raise _unreadable(reply, "a feed", page)
    check_body(reply, "")
    if len(parser.error_log) and not any(local_name(one) in ("item", "entry") for one in root.iter()):
        raise StageError("parse_changed", "a damaged feed without results", http_status=reply.status)
    return root


def local_name(element: Any) -> str:
    """A tag without its namespace; empty for what is no element."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def child(element: Any, name: str) -> Any:
    """The first child of this local name, if there is one."""
    return next((one for one in element if local_name(one) == name), None)


def child_text(element: Any, name: str) -> str:
    """The text of the first child of this local name."""
    found = child(element, name)
    return "".join(found.itertext()).strip() if found is not None else ""


def _unreadable(reply: Reply, wanted: str, page: Outcome = "challenge") -> StageError:
    text = reply.body.decode("utf-8", "replace")
    try:
        check_body(reply, text)
    except StageError as error:
        return error
    if re.match(r"\ufeff?\s*<(?:!doctype html|html|head|body|div|h1|script)\b", text, re.IGNORECASE):
        return StageError(page, f"a web page instead of {wanted}", http_status=reply.status)
    return StageError("parse_changed", f"not {wanted}", http_status=reply.status)


def check_key(reply: Reply, told: str, *, spent: frozenset[int] = frozenset()) -> None:
    """Raise StageError where a service that wants a key refuses it, or says that it is used up (one of the statuses `spent`)."""
    if reply.status in spent:
        raise StageError("rate_limited", told or "what the key allows is used up", http_status=reply.status)
    if reply.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        raise StageError("blocked", f"the key is not taken{f': {told}' if told else ''}", http_status=reply.status)


def listed(answer: Any, *path: str) -> list[dict[str, Any]]:
    """The objects of the list at this path. Raises `parse_changed` where there is no list."""
    for name in path:
        answer = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(answer, list):
        raise StageError("parse_changed", f"an answer without {'.'.join(path)}", http_status=200)
    return [row for row in answer if isinstance(row, dict)]


def hits_of(reply: Reply, rows: Iterable[Any], read: Callable[[Any], Hit | None]) -> list[Hit]:
    """What could be read of each result. Raises `empty` for none, `parse_changed` when most could not be read."""
    every = list(rows)
    if not every:
        raise StageError("empty", "the engine found nothing", http_status=reply.status)
    hits = [hit for row in every if (hit := read(row)) is not None]
    check_layout(reply, containers=len(every), readable=len(hits))
    return hits


def text(row: Any, *path: str) -> str:
    """The string at this path, empty where there is none."""
    for name in path:
        row = row.get(name) if isinstance(row, dict) else None
    return row if isinstance(row, str) else ""


def number(row: Mapping[str, Any], name: str) -> int:
    """The whole number of this name, if it can be a size or a place; else 0."""
    value = row.get(name)
    return value if type(value) is int and 0 < value < _LARGEST else 0


def plain(markup: str) -> str:
    """HTML of a title or snippet as one line of text."""
    if "<" not in markup and "&" not in markup:
        return one_line(markup)
    from selectolax.lexbor import LexborHTMLParser

    body = LexborHTMLParser(_BREAK.sub(r" \g<0>", markup[:_LONGEST])).body
    return one_line(body.text()) if body is not None else ""


def day_of_epoch(seconds: Any) -> str:
    """`2026-08-29` for seconds since 1970; empty for what is no time."""
    if type(seconds) not in (int, float) or not 0 < seconds < _YEAR_2100:  # true for NaN
        return ""
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


def day_of_rfc(stamp: str) -> str:
    """`2026-08-29` for a date of RFC 822, in UTC; empty for what is none."""
    from email.utils import parsedate_to_datetime

    try:
        moment = parsedate_to_datetime(stamp)
        moment = moment.astimezone(UTC) if moment.tzinfo else moment
    except (ValueError, TypeError, OverflowError, IndexError):
        return ""
    return moment.date().isoformat() if 1 < moment.year < _LAST_YEAR else ""


def day_of_iso(stamp: str) -> str:
    """The day that an ISO 8601 date or time begins with; empty for what has no whole day."""
    found = re.match(r"\d{4}-\d{2}-\d{2}", stamp, re.ASCII)
    try:
        return date.fromisoformat(found[0]).isoformat() if found else ""
    except ValueError:
        return ""


def wanted_days(query: Query, now: str) -> tuple[date | None, date | None]:
    """The first and the last day that the query wants, None where it sets no bound. The narrower of freshness and days counts."""
    lower = [day_of_iso(query.published_after)]
    if query.freshness and (run := day_of_iso(now)):
        lower.append((date.fromisoformat(run) - timedelta(days=_DAYS[query.freshness])).isoformat())
    first, before = max(lower), day_of_iso(query.published_before)
    last = date.fromisoformat(before) - timedelta(days=1) if before > "0001-01-01" else None
    return date.fromisoformat(first) if first else None, last


def today(now: str) -> date:
    """The day of the run."""
    return date.fromisoformat(day_of_iso(now) or "1970-01-01")


def seconds_of(day: date) -> int:
    """When the day began in UTC, in seconds since 1970."""
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())


def cut(words: str, most: int) -> str:
    """At most so many characters, and only whole words where there is more than one."""
    return words if len(words) <= most else (words[: most + 1].rpartition(" ")[0] or words[:most])
