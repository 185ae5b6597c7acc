"""Several ways to ask a question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.expand import Options, expand
from stages.records import Query, Question, record_id


def _queries(question: Question, **options: int) -> list[Query]:
    queries: list[Query] = expand.call(question, Options(**options))
    return queries


@pytest.mark.parametrize(
    ("text", "keywords"),
    [
        ("Which Python first shipped a free-threaded build?", "Python first shipped free-threaded build"),
        ('Who said "to be or not to be" in Hamlet?', 'said "to be or not to be" Hamlet'),
        ("What is \u201cthe GIL\u201d in Python 3.13 and C++?", '"the GIL" Python 3.13 C++'),
        ("Is it the US or the UK that signed DEC-0054?", "US UK signed DEC-0054"),
        ("Wie hoch ist der Eiffelturm in Paris?", "hoch Eiffelturm Paris"),
        ("Quelle est la hauteur de la tour de l'Étoile ?", "hauteur tour l'Étoile"),
        ("What is NASA\u2019s budget? Who decides?", "NASA budget decides"),
    ],
)
def test_keywords_keep_phrases_numbers_versions_and_names(text: str, keywords: str) -> None:
    original, short = _queries(Question(text=text))
    assert (original.text, original.derived, original.weight) == (text, "original", 1.0)
    assert (short.text, short.derived, short.weight) == (keywords, "keywords", 0.7)


@pytest.mark.parametrize("text", ["Gullwing rain scale", "rain scale bottle?", "日本で一番高い山は何ですか", "The Who"])
def test_a_question_that_is_keywords_already_is_asked_once(text: str) -> None:
    assert [query.text for query in _queries(Question(text=text))] == [text]


def test_every_query_carries_the_filters_and_the_id_of_its_question() -> None:
    question = Question(
        text="what is the tide?",
        region="GB",
        freshness="week",
        include_domains=("a.uk",),
        exclude_domains=("b.uk",),
        published_after="2026-01-01",
    )
    for query in _queries(question):
        assert query.question == record_id(question)
        assert (query.region, query.freshness, query.include_domains) == ("GB", "week", ("a.uk",))
        assert (query.exclude_domains, query.published_after) == (("b.uk",), "2026-01-01")


def test_the_language_is_the_question_s_own_or_a_confident_guess_or_none() -> None:
    assert {query.language for query in _queries(Question(text="what is the tide?", language="de"))} == {"de"}
    assert {query.language for query in _queries(Question(text="what is the height of the tide?"))} == {"en"}
    assert {query.language for query in _queries(Question(text="tide mill Wales"))} == {""}


def test_the_cap_keeps_the_original() -> None:
    assert [query.derived for query in _queries(Question(text="what is the tide?"), queries=1)] == ["original"]


def test_no_text_gives_no_query_and_odd_text_is_asked_as_it_is() -> None:
    assert _queries(Question(text="  ")) == []
    assert [query.text for query in _queries(Question(text="?"))] == ["?"]


@given(st.text(max_size=200))
def test_any_text_gives_distinct_queries_twice_the_same(text: str) -> None:
    queries = _queries(Question(text=text))
    assert queries == _queries(Question(text=text))
    assert len({query.text.casefold() for query in queries}) == len(queries) <= 2
    assert bool(queries) == bool(text.split())
