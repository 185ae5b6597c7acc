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
        ("How do I use .NET 8 and __init__?", "use .NET 8 __init__"),
        ("What is f(x) in (calculus)?", "f(x) calculus"),
    ],
)
def test_keywords_keep_phrases_numbers_versions_and_names(text: str, keywords: str) -> None:
    original, short = _queries(Question(text=text))[:2]
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


def _shown(text: str, **filters: str) -> dict[str, list[str]]:
    """What each way of rewording came to."""
    found: dict[str, list[str]] = {}
    for query in _queries(Question(text=text, **filters)):
        found.setdefault(query.derived, []).append(query.text)
    return found


def test_a_question_about_another_country_is_also_asked_in_its_language_and_there() -> None:
    queries = _queries(Question(text="unlimited mobile internet Germany"))
    assert 4 <= len(queries) <= 6
    assert queries[0].text == "unlimited mobile internet Germany"
    first = next(query for query in queries if query.derived == "translation:de")
    assert (first.text, first.language, first.region) == ("unbegrenztes Datenvolumen Deutschland", "de", "DE")
    assert all(0 < query.weight < 1 for query in queries[1:])
    assert {query.region for query in queries if query.derived != "translation:de"} == {""}


@pytest.mark.parametrize(
    ("text", "derived", "translated"),
    [
        ("cheap prepaid SIM card in Japan", "translation:ja", "格安 プリペイドSIM 日本"),
        ("how much is the minimum wage in Poland 2026", "translation:pl", "ile płaca minimalna Polska 2026"),
        ("health insurance for students in France", "translation:fr", "assurance maladie étudiant France"),
        ("used electric cars in the Netherlands", "translation:nl", "tweedehands elektrische auto Nederland"),
        ("income tax in Brazil", "translation:pt", "imposto de renda Brasil"),
        ("rent increase Spain law", "translation:es", "subida del alquiler España ley"),
        ("car insurance Italy", "translation:it", "assicurazione auto Italia"),
        ("high-speed train tickets China", "translation:zh", "高铁 tickets 中国"),
        ("russian visa requirements", "translation:ru", "Россия виза"),
        ("Handytarife Frankreich Vergleich", "translation:fr", "forfait mobile France comparatif"),
        ("налог на недвижимость в Германии", "translation:de", "Grundsteuer Deutschland"),
        ("ドイツの最低賃金はいくらですか", "translation:de", "Deutschland Mindestlohn"),
        ("Mindestlohn USA", "translation:en", "minimum wage United States"),
        ("recipe for bread in German", "translation:de", "Rezept bread"),
    ],
)
def test_what_is_known_is_said_in_the_language_and_the_rest_is_kept(text: str, derived: str, translated: str) -> None:
    assert _shown(text)[derived][0] == translated


@pytest.mark.parametrize(
    "text",
    [
        "best turkey recipe",
        "nail polish remover",
        "mobile internet in the UK",
        "Who was chancellor of Germany in 1965 and where did he die?",
        "Kubernetes meetup Berlin Germany",
        "what is the capital of France",
    ],
)
def test_a_place_that_is_none_or_speaks_the_same_or_of_which_nothing_is_known_gives_no_translation(text: str) -> None:
    assert not [derived for derived in _shown(text) if derived.startswith("translation")]


def test_a_language_asked_for_is_kept_to() -> None:
    assert not [one for one in _shown("minimum wage Germany", language="en") if one.startswith("translation")]
    assert "translation:de" in _shown("minimum wage Germany", language="de")


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("what is Retrieval Augmented Generation (RAG)?", ["what is Retrieval Augmented Generation?", "what is RAG?"]),
        ("choose a VPN for travel", ["choose a virtual private network for travel"]),
        ("single sign-on providers", ["SSO providers"]),
        ("who owns the band The Who", []),
        ("join the Society of Tide Millers (STM) now", ["join the Society of Tide Millers now", "join the STM now"]),
    ],
)  # fmt: skip
def test_acronyms_go_both_ways(text: str, forms: list[str]) -> None:
    assert _shown(text).get("acronym", []) == forms


def test_another_name_and_the_singular_weigh_less() -> None:
    found = _shown("how do I cancel cell phone plans?")
    assert found["synonym"] == ["cancel mobile plan"]
    assert found["singular"] == ["cancel cell phone plan"]
    weights = {query.derived: query.weight for query in _queries(Question(text="how do I cancel cell phone plans?"))}
    assert weights["original"] > weights["keywords"] > weights["synonym"] > weights["singular"]


def test_operators_go_along_and_a_choice_is_left_as_it_is() -> None:
    queries = _queries(Question(text='what are the "tide tables" of Wales site:example.org -moon after:2024'))
    assert [query.text for query in queries] == [
        'what are the "tide tables" of Wales site:example.org -moon after:2024',
        '"tide tables" Wales -moon site:example.org after:2024-01-01',
    ]
    assert len(_queries(Question(text="what is a mill OR a weir"))) == 1
    assert len(_queries(Question(text="site:example.org"))) == 1


def test_the_cap_keeps_the_original() -> None:
    assert [query.derived for query in _queries(Question(text="what is the tide?"), queries=1)] == ["original"]


def test_a_text_too_long_to_be_a_sentence_is_asked_as_it_stands() -> None:
    long = "when was the weir at Ostrow in Poland rebuilt " * 50
    assert [one.derived for one in _queries(Question(text=long))] == ["original"]
    assert len(_queries(Question(text=long[:1000]))) > 1


def test_no_text_gives_no_query_and_odd_text_is_asked_as_it_is() -> None:
    assert _queries(Question(text="  ")) == []
    assert [query.text for query in _queries(Question(text="?"))] == ["?"]


@given(st.text(max_size=200))
def test_any_text_gives_distinct_queries_twice_the_same(text: str) -> None:
    queries = _queries(Question(text=text))
    assert queries == _queries(Question(text=text))
    assert len({query.text.casefold() for query in queries}) == len(queries) <= 6
    assert bool(queries) == bool(text.split())


@pytest.mark.parametrize(
    "text", ["site:docs.example asyncio group -legacy", "intitle:guide filetype:pdf kubernetes", "melhores hotéis Porto"]
)
def test_the_same_words_in_another_order_are_not_asked_again(text: str) -> None:
    assert [query.text for query in _queries(Question(text=text))] == [text]


@pytest.mark.parametrize(
    ("text", "translated"),
    [
        ("cheap flights to Spain", "vuelo barato España"),
        ("günstige Handytarife in Frankreich", "pas cher forfait mobile France"),
        ("tanie loty do Włoch", "volo economico Italia"),
    ],
)
def test_a_translation_says_all_of_it(text: str, translated: str) -> None:
    assert translated in [query.text for query in _queries(Question(text=text))]
