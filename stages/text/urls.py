"""URL identity: when two addresses mean the same page, and what of an address is only tracking.

A key is for comparing. What is shown and fetched is the address as it came.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any
from urllib.parse import unquote, urljoin

MAX_URL_CHARACTERS = 2048
"""A longer address is not fetched, and has no key but itself: reading one of a megabyte would take hours."""

_TRACKING = frozenset(
    """gclid gclsrc dclid gbraid wbraid fbclid igshid igsh msclkid msockid yclid ysclid twclid ttclid li_fat_id mc_cid mc_eid
    _hsenc _hsmi hsctatracking mkt_tok vero_id vero_conv oly_enc_id oly_anon_id rb_clickid s_cid _ga _gl spm scm cmpid ncid
    sr_share guccounter ved usg srsltid ref_src ref_url""".split()  # noqa: SIM905 - sixty names read better than sixty strings
)
_TRACKING_PREFIXES = ("utm_", "pk_", "mtm_", "piwik_", "matomo_", "itm_", "ns_", "guce_referrer", "__cf_chl_")
_BESIDE_VED = frozenset({"sa", "ei"})
"""Google's, when they stand beside its `ved` or `usg`; elsewhere they may name a page."""

_ALIASES = {
    "old.reddit.com": "reddit.com", "new.reddit.com": "reddit.com", "np.reddit.com": "reddit.com", "twitter.com": "x.com",
    "dx.doi.org": "doi.org", "export.arxiv.org": "arxiv.org",
}  # fmt: skip
_FRONT_LABELS = frozenset({"m", "mobile", "amp"})
_WIKI_MOBILE = re.compile(r"^([a-z0-9-]+)\.m\.((?:wiki[a-z]+|mediawiki)\.org)$")
_AMP_CACHE = re.compile(r"^/(?:c|v|i)/(s/)?([^/]+\..*)$")
_AMP_VIEWER = re.compile(r"^/amp/(s/)?([^/]+\..*)$")
_PATH_TAIL = re.compile(r"(?:(?<=[^/])/amp|\.amp|/index\.(?:html?|php|asp)|/default\.aspx|/)$", re.IGNORECASE)
_TAIL_CHARACTERS = 16
"""No tail is longer: only so much of a path is looked at for each."""
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_HEX = frozenset("0123456789abcdefABCDEF")
_ESCAPE_CHARACTERS = 3
_UNRESERVED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
_ARXIV = re.compile(r"^/(?:pdf|abs)/((?:[a-z.-]+/)?\d{4}\.?\d{3,5})(?:v\d+)?(?:\.pdf)?$", re.IGNORECASE)
_YOUTUBE = re.compile(r"^/(?:shorts|embed|live)/([\w-]{6,})$")
_YOUTUBE_WATCH = re.compile(r"(?:^|&)v=([\w-]+)")


def canonical_key(url: str) -> str:
    """What is equal for all addresses of one page. The key of a key is itself; so is that of an address that cannot be read."""
    key = url.strip()
    if len(key) > MAX_URL_CHARACTERS:
        return key
    while (following := _key_once(key)) != key:  # a cache's address holds another address
        key = following
    return key


def joined(base: str, reference: str) -> str:
    """A reference that a page makes, as an address; empty for one that cannot be read (`//[`)."""
    try:
        return urljoin(base, reference)
    except ValueError:
        return ""


def host(url: str) -> str:
    """The host in lower case and ASCII; empty when the address has none or cannot be read."""
    parsed = _parsed(url)
    return str(parsed.hostname).rstrip(".") if parsed is not None else ""


def registrable_domain(url: str) -> str:
    """The part of the host that somebody registered (`bbc.co.uk`, `name.github.io`); the host itself where there is none."""
    name = host(url)
    literal = name.startswith("[") or name.rpartition(".")[2].isdigit()
    return name if literal else str(_suffixes().privatesuffix(name) or name)


def _key_once(url: str) -> str:
    parsed = _parsed(url)
    if parsed is None:
        return url
    if parsed.protocol not in {"http:", "https:"}:
        return str(parsed.href)
    name, path, query = _host_key(str(parsed.hostname)), str(parsed.pathname), str(parsed.search)[1:]
    inner = _AMP_CACHE.match(path) if name.endswith(".cdn.ampproject.org") or name == "cdn.ampproject.org" else None
    if inner is None and re.fullmatch(r"google(?:\.[a-z]{2,3}){1,2}", name):
        inner = _AMP_VIEWER.match(path)
    if inner is not None:
        return f"https://{inner[2]}{'?' if query else ''}{query}"
    name, path, query = _site_rules(name, _path_key(path), _query_key(query, name))
    port = "" if parsed.port in {"", "80", "443"} else f":{parsed.port}"
    fragment = str(parsed.hash).split(":~:", 1)[0]
    return f"https://{name}{port}{path or '/'}{'?' if query else ''}{query}{fragment if fragment.startswith('#!') else ''}"


def _host_key(name: str) -> str:
    name = name.rstrip(".")
    while True:
        first, _, rest = name.partition(".")
        if "." in rest and (first == "www" or (first in _FRONT_LABELS and not _suffixes().is_public(rest))):
            name = rest
        elif (mobile := _WIKI_MOBILE.match(name)) is not None:
            name = f"{mobile[1]}.{mobile[2]}"
        elif name in _ALIASES:
            name = _ALIASES[name]
        else:
            return name


def _path_key(path: str) -> str:
    path = re.sub(r"/{2,}", "/", _percent_normal(path))
    end = len(path)
    while (tail := _PATH_TAIL.search(path, max(0, end - _TAIL_CHARACTERS), end)) is not None:
        end = tail.start()
    return path[:end]


def _query_key(query: str, name: str) -> str:
    parts = [_percent_normal(part).replace("%20", "+") for part in query.split("&") if part and not _tracks(part, query)]
    kept = [part for part in parts if part.casefold() not in {"amp=1", "amp", "amp=", "outputtype=amp"}]
    if name == "news.google.com":
        kept = [part for part in kept if not part.startswith("oc=")]
    return "&".join(sorted(kept, key=lambda part: part.split("=", 1)[0]))


def _site_rules(name: str, path: str, query: str) -> tuple[str, str, str]:
    """Sites that give one page several addresses."""
    if name == "youtu.be" and path.count("/") == 1:
        name, path, query = "youtube.com", "/watch", f"v={path[1:]}"
    elif name == "youtube.com" and (short := _YOUTUBE.match(path)) is not None:
        path, query = "/watch", f"v={short[1]}"
    elif name == "youtube.com" and path == "/watch" and (watch := _YOUTUBE_WATCH.search(query)) is not None:
        query = f"v={watch[1]}"
    elif name == "arxiv.org" and (paper := _ARXIV.match(path)) is not None:
        path = f"/abs/{paper[1]}"
    elif name == "doi.org":
        path = path.lower()
    return name, path, query


def _tracks(part: str, query: str) -> bool:
    name = unquote(part.partition("=")[0]).casefold()
    if name in _BESIDE_VED:
        return re.search(r"(?:^|&)(?:ved|usg)=", query) is not None
    return name in _TRACKING or name.startswith(_TRACKING_PREFIXES)


def _percent_normal(text: str) -> str:
    """Unreserved characters plain, all other escapes in upper case. Each escape that undoing another one forms is undone too."""
    out: list[str] = []
    for character in text:
        out.append(character)
        while len(out) >= _ESCAPE_CHARACTERS and out[-3] == "%" and out[-2] in _HEX and out[-1] in _HEX:
            meant = chr(int(out[-2] + out[-1], 16))
            if meant not in _UNRESERVED:
                break
            out[-3:] = meant
    return _ESCAPE.sub(lambda match: match[0].upper(), "".join(out))


def _parsed(url: str) -> Any:
    """The address read as a browser reads it; None when it cannot be."""
    import can_ada

    try:
        return can_ada.parse(url)
    except (ValueError, TypeError):  # a TypeError is half a surrogate
        return None


@lru_cache(maxsize=1)
def _suffixes() -> Any:
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()
