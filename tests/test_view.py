"""What a person reads on a terminal."""

from __future__ import annotations

import re
import typing

import msgspec
import pytest
from cribble_process import on_terminal

from pipelines.view import View
from stages.core.wire import Line
from stages.records import (
    KINDS,
    Attempt,
    Document,
    Drop,
    Failure,
    Found,
    Notice,
    Passage,
    Query,
    Question,
    Record,
    Tally,
    Threat,
    encode,
)

QUESTION = Question(text="When was the weir rebuilt?")
PASSAGE = Passage(
    id="p", url="https://a.test/weir", text="The weir was rebuilt in 1931. Weirdly so.", start=0, end=41, title="The weir",
    headings=("History", "Floods"), tokens=9, score=1.25,
)  # fmt: skip


def shown(*records, **options) -> str:
    view = View(columns=80, **{"colour": False, **options})
    view.add(records)
    return view.text()


def test_a_passage_shows_what_cites_it() -> None:
    text = shown(QUESTION, PASSAGE)
    for part in ("When was the weir rebuilt?", "[1] The weir", "History > Floods", "https://a.test/weir", "1.250", "in 1931."):
        assert part in text
    assert "\x1b" not in text


def test_a_heading_that_says_what_the_title_says_is_shown_once() -> None:
    text = shown(Passage(id="p", url="https://a.test/", title="Weirs", headings=("Weirs",), text="They hold.", start=0, end=10))
    assert text.count("Weirs") == 1


def test_terms_of_the_question_are_marked_as_whole_words() -> None:
    text = shown(QUESTION, PASSAGE, colour=True)
    assert "The \x1b[1mweir\x1b[0m was \x1b[1mrebuilt\x1b[0m in 1931. Weirdly so." in text


def test_terms_without_spaces_are_marked_too() -> None:
    text = shown(
        Question(text="潮位計の点検"), Passage(id="p", url="u", text="毎年、潮位計を見る。", start=0, end=10), colour=True
    )
    assert "\x1b[1m潮位\x1b[0m" in text


def test_web_text_cannot_steer_the_terminal() -> None:
    evil = "\x1b]0;title\x07\x1b[2Jgone\r\u202etxt\x9b31m"
    records = (
        Question(text=evil), Query(text=evil), Passage(id="p", url=evil, text=evil, start=0, end=1, title=evil, headings=(evil,)),
        Attempt(stage="search", who=evil, subject=evil, outcome="blocked", message=evil),
        Notice(stage="x", code="lifted", message=evil),
        Drop(stage="x", subject=evil, reason="duplicate"), Failure(stage="x", subject=evil, kind="robots", message=evil),
        Document(url="https://b.test/", threats=(Threat(kind="bidi", reason="x", excerpt=evil),)),
    )  # fmt: skip
    assert re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown(*records)) is None


EVIL = "\x1b]0;t\x07\x1b[2J\r\x9b31m\u202e\u2066"


def _evil(kind: type[Record]) -> Record:
    """A record in which every free text steers a terminal, as a stranger's line may."""
    made = {}
    for field in msgspec.structs.fields(kind):
        made[field.name] = _filled(field.type, field.default)
    return kind(**made)


_EVIL_PARTS = {
    str: EVIL,
    tuple[str, ...]: (EVIL,),
    tuple[Threat, ...]: (Threat(kind="bidi", reason=EVIL, excerpt=EVIL, place=EVIL),),
    tuple[Found, ...]: (Found(engine=EVIL, family=EVIL, query=EVIL, rank=1),),
}


def _filled(wanted: object, default: object) -> object:
    if wanted in _EVIL_PARTS:
        return _EVIL_PARTS[wanted]
    if typing.get_origin(wanted) is dict:
        return {EVIL: 1}
    if default is not msgspec.NODEFAULT:
        return default
    return typing.get_args(wanted)[0] if typing.get_origin(wanted) is typing.Literal else 1


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_no_field_of_any_record_can_steer_the_terminal(kind: type[Record]) -> None:
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown(_evil(kind)))


def test_each_source_says_what_became_of_it() -> None:
    text = shown(
        PASSAGE,
        Document(
            url="https://a.test/weir",
            text="x" * 50,
            threats=(Threat(kind="hidden_css", reason="display", excerpt="buy"),),
            threats_total=3,
        ),
        Failure(stage="fetch", subject="https://b.test/", kind="robots", message="robots.txt says no"),
        *(Drop(stage="rank", subject=f"https://c.test/{number}", reason="over_limit") for number in range(8)),
        Attempt(stage="search", who="duckduckgo", subject="weir", outcome="challenge", http_status=202),
        Notice(stage="fetch", code="guard_delegated", message="names are looked up by the proxy"),
        Tally(stage="fetch", read=2, went_on=1, wrote=1, failed={"robots": 1}),
    )
    expected = [
        "1 passage ",
        "robots.txt says no",
        "https://c.test/4",
        "and 3 more",
        "challenge",
        "duckduckgo",
        "guard_delegated",
    ]
    for part in (*expected, "3 removed (hidden_css 1)", "'buy'", "fetch 2→1 (1 robots)"):
        assert part in text, part


def test_code_and_tables_keep_their_lines() -> None:
    code = "```\n" + "x = 1  " * 20 + "\n```\n|" + " cell |" * 20
    text = shown(Passage(id="p", url="u", text=code, start=0, end=len(code)))
    assert [f"    {line}" for line in code.split("\n")] == text.split("\n\n")[1].rstrip().split("\n")


def test_a_record_of_an_unknown_type_is_passed_over() -> None:
    assert shown(Line("elsewhere", b'{"type":"elsewhere"}')) == ""


def test_the_command_shows_it_on_a_terminal_without_colour_when_asked() -> None:
    given = encode(QUESTION) + b"\n" + encode(PASSAGE) + b"\n"
    code, text, complaint = on_terminal("rank", given=given, NO_COLOR="1")
    assert code == 0, complaint
    assert "[1] The weir" in text
    assert '"type"' not in text
    assert "\x1b" not in text


def test_a_keyboard_is_no_input() -> None:
    code, text, complaint = on_terminal("expand")
    assert (code, text) == (2, "")
    assert b'give a question, as in cribble expand "your question"' in complaint
