"""Extraction: the page's text in shape, what is known about it, and the chain back to its bytes."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stages.core.errors import StageError
from stages.extract import Options, extract
from stages.html.links import placed
from stages.html.markdown import Block
from stages.records import Document, Page, Threat
from stages.text.digests import text_sha256
from stages.text.urls import joined

PROSE = "The lighthouse was built on the northern cliff and has been kept by the same family for four generations. "


def page(html: str, media_type: str = "text/html", **fields: object) -> Page:
    return Page(url="https://example.org/a", media_type=media_type, body=html.encode(), charset="utf-8", **fields)


def read(inside: str, head: str = "<title>The lighthouse</title>") -> Document:
    return extract.call(page(f"<!doctype html><html lang=en><head>{head}</head><body>{inside}</body></html>"), Options())


def test_navigation_goes_and_the_text_stays() -> None:
    links = "".join(f"<li><a href=/{n}>Section number {n}</a></li>" for n in range(8))
    found = read(
        f"<nav><a href=/>Start</a></nav><ul>{links}</ul><main><h1>Light</h1><p>{PROSE * 3}</p></main><footer>Imprint</footer>"
    )
    assert found.text == f"# Light\n\n{(PROSE * 3).strip()}"


def test_code_keeps_its_lines_its_language_and_its_fences() -> None:
    code = "def f(x):\n    if x:\n\n        return '```'\n"
    found = read(f'<p>{PROSE}</p><pre><code class="language-python">{code}</code></pre><p>Call <code>f()</code> now.</p>')
    assert f"````python\n{code}````" in found.text
    assert "Call `f()` now." in found.text


def test_a_table_of_data_is_a_table_and_a_table_of_layout_is_not() -> None:
    data = "<table><caption>Towers</caption><tr><th>Name<th>Height</tr><tr><td>A|B<td>57 <b>m</b></tr></table>"
    layout = f"<table role=presentation><tr><td><p>{PROSE}</p></td><td>Beside</td></tr></table>"
    found = read(f"<p>{PROSE}</p>{data}{layout}<p>And {PROSE}</p>")
    assert "| Name | Height |\n| --- | --- |\n| A\\|B | 57 m |" in found.text
    assert found.text.count("| ") == 2 * 3
    assert "\n\nBeside\n\n" in found.text


def test_lists_are_nested_and_numbered() -> None:
    found = read(f"<p>{PROSE}</p><ol><li>One<ul><li>Inner</li></ul></li><li><p>Two</p><p>More</p></li></ol>")
    assert "1. One\n  - Inner\n2. Two\n  More" in found.text


def test_a_page_says_when_it_was_changed_and_what_its_own_address_is() -> None:
    head = "<link rel=canonical href=/lighthouse><meta property=og:updated_time content=2026-03-04T05:06:07Z>"
    found = read(f"<p>{PROSE * 3}</p>", head)
    assert (found.modified, found.canonical) == ("2026-03-04", "https://example.org/lighthouse")


@pytest.mark.parametrize("href", ["", "/a", "https://example.org/a", "javascript:alert(1)", "//["])
def test_an_address_that_is_no_other_one_or_none_at_all_is_left_out(href: str) -> None:
    found = read(f"<p>{PROSE * 3}</p>", f"<link rel=canonical href='{href}'><meta itemprop=dateModified content=lately>")
    assert (found.modified, found.canonical) == ("", "")


def test_the_status_that_the_page_came_with_stays_with_its_text() -> None:
    assert extract.call(page(f"<p>{PROSE * 3}</p>", http_status=203), Options()).http_status == 203


def test_links_are_told_with_their_places_in_the_text() -> None:
    head = "<base href=https://other.example/docs/>"
    found = read(
        f"<main><h2><a href=one>First  thing</a></h2><p>{PROSE} See <a href='/two'>the\nsecond</a>, <a href='#there'>below</a>, "
        f"<a href='mailto:a@b.example'>mail</a> and <a href='https://third.example/?a=1'>the second</a>.</p>"
        f"<ul><li><a href=four><code>four()</code></a><li>{PROSE}</ul>"
        f"<table><tr><th>Name<th>Where</tr><tr><td>Five<td><a href=five>here</a></table></main>",
        head,
    )
    assert [(url, label, found.text[start:end]) for url, label, start, end in found.links] == [
        ("https://other.example/docs/one", "First thing", "First thing"),
        ("https://other.example/two", "the second", "the second"),
        ("https://third.example/?a=1", "the second", "the second"),
        ("https://other.example/docs/four", "`four()`", "`four()`"),
        ("https://other.example/docs/five", "here", "here"),
    ]
    places = [start for _, _, start, _ in found.links]
    assert places == sorted(set(places))


def test_a_link_around_several_blocks_is_in_each_of_them_and_one_without_a_label_in_none() -> None:
    two = f"<a href=/both><p>{PROSE}</p><p>Second. {PROSE}</p></a>"
    found = read(f"<main>{two}<p><a href=/none><img src=x></a>{PROSE}</p></main>")
    assert [(url, found.text[start:end]) for url, _, start, end in found.links] == [
        ("https://example.org/both", PROSE.strip()),
        ("https://example.org/both", f"Second. {PROSE.strip()}"),
    ]


@given(
    st.text(alphabet="/ab.?#%:;=~-\u00e9 ", min_size=1, max_size=12),
    st.sampled_from(["https://e.example/a/b", "http://E.example:8080", "https://e.example/?q#f"]),
)
@example(".?a", "https://e.example/a/b")
def test_a_link_leads_where_its_reference_does(reference: str, base: str) -> None:
    block = Block("text", "label", links=(("label", f"/{reference}"),))
    found = [url for url, *_ in placed([block], base)]
    address = joined(base, f"/{reference}".strip())
    assert found == ([address] if address.startswith("http") else [])


def test_links_that_are_nowhere_in_a_long_text_cost_no_more_than_a_look() -> None:
    block = Block("text", "x" * 4_000_000, links=tuple((f"label {number}", f"/{number}") for number in range(50_000)))
    found = placed([block, block], "https://e.example/")
    assert len(found) == 2000
    assert {place[2:] for place in found} == {(0, 4_000_000)}


def test_joiners_and_emoji_come_through() -> None:
    persian = "می\u200cخواهم درباره\u200cی این کتاب\u200cها بنویسم و آن\u200cها را بخوانم. "
    family = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
    found = read(f"<h1>کتاب\u200cها</h1><p>{persian * 4}</p><p>{family} {PROSE}</p>", "<title>کتاب\u200cها</title>")
    assert persian.strip() in found.text
    assert family in found.text
    assert found.title == "کتاب\u200cها"


def test_text_that_looks_like_markup_is_no_markup() -> None:
    found = read(f"<p>{PROSE}</p><p># not a heading</p><p>``` not a fence</p>")
    assert "\\# not a heading" in found.text
    assert "\n\n\\``` not a fence" in found.text


def test_metadata_is_what_the_page_says() -> None:
    head = (
        "<title>The lighthouse | Coast</title><meta name=description content='On lights.'>"
        "<meta property=og:site_name content=Coast>"
        "<meta property=og:title content='The lighthouse'><meta name=author content='Ann Smith'>"
        "<meta property=article:published_time content='2024-03-05T10:00:00Z'>"
    )
    found = extract.call(page(f"<html lang=en-GB><head>{head}</head><body><p>{PROSE * 3}</p></body></html>"), Options())
    assert (found.title, found.author, found.site, found.description) == ("The lighthouse", "Ann Smith", "Coast", "On lights.")
    assert found.published == "2024-03-05"
    assert found.language == "en"


def test_a_day_after_the_page_was_fetched_is_not_believed() -> None:
    head = "<meta property=article:published_time content='2031-03-05'>"
    html = f"<html><head>{head}</head><body><p>{PROSE * 3}</p></body></html>"
    assert extract.call(page(html, fetched_at="2026-01-01T00:00:00.000Z"), Options()).published == ""


def test_the_chain_back_to_the_bytes_is_kept() -> None:
    threat = Threat(kind="zero_width", reason="zero-width characters")
    found = extract.call(
        page(
            f"<p>{PROSE}</p>",
            asked="https://e.org",
            sha256="abc",
            exchange="x1",
            sanitizer="s/1",
            threats=(threat,),
            threats_total=3,
        ),
        Options(),
    )
    chain = found.provenance
    assert (chain.asked, chain.sha256, chain.exchange, chain.sanitizer, chain.tier) == (
        "https://e.org",
        "abc",
        "x1",
        "s/1",
        "http",
    )
    assert chain.document_sha256 == text_sha256(found.text)
    assert chain.extractor.startswith("blocks/")
    assert (found.threats, found.threats_total) == ((threat,), 3)


def test_the_title_of_the_hit_serves_where_the_page_has_none() -> None:
    assert extract.call(page(f"<p>{PROSE}</p>", title="From the hit"), Options()).title == "From the hit"


@pytest.mark.parametrize("media_type", ["text/plain", "text/markdown", "text/x-anything", ""])
def test_text_stays_as_it_is(media_type: str) -> None:
    assert extract.call(page("# A\n\n  two\nlines\n", media_type), Options()).text == "# A\n\n  two\nlines"


def test_a_page_served_as_text_is_read_as_a_page() -> None:
    assert extract.call(page(f"<!DOCTYPE html><p>{PROSE}</p>", "text/plain"), Options()).text == PROSE.strip()


def test_json_is_laid_out_and_broken_json_stays() -> None:
    text = extract.call(page('{"a":[1,"ü"]}', "application/json"), Options()).text
    assert text.startswith("```json\n")
    assert json.loads(text.removeprefix("```json\n").removesuffix("\n```")) == {"a": [1, "ü"]}
    for broken in ('{"a":', "[" * 100_000):
        assert extract.call(page(broken, "application/json"), Options()).text == broken


@pytest.mark.parametrize(
    ("body", "media_type", "kind"),
    [
        ("", "text/html", "empty"),
        ("<html><body><script>x</script><nav>y</nav></body></html>", "text/html", "empty"),
        ("<frameset><frame></frameset>", "text/html", "empty"),
        ("   \u200b ", "text/plain", "empty"),
        ("%PDF-1.7", "application/pdf", "unsupported_content"),
        ("x", "image/png", "unsupported_content"),
    ],
)
def test_what_cannot_be_read_says_why(body: str, media_type: str, kind: str) -> None:
    with pytest.raises(StageError) as raised:
        extract.call(page(body, media_type), Options())
    assert raised.value.kind == kind


def test_a_page_too_large_is_refused() -> None:
    with pytest.raises(StageError) as raised:
        extract.call(page("x" * 16_000_001, "text/plain"), Options())
    assert raised.value.kind == "too_large"


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 30_000 + PROSE,
        "<b>" * 3_000 + PROSE,
        "<table>" * 500 + PROSE,
        "<ul><li>" * 3_000 + PROSE,
        "".join(f"<div><a href=/{n}>Link {n}</a></div>" for n in range(30_000)) + f"<p>{PROSE}</p>",
    ],
    ids=["deep", "formatting", "tables", "lists", "links"],
)
def test_pages_built_to_hurt_are_read(html: str) -> None:
    assert PROSE.strip() in " ".join(extract.call(page(html), Options()).text.split())


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["<table>", "</table>", "<tr><td>", "<li>", "</ul>", "<pre>", "</a>", "<a>", "<h2>", "x ", "<code>", "&#0;", "\ud83d", "<p", "<!--"]), max_size=40))  # fmt: skip  # noqa: E501
def test_no_tag_soup_crashes_it(parts: list[str]) -> None:
    body = "".join(parts).encode("utf-8", "surrogatepass")
    try:
        text = extract.call(Page(url="https://example.org/", media_type="text/html", body=body), Options()).text
    except StageError as raised:
        text = raised.kind
    assert text
    assert text == text.strip()


@pytest.mark.parametrize(
    ("text", "media_type", "expected"),
    [
        ("day,level\n1,3.2\n2,3.4\n", "text/csv", "| day | level |\n| --- | --- |\n| 1 | 3.2 |\n| 2 | 3.4 |"),
        ('"a;b";c|d\n"x\ny";z\n', "text/csv", "| a;b | c\\|d |\n| --- | --- |\n| x y | z |"),
        ("day\tlevel\n1\t2\n", "text/tab-separated-values", "| day | level |\n| --- | --- |\n| 1 | 2 |"),
        ("a,b\n1\n1,2,3\n", "text/csv", "a,b\n1\n1,2,3"),
        ("day;level\n1;3,2\n2;3,4\n", "text/csv", "| day | level |\n| --- | --- |\n| 1 | 3,2 |\n| 2 | 3,4 |"),
        ("just words", "text/csv", "just words"),
        ("a,b\n" * 60 + "x," * 2000, "text/csv", "a,b\n" * 60 + "x," * 2000),
    ],
)
def test_separated_values_become_a_table(text: str, media_type: str, expected: str) -> None:
    assert extract.call(page(text, media_type), Options()).text == expected


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet='ab,;|\t\n\r" \x00', max_size=200))
def test_any_separated_values_are_read_without_fail(text: str) -> None:
    try:
        extract.call(page(text, "text/csv"), Options())
    except StageError as error:
        assert error.kind == "empty"  # noqa: PT017 - or it went well
