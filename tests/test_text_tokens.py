"""The tokenizer: counts by name, cuts between characters."""

from __future__ import annotations

import pytest
import toktok
from hypothesis import given
from hypothesis import strategies as st

from stages.text.tokens import TOKENIZER, count, count_all, truncate


def test_counts_are_those_of_the_named_encoding() -> None:
    texts = ["hello world", "Grüße aus Köln", "東京都の天気", "", "x = [1, 2]\n"]
    assert count_all(texts) == toktok.batch_count(texts, TOKENIZER)
    assert count("hello world") == 2


@given(st.text(max_size=300), st.integers(min_value=0, max_value=60))
def test_a_cut_text_is_a_beginning_within_the_tokens(text: str, tokens: int) -> None:
    kept = truncate(text, tokens)
    assert text.startswith(kept)
    assert count(kept) <= tokens


@given(st.text(max_size=200))
def test_a_text_that_fits_is_not_cut(text: str) -> None:
    assert truncate(text, count(text)) == text


@pytest.mark.parametrize("whole", ["👩‍👩‍👧", "हि", "e\u0301", "👍🏽", "क्ष"])
def test_a_character_of_several_code_points_is_not_cut_apart(whole: str) -> None:
    text = "word " + whole * 8
    beginnings = {"word " + whole * n for n in range(9)}
    for tokens in range(1, count(text) + 1):
        kept = truncate(text, tokens)
        assert kept in beginnings or kept in {"word", ""}


def test_a_lone_surrogate_does_not_fail() -> None:
    assert count("a\ud800b") == count("a\ufffdb")
    assert truncate("a\ud800b", 100) == "a\ud800b"
