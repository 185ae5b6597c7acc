"""Whether a result is what the operators of a query ask for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.text.conditions import at_site, fits, in_time
from stages.text.query import parse


@pytest.mark.parametrize(
    ("site", "url", "inside"),
    [
        ("example.org", "https://www.example.org/x", True),
        ("www.example.org", "https://example.org/x", True),
        ("example.org", "https://docs.example.org:8443/", True),
        ("example.org", "https://notexample.org/", False),
        ("docs.example.org", "https://example.org/", False),
        ("org", "https://example.org/", True),
        (".gov", "https://a.gov/", True),
        ("*.example.org", "https://docs.example.org/", True),
        ("müller.example", "https://xn--mller-kva.example/", True),
        ("example.org", "not an address", False),
    ],
)
def test_a_site_is_its_host_and_what_is_below(site: str, url: str, *, inside: bool) -> None:
    assert at_site(url, (site,)) is inside
    assert at_site(url, (), (site,)) is not inside


@pytest.mark.parametrize(
    ("query", "title", "url", "fine"),
    [
        ("-wind", "Wind mill", "https://a.example/", False),
        ("-wind", "Rewind", "https://a.example/", True),
        ('-"tide mill"', "Tides and the mill", "https://a.example/", True),
        ("intitle:mill", "Old mills", "https://a.example/", True),
        ('intitle:"tide mill"', "The mill of the tide", "https://a.example/", False),
        ("intitle:潮汐", "月と潮汐の話", "https://a.example/", True),
        ("inurl:潮", "", "https://a.example/%E6%BD%AE", True),
        ("inurl:docs", "docs", "https://a.example/", False),
        ("filetype:pdf", "", "https://a.example/a.PDF?x=1", True),
        ("filetype:pdf", "", "https://a.example/?f=a.pdf", False),
        ("filetype:html", "", "https://a.example/docs/", True),
        ("filetype:html", "", "https://a.example/a.php", False),
        ("filetype:pdf ext:doc", "", "https://a.example/a.doc", True),
    ],
)
def test_words_and_addresses_are_looked_at(query: str, title: str, url: str, *, fine: bool) -> None:
    assert fits(parse(query), url, title, "en") is fine


def test_a_day_lies_on_or_after_one_bound_and_before_the_other() -> None:
    assert in_time("2026-01-02T10:00:00Z", "2026-01-02", "2026-01-03")
    assert not in_time("2026-01-01", "2026-01-02", "")
    assert not in_time("2026-01-03", "", "2026-01-03")


@given(st.text(max_size=30), st.text(max_size=30), st.text(max_size=30))
def test_anything_can_be_asked_of_anything(query: str, url: str, title: str) -> None:
    assert fits(parse(query), url, title) in (True, False)
    assert fits(parse(f"site:a.example {query}"), f"https://b.example/{url}", title) is False or " OR" in query or '"' in query
