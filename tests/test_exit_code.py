"""Exit codes: a fold over what left the process."""

from __future__ import annotations

import pytest

from pipelines.verdict import Verdict
from stages import load
from stages.core.wire import Line
from stages.records import Attempt, Failure, Hit, Query, Tally, encode
from stages.vocabulary import Outcome

HIT = Hit(url="https://a.test/")


def attempt(outcome: Outcome) -> Attempt:
    return Attempt(stage="search", who="engine", subject="x", outcome=outcome)


def failure(kind: Outcome) -> Failure:
    return Failure(stage="fetch", subject="https://a.test/", kind=kind, message="")


@pytest.mark.parametrize(
    ("items", "code"),
    [
        ([HIT, attempt("blocked")], 0),
        ([], 1),
        ([Tally(stage="search"), Query(text="x")], 1),
        ([attempt("empty"), attempt("blocked")], 1),
        ([attempt("challenge"), attempt("rate_limited")], 69),
        ([attempt("ok"), failure("robots"), failure("challenge")], 69),
        ([attempt("ok"), failure("robots"), failure("not_found")], 1),
        ([failure("deadline")], 75),
        ([failure("deadline"), failure("robots")], 75),
        ([failure("deadline"), HIT], 0),
    ],
)
def test_the_code_says_what_came_of_it(items: list, code: int) -> None:
    for given in (items, [Line(type(item).__name__.lower(), encode(item)) for item in items]):
        verdict = Verdict(load("dedupe"))
        for item in given:
            verdict.add([item])
        assert verdict.code == code


def reason(*items: Attempt | Failure) -> str:
    verdict = Verdict(load("fetch"), frozenset({"search", "fetch"}))
    verdict.add(list(items))
    return verdict.reason


def refusal(who: str, outcome: Outcome, message: str) -> Attempt:
    return Attempt(stage="search", who=who, subject="x", outcome=outcome, message=message)


def test_one_refusal_is_told_as_it_is_and_the_engine_named_once() -> None:
    assert reason(failure("robots")) == "nothing found: robots: "
    assert reason(refusal("bing", "blocked", "sent away")) == "nothing found: blocked: bing: sent away"
    assert reason(refusal("bing", "rate_limited", "bing: later")) == "nothing found: rate_limited: bing: later"


def test_many_refusals_are_one_line_with_the_number_of_each_kind_and_an_example_of_the_first() -> None:
    unheard = [refusal(who, "network", f"www.{who}.test does not resolve") for who in ("bing", "brave", "mojeek")]
    blocked = refusal("yahoo", "blocked", "sent away")
    assert reason(*unheard, blocked) == (
        "nothing found: network (3 times), blocked; for example bing: www.bing.test does not resolve"
    )
    assert reason(blocked, blocked) == "nothing found: blocked (2 times); each time yahoo: sent away"


def test_what_was_found_or_lost_elsewhere_needs_no_reason() -> None:
    assert reason(attempt("empty")) == ""
    assert Verdict(load("fetch"), frozenset({"fetch"})).reason == ""
    found = Verdict(load("dedupe"), frozenset({"search"}))
    found.add([attempt("blocked"), HIT])
    assert found.reason == ""
