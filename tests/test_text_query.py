"""The query language: what a text asks for, and that writing it back changes nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.text.query import Asked, Term, operators, parse, render, render_for

PHRASE = Term("tide mill", phrase=True)


def _words(*texts: str) -> tuple[tuple[Term, ...], ...]:
    return tuple((Term(text),) for text in texts)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tide mill", Asked(groups=_words("tide", "mill"))),
        ('"tide  mill" Wales', Asked(groups=((PHRASE,), *_words("Wales")))),
        ("\u201etide mill\u201c", Asked(groups=((PHRASE,),))),
        ("\u300c潮汐\u300dとは", Asked(groups=((Term("潮汐", phrase=True),), *_words("とは")))),
        ('mill -wind -"water wheel"', Asked(groups=_words("mill"), minus=(Term("wind"), Term("water wheel", phrase=True)))),
        ("mill OR weir OR dam tide", Asked(groups=((Term("mill"), Term("weir"), Term("dam")), *_words("tide")))),
        (
            'old (mill OR "salt pan") tide',
            Asked(groups=(*_words("old"), (Term("mill"), Term("salt pan", phrase=True)), *_words("tide"))),
        ),
        ("Portland OR", Asked(groups=_words("Portland", "or"))),
        ("OR gate", Asked(groups=_words("or", "gate"))),
        (
            "mill site:Example.org site:https://www.b.example/docs",
            Asked(groups=_words("mill"), sites=("example.org", "www.b.example")),
        ),
        ("mill -site:b.example", Asked(groups=_words("mill"), not_sites=("b.example",))),
        ("mill ext:.PDF filetype:docx", Asked(groups=_words("mill"), filetypes=("pdf", "docx"))),
        ('intitle:mill intitle:"tide mill"', Asked(intitle=(Term("mill"), PHRASE))),
        ("мельница inurl:Прилив", Asked(groups=_words("мельница"), inurl=("прилив",))),
        ("mill after:2024 before:2025/03/9", Asked(groups=_words("mill"), after="2024-01-01", before="2025-03-09")),
        ("mill when:7d", Asked(groups=_words("mill"), days=7)),
        ("mill when:m", Asked(groups=_words("mill"), days=31)),
        ("mill when:36h", Asked(groups=_words("mill"), days=2)),
        ("mill lang:DE loc:at", Asked(groups=_words("mill"), language="de", region="AT")),
    ],
)  # fmt: skip
def test_a_text_is_taken_apart(text: str, expected: Asked) -> None:
    assert parse(text) == expected
    assert parse(render(expected)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "site:", "after:soon", "after:2024-13", "when:0d", "lang:klingon", "filetype:a/b",
        "-40 celsius", "tar -x",
        "git log --oneline", 'a 5" pipe', "f(x) = y", "C++", "http://a.example/b", "std::vector",
        "12:30", "région: nord", "(a", "-", "3.14",
    ],
)  # fmt: skip
def test_what_only_looks_like_an_operator_is_words(text: str) -> None:
    assert parse(text) == Asked(groups=_words(*text.split()))
    assert render(parse(text)) == text


@pytest.mark.parametrize(
    ("understood", "expected"),
    [
        ("", "tide mill weir sea wall"),
        ("phrase or", '(tide OR "mill weir") sea wall'),
        ("minus site -site", "tide mill weir sea wall -wind -site:b.example"),
        ("site or filetype", "(tide OR mill weir) sea wall (site:a.example OR site:c.example) filetype:pdf"),
        ("intitle inurl -site", "tide mill weir -site:b.example intitle:sea inurl:wall"),
    ],
)
def test_an_engine_gets_what_it_understands_and_the_words_of_the_rest(understood: str, expected: str) -> None:
    asked = parse(
        'tide OR "mill weir" -wind site:a.example site:c.example -site:b.example filetype:pdf intitle:sea inurl:wall when:d'
    )
    assert render_for(asked, understood.split()) == expected


def test_the_operators_of_a_text_are_named() -> None:
    assert operators(parse('"a b" c OR d -east site:f -site:g ext:pdf intitle:h inurl:i after:2024')) == (
        "phrase", "minus", "or", "site", "-site", "filetype", "intitle", "inurl",
    )  # fmt: skip
    assert operators(parse("tide mill")) == ()


def test_the_narrower_of_two_dates_counts() -> None:
    asked = parse("after:2024 after:2025 before:2026 before:2027 when:w when:d")
    assert (asked.after, asked.before, asked.days) == ("2025-01-01", "2026-01-01", 1)


_TOKENS = (
    'OR mill (mill weir) " "a" ("a b") -x1 --x -"a" site:a.example -site:b intitle:"a intitle:( inurl:x inurl:"(y" after:2024-02',
    "before:1999 when:3w lang:fr region:ch 潮汐 « » ( ) () -( -: -",
)
_token = st.sampled_from(" ".join(_TOKENS).split(" "))


@given(st.text(max_size=60) | st.lists(_token | st.text(max_size=5), max_size=9).map(" ".join))
def test_any_text_has_a_normal_form_that_means_the_same(text: str) -> None:
    asked = parse(text)
    normal = render(asked)
    assert parse(normal) == asked
    assert render(parse(normal)) == normal
