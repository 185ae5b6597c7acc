"""RFC 9111 for a private cache: what may be kept, how long it is fresh, what it is confirmed by. Pure arithmetic over headers.

The cache belongs to one user, so `private` may be kept and `s-maxage`, which speaks to shared caches, is ignored. Nothing is ever
served stale.
"""

from __future__ import annotations

import re

from stages.core.env import Reply, Request
from stages.net.redact import SECRET_HEADERS, redact_url
from stages.store.answers import MAX_BODY_BYTES, Pairs
from stages.text.http_dates import timestamp

KEPT_STATUSES = frozenset({200, 203, 301, 308})
"""A refusal is not kept, nor is what says that there is nothing: asking again is how one learns that it has changed."""
LONGEST_SECS = 7 * 86400.0
"""Fresh for no longer than this, whatever the server says; and kept to be confirmed for as long."""
_HEURISTIC_SHARE, _HEURISTIC_MOST_SECS = 0.1, 86400.0
_ROBOTS_LEAST_SECS, _ROBOTS_MOST_SECS = 3600.0, 86400.0
"""RFC 9309 lets rules be kept for a day. Most servers say nothing about them, or "no cache" for every file alike."""
_ROBOTS_UNREACHABLE_SECS = 60.0
_DIRECTIVE = re.compile(r'([!#$%&\'*+.^_`|~0-9a-z-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]*)))?', re.IGNORECASE)
_OF_ONE_EXCHANGE = frozenset({"connection", "keep-alive", "proxy-authenticate", "set-cookie", "te", "trailer", "upgrade"})
_OF_BODY = frozenset({"content-encoding", "content-length", "content-range", "content-type", "transfer-encoding"})
_CALLER_DECIDES = frozenset({"range", "if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "if-range"})


def usable(request: Request) -> bool:
    """Whether the cache has any say: a plain GET, nothing secret in it, and not of a service that the user runs himself."""
    names = {name.lower() for name, _ in request.headers}
    if request.method != "GET" or request.trusted or request.body or names & (_CALLER_DECIDES | SECRET_HEADERS):
        return False
    asked = directives(request.headers)
    return not asked.keys() & {"no-cache", "no-store"} and redact_url(request.url) == request.url


def directives(headers: Pairs) -> dict[str, str]:
    """The directives of `cache-control`, in lower case. The first of equal ones counts; `pragma` only where there is no other."""
    text = ",".join(value for name, value in headers if name.lower() == "cache-control")
    if not text:
        text = ",".join(value for name, value in headers if name.lower() == "pragma")
    found: dict[str, str] = {}
    for name, quoted, plain in _DIRECTIVE.findall(text):
        found.setdefault(name.lower(), (quoted or plain).strip())
    return found


def is_robots(request: Request) -> bool:
    """Whether the request is for an origin's rules."""
    return request.shared and request.url.endswith("/robots.txt")


def storable(request: Request, reply: Reply) -> bool:
    """Whether the reply to a usable request may be kept at all."""
    if len(reply.body) > MAX_BODY_BYTES or vary_names(reply.headers) is None:
        return False
    if is_robots(request):
        return True
    redirects = 300 <= reply.status < 400  # noqa: PLR2004  the class of HTTP status
    if reply.status not in KEPT_STATUSES or (redirects and reply.header("set-cookie")):
        return False  # without its cookie, such a redirect would lead round in a circle
    return "no-store" not in directives(reply.headers)


def vary_names(headers: Pairs) -> tuple[str, ...] | None:
    """The request headers that the reply was chosen by; None when it was chosen by something else too."""
    names = {part.strip().lower() for name, value in headers if name == "vary" for part in value.split(",")} - {""}
    return None if "*" in names else tuple(sorted(names))


def lifetime_secs(request: Request, reply: Reply, got: float) -> float:
    """How long after it was made the reply is fresh; 0 when it must be confirmed each time. `got` is when it came."""
    secs = _lifetime_secs(reply, got)
    if not is_robots(request):
        return min(secs, LONGEST_SECS)
    if reply.status == 429 or reply.status >= 500:  # noqa: PLR2004  what counts as unreachable
        return _ROBOTS_UNREACHABLE_SECS
    return min(max(secs, _ROBOTS_LEAST_SECS), _ROBOTS_MOST_SECS)


def _lifetime_secs(reply: Reply, got: float) -> float:
    said = directives(reply.headers)
    if "no-cache" in said:
        return 0.0
    if "max-age" in said:
        return float(said["max-age"][:10]) if said["max-age"].isascii() and said["max-age"].isdigit() else 0.0
    made = timestamp(reply.header("date")) or got
    if expires := reply.header("expires"):
        ends = timestamp(expires)
        return 0.0 if ends is None else max(0.0, ends - made)
    changed = timestamp(reply.header("last-modified"))
    return 0.0 if changed is None else min(max(0.0, made - changed) * _HEURISTIC_SHARE, _HEURISTIC_MOST_SECS)


def age_secs(reply: Reply, asked: float, got: float) -> float:
    """How old the reply was when it came (RFC 9111, 4.2.3)."""
    said = reply.header("age").split(",")[0].strip()
    age = float(said[:10]) if said.isascii() and said.isdigit() else 0.0
    made = timestamp(reply.header("date"))
    return max(0.0, got - made if made is not None else 0.0, age + got - asked)


def validators(headers: Pairs) -> Pairs:
    """What to ask for confirmation with; nothing where there is nothing to compare."""
    names = {"etag": "if-none-match", "last-modified": "if-modified-since"}
    return tuple((names[name], value) for name, value in headers if name in names and value)


def kept_headers(headers: Pairs) -> Pairs:
    """Those that outlive the exchange; a cookie is for the one who got it."""
    return tuple(pair for pair in headers if pair[0] not in _OF_ONE_EXCHANGE)


def confirmed_headers(old: Pairs, new: Pairs) -> Pairs:
    """The stored headers after a 304 brought new ones; what speaks of the body stays (RFC 9111, 3.2)."""
    brought = tuple(pair for pair in kept_headers(new) if pair[0] not in _OF_BODY)
    names = {name for name, _ in brought}
    return (*(pair for pair in old if pair[0] not in names), *brought)


def confirms(old: Pairs, new: Pairs) -> bool:
    """Whether a 304 speaks of what is stored: a tag that it carries must be the stored one."""
    tags = [next((value.removeprefix("W/") for name, value in headers if name == "etag"), "") for headers in (old, new)]
    return not tags[1] or tags[0] == tags[1]


__all__ = ["KEPT_STATUSES", "LONGEST_SECS", "age_secs", "confirmed_headers", "confirms", "directives", "is_robots"]
__all__ += ["kept_headers", "lifetime_secs", "storable", "timestamp", "usable", "validators", "vary_names"]
