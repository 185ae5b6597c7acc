"""What an archive must not hold: credentials, cookies and the values of key-like parameters.

The key of an exchange is hashed over the redacted form, so a replay needs no secret. What a server merely serves (a signed link
in a body or in `location`) is content and stays, else a replay could not follow it; only the echo of a secret that was sent is
hidden. A cookie's value becomes a mark that tells it from other values, so that a chain of redirects runs alike.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING
from urllib.parse import unquote_plus

from msgspec.structs import replace

if TYPE_CHECKING:
    from stages.core.env import Reply, Request

REDACTED = "REDACTED"

SECRET_HEADERS = frozenset(
    {
        "authorization", "proxy-authorization", "cookie", "cookie2", "set-cookie2", "x-api-key", "api-key",
        "apikey", "x-auth-token", "x-access-token", "x-subscription-token", "ocp-apim-subscription-key", "x-goog-api-key",
        "x-csrf-token",
    }
)  # fmt: skip

SECRET_PARAMETERS = frozenset(
    {
        "api_key", "api-key", "apikey", "key", "token", "access_token", "access-token", "auth_token", "auth", "secret",
        "client_secret", "refresh_token", "subscription-token", "subscription_token", "subscription-key", "subscription_key",
        "password", "passwd", "authorization",
    }
)  # fmt: skip

_NAMES = b"|".join(re.escape(name.encode()) for name in sorted(SECRET_PARAMETERS))
_JSON_SECRET = re.compile(rb'("(?:' + _NAMES + rb')"\s*:\s*")(?:[^"\\]|\\.)*"', re.IGNORECASE)
_USERINFO = re.compile(r"^([a-z][a-z0-9+.-]*:)?//[^/?#]*@", re.IGNORECASE)
_MARK = rf"{REDACTED}\.[0-9a-f]{{16}}"
_SHORTEST_ECHO = 8
"""A shorter value is no credential, and replacing it would touch words at random."""


def redact_url(url: str) -> str:
    """The URL without user information and without the values of key-like parameters; all else byte for byte."""
    url = _USERINFO.sub(lambda found: f"{found[1] or ''}//{REDACTED}@", url)
    before, mark, rest = url.partition("?")
    query, hash_mark, fragment = rest.partition("#")
    return before + mark + redact_query(query) + hash_mark + fragment


def redact_query(query: str) -> str:
    """`a=1&key=REDACTED`: the pairs in their order."""
    return "&".join(_pair(pair) for pair in query.split("&"))


def _pair(pair: str) -> str:
    name, mark, value = pair.partition("=")
    return f"{name}={REDACTED}" if mark and value and _is_secret(name) else pair


def _is_secret(name: str) -> bool:
    return unquote_plus(name).strip().lower() in SECRET_PARAMETERS


def redact_headers(headers: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Headers in their order; one that carries a credential keeps its name only, a cookie that is set its name and attributes."""
    return tuple((name, _header(name.strip().lower(), value)) for name, value in headers)


def _header(name: str, value: str) -> str:
    if name == "set-cookie":
        return redact_cookie(value)
    return REDACTED if name in SECRET_HEADERS else value


def redact_cookie(set_cookie: str) -> str:
    """`name=REDACTED.<hash>; path=/`: equal values give equal marks, and nobody reads the value off the mark."""
    pair, semicolon, attributes = set_cookie.partition(";")
    name, equals, value = pair.partition("=")
    return (f"{name}={cookie_mark(value)}" if equals else REDACTED) + semicolon + attributes


def cookie_mark(value: str) -> str:
    """What stands for a cookie's value; an empty one, which deletes the cookie, stays."""
    value = value.strip()
    if not value or re.fullmatch(_MARK, value):
        return value
    return f"{REDACTED}.{blake2b(value.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}"


def cookie_values(headers: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """The values that cookies are set to, by the marks that stand for them."""
    pairs = (value.partition(";")[0].partition("=") for name, value in headers if name.strip().lower() == "set-cookie")
    return {cookie_mark(value): value.strip() for _, equals, value in pairs if equals and value.strip()}


def restore_cookies(headers: tuple[tuple[str, str], ...], values: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """The headers of a request as they go out: the marks in its `cookie` give way to the values."""

    def value_of(mark: re.Match[str]) -> str:
        return values.get(mark[0], mark[0])

    return tuple((name, re.sub(_MARK, value_of, value) if name.lower() == "cookie" else value) for name, value in headers)


def redact_request(request: Request) -> Request:
    """The request as it may be written: URL, headers (a referer too), a form or JSON body."""
    headers = tuple(
        (name, redact_url(value) if name.lower() == "referer" else value) for name, value in redact_headers(request.headers)
    )
    media_type = next((value.lower() for name, value in headers if name.lower() == "content-type"), "")
    body = request.body
    if "x-www-form-urlencoded" in media_type:
        body = redact_query(body.decode("latin-1")).encode("latin-1")
    elif "json" in media_type:
        body = _JSON_SECRET.sub(rb"\1" + REDACTED.encode() + b'"', body)
    return replace(request, url=redact_url(request.url), headers=headers, body=body)


def secrets(request: Request) -> tuple[str, ...]:
    """The values that `redact_url` takes out of the request's query, each once, as they stand in the URL."""
    query = request.url.partition("?")[2].partition("#")[0]
    pairs = (pair.partition("=") for pair in query.split("&"))
    values = (value for name, _, value in pairs if _is_secret(name) and len(value) >= _SHORTEST_ECHO and value != REDACTED)
    return tuple(dict.fromkeys(values))


def hide(text: str, values: tuple[str, ...]) -> str:
    """Put a numbered mark where the text echoes a secret that was sent."""
    for number, value in enumerate(values):
        text = text.replace(value, f"{REDACTED}-{number}")
    return text


def restore(text: str, values: tuple[str, ...]) -> str:
    """Undo `hide`, for a caller who holds the secrets; without them the marks stay."""
    for number, value in reversed(tuple(enumerate(values))):
        text = text.replace(f"{REDACTED}-{number}", value)
    return text


def redact_reply(reply: Reply, values: tuple[str, ...]) -> Reply:
    """The reply as it may be written: no cookies, no echo of `values` in its URL and headers. The body is content and stays."""
    headers = tuple((name, hide(value, values)) for name, value in redact_headers(reply.headers))
    return replace(reply, url=hide(reply.url, values), asked=hide(reply.asked, values), headers=headers)


def restore_reply(reply: Reply, values: tuple[str, ...]) -> Reply:
    """What `redact_reply` hid and the caller holds is put back."""
    if not values:
        return reply
    headers = tuple((name, restore(value, values)) for name, value in reply.headers)
    return replace(reply, url=restore(reply.url, values), asked=restore(reply.asked, values), headers=headers)
