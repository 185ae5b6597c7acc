"""By which way a host is reached: straight, through the proxy of the settings, or through the environment's when asked to.

`{session}` in a proxy's login becomes a name that is the host's own for the run, and a new one after the host turned us away:
that is how providers of rotating addresses are told to keep one, or to give another.
"""

from __future__ import annotations

import os
import re
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from stages.core.errors import UsageError
from stages.net.guard import Target

AMBIENT = "ambient"
_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}
_TURNED_AWAY = frozenset({403, 407, 429, 503})


class Proxy(Struct, frozen=True, kw_only=True):
    """Where to connect and what to log in with. `url` is the whole of it, login included."""

    url: str
    scheme: str
    host: str
    port: int
    user: str = ""
    password: str = ""

    @property
    def socks(self) -> bool:
        """Whether it speaks SOCKS and not HTTP."""
        return self.scheme.startswith("socks")

    @property
    def takes_names(self) -> bool:
        """Whether names are looked up by the proxy. A `socks5` proxy is told an address, so that one can be judged and pinned."""
        return self.scheme != "socks5"


def parse_proxy(url: str, origin: str = "proxy") -> Proxy:
    """Read a proxy's address; one without a scheme speaks HTTP. Raises UsageError, which does not repeat the login."""
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        port = parts.port
    except ValueError:
        raise UsageError(f"{origin}: not an address of a proxy; http://host:port or socks5://host:port is one") from None
    if parts.scheme not in _PORTS or not parts.hostname or parts.path not in ("", "/") or re.search(r"[\s?#]", url):
        raise UsageError(f"{origin}: a proxy is {', '.join(f'{name}://host:port' for name in _PORTS)}, or {AMBIENT}")
    return Proxy(
        url=parts.geturl().rstrip("/"),
        scheme=parts.scheme,
        host=parts.hostname,
        port=port or _PORTS[parts.scheme],
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
    )


class Proxies:
    """The ways of one run. Raises UsageError for a setting that is no proxy."""

    def __init__(self, setting: str) -> None:
        self._setting = setting
        self._sessions: dict[str, str] = {}
        self._ambient: dict[str, str] = {}
        if setting == AMBIENT:
            from urllib.request import getproxies_environment

            self._ambient = getproxies_environment()
        named = {name: url for name, url in self._ambient.items() if name in ("http", "https", "all")} or {"proxy": setting}
        for name, url in named.items():
            if url and url != AMBIENT:
                parse_proxy(url.replace("{session}", "x"), f"{name}_proxy" if self._ambient else name)

    @property
    def name(self) -> str:
        """What tells one setting from another, whatever the variables of the environment are named in it."""
        return f"{self._setting} {sorted(self._ambient.items())}" if self._ambient else self._setting

    def of(self, target: Target) -> Proxy | None:
        """The proxy for this host; None to go straight there."""
        url = self._named(target)
        if not url:
            return None
        if "{session}" in url:
            url = url.replace("{session}", self._sessions.setdefault(target.host, os.urandom(4).hex()))
        return parse_proxy(url)

    def _named(self, target: Target) -> str:
        if self._setting != AMBIENT:
            return self._setting
        from urllib.request import proxy_bypass_environment  # type: ignore[attr-defined]  # the stubs leave it out

        if proxy_bypass_environment(f"{target.host}:{target.port}", self._ambient):
            return ""
        return self._ambient.get(target.scheme) or self._ambient.get("all") or ""

    def answered(self, target: Target, status: int) -> None:
        """Told what each exchange came to (0: nothing); a host that turned us away sees another session next time."""
        if status in _TURNED_AWAY or not status:
            self._sessions.pop(target.host, None)


__all__ = ["AMBIENT", "Proxies", "Proxy", "parse_proxy"]
