"""The guard judges a list of its own before the first request of a process, and is believed only if all comes out right.

What it stands on (the URL parser, the `ipaddress` module, a private option of curl_cffi) belongs to others and may change under
it. A guard that fails its own list refuses everything.
"""

from __future__ import annotations

import functools

from stages.core.errors import StageError
from stages.net.guard import check_url, is_public, join_url

REFUSED = (
    "file:///etc/passwd", "ftp://example.com/", "http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f.1/",
    "http://0177.0.0.1/", "http://①②⑦.⓪.⓪.①/", "http://127。0。0。1/", "http://127.0.0.1./", "http://0/", "http://169.254.169.254/",
    "http://[::1]/", "http://[::]/", "http://[::ffff:127.0.0.1]/", "http://[::127.0.0.1]/", "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/", "http://[fe80::1]/", "http://[fe80::1%25lo]/", "http://[fec0::1]/", "http://[ff02::1]/",
    "http://127.0.0.1\\@example.com/", "http://example.com\\@127.0.0.1/", "http://example.com@127.0.0.1/", "http://example.com:22/",
    "http://localhost/", "http://LOCALHOST./", "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/", "http://a.localhost/", "http://printer/", "http://x.internal/",
    "http://ex%61mple.com/", "http://example.com\t/", "http://exa mple.com/",
)  # fmt: skip
NORMAL = {
    "HTTPS://Example.COM:443/a/../b?x=1#part": "https://example.com/b?x=1",
    "http://example.com./": "http://example.com/",
    "https://bücher.example.com/": "https://xn--bcher-kva.example.com/",
    "http://93.184.216.34:8080/": "http://93.184.216.34:8080/",
    "https://[2606:4700::1111]/": "https://[2606:4700::1111]/",
}
INSIDE = (
    "0.0.0.1", "10.1.2.3", "100.64.0.1", "127.255.255.254", "169.254.169.254", "172.31.0.1", "192.168.0.1", "198.18.0.1",
    "224.0.0.1", "168.63.129.16", "255.255.255.255", "::", "::1", "::ffff:8.8.8.8", "::8.8.8.8", "64:ff9b::808:808", "2001::1",
    "2002:808:808::", "fc00::1", "fe80::1", "fe80::1%lo", "fec0::1", "ff02::1", "3fff::1", "5f00::1", "no address", "",
)  # fmt: skip
OUTSIDE = ("8.8.8.8", "93.184.216.34", "172.32.0.1", "2606:4700::1111", "2a00:1450:4001:80e::200e")
LEADS_ASTRAY = ("\\\\127.0.0.1/", "/\\127.0.0.1/", "//a@127.0.0.1/", "http:127.0.0.1/", "file:///etc", "javascript:0", "/a\nb")


def check_guard() -> None:
    """Raises StageError `refused` when the guard cannot be trusted here."""
    wrong = mistake()
    if wrong:
        raise StageError(
            "refused", f"the guard fails its own check on this machine ({wrong}), so nothing is fetched: report this"
        )


@functools.cache
def mistake() -> str:
    """The first entry of the list that does not come out right; empty when all do."""
    for url in REFUSED:
        if _verdict(url) != "refused":
            return f"{url!a} is let through"
    for url, normal in NORMAL.items():
        if _verdict(url) != normal:
            return f"{url!a} is not read as {normal}"
    for reference in LEADS_ASTRAY:
        if _joined(reference) != "refused":
            return f"a redirect to {reference!a} is followed"
    for address in (*INSIDE, *OUTSIDE):
        if is_public(address) != (address in OUTSIDE):
            return f"{address!a} is misjudged"
    return ""


def _verdict(url: str) -> str:
    try:
        return check_url(url)
    except StageError as error:
        return error.kind


def _joined(reference: str) -> str:
    try:
        return join_url("https://example.com/", reference)
    except StageError as error:
        return error.kind


__all__ = ["check_guard", "mistake"]
