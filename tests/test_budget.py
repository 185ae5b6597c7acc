"""The budget: never passed, spread over sources, order kept."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from stages.budget import Options, budget
from stages.records import Drop, Passage
from stages.text.tokens import count

TEXT = st.lists(
    st.sampled_from(["word", "東京", "हिन्दी", "\U0001f469\u200d\U0001f467", "long-compound-word", "\n", "."]), max_size=120
)
PASSAGE = st.tuples(TEXT.map(" ".join), st.sampled_from("abc"), st.integers(0, 50), st.integers(0, 9))


def made(number: int, text: str, source: str = "a", start: int = 0, tokens: int = 0) -> Passage:
    return Passage(
        id=f"p{number}", url=f"https://{source}.example/", text=text, start=start, end=start + len(text), tokens=tokens
    )


def kept(records: list[Passage | Drop]) -> list[Passage]:
    return [record for record in records if isinstance(record, Passage)]


@settings(max_examples=150, deadline=None)
@given(st.lists(PASSAGE, max_size=12), st.integers(50, 400), st.sampled_from([0.2, 0.5, 1.0]))
def test_the_tokens_never_pass_the_budget_and_every_passage_is_accounted_for(
    drawn: list[tuple[str, str, int, int]], tokens: int, per_source: float
) -> None:
    passages = [made(number, *rest) for number, rest in enumerate(drawn)]
    found = budget.call(passages, Options(tokens=tokens, per_source=per_source))
    assert len(found) == len(passages)
    assert sum(count(passage.text) for passage in kept(found)) <= tokens
    originals = {passage.id: passage for passage in passages}
    for passage in kept(found):
        whole = originals[passage.id]
        assert passage.tokens == count(passage.text)
        assert passage.text == whole.text[: passage.end - passage.start]
        assert passage.clamped == (passage.text != whole.text)
    assert [passage.id for passage in kept(found)] == [whole.id for whole in passages if whole.id in {p.id for p in kept(found)}]
    assert sum(passage.clamped for passage in kept(found)) <= 1


def test_a_claimed_count_is_not_trusted() -> None:
    found = budget.call([made(1, "word " * 100, tokens=1), made(2, "word " * 100, source="b", tokens=1)], Options(tokens=120))
    assert sum(passage.tokens for passage in kept(found)) <= 120


def test_one_source_does_not_take_what_others_wait_for() -> None:
    passages = [made(number, f"a{number} " + "word " * 40) for number in range(10)] + [made(10, "word " * 40, source="b")]
    found = kept(budget.call(passages, Options(tokens=200)))
    assert "p10" in {passage.id for passage in found}


def test_one_source_may_take_everything_when_nothing_else_is_there() -> None:
    passages = [made(number, f"a{number} " + "word " * 40) for number in range(10)]
    found = kept(budget.call(passages, Options(tokens=200)))
    assert sum(passage.tokens for passage in found) > 160


def test_what_does_not_fit_is_cut_to_the_room_left_and_says_so() -> None:
    found = kept(budget.call([made(1, "word " * 60), made(2, "other " * 300, source="b", start=7)], Options(tokens=200)))
    cut = found[-1]
    assert cut.clamped
    assert cut.end == 7 + len(cut.text)
    assert sum(passage.tokens for passage in found) > 180


def test_a_rest_too_small_to_be_read_is_not_given() -> None:
    found = budget.call([made(1, "word " * 80, source="b"), made(2, "other " * 300)], Options(tokens=110, per_source=1.0))
    assert [type(record).__name__ for record in found] == ["Passage", "Drop"]
    assert [record.reason for record in found if isinstance(record, Drop)] == ["over_budget"]


def test_nothing_gives_nothing() -> None:
    assert budget.call([], Options()) == []
