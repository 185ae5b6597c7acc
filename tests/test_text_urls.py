"""URL identity."""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.text.urls import canonical_key, host, registrable_domain

PAGES = Path(os.environ.get("SHARED", Path(__file__).parents[2] / "shared")) / "bench" / "wcxb" / "dev" / "ground-truth"

SAME = [
    ("https://www.example.com/a/", "http://example.com:80/a"),
    ("https://example.com", "https://EXAMPLE.com/index.html"),
    ("https://m.example.com/a?utm_source=x&b=2&a=1", "https://example.com/a?a=1&b=2"),
    ("https://example.com/a//b/%7euser", "https://example.com/a/b/~user"),
    ("https://example.com/a%2fb", "https://example.com/a%2Fb"),
    ("https://example.com/story/amp/", "https://example.com/story"),
    ("https://example.com/story.amp?outputType=amp", "https://example.com/story"),
    ("https://example.com/a#part", "https://example.com/a#:~:text=some%20words"),
    ("https://example.com/?q=a%20b", "https://example.com/?q=a+b"),
    ("https://en.m.wikipedia.org/wiki/Rust", "https://en.wikipedia.org/wiki/Rust"),
    ("https://old.reddit.com/r/x", "https://www.reddit.com/r/x/"),
    ("https://www.google.com/amp/s/example.com/a", "https://example.com/a"),
    ("https://example-com.cdn.ampproject.org/c/s/example.com/a", "http://example.com/a"),
    ("https://youtu.be/abcdefghijk?si=1", "https://m.youtube.com/watch?v=abcdefghijk&t=3s"),
    ("https://arxiv.org/pdf/2401.01234v2.pdf", "https://arxiv.org/abs/2401.01234"),
    ("https://twitter.com/a/status/1", "https://x.com/a/status/1"),
    ("https://dx.doi.org/10.1000/ABC", "https://doi.org/10.1000/abc"),
    ("https://bücher.example/a", "https://xn--bcher-kva.example/a"),
    ("https://example.com/a?sa=U&ved=2ah&usg=x", "https://example.com/a"),
    ("https://user:word@example.com./a", "https://example.com/a"),
]
DIFFERENT = [
    ("https://example.com/a", "https://example.com/A"),
    ("https://example.com/a?id=1", "https://example.com/a?id=2"),
    ("https://example.com/a?page=2", "https://example.com/a"),
    ("https://example.com/a?ref=x&source=y", "https://example.com/a"),
    ("https://example.com:8443/a", "https://example.com/a"),
    ("https://docs.example.com/", "https://example.com/"),
    ("https://m.github.io/", "https://amp.github.io/"),
    ("https://amp.dev/", "https://m.dev/"),
    ("https://example.com/#!/one", "https://example.com/#!/two"),
    ("https://example.com/?sa=1", "https://example.com/?sa=2"),
    ("https://example.com/index.php?title=A", "https://example.com/index.php?title=B"),
    ("https://example.com/?tag=a&tag=b", "https://example.com/?tag=b&tag=a"),
    ("https://example.com/amp", "https://example.com/"),
    ("https://example.com/a+b", "https://example.com/a%2Bb?x"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_addresses_of_one_page_have_one_key(one: str, other: str) -> None:
    assert canonical_key(one) == canonical_key(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_addresses_of_two_pages_have_two_keys(one: str, other: str) -> None:
    assert canonical_key(one) != canonical_key(other)


_PIECES = """/ // amp .amp index.html default.aspx %25 %32 %2e %7E a é ? & = utm_source ved sa q # #! :~:text= www. m. %20 + .
google.com/amp/s/ cdn.ampproject.org/c/ youtu.be/ arxiv.org/pdf/2401.01234v1.pdf b.com https:// :80 :443 .. ; @"""
_pieces = st.sampled_from(_PIECES.split())


@given(st.lists(_pieces, max_size=14).map(lambda parts: "https://" + "".join(parts)) | st.text())
def test_the_key_of_a_key_is_itself(url: str) -> None:
    key = canonical_key(url)
    assert canonical_key(key) == key


@pytest.mark.parametrize("tail", ["%" * 800 + "3" * 800 + "4", "/amp" * 500, "?" + "&a%3" * 500, "/" * 2000], ids=repr)
def test_a_key_costs_time_in_proportion_to_its_address(tail: str) -> None:
    url = f"https://b.com/x{tail}"
    began = time.process_time()
    for _ in range(50):
        canonical_key(url)
    assert time.process_time() - began < 1
    assert canonical_key(canonical_key(url)) == canonical_key(url)


def test_an_escape_that_undoing_another_forms_is_undone() -> None:
    assert canonical_key("https://b.com/%%34%31%2f") == "https://b.com/A%2F"


def test_an_address_that_is_too_long_to_fetch_is_its_own_key() -> None:
    url = "https://b.com/" + "%" * 100_000 + "3" * 100_000
    assert canonical_key(url) == url


@given(st.text() | st.text(st.characters(categories=["Cs", "Ll"])))
def test_any_text_has_a_host_and_a_domain_perhaps_empty(text: str) -> None:
    assert isinstance(host(text), str)
    assert isinstance(registrable_domain(text), str)


def test_hosts_and_domains() -> None:
    assert host("https://News.BBC.co.uk:443/x") == "news.bbc.co.uk"
    assert registrable_domain("https://News.BBC.co.uk/x") == "bbc.co.uk"
    assert registrable_domain("https://a.name.github.io/x") == "name.github.io"
    assert registrable_domain("http://127.0.0.1/x") == "127.0.0.1"
    assert host("no address") == registrable_domain("no address") == ""


def test_tracking_and_nothing_else_is_no_part_of_the_identity() -> None:
    key = canonical_key("https://b.com/x?b=2&utm_campaign=z&a=1&fbclid=1#part:~:text=w")
    assert key == canonical_key("https://b.com/x?a=1&b=2")
    assert key != canonical_key("https://b.com/x?a=1")
    assert canonical_key("https://b.com/x?gclid=1#:~:text=w") == canonical_key("https://b.com/x")


@pytest.mark.skipif(not PAGES.is_dir(), reason="no recorded pages beside the project")
def test_no_two_recorded_pages_share_a_key() -> None:
    of_key: dict[str, set[str]] = defaultdict(set)
    for file in PAGES.glob("*.json"):
        url = json.loads(file.read_text(encoding="utf-8"))["url"]
        of_key[canonical_key(url)].add(
            url.split("#", maxsplit=1)[0].rstrip("/").replace("http:", "https:").replace("//www.", "//")
        )
    merged = [urls for urls in of_key.values() if len(urls) > 1]
    assert not merged
    assert len(of_key) > 1000
