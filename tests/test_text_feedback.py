"""A second way to ask, learnt from results."""

from __future__ import annotations

from stages.text.feedback import is_weak, with_feedback
from stages.text.listing import Shown


def _shown(*titles: str) -> list[Shown]:
    return [Shown(f"https://h{number}.example/", title, "") for number, title in enumerate(titles)]


GOOD = _shown("Tide mill at Eling", "A tide mill and its sluice", "Tide mills: the sluice gate", "Mill pond")


def test_an_answer_is_weak_when_it_is_short_or_shows_hardly_a_word_of_the_query() -> None:
    assert not is_weak("tide mill sluice", GOOD)
    assert is_weak("tide mill sluice", GOOD[:2])
    assert is_weak(
        "who repaired the oak paddle wheel gearing of the quay mill", _shown(*["Quay and harbour"] * 2, "Mill", "Quays")
    )


def test_the_words_that_results_of_several_sites_share_are_added_behind_those_of_the_query() -> None:
    assert with_feedback("what is a tide mill?", GOOD) == "tide mill sluice"
    assert with_feedback('"tide mill" -wind site:example.org', GOOD) == "tide mill sluice -wind site:example.org"


def test_nothing_is_added_where_results_share_nothing_new() -> None:
    assert with_feedback("tide mill", _shown("Tide mill", "Tide mills")) == ""
    assert with_feedback("tide mill sluice", _shown("Eling", "Pond", "Weir")) == ""
    assert (
        with_feedback("tide mill", [Shown("https://a.example/1", "Tide sluice", ""), Shown("https://a.example/2", "Sluice", "")])
        == ""
    )
