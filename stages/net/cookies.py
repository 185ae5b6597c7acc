"""The cookies of one chain of redirects, by RFC 6265 but for one thing: a cookie goes back to the host that set it and no other.

`Domain` can therefore only be wrong, never widen. Nothing here looks at a clock: whether a cookie has expired is judged by the
date of the reply that sets it, as a chain is over in seconds and a replay must come to the same.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from msgspec import Struct

from stages.core.env import Reply
from stages.net.guard import Target
from stages.text.http_dates import timestamp

MAX_COOKIES = 20
"""Of one host."""
MAX_CHARACTERS = 4096
"""Of one cookie with its attributes; browsers take no longer ones."""
_LONG_AGO = 1577836800.0
"""2020: what ended before is meant to be deleted, where a server does not say what day it is."""
_WHOLE_NUMBER = re.compile(r"-?\d{1,20}", re.ASCII)


class Cookie(Struct, frozen=True):
    """What is sent back, and where."""

    value: str
    secure: bool


class Jar:
    """Filled by `keep`, read by `header`."""

    def __init__(self) -> None:
        self._hosts: dict[str, dict[tuple[str, str], Cookie]] = {}
        """By host, then path and name, in the order in which they came."""

    def keep(self, here: Target, reply: Reply) -> None:
        """Take up the cookies that a reply sets, and forget those that it deletes."""
        for name, text in reply.headers:
            if name == "set-cookie" and len(text) <= MAX_CHARACTERS:
                self._set(here, text, reply.header("date"))

    def header(self, target: Target) -> str:
        """What a request to the target carries in `cookie`; the more exact path first."""
        path = urlsplit(target.href).path
        fitting = (
            (place, name, cookie)
            for (place, name), cookie in self._hosts.get(target.host, {}).items()
            if _covers(place, path) and (target.scheme == "https" or not cookie.secure)
        )
        return "; ".join(f"{name}={cookie.value}" for place, name, cookie in sorted(fitting, key=lambda one: -len(one[0])))

    def _set(self, here: Target, text: str, today: str) -> None:
        pair, _, rest = text.partition(";")
        name, equals, value = (part.strip() for part in pair.partition("="))
        said = _attributes(rest)
        if not equals or not name or not _may_set(here, name, said):
            return
        jar = self._hosts.setdefault(here.host, {})
        path = said["path"] if said.get("path", "").startswith("/") else _folder(here)
        if _has_expired(said, today):
            jar.pop((path, name), None)
        elif (path, name) in jar or len(jar) < MAX_COOKIES:
            jar[path, name] = Cookie(value, "secure" in said)


def _attributes(text: str) -> dict[str, str]:
    """In lower case; the last of equal ones counts."""
    pairs = (part.partition("=") for part in text.split(";"))
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _may_set(here: Target, name: str, said: dict[str, str]) -> bool:
    """Whether this host may, over this connection."""
    domain, secure = said.get("domain", "").lower().removeprefix("."), "secure" in said
    if domain and domain != here.host and (here.address is not None or not here.host.endswith(f".{domain}")):
        return False
    if secure and here.scheme != "https":
        return False
    if name.lower().startswith("__host-"):
        return secure and not domain and said.get("path") == "/"
    return secure or not name.lower().startswith("__secure-")


def _has_expired(said: dict[str, str], today: str) -> bool:
    """`max-age` has the last word, where it is a number."""
    if _WHOLE_NUMBER.fullmatch(said.get("max-age", "")):
        return int(said["max-age"]) <= 0
    ends, now = timestamp(said.get("expires", "")), timestamp(today)
    return ends is not None and ends <= (_LONG_AGO if now is None else now)


def _folder(here: Target) -> str:
    """The path of a cookie that names none: that of the request, up to its last slash."""
    return urlsplit(here.href).path.rpartition("/")[0] or "/"


def _covers(place: str, path: str) -> bool:
    return path == place or (path.startswith(place) and (place.endswith("/") or path[len(place)] == "/"))


__all__ = ["MAX_COOKIES", "Jar"]
