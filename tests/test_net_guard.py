"""What may be asked: URLs and addresses."""

from __future__ import annotations

import ipaddress
import json
import os
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.core.errors import StageError
from stages.net.guard import check_address, check_url, is_public, join_url, parse_url

SHARED = Path(os.environ.get("SHARED", Path(__file__).parents[2] / "shared"))
CASES = SHARED / "cases" / "hidden_text" / "ssrf_urls.jsonl"


def verdict(url: str) -> str:
    try:
        return check_url(url)
    except StageError as error:
        return error.kind


@pytest.mark.skipif(not CASES.exists(), reason="the shared cases are not here")
def test_every_shared_case_gets_its_verdict() -> None:
    rows = [json.loads(line) for line in CASES.read_text().splitlines()]
    wrong = [row["url"] for row in rows if (verdict(row["url"]) == "refused") != (row["verdict"] == "block")]
    assert rows
    assert wrong == []


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("HTTPS://Example.COM:443/a/../b?x=1#part", "https://example.com/b?x=1"),
        ("http://example.com./", "http://example.com/"),
        ("  http://example.com/a b ", "http://example.com/a%20b"),
        ("https://bücher.example.org/ü", "https://xn--bcher-kva.example.org/%C3%BC"),
        ("http://8.8.8.8/", "http://8.8.8.8/"),
        ("http://93.184.216.34:8080/", "http://93.184.216.34:8080/"),
        ("https://[2606:4700::1111]/", "https://[2606:4700::1111]/"),
        ("http://under_score.example.org/", "http://under_score.example.org/"),
    ],
)
def test_a_public_url_goes_on_in_normal_form(url: str, normal: str) -> None:
    assert check_url(url) == normal


@pytest.mark.parametrize(
    "url",
    [
        "", "example.com", "ftp://example.com/", "file:///etc/passwd", "gopher://example.com/", "http:/example.com", "http:///example.com/",
        "http://user@example.com/", "http://user:pw@example.com/", "http://example.com\\@127.0.0.1/", "http://127.0.0.1\\@example.com/",
        "http://exa mple.com/", "http://example.com\t/", "http://example.com/\n", "http://ex%61mple.com/", "http://example.com:22/",
        "http://example.com:65536/", "http://example..com/", f"http://{'a' * 64}.com/", f"http://example.com/{'a' * 2048}",
        "http://0x08080808/", "http://134744072/", "http://0010.8.8.8/", "http://8.8.2056/", "http://8.8.8.8./", "http://①.1.1.1/",
        "http://127。0。0。1/", "http://localhost/", "http://LOCALHOST./", "http://a.localhost/", "http://printer/", "http://x.local/",
        "http://x.internal/", "http://x.home.arpa/", "http://kubernetes.default.svc.cluster.local/", "http://kubernetes.default.example.com/",
        "http://metadata.google.internal/", "http://10.0.0.1.nip.io/", "http://[::1]/", "http://[::]/", "http://[::ffff:8.8.8.8]/",
        "http://[64:ff9b::8.8.8.8]/", "http://[fe80::1%25eth0]/", "http://[ff02::1]/", "http://[2002:808:808::]/", "http://[2001::1]/",
        "http://168.63.129.16/", "http://255.255.255.255/", "http://[fd00::1]/", "http://\ud83d.example.com/",
    ],
)  # fmt: skip
def test_an_inside_or_ambiguous_url_is_refused(url: str) -> None:
    assert verdict(url) == "refused"


@pytest.mark.parametrize(
    "url", ["http://10.1.2.3/", "http://[fd00::77]/", "http://169.254.169.254/latest/", "http://0x0a010203/"]
)
def test_a_refusal_names_no_address_inside(url: str) -> None:
    with pytest.raises(StageError) as caught:
        check_url(url)
    assert not any(part in str(caught.value) for part in ("10.1.2.3", "fd00", "169.254", "0x0a"))


@pytest.mark.parametrize(
    ("reference", "place"),
    [
        ("/a b", "https://example.com/a%20b"), ("c", "https://example.com/x/c"), ("?q", "https://example.com/x/y?q"), ("", "https://example.com/x/y"),
        ("//other.org/z", "https://other.org/z"), ("http://other.org/", "http://other.org/"), ("#part", "https://example.com/x/y"),
    ],
)  # fmt: skip
def test_a_reference_is_joined_as_a_browser_would(reference: str, place: str) -> None:
    assert join_url("https://example.com/x/y", reference) == place


@pytest.mark.parametrize(
    "reference", ["\\\\evil.org/", "/\\evil.org/", "javascript:alert(1)", "data:,x", "//u@evil.org/", "/a\r\nb", "file:///etc"]
)
def test_a_reference_that_parsers_read_differently_is_refused(reference: str) -> None:
    with pytest.raises(StageError, match=r"redirects|http://|backslash"):
        join_url("https://example.com/x/y", reference)


@given(st.ip_addresses(v=4))
def test_no_address_that_the_standard_library_calls_private_is_public(address: ipaddress.IPv4Address) -> None:
    assert not is_public(str(address)) or (address.is_global and not address.is_multicast)


@given(st.ip_addresses(v=4))
def test_no_embedded_form_of_an_ipv4_address_is_public(address: ipaddress.IPv4Address) -> None:
    number = int(address)
    bases = {"::": 0, "::ffff:0:0": 0, "::ffff:0:0:0": 0, "64:ff9b::": 0, "64:ff9b:1::": 0, "2002::": 80, "2001::": 64}
    for base, shift in bases.items():
        assert not is_public(str(ipaddress.IPv6Address(int(ipaddress.IPv6Address(base)) | number << shift)))


@given(st.text(alphabet=string.printable + "。①ß\u200d\u00ad", max_size=40))
def test_whatever_stands_after_the_scheme_is_refused_or_normal(rest: str) -> None:
    result = verdict(f"http://{rest}")
    assert result == "refused" or check_url(result) == result


@given(st.text(max_size=20))
def test_what_is_no_address_is_not_public(text: str) -> None:
    if not text.replace(".", "").replace(":", "").isalnum():
        assert not is_public(text)
        with pytest.raises(StageError):
            check_address(text, "the host")


def test_an_origin_leaves_default_ports_out() -> None:
    assert parse_url("https://example.com/x").origin == "https://example.com"
    assert parse_url("https://example.com:8443/x").origin == "https://example.com:8443"
    assert parse_url("http://[2606:4700::1]/").origin == "http://[2606:4700::1]"
