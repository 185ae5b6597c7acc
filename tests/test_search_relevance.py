"""Telling a page about something else from an honest answer."""

from __future__ import annotations

import msgspec
import pytest

from stages.core.errors import StageError
from stages.engines.relevant import check_relevance
from stages.records import Hit
from stages.text.query import parse


def _hits(*titles: str, site: str = "") -> list[Hit]:
    return [
        Hit(url=f"https://{site or f'h{number}.example'}/{number}", title=title, snippet="Read more.")
        for number, title in enumerate(titles)
    ]


def _refused(query: str, hits: list[Hit], language: str = "") -> str:
    """Why, if they are."""
    try:
        check_relevance(hits, parse(query), language)
    except StageError as error:
        return str(error) if error.kind == "irrelevant" else ""
    return ""


@pytest.mark.parametrize(
    ("query", "titles", "why"),
    [
        ("what is a tide mill", ["JavaScript Tutorial"], "no result has any word"),
        ("tide mill wheel", ["Tide tables", *["Cheap flights to Rome"] * 9], "1 of 10 results"),
        ("best tide mill museums", ["Best | Dictionary", "BEST", "Best Buy", "The best of", "best"], "about 'best' alone"),
        ("潮力発電所 見学", ["安いホテル予約", "天気予報"], "no result has any word"),
    ],
)  # fmt: skip
def test_junk_is_refused_and_told_why(query: str, titles: list[str], why: str) -> None:
    assert why in _refused(query, _hits(*titles))


def test_a_page_of_one_site_with_few_of_the_words_is_junk_and_one_with_most_of_them_is_not() -> None:
    query = "opening hours tide mill museum Wales"
    assert "of shop.example" in _refused(query, _hits(*["Museum posters", "Wales posters"] * 4, site="shop.example"))
    assert not _refused(query, _hits(*["Tide mill museum: opening hours"] * 8, site="millmuseum.example"))
    assert not _refused(f"{query} site:shop.example", _hits(*["Museum posters", "Wales posters"] * 4, site="shop.example"))
    assert not _refused("acme opening hours returns policy", _hits(*["Contact us"] * 7, "Returns", site="acme.example"))


@pytest.mark.parametrize(
    ("query", "titles", "language"),
    [
        ("Haftpflicht Versicherungen Vergleich", ["Haftpflichtversicherung: Tarife"] * 6, "de"),
        ("Krankenversicherungsbeitrag Höhe", ["Beiträge zur Krankenversicherung"] * 6, "de"),
        ("量子計算機とは何か", ["量子コンピュータ入門"] * 6, "ja"),
        ("潮", ["潮汐"], "zh"),
        ("приливная мельница", ["Мельницы у моря"] * 6, "ru"),
        ("mill", ["Mills"] * 10, "en"),
        ("tide mill", ["The mill"] * 10, "en"),
        ("Who built the oldest working tide mill in England and when was it?", ["Tide mills", "Mill works"] * 5, "en"),
        ("site:w3schools.com ?", ["JavaScript Tutorial"], "en"),
        ("C++ move semantics", ["Move semantics in C++"] * 6, "en"),
    ],
)  # fmt: skip
def test_honest_answers_pass_in_any_script(query: str, titles: list[str], language: str) -> None:
    assert not _refused(query, _hits(*titles), language)


def test_words_of_an_address_count_escaped_or_not() -> None:
    assert not _refused("潮", [Hit(url="https://a.example/%E6%BD%AE", title="x")])


def test_no_hits_and_no_words_are_not_judged() -> None:
    assert not _refused("tide", [])
    assert not _refused("-site:a.example", _hits("x"))


def test_headlines_alone_need_not_have_the_words_but_pictures_do() -> None:
    titles = ["Tide mill turns again", *["The harbour votes on Sunday"] * 9]
    reports = [Hit(url=f"https://news.google.com/{at}", title=title, kind="news") for at, title in enumerate(titles)]
    check_relevance(reports, parse("tide mill"), "en")
    for others in (
        [msgspec.structs.replace(hit, kind="image") for hit in reports],
        [msgspec.structs.replace(hit, snippet="A vote.") for hit in reports],
        reports[1:],
    ):
        with pytest.raises(StageError) as refusal:
            check_relevance(others, parse("tide mill"), "en")
        assert refusal.value.kind == "irrelevant"
