"""Cookies of one chain: which are kept, which come back, and that none ever goes to another host."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.core.env import Reply
from stages.net.cookies import MAX_COOKIES, Jar
from stages.net.guard import parse_url

HERE = "https://www.example.com/shop/cart?item=1"
TODAY = ("date", "Mon, 30 Nov 2026 12:00:00 GMT")


def jar(*cookies: str, here: str = HERE, into: Jar | None = None, today: tuple[str, str] = TODAY) -> Jar:
    filled = into or Jar()
    headers = (today, *(("set-cookie", cookie) for cookie in cookies))
    filled.keep(parse_url(here), Reply(url=here, status=302, headers=headers))
    return filled


def sent(filled: Jar, url: str = HERE) -> str:
    return filled.header(parse_url(url))


@pytest.mark.parametrize(
    ("cookie", "comes_back"),
    [
        ("a=1", "a=1"),
        (" a = 1 ; HttpOnly; SameSite=Strict", "a=1"),
        ('a="1 2=3"', 'a="1 2=3"'),
        ("a=", "a="),
        ("a", ""),
        ("=1", ""),
        ("", ""),
        (f"a={'x' * 4096}", ""),
        # how long
        ("a=1; Max-Age=60", "a=1"),
        ("a=1; Max-Age=0", ""),
        ("a=1; max-age=-1", ""),
        ("a=1; Max-Age=soon", "a=1"),
        ("a=1; Expires=Tue, 01 Dec 2026 12:00:00 GMT", "a=1"),
        ("a=1; Expires=Mon, 30 Nov 2026 11:59:59 GMT", ""),
        ("a=1; expires=Thu, 01-Jan-1970 00:00:01 GMT", ""),
        ("a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=60", "a=1"),
        ("a=1; Expires=Tue, 01 Dec 2026 12:00:00 GMT; Max-Age=0", ""),
        ("a=1; Expires=never", "a=1"),
        # for whom
        ("a=1; Domain=www.example.com", "a=1"),
        ("a=1; Domain=.Example.COM", "a=1"),
        ("a=1; Domain=", "a=1"),
        ("a=1; Domain=other.org", ""),
        ("a=1; Domain=deeper.www.example.com", ""),
        ("a=1; Domain=ample.com", ""),
        # where
        ("a=1; Path=/", "a=1"),
        ("a=1; Path=/shop", "a=1"),
        ("a=1; Path=/shop/", "a=1"),
        ("a=1; Path=/shop/cart", "a=1"),
        ("a=1; Path=/sho", ""),
        ("a=1; Path=/shop/cart/", ""),
        ("a=1; Path=relative", "a=1"),
        ("a=1; Path=/elsewhere; Path=/", "a=1"),
        # over what
        ("a=1; Secure", "a=1"),
        ("__Secure-a=1", ""),
        ("__Secure-a=1; Secure", "__Secure-a=1"),
        ("__Host-a=1; Secure; Path=/", "__Host-a=1"),
        ("__Host-a=1; Secure", ""),
        ("__Host-a=1; Path=/", ""),
        ("__Host-a=1; Secure; Path=/; Domain=www.example.com", ""),
    ],
)
def test_what_comes_back_to_the_address_that_set_it(cookie: str, comes_back: str) -> None:
    assert sent(jar(cookie)) == comes_back


def test_without_a_date_of_the_server_only_what_ended_long_ago_is_a_deletion() -> None:
    undated = ("x-none", "")
    assert sent(jar("a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", today=undated)) == ""
    assert sent(jar("a=1; Expires=Mon, 30 Nov 2026 11:59:59 GMT", today=undated)) == "a=1"


def test_a_cookie_without_a_path_is_for_the_folder_of_its_page() -> None:
    filled = jar("a=1")
    found = {path: sent(filled, f"https://www.example.com{path}") for path in ("/shop", "/shop/", "/shop/pay", "/shopping", "/")}
    assert found == {"/shop": "a=1", "/shop/": "a=1", "/shop/pay": "a=1", "/shopping": "", "/": ""}
    assert sent(jar("a=1", here="https://example.com/page"), "https://example.com/") == "a=1"


def test_a_cookie_takes_the_place_of_its_former_self_and_a_deletion_removes_only_it() -> None:
    filled = jar("a=1; Path=/", "b=2; Path=/", "a=3; Path=/")
    assert sent(filled) == "a=3; b=2"
    assert sent(jar("a=; Path=/shop; Max-Age=0", into=filled)) == "a=3; b=2"
    assert sent(jar("a=; Path=/; Max-Age=0", into=filled)) == "b=2"


def test_the_more_exact_path_comes_first() -> None:
    assert sent(jar("a=root; Path=/", "a=shop; Path=/shop", "b=root; Path=/")) == "a=shop; a=root; b=root"


def test_a_secure_cookie_needs_tls_both_ways() -> None:
    assert sent(jar("a=1; Secure; Path=/"), "http://www.example.com/") == ""
    assert sent(jar("a=1; Secure", here="http://www.example.com/"), "https://www.example.com/") == ""
    assert sent(jar("a=1", here="http://www.example.com/"), "https://www.example.com/") == "a=1"


@pytest.mark.parametrize(
    "other",
    ["example.com", "deeper.www.example.com", "www.example.com.evil.org", "wwwxexample.com", "93.184.216.34", "other.org"],
)
@pytest.mark.parametrize("domain", ["", "; Domain=example.com", "; Domain=.com", "; Domain=www.example.com"])
def test_no_cookie_goes_to_another_host(other: str, domain: str) -> None:
    assert sent(jar(f"a=1; Path=/{domain}"), f"https://{other}/") == ""


def test_an_address_has_no_domain_above_it() -> None:
    assert sent(jar("a=1; Domain=216.34", here="https://93.184.216.34/"), "https://93.184.216.34/") == ""


def test_a_host_sets_so_many_cookies_and_no_more() -> None:
    filled = jar(*(f"c{number}=1; Path=/" for number in range(MAX_COOKIES + 5)))
    assert sent(filled).count(";") == MAX_COOKIES - 1
    assert "c0=2" in sent(jar("c0=2; Path=/", into=filled))


@given(st.lists(st.text(max_size=60), max_size=5), st.sampled_from([HERE, "http://93.184.216.34/", "https://example.com/a//b"]))
def test_no_text_breaks_the_jar_or_leaves_its_host(cookies: list[str], here: str) -> None:
    filled = jar(*cookies, here=here)
    sent(filled, here)
    assert sent(filled, "https://other.org/") == ""
