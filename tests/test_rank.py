"""Ranking: what answers comes first, in any language, explained and stable."""

from __future__ import annotations

import pytest

from stages.rank import Options, rank
from stages.records import Drop, Passage, Question


def passage(number: int, text: str, url: str = "", title: str = "", language: str = "") -> Passage:
    return Passage(
        id=f"p{number}",
        url=url or f"https://example.org/{number}",
        text=text,
        title=title,
        start=0,
        end=len(text),
        language=language,
    )


def ids(records: list[Passage | Drop]) -> list[str]:
    return [record.id for record in records if isinstance(record, Passage)]


def ranked(question: str, *passages: Passage, **options: object) -> list[Passage | Drop]:
    return rank.call([Question(text=question), *passages], Options(**options))


def test_the_passage_that_answers_comes_first_though_the_words_are_inflected() -> None:
    found = ranked(
        "Who invented the telescope?",
        passage(1, "Microscopes are made of lenses."),
        passage(2, "The inventor of telescopes was a spectacle maker."),
        passage(3, "Who knows what the weather will be."),
    )
    assert ids(found)[0] == "p2"


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("东京塔有多高", "东京塔高三百三十三米。", "北京今天有雨。"),
        ("طول نهر النيل", "يبلغ طول النيل ستة آلاف كيلومتر", "الطقس اليوم جميل جدا"),
        ("गंगा नदी की लंबाई", "गंगा नदी 2525 किलोमीटर लंबी है", "आज मौसम अच्छा है"),
        ("Höhe des Großglockners", "Der GROSSGLOCKNER ist 3798 Meter hoch.", "Das Wetter ist heute schön."),
        ("длина реки Волги", "Волга — река длиной 3530 километров", "Сегодня хорошая погода"),
        ("부산의 인구", "부산은 인구가 330만 명이다", "오늘 날씨가 좋다"),
    ],
)
def test_any_script_is_ranked(question: str, answer: str, other: str) -> None:
    assert ids(ranked(question, passage(1, other), passage(2, answer)))[0] == "p2"


def test_a_page_whose_title_says_it_goes_before_one_that_mentions_it() -> None:
    found = ranked(
        "battery life of the Aurora lamp",
        passage(1, "Lasts eleven hours.", title="Lantern X"),
        passage(2, "Lasts nine hours.", title="Aurora lamp: battery life"),
    )
    assert ids(found)[0] == "p2"


def test_a_passage_is_lifted_by_its_neighbour_on_the_same_page_only() -> None:
    question = "Which year was the observatory of Arosa opened?"
    asked, answer, elsewhere = "The observatory of Arosa was opened early.", "That was 1921.", "That was 1830."
    found = ranked(
        question, passage(1, elsewhere, url="https://b.example/"), passage(2, asked, url="https://a.example/"),
        passage(3, answer, url="https://a.example/"),
    )  # fmt: skip
    assert ids(found) == ["p2", "p3", "p1"]


def test_the_parts_add_up_to_the_score() -> None:
    for record in ranked(
        "height of the tower of Pisa", passage(1, "The tower of Pisa has a height of 57 metres."), passage(2, "A tower.")
    ):
        assert isinstance(record, Passage)
        assert record.score == pytest.approx(sum(record.parts.values()), abs=1e-5)
        assert record.score == round(record.score or 0, 6)


def test_without_a_question_the_order_stays_and_there_is_no_score() -> None:
    found = rank.call([passage(2, "b"), passage(1, "a")], Options())
    assert [(record.id, record.score) for record in found if isinstance(record, Passage)] == [("p2", None), ("p1", None)]


def test_a_question_may_come_as_an_option_and_the_best_of_several_counts() -> None:
    passages = [passage(1, "Apples are red."), passage(2, "Bananas are yellow."), passage(3, "Nothing of it.")]
    assert ids(rank.call(passages, Options(question="yellow bananas")))[0] == "p2"
    both = rank.call([Question(text="red apples"), *passages], Options(question="yellow bananas"))
    assert set(ids(both)[:2]) == {"p1", "p2"}


def test_equal_scores_keep_the_order_of_the_input() -> None:
    found = ranked("something else entirely", *[passage(number, f"text {number}") for number in range(9)])
    assert ids(found) == [f"p{number}" for number in range(9)]


def test_the_same_text_again_is_dropped_and_the_first_stays() -> None:
    found = ranked("rain", passage(1, "It rains."), passage(2, "It rains."))
    assert ids(found) == ["p1"]
    assert [(record.reason, record.subject) for record in found if isinstance(record, Drop)] == [
        ("duplicate", "https://example.org/2")
    ]


def test_what_is_beyond_keep_is_dropped_and_counted() -> None:
    found = ranked("rain", *[passage(number, f"rain {number}") for number in range(10)], keep=3)
    assert len(ids(found)) == 3
    assert [record.reason for record in found if isinstance(record, Drop)] == ["over_limit"] * 7


@pytest.mark.parametrize("question", ["???", "the of and", "", "\U0001f600", "a\ud800b"])
def test_a_question_without_words_does_no_harm(question: str) -> None:
    assert ids(ranked(question, passage(1, "One."), passage(2, "Two."))) == ["p1", "p2"]


def test_nothing_gives_nothing() -> None:
    assert rank.call([], Options()) == []
    assert ranked("rain") == []


@pytest.mark.parametrize(
    ("question", "with_number", "without"),
    [
        ("How much cheaper is the night ferry?", "The night ferry is cheaper by 12 euros.", "The night ferry is cheaper by far."),
        ("Wie hoch ist der Leuchtturm?", "Der Leuchtturm misst zehn Meter.", "Der Leuchtturm steht am Meer."),
        ("Combien de marches a la tour ?", "La tour a 311 marches.", "La tour a des marches."),
        ("灯塔有多高", "灯塔高三十米。", "灯塔很漂亮。"),
    ],
)
def test_who_asks_how_much_gets_the_passage_with_a_number_first(question: str, with_number: str, without: str) -> None:
    found = ranked(question, passage(1, without), passage(2, with_number), passage(3, "Something else."))
    assert ids(found)[0] == "p2"
    first = next(record for record in found if isinstance(record, Passage))
    assert first.parts["number"] > 0


def test_a_number_lifts_nothing_where_none_is_asked_for() -> None:
    found = ranked("Who keeps the lighthouse?", passage(1, "The lighthouse has 311 steps."), passage(2, "Sheep."))
    assert all("number" not in record.parts for record in found if isinstance(record, Passage))


def test_a_word_that_is_a_number_in_another_language_only_is_none() -> None:
    found = ranked("How many ferries are late?", passage(1, "The ferries are late due to fog."), passage(2, "Sheep."))
    assert all("number" not in record.parts for record in found if isinstance(record, Passage))


@pytest.mark.parametrize(
    ("question", "address"),
    [
        ("What does Harbourlight say about fog signals?", "https://www.harbourlight.example/fog"),
        ("Which fog signals does the Net Loft list?", "https://netloft.example/a"),
        ("fog signals according to Coastwatch magazine", "https://coastwatch-online.example/b"),
    ],
)
def test_who_names_a_site_gets_its_pages_first(question: str, address: str) -> None:
    text = "Fog signals are sounded every thirty seconds."
    found = ranked(question, passage(1, text + " So it is.", url="https://other.example/x"), passage(2, text, url=address))
    assert ids(found)[0] == "p2"
    assert next(record for record in found if isinstance(record, Passage)).parts["site"] > 0
