"""What may be asked: pure rules over URLs and addresses, no look-up and no socket.

A URL is parsed once, by the WHATWG rules, and only the normalised one goes on. An address is judged by explicit deny lists:
`ipaddress.is_global` calls NAT64, IPv4-translated and site-local addresses global. Messages name no address inside.
"""

from __future__ import annotations

import ipaddress
import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

import can_ada
from msgspec import Struct

from stages.core.errors import StageError
from stages.text.urls import MAX_URL_CHARACTERS

_MAX_HOST_CHARACTERS = 253
PORTS = frozenset({80, 443, 8080, 8443})
DEFAULT_PORTS = {"http": 80, "https": 443}

DENIED_V4 = tuple(
    IPv4Network(text)
    for text in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
        "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        "168.63.129.16/32",  # a public address that is a cloud's own host
    )
)  # fmt: skip
ALLOWED_V6 = IPv6Network("2000::/3")
"""All that is assigned to the public internet; every embedded form of IPv4 but 6to4 and Teredo lies outside."""
DENIED_V6 = tuple(
    IPv6Network(text)
    for text in (
        "2001::/23",  # Teredo, ORCHID, benchmarking
        "2001:db8::/32", "3fff::/20",  # documentation
        "2002::/16",  # 6to4 embeds an IPv4 address
    )
)  # fmt: skip

DENIED_NAMES = frozenset({"instance-data", "metadata", "metadata.goog", "localhost"})
DENIED_SUFFIXES = (
    ".localhost", ".local", ".localdomain", ".internal", ".intranet", ".private", ".corp", ".home", ".lan", ".home.arpa",
    ".test", ".invalid", ".onion", ".svc", ".instance-data.ec2.internal",
    # Public names that exist to point inside.
    ".nip.io", ".sslip.io", ".xip.io", ".localtest.me", ".lvh.me", ".vcap.me", ".lacolhost.com",
    ".localho.st", ".traefik.me", ".backname.io", ".local-ip.sh", ".rbndr.us", ".1u.ms",
)  # fmt: skip

_ABSOLUTE = re.compile(r"(https?)://([^/?#]+)", re.IGNORECASE | re.ASCII)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_UNSAFE_AUTHORITY = re.compile(r"[\s\\%@]")
_HOST = re.compile(r"(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}", re.ASCII)


class Target(Struct, frozen=True):
    """A URL in normal form, without its fragment, and where it leads. `host` of an IPv6 literal has no brackets."""

    href: str
    scheme: str
    host: str
    port: int

    @property
    def origin(self) -> str:
        """Scheme, host and port, as robots.txt and cookies are told apart by."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}" + ("" if self.port == DEFAULT_PORTS[self.scheme] else f":{self.port}")

    @property
    def address(self) -> IPv4Address | IPv6Address | None:
        """The address, when the host is written as one."""
        try:
            return ipaddress.ip_address(self.host)
        except ValueError:
            return None


def parse_url(url: str) -> Target:
    """The one reading of a URL that everything behind it uses. Raises StageError `refused` for what parsers disagree about."""
    url = url.strip(" ")
    absolute = _ABSOLUTE.match(url)
    if len(url) > MAX_URL_CHARACTERS:
        raise _refused(f"the URL is longer than {MAX_URL_CHARACTERS} characters")
    if absolute is None:
        raise _refused("only http:// and https:// URLs with a host can be fetched")
    if _CONTROL.search(url) or _UNSAFE_AUTHORITY.search(absolute[2]):
        raise _refused("the URL has a backslash, space, control character, percent sign or user name where its host stands")
    try:
        parsed = can_ada.parse(url)
    except ValueError:
        raise _refused("the URL's host or port is malformed") from None
    target = _target(parsed)
    if isinstance(target.address, IPv4Address) and absolute[2].partition(":")[0] != target.host:
        raise _refused("the host is an IPv4 address in an unusual spelling")
    return target


def _target(parsed: can_ada.URL) -> Target:
    scheme = str(parsed.protocol).removesuffix(":")
    host = str(parsed.hostname)
    if scheme not in DEFAULT_PORTS or parsed.username or parsed.password:
        raise _refused("only http:// and https:// URLs without a user name can be fetched")
    if host.startswith("["):
        return Target(_href(parsed), scheme, host[1:-1], _port(parsed, scheme))
    host = host.removesuffix(".")
    if len(host) > _MAX_HOST_CHARACTERS or not _HOST.fullmatch(host):
        raise _refused("the URL's host is malformed")
    parsed.hostname = host
    return Target(_href(parsed), scheme, host, _port(parsed, scheme))


def _href(parsed: can_ada.URL) -> str:
    parsed.hash = ""
    href = str(parsed.href)
    if len(href) > 2 * MAX_URL_CHARACTERS:
        raise _refused("the URL is too long once it is encoded")
    return href


def _port(parsed: can_ada.URL, scheme: str) -> int:
    return int(parsed.port) if parsed.port else DEFAULT_PORTS[scheme]


def join_url(base: str, reference: str) -> str:
    """A reference (a `Location`, a reload's target) made absolute against a normalised URL, its spelling checked.

    Raises StageError `refused`.
    """
    reference = reference.strip(" ")
    absolute = re.match(r"[a-z][a-z0-9+.-]*:", reference, re.IGNORECASE | re.ASCII)
    if absolute:
        return parse_url(reference).href
    if reference.startswith("//"):
        return parse_url(base.partition("//")[0] + reference).href
    if _CONTROL.search(reference) or reference.startswith(("\\", "/\\")) or len(reference) > MAX_URL_CHARACTERS:
        raise _refused("the page redirects to a malformed address")
    try:
        return parse_url(str((can_ada.parse(base) + reference).href)).href
    except ValueError:
        raise _refused("the page redirects to a malformed address") from None


def check_target(target: Target) -> None:
    """Refuse by port, name, or literal address. Raises StageError `refused`."""
    if target.port not in PORTS:
        raise _refused(f"port {target.port} is not one of {', '.join(map(str, sorted(PORTS)))}")
    if target.address is not None:
        check_address(target.host, "the host")
        return
    named = f".{target.host}"
    if (
        "." not in target.host
        or target.host in DENIED_NAMES
        or named.endswith(DENIED_SUFFIXES)
        or "kubernetes.default" in target.host
    ):
        raise _refused("the host's name belongs to a private network")


def check_url(url: str) -> str:
    """The normalised URL, fragment dropped. Raises StageError `refused`."""
    target = parse_url(url)
    check_target(target)
    return target.href


def is_public(address: str) -> bool:
    """Whether an address, as a resolver gives it, belongs to the public internet. False for what is no address."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv4Address):
        return not any(parsed in network for network in DENIED_V4)
    return parsed.scope_id is None and parsed in ALLOWED_V6 and not any(parsed in network for network in DENIED_V6)


def check_address(address: str, subject: str) -> None:
    """Raise StageError `refused` unless the address is public. `subject` is what the message speaks of, never the address."""
    if not is_public(address):
        raise _refused(f"{subject} is not on the public internet; an address inside is never fetched")


def _refused(message: str) -> StageError:
    return StageError("refused", message)


__all__ = ["Target", "check_address", "check_target", "check_url", "is_public", "join_url", "parse_url"]
