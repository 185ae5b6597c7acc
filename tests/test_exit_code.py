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
