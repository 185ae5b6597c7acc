"""Pages beside each other: which are accounts of their own, and how much each says for its length."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.text.accounts import Account, accounts
from stages.text.density import LOW, density

STORY = "At eight minutes to two a telephone rang in the harbour office, and nobody was calling but the gauge on the old pier. "
OTHER = "Farmers above the weir say that the new sluice keeps their meadows dry, and that nobody asked them before it was built. "
KANJI = "午前二時八分前、港の事務所の電話が鳴った。かけてきたのは人ではなく、古い桟橋の検潮儀だった。"
PROSE = "The gauge measures the water every six minutes, and writes the level down with the time and the wind. "


def told(*pages: tuple[str, str]) -> list[tuple[int, int | None]]:
    return [
        (one.number, one.copy_of)
        for one in accounts([(f"https://{host}.example/{at}", text) for at, (host, text) in enumerate(pages)])
    ]


@pytest.mark.parametrize("text", [STORY, KANJI])
def test_a_reprint_is_no_account_of_its_own_and_the_first_is_the_original(text: str) -> None:
    assert told(("a", text), ("b", OTHER), ("c", f"Wire. {text}"), ("d", text)) == [(0, None), (1, None), (0, 0), (0, 0)]


def test_pages_of_one_host_are_one_account_and_no_copies_of_each_other() -> None:
    assert told(("a", STORY), ("www.a", OTHER), ("b", PROSE * 3)) == [(0, None), (0, None), (1, None)]


def test_accounts_join_through_a_third_page() -> None:
    assert told(("a", STORY), ("b", OTHER), ("b", STORY)) == [(0, None), (0, None), (0, 0)]


def test_short_texts_are_alike_by_chance_and_different_ones_are_not() -> None:
    assert told(("a", "Gone for lunch."), ("b", "Gone for lunch."), ("c", ""), ("d", "")) == [
        (0, None), (1, None), (2, None), (3, None),
    ]  # fmt: skip
    assert told(("a", STORY + OTHER * 4), ("b", STORY + PROSE * 9)) == [(0, None), (1, None)]
    assert accounts([]) == []


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([STORY, OTHER, KANJI, "x", ""])), max_size=8))
def test_numbers_count_up_from_the_first_and_an_original_is_no_copy(pages: list[tuple[str, str]]) -> None:
    found = accounts([(f"https://{host}.example/", text) for host, text in pages])
    seen = list(dict.fromkeys(one.number for one in found))
    assert seen == list(range(len(seen)))
    for at, one in enumerate(found):
        if one.copy_of is not None:
            assert one.copy_of < at
            assert found[one.copy_of] == Account(one.number)


def test_prose_says_more_than_links_labels_and_repetitions_do() -> None:
    links = "\n".join(f"- [A place to go {at}](https://x.example/{at})" for at in range(50))
    labels = "\n\n".join(f"Home {at}" for at in range(50))
    assert density(PROSE * 20) > 0.9
    assert density(f"# Gauges\n\n{PROSE * 3}\n\n## Weirs\n\n{OTHER * 3}\n\n```\nx = 1\n```\n\n| a | b |\n| --- | --- |\n") > 0.9
    assert density(KANJI * 20) > 0.9
    assert density("\n\n".join([PROSE] * 20)) < 0.8
    assert density(links) < 0.65
    assert density(f"{links}\n\n{links}") < density(links)
    assert density("\n".join(f"[Go {at}](https://x.example/{at})" for at in range(60))) < LOW
    assert density(labels) < 0.7
    assert density("") == density("\n\n***\n") == 0.0


@given(st.text(alphabet="ab [](!)#-.\n|`*", max_size=400))
def test_density_is_a_share_of_any_text(text: str) -> None:
    assert 0.0 <= density(text) <= 1.0


@pytest.mark.parametrize("unit", ["[", "[a](", "![", "- ", "a. ", "\\", "[a]((", "\n\n"])
def test_strangers_text_costs_no_more_than_its_length(unit: str) -> None:
    text = unit * (150_000 // len(unit))
    assert 0.0 <= density(text) <= 1.0
    assert len(accounts([("https://a.example/", text), ("https://b.example/", text)])) == 2
