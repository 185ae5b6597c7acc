"""Words, stems and languages."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.text.stopwords import STOP_WORDS
from stages.text.words import content_words, fold, guess_language, stems, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Python 3.13 ships", ["python", "3.13", "3", "13", "ships"]),
        ("call snake_case()", ["call", "snake_case", "snake", "case"]),
        ("C++, C# and F#", ["c++", "c", "c#", "c", "and", "f#", "f"]),
        ("see DEC-0054.", ["see", "dec-0054", "dec", "0054"]),
        ("free-threaded", ["free", "threaded"]),
        ("1,234,567 people", ["1234567", "people"]),
        ("1,2,3", ["1", "2", "3"]),
        ("Georgetown\u2019s trial", ["georgetown", "trial"]),
        ("日本語 Python入門", ["日本", "本語", "python", "入門"]),
        ("한국어", ["한국", "국어"]),
        ("ภาษา", ["ภา", "าษ", "ษา"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("ＦＵＬＬ ﬁne", ["full", "fine"]),
        ("soft\u00adhyphen", ["softhyphen"]),
        ("İstanbul", ["istanbul"]),
        ("", []),
        ("?! — …", []),
    ],
)
def test_words_are_found_in_every_script(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@given(st.text())
def test_words_never_fail_and_hold_no_space_or_capital(text: str) -> None:
    for word in words(text):
        assert word
        assert not any(map(str.isspace, word))
        assert fold(word) == word


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "Zs"])))
def test_composed_and_decomposed_text_have_the_same_words(text: str) -> None:
    assert words(unicodedata.normalize("NFD", text)) == words(unicodedata.normalize("NFC", text))


@given(st.text(alphabet="abcxyz019 .-_+#,'s"))
def test_the_ascii_and_the_general_pattern_agree(text: str) -> None:
    assert words(f"{text} ж") == [*words(text), "ж"]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How often does the gauge on the pier measure in a storm?", "en"),
        ("Wie hoch ist der Turm in Berlin?", "de"),
        ("Quelle est la hauteur de la tour Eiffel ?", "fr"),
        ("¿Cuál es la capital de Perú?", "es"),
        ("Quali sono le montagne più alte della Svizzera?", "it"),
        ("Qual é a cidade mais antiga do Brasil e por quê?", "pt"),
        ("Hoe lang duurt het om een fiets te maken?", "nl"),
        ("Jaki jest najwyższy szczyt w Polsce?", "pl"),
        ("Vad är det för skillnad mellan dem?", "sv"),
        ("Türkiye'nin en büyük gölü hangisi ve ne kadar derin?", "tr"),
        ("Какой город был столицей до этого?", "ru"),
        ("Яке місто було столицею до цього?", "uk"),
        ("日本で一番高い山は何ですか", "ja"),
        ("中国最高的山是什么", "zh"),
        ("한국에서 가장 높은 산은", "ko"),
        ("ما هو أعلى جبل", "ar"),
        ("Ποιο είναι το βουνό", "el"),
    ],
)
def test_a_question_gives_its_language_away(text: str, language: str) -> None:
    assert guess_language(text) == language


@pytest.mark.parametrize(
    "text", ["", "Gullwing rain scale bottle volume", "climate change in Germany", "Los Angeles weather", "42"]
)
def test_a_language_is_not_named_without_evidence(text: str) -> None:
    assert guess_language(text) == ""


def test_content_words_leave_out_grammar_but_never_everything() -> None:
    assert content_words("Which version of the helper is it?") == ["version", "helper"]
    assert content_words("Wie hoch ist der Turm?") == ["hoch", "turm"]
    assert content_words("The Who") == ["the", "who"]
    assert content_words("die neue Regel", "en") == ["die", "neue", "regel"]


def test_stems_join_the_forms_of_a_word_and_leave_names_with_digits_alone() -> None:
    assert len(set(stems(["regulate", "regulated", "regulation"], "en"))) < 3
    assert len(set(stems(["tarif", "tarife", "tarifen"], "de"))) == 1
    assert stems(["3.13", "dec-0054", "日本"], "en") == ["3.13", "dec-0054", "日本"]
    assert stems(["running"], "") == stems(["running"], "ja") == ["running"]


@given(st.lists(st.text(min_size=1)), st.sampled_from(["en", "de", "ru", "tr", "pl"]))
def test_a_stem_is_never_empty(listed: list[str], language: str) -> None:
    assert all(stems(listed, language))


def test_stop_words_are_folded_words() -> None:
    for listed in STOP_WORDS.values():
        assert all(words(word) == [word] for word in listed)


def test_ten_thousand_words_take_milliseconds() -> None:
    page = "How often does the tide gauge on the old pier measure in a storm, café? " * 800
    stems(words(page), "en")
    best = min(_timed(page) for _ in range(3))
    assert best < 0.1, f"{best:.3f} s"


def _timed(page: str) -> float:
    start = time.perf_counter()
    stems(words(page), "en")
    return time.perf_counter() - start
