"""Chunking: exact places, nothing lost, nothing torn that belongs together."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.chunk import Options, chunk
from stages.records import Document, Passage, Provenance
from stages.text.tokens import count

WORDS = st.sampled_from(["alpha", "beta", "gamma", "Straße", "東京都", "हिन्दी", "3.13", "**bold**", "end.", "说完。", "`code`"])
SENTENCE = st.lists(WORDS, min_size=1, max_size=30).map(" ".join)
BLOCK = st.one_of(
    SENTENCE,
    st.tuples(st.integers(1, 6), SENTENCE).map(lambda pair: f"{'#' * pair[0]} {pair[1]}"),
    st.lists(SENTENCE, min_size=1, max_size=6).map(lambda items: "\n".join(f"- {item}" for item in items)),
    st.lists(SENTENCE, min_size=1, max_size=6).map(lambda rows: "\n".join(f"| {row} | x |" for row in rows)),
    st.lists(SENTENCE, min_size=0, max_size=8).map(lambda lines: "\n".join(["```python", *lines, "```"])),
    st.lists(SENTENCE, min_size=0, max_size=3).map(lambda lines: "\n".join(["~~~~", "# no heading", "", *lines])),
    st.text(alphabet="ab #`|~->\n\t.。 ", max_size=40),
)
MARKDOWN = st.lists(BLOCK, max_size=12).map("\n\n".join)


def passages(text: str, tokens: int = 40) -> list[Passage]:
    return cut(Document(url="https://example.org/a", title="Title", text=text), tokens)


def cut(document: Document, tokens: int = 120) -> list[Passage]:
    return [record for record in chunk.call(document, Options(tokens=tokens)) if isinstance(record, Passage)]


@settings(max_examples=200, deadline=None)
@given(MARKDOWN, st.sampled_from([20, 40, 120]))
def test_a_passage_is_verbatim_and_every_line_is_in_exactly_one(text: str, tokens: int) -> None:
    found = passages(text, tokens)
    reached = 0
    covered = [False] * len(text)
    for passage in found:
        assert passage.text == text[passage.start : passage.end]
        assert passage.start >= reached
        assert passage.text.strip()
        assert passage.tokens == count(passage.text)
        covered[passage.start : passage.end] = [True] * (passage.end - passage.start)
        reached = passage.end
    assert all(taken or character.isspace() for taken, character in zip(covered, text, strict=True))


@settings(max_examples=50, deadline=None)
@given(MARKDOWN)
def test_ids_are_distinct_and_equal_for_equal_documents(text: str) -> None:
    ids = [passage.id for passage in passages(text)]
    assert len(set(ids)) == len(ids)
    assert ids == [passage.id for passage in passages(text)]


def test_the_id_is_that_of_the_document_and_the_place() -> None:
    def first(sha256: str) -> str:
        document = Document(url="https://example.org/a", text="Some text.", provenance=Provenance(document_sha256=sha256))
        return cut(document)[0].id

    assert first("a") != first("b")


def test_headings_say_where_a_passage_stands() -> None:
    body = "words that fill a paragraph until it is long enough to stand alone " * 3
    text = f"# Guide\n\n{body}\n\n## Install\n\n{body}\n\n### On Linux\n\n{body}\n\n## Use\n\n{body}"
    assert [passage.headings for passage in passages(text)] == [
        ("Guide",),
        ("Guide", "Install"),
        ("Guide", "Install", "On Linux"),
        ("Guide", "Use"),
    ]


def test_a_heading_belongs_to_what_follows_it() -> None:
    body = "words that fill a paragraph until it is long enough to stand alone " * 3
    found = passages(f"{body}\n\n## Next\n\n### Deeper\n\n{body}")
    assert [passage.text.startswith("## Next") for passage in found] == [False, True]


def test_headings_at_the_very_end_are_not_lost() -> None:
    assert passages("Some text.\n\n## See also")[-1].text.endswith("## See also")
    assert [passage.text for passage in passages("# Only a heading")] == ["# Only a heading"]


def test_a_fence_and_a_table_within_three_times_the_size_stay_whole() -> None:
    code = "```python\n" + "\n\n".join(f"def function_{n}(): return {n}" for n in range(8)) + "\n```"
    table = "\n".join(f"| row {n} | value {n} |" for n in range(12))
    assert 40 < count(code) <= 120
    assert 40 < count(table) <= 120
    texts = [passage.text for passage in passages(f"Before.\n\n{code}\n\nBetween.\n\n{table}\n\nAfter.")]
    assert any(code in text for text in texts)
    assert any(table in text for text in texts)


def test_a_larger_table_is_cut_between_rows_and_a_larger_fence_between_lines() -> None:
    rows = [f"| row {n} | the value of number {n} |" for n in range(60)]
    lines = [f"print('this is line number {n} of the program')" for n in range(60)]
    for block in ("\n".join(rows), "\n".join(["```", *lines, "```"])):
        found = passages(block)
        assert len(found) > 3
        assert all(set(passage.text.split("\n")) <= set(block.split("\n")) for passage in found)
        assert max(passage.tokens for passage in found) <= 45


def test_a_heading_sign_in_a_fence_is_no_heading() -> None:
    found = passages("# Real\n\n```sh\n# a comment\nls\n```\n\nText.")
    assert {passage.headings for passage in found} == {("Real",)}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_long_paragraph_is_cut_between_sentences(language: str) -> None:
    sentence = {"en": "This is a sentence of nine words, more or less. ", "zh": "今天东京的天气非常好，我们去公园散步。"}[
        language
    ]
    found = passages(sentence * 30)
    assert len(found) > 5
    assert all(re.search(r"[.。]$", passage.text) for passage in found)


def test_text_without_any_break_is_cut_all_the_same() -> None:
    found = passages("x" * 20_000)
    assert "".join(passage.text for passage in found) == "x" * 20_000
    assert max(passage.tokens for passage in found) <= 40 * 3


def test_what_is_known_of_the_document_goes_along() -> None:
    provenance = Provenance(sha256="s", document_sha256="d")
    document = Document(
        url="https://example.org/", title="T", text="Text.", published="2026-01-02", language="de", provenance=provenance
    )
    (passage,) = cut(document)
    assert (passage.url, passage.title, passage.published, passage.language) == ("https://example.org/", "T", "2026-01-02", "de")
    assert passage.provenance == provenance


def test_a_document_without_text_gives_no_passage() -> None:
    assert passages(" \n\n ") == []


def test_a_document_that_was_cut_before_is_not_cut_again() -> None:
    first = chunk.call(Document(url="https://a.example/", text="One line.\n\nAnother one."), chunk.options())
    assert chunk.call(first[0], chunk.options()) == [first[0]]
