"""Days as search engines write them before a snippet."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.text.dates import first_day, read_date, split_date

NOW = "2026-08-01T12:00:00.000Z"


@pytest.mark.parametrize(
    ("language", "text", "day", "rest"),
    [
        ("en", "Jul 16, 2025 · A mill · and more", "2025-07-16", "A mill · and more"),
        ("en", "December 13, 2024 - Welcome", "2024-12-13", "Welcome"),
        ("en", "2 Sep 2014 ... ground flour", "2014-09-02", "ground flour"),
        ("en", "3 days ago — the mill turns", "2026-07-29", "the mill turns"),
        ("en", "10 hours ago · the mill turns", "2026-08-01", "the mill turns"),
        ("de", "vor 3 Tagen · Die Mühle", "2026-07-29", "Die Mühle"),
        ("no", "for 3 dager siden · mølla", "2026-07-29", "mølla"),
        ("hu", "3 napja · a malom", "2026-07-29", "a malom"),
        ("ar", "قبل 3 أيام · طاحونة", "2026-07-29", "طاحونة"),
        ("he", "לפני 3 ימים · טחנה", "2026-07-29", "טחנה"),
        ("hi", "3 दिन पहले · चक्की", "2026-07-29", "चक्की"),
        ("th", "3 วันที่ผ่านมา · โรงสี", "2026-07-29", "โรงสี"),
        ("fa", "۳ روز پیش · آسیاب", "2026-07-29", "آسیاب"),
        ("sk", "pred 3 dňami · mlyn", "2026-07-29", "mlyn"),
        ("en", "16 Ιουλ 2025 · ο μύλος", "2025-07-16", "ο μύλος"),
        ("en", "16 يوليو 2025 · طاحونة", "2025-07-16", "طاحونة"),
        ("en", "16 ก.ค. 2025 · โรงสี", "2025-07-16", "โรงสี"),
        ("en", "3 hari yang lalu · gilingan", "2026-07-29", "gilingan"),
        ("es", "miércoles, 16 de julio de 2025 · el molino", "2025-07-16", "el molino"),
        ("de", "16. Juli 2025 – Die Mühle", "2025-07-16", "Die Mühle"),
        ("de", "07.08.2025 ... Die Mühle", "2025-08-07", "Die Mühle"),
        ("fr", "il y a 2 jours · Le moulin", "2026-07-30", "Le moulin"),
        ("fr", "16 juil. 2025 · Le moulin", "2025-07-16", "Le moulin"),
        ("es", "hace 3 días · El molino", "2026-07-29", "El molino"),
        ("it", "3 giorni fa · Il mulino", "2026-07-29", "Il mulino"),
        ("pt-BR", "há 3 dias · O moinho", "2026-07-29", "O moinho"),
        ("pt", "16 de jul. de 2025 · O moinho", "2025-07-16", "O moinho"),
        ("nl", "3 dagen geleden · De molen", "2026-07-29", "De molen"),
        ("pl", "3 dni temu · Młyn", "2026-07-29", "Młyn"),
        ("ru", "3 дня назад — Мельница", "2026-07-29", "Мельница"),
        ("ru", "16 июл. 2025 г. · Мельница", "2025-07-16", "Мельница"),
        ("zh-TW", "3天前 · 磨坊", "2026-07-29", "磨坊"),
        ("zh", "2025年7月16日 · 磨坊", "2025-07-16", "磨坊"),
        ("ja", "3 日前 · 水車", "2026-07-29", "水車"),
        ("ko", "3일 전 · 물레방아", "2026-07-29", "물레방아"),
        ("tr", "3 gün önce · Değirmen", "2026-07-29", "Değirmen"),
        ("", "vor 4 Tagen - Die Mühle", "2026-07-28", "Die Mühle"),
        ("xx", "2025-02-03 · a mill", "2025-02-03", "a mill"),
    ],
)
def test_a_day_before_a_snippet_is_read_and_taken_off(language: str, text: str, day: str, rest: str) -> None:
    assert split_date(text, (language,), NOW) == (day, rest)


@pytest.mark.parametrize(
    "text",
    [
        "2 - 3 mills are left", "5 min - easy", "2 Sep - without a year", "In 2025 - the year of mills",
        "2025-02-30 · no such day",
        "The mill ... vor 3 Tagen", "Mill · 3 days ago", "... and more", "", "Chapter 3, 2025 · mills", "1999 - a novel",
    ],
)  # fmt: skip
def test_what_is_no_day_stays_in_the_snippet(text: str) -> None:
    assert split_date(text, ("en", "de"), NOW) == ("", text)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("01 Ağu 2026", "2026-08-01"), ("22 9月 2026", "2026-09-22"), ("2025-08-07T00:00:00.0000000", "2025-08-07"),
        ("\u00a0 \u00a0 Aug 7, 2025 -", "2025-08-07"), ("Yesterday", "2026-07-31"), ("gestern", "2026-07-31"),
        ("12", ""), ("x" * 99, ""),
        ("7.8.2025", "2025-08-07"), ("7. 8. 2025", "2025-08-07"), ("31.02.2025", ""),
    ],
)  # fmt: skip
def test_a_day_that_stands_alone(text: str, day: str) -> None:
    assert read_date(text, (), NOW) == day


def test_what_was_read_before_does_not_matter() -> None:
    alone = read_date("01/02/2025", ("fr",), NOW)
    assert read_date("01/02/2025", ("en",), NOW) == "2025-01-02"
    assert read_date("01/02/2025", ("fr",), NOW) == alone == "2025-02-01"
    assert read_date("3 days ago", ("en",), "2020-01-02T00:00:00Z") == "2019-12-30"


@pytest.mark.parametrize(
    ("freshness", "after", "day"),
    [
        ("", "", ""), ("day", "", "2026-07-31"), ("year", "", "2025-08-01"), ("", "2026-01-02", "2026-01-02"),
        ("week", "2026-07-30", "2026-07-30"), ("week", "2026-01-01", "2026-07-25"), ("", "lately", ""), ("", "2026-02-31", ""),
    ],
)  # fmt: skip
def test_the_first_day_is_the_later_one(freshness: str, after: str, day: str) -> None:
    assert first_day(freshness, after, NOW) == day


@settings(deadline=None, max_examples=300)
@given(
    st.one_of(
        st.text(max_size=45),
        st.from_regex(r"\A(?:vor |hace |il y a )?[0-9.,/: -]{0,14}(?:ago|назад|前|Jul|2025|de)? ?[0-9]{0,9}\Z"),
        st.text(alphabet="0123456789.:-/ agoTZ+·", max_size=40),
    )
)
def test_any_text_gives_a_day_or_none(text: str) -> None:
    day, rest = split_date(text, ("en",), NOW)
    assert text.endswith(rest)
    assert re.fullmatch(r"(?:\d{4}-\d\d-\d\d)?", day)
    assert re.fullmatch(r"(?:\d{4}-\d\d-\d\d)?", read_date(text, ("en",), NOW))


@pytest.mark.parametrize(
    "text", ["Best mills of 2026 - a list", "The 10 best old mills in 2026 · see", "Mill race 1920 — who won"]
)
def test_a_title_with_a_year_does_not_load_the_tables(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stages.text.dates._parser", lambda *_: pytest.fail("loaded"))
    assert split_date(text, ("en",), NOW) == ("", text)
