"""Records on the wire: what is written is read again, what is unknown passes, what is wrong is named."""

from __future__ import annotations

import typing

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.core.errors import InputError
from stages.core.wire import decoded, encoded, item_tag, parse_line
from stages.records import BY_TAG, KINDS, Page, Query, Question, encode, record_id, tag

TAGS = frozenset(BY_TAG)
texts = st.text(max_size=40)
anything = st.one_of(
    st.builds(Question, text=texts, language=texts, include_domains=st.lists(texts, max_size=3).map(tuple)),
    st.builds(Query, text=texts, weight=st.floats(0, 10), derived=texts),
    st.builds(Page, url=texts, body=st.binary(max_size=60), headers=st.lists(st.tuples(texts, texts), max_size=3).map(tuple)),
)


@given(anything)
def test_a_record_is_read_as_it_was_written(record: Question | Query | Page) -> None:
    line = encode(record)
    assert b"\n" not in line
    again = decoded(parse_line(line, 1, TAGS))
    assert again == record
    assert encode(again) == line
    assert record_id(again) == record_id(record)


@given(st.dictionaries(st.text(min_size=1, max_size=8), st.integers() | texts, max_size=4), st.text(min_size=1, max_size=12))
def test_an_unknown_type_passes_byte_for_byte(fields: dict[str, object], kind: str) -> None:
    raw = msgspec.json.encode({**fields, "type": f"x-{kind}"})
    line = parse_line(raw, 1, TAGS)
    assert encoded(line) == raw + b"\n"
    assert item_tag(line) == f"x-{kind}"


def test_unknown_fields_of_a_known_type_are_read_over_and_kept_on_the_line() -> None:
    raw = b'{"type":"question","text":"why","later":{"a":[1]}}'
    line = parse_line(raw, 1, TAGS)
    assert decoded(line) == Question(text="why")
    assert encoded(line) == raw + b"\n"


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"{", "line 7: not JSON"),
        (b'{"text":"no type"}', 'line 7: no "type"'),
        (b"[1,2]", 'line 7: no "type"'),
        (b'{"type":3}', 'line 7: no "type"'),
        (b'{"type":"question"}', "line 7: not a question: Object missing required field `text`"),
        (b'{"type":"page","url":"u","body":"%%%"}', "line 7: not a page: Invalid base64"),
        (b'{"type":"hit","url":"\xff"}', "line 7: not"),
        (b'{"type":"x","deep":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "line 7: nested too deep"),
        (b'{"type":"page","url":"u","http_status":99999999999999999999}', "line 7: not a page: Expected `int` <= "),
        (b'{"type":"hit","url":"u","width":-1}', "line 7: not a hit: Expected `int` >= 0"),
        (
            b'{"type":"hit","url":"u","found":[{"engine":"e","family":"f","query":"q","rank":-1}]}',
            "line 7: not a hit: Expected `int` >= 1",
        ),
        (b'{"type":"query","text":"q","weight":1e308}', "line 7: not a query: Expected `float` <= "),
        (
            b'{"type":"run","wire":1,"cribble":"x","id":"i","start":"2026-01-01T00:00:00Z\\r\\nEvil: 1"}',
            "line 7: not a run: Expected `str`",
        ),
        (
            b'{"type":"run","wire":1,"cribble":"x","id":"i","start":"2026-01-01T00:00:00Z","reserve_secs":-1}',
            "line 7: not a run: Expected `float`",
        ),
    ],
)
def test_a_wrong_line_is_named_by_its_number(raw: bytes, says: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_line(raw, 7, TAGS)
    assert str(caught.value).startswith(says)


@given(st.binary(max_size=80))
def test_no_bytes_make_the_reader_fail_otherwise(raw: bytes) -> None:
    try:
        parse_line(raw, 1, TAGS)
    except InputError:
        pass


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_field_of_a_record_has_a_default(kind: type) -> None:
    """Lines of last year must still decode: the required fields are these and no others."""
    required = {field.name for field in msgspec.structs.fields(kind) if field.required}
    first = {
        "run": {"wire", "cribble", "id", "start"}, "question": {"text"}, "query": {"text"},
        "attempt": {"stage", "who", "subject", "outcome"},
        "hit": {"url"}, "page": {"url"}, "document": {"url"}, "passage": {"id", "url", "text", "start", "end"}, "link": {"url"},
        "drop": {"stage", "subject", "reason"}, "failure": {"stage", "subject", "kind", "message"},
        "notice": {"stage", "code", "message"}, "tally": {"stage"},
    }  # fmt: skip
    assert required == first[kind.__name__.lower()]


def test_only_tally_holds_milliseconds() -> None:
    fields = {kind.__name__: typing.get_type_hints(kind) for kind in KINDS}
    assert [name for name, hints in fields.items() if any("milli" in one for one in hints)] == ["Tally"]


def test_the_type_on_the_wire_is_the_record_s_name() -> None:
    for kind in KINDS:
        assert BY_TAG[kind.__name__.lower()] is kind
    assert tag(Question(text="q")) == "question"
