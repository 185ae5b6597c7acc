"""A pipeline file with one thing wrong is told that one thing; with several, all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.grammar import literal
from pipelines.lint import check
from pipelines.loader import paths, profiles, read

GOOD = """
format = 1
name = "finder"
title = "Find"
description = "Finds pages of a question and reads the best of them, quickly."
deadline_secs = 30
reserve_secs = 5
[annotations]
read_only = true
open_world = true
[input.query]
description = "What to find."
required = true
[input.pages]
description = "How many pages to read."
default = 4
maximum = 20
[input.kind]
description = "How fresh the pages must be."
choices = ["", "day"]
[feed]
record = "question"
text = "$query"
freshness = "$kind"
[[stage]]
use = "expand"
queries = 2
[[stage]]
use = "search"
timeout_secs = 8
[[stage]]
use = "dedupe"
limit = "$pages"
[[stage]]
use = "fetch"
timeout_secs = 10
[[stage]]
use = "rank"
[[stage]]
use = "budget"
[reply]
fold = "research"
text = "markdown"
[[example]]
query = "Who wrote this?"
"""

BAD = {
    "an unknown key": ("title =", "titel =", ["unknown key titel; did you mean title?", "title is missing"]),
    "an unknown table": ("[feed]", "[feeed]", ["unknown key feeed; did you mean feed?"]),
    "another format": ("format = 1", "format = 2", ["format: 2 is not one of 1"]),
    "a name that is not the file's": ('name = "finder"', 'name = "seeker"', ['"seeker" in a file called finder.toml']),
    "a name that cannot be one": ('name = "finder"', 'name = "Finder!"', ["name: 'Finder!' does not match", "must be the same"]),
    "a short description": (
        "Finds pages of a question and reads the best of them, quickly.",
        "Finds.",
        ["at least 40 characters"],
    ),
    "no deadline": ("deadline_secs = 30\n", "", ["deadline_secs is missing"]),
    "a deadline of nothing": ("deadline_secs = 30", "deadline_secs = 0", ["deadline_secs: must be more than 0"]),
    "a reserve that is everything": ("reserve_secs = 5", "reserve_secs = 30", ["reserve_secs: 30 leaves nothing of 30 seconds"]),
    "stages slower than the deadline": ("timeout_secs = 8", "timeout_secs = 18", ["search 18 and fetch 10 seconds, past the 25"]),
    "no annotations of the world": ("open_world = true", "", ["annotations: open_world is missing"]),
    "a closed world with a network": ("open_world = true", "open_world = false", ["it is false, but search uses the network"]),
    "an unknown annotation": ("read_only", "readonly", ["annotations: unknown key readonly; did you mean read_only?"]),
    "an unknown record": (
        'record = "question"',
        'record = "questoin"',
        ["no record is called 'questoin'; did you mean question?"],
    ),
    "an unknown field of the feed": ("freshness =", "freshnes =", ["feed: unknown option freshnes; did you mean freshness?"]),
    "an unknown stage": ('use = "rank"', 'use = "rnak"', ["stage 5: no stage is called 'rnak'; did you mean rank?"]),
    "an unknown option": ("queries = 2", "querys = 2", ["stage 1 (expand): unknown option querys; did you mean queries?"]),
    "an option out of its limits": ("queries = 2", "queries = 9", ["stage 1 (expand) queries: must be at most 8, and 9 is not"]),
    "an option of another type": ("queries = 2", 'queries = "2"', ["queries: expected a whole number, got text"]),
    "an undeclared argument": (
        '"$pages"',
        '"$page"',
        ['"$page" is not declared; did you mean pages?', "input.pages: nothing uses it"],
    ),
    "an unused argument": ('limit = "$pages"\n', "", ['input.pages: nothing uses it; bind it with "$pages"']),
    "an unknown limit": ("maximum = 20", "maximun = 20", ["input.pages: unknown key maximun; did you mean maximum?"]),
    "a looser limit": ("maximum = 20", "maximum = 200", ["maximum = 200 is looser than the 100 of what it is bound to"]),
    "a limit that does not apply": ("maximum = 20", "max_length = 20", ["max_length does not apply to what it is bound to"]),
    "a limit that is no whole number": ("maximum = 20", "maximum = 2.5", ["a limit of a whole number is one itself"]),
    "a limit that is no number": ("maximum = 20", "maximum = nan", ["maximum = nan: a limit of a whole number"]),
    "a pattern that is none": ("required = true", 'required = true\npattern = "("', ["not a regular expression"]),
    "a minimum that is looser": ("maximum = 20", "minimum = 0", ["minimum = 0 is looser than the 1 of what it is bound to"]),
    "limits that leave nothing": (
        "maximum = 20",
        "minimum = 9\nmaximum = 3",
        ["input.pages: minimum = 9 leaves nothing of maximum = 3"],
    ),
    "a choice that there is not": ('["", "day"]', '["", "hour"]', ["choices: 'hour' is not one of"]),
    "a default out of the limits": ("default = 4", "default = 40", ["input.pages.default: must be at most 20, and 40 is not"]),
    "an inherited default out of the limits": (
        "default = 4\nmaximum = 20",
        "maximum = 5",
        ["the default of stage 3 (dedupe) limit"],
    ),
    "no description to take": ('description = "What to find."\n', "", ["input.query: describe it; feed text has no description"]),
    "a name that the command has": ("[input.kind]", "[input.seed]", ["--seed already"]),
    "a required argument with a default": ("required = true", 'required = true\ndefault = "x"', ["its default is never used"]),
    "an unknown fold": ('fold = "research"', 'fold = "reserch"', ["no fold is called 'reserch'; did you mean research?"]),
    "an unknown form": ('text = "markdown"', 'text = "markdwn"', ["reply.text: 'markdwn' is not one of"]),
    "an unknown option of the reply": (
        'text = "markdown"',
        "max_token = 5",
        ["reply: unknown option max_token; did you mean max_tokens?"],
    ),
    "a stage that sees nothing": (
        'use = "expand"\nqueries = 2',
        'use = "budget"',
        ["stage 1 (budget): it reads Passage, and only"],
    ),
    "a reply that nothing reaches": (
        '[[stage]]\nuse = "rank"\n[[stage]]\nuse = "budget"\n',
        "",
        ["reply: research needs Passage, Document, and only"],
    ),
    "an example that does not fit": ('"Who wrote this?"', "3", ["example 1: query: expected text, got a whole number"]),
    "an example of another argument": (
        'query = "Who wrote this?"',
        'qeury = "Who?"',
        ["unknown argument qeury; did you mean query?"],
    ),
    "an unknown unfold": ("[feed]", '[request]\nunfold = "web_scrap"\n[feed]', ["no unfold is called 'web_scrap'; did you mean"]),
    "an each that is no list": ('record = "question"', 'record = "question"\neach = "aim"', ["feed.each: 'aim' must be a field"]),
    "nothing to feed": ('[feed]\nrecord = "question"\ntext = "$query"\nfreshness = "$kind"\n', "", ["feed: say which record"]),
}


def problems(text: str) -> list[str]:
    return check(msgspec.toml.decode(text), "finder")


def test_a_good_file_has_no_problem() -> None:
    assert problems(GOOD) == []


@pytest.mark.parametrize("rule", BAD)
def test_a_file_with_one_thing_wrong_is_told_so(rule: str) -> None:
    old, new, expected = BAD[rule]
    assert old in GOOD
    found = problems(GOOD.replace(old, new, 1))
    for part in expected:
        assert any(part in one for one in found), found


def test_everything_wrong_is_told_at_once() -> None:
    found = problems(GOOD.replace("queries = 2", "querys = 2").replace("maximum = 20", "maximum = 200").replace("title", "titel"))
    assert len(found) == 4


SCRAPE = (paths("mcp_retrieval")[0]).read_text("utf-8")


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('robots = "$robots"\n', "", 'request: the unfold gives "robots", which no stage uses'),
        ('"$robots"', '"$robot"', '"$robot" is not declared; did you mean robots?'),
        ("[request]", '[feed]\nrecord = "hit"\n[request]', "feed: the unfold makes arguments and records"),
        ('unfold = "web_scrape"', "", "request: unfold is missing"),
        ('unfold = "web_scrape"', 'unfold = "web_scrape"\nx = 1', "request: unknown key x"),
        ('urls = ["https://example.org/"]', "urls = []", "example 1: urls: must have at least 1 items"),
    ],
)
def test_a_file_with_an_unfold_is_held_to_what_the_unfold_gives(old: str, new: str, problem: str) -> None:
    assert old in SCRAPE
    found = check(msgspec.toml.decode(SCRAPE.replace(old, new, 1)), "web_scrape")
    assert any(problem in one for one in found), found


def test_two_dollars_stand_for_one() -> None:
    text = GOOD.replace('use = "rank"', 'use = "rank"\nquestion = "$$5 or less"')
    assert problems(text) == []
    assert literal("$$5 or less") == "$5 or less"


@pytest.mark.parametrize("table", ["input = 3", 'stage = "x"', "reply = []", "annotations = 1", 'feed = "question"'])
def test_a_table_that_is_none_is_told_and_nothing_breaks(table: str) -> None:
    key = table.partition(" ")[0]
    assert any(one.startswith(f"{key}: expected") for one in problems(table))


@pytest.mark.parametrize(
    "text",
    ["stage = [1]", "stage = [{use = 3}]", "[input]\nquery = 3", "[reply]\nfold = 3", "[feed]\nrecord = []", "example = [2]"],
)
def test_values_of_any_type_are_told_and_nothing_breaks(text: str) -> None:
    assert problems(text)


@pytest.mark.parametrize("profile", profiles())
def test_the_files_that_come_with_cribble_have_no_problem(profile: str) -> None:
    for path in paths(profile):
        assert read(path)[1] == []


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"a = ", "not TOML"),
        (b"\xff\xfe", "not TOML"),
        (b"#" * 300_000, "larger than 256 KiB"),
        (b"a = " + b"[" * 9000, "not TOML"),
    ],
)
def test_what_is_no_file_of_ours_is_told(tmp_path: Path, content: bytes, problem: str) -> None:
    path = tmp_path / "broken.toml"
    path.write_bytes(content)
    assert problem in read(path)[1][0]


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 300)
    | st.floats(allow_nan=False)
    | st.sampled_from(["$query", "$x", "$", "", "rank"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["use", "record", "each", "fold", "text"]), inner)
    ),
    max_leaves=4,
)


def places_in(table: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = table.items() if isinstance(table, dict) else enumerate(table) if isinstance(table, list) else ()
    return [*([path] if path else []), *(one for key, value in inner for one in places_in(value, (*path, key)))]


@given(st.sampled_from(places_in(msgspec.toml.decode(GOOD))), VALUES)
def test_any_value_anywhere_is_told_or_good_and_nothing_breaks(path: tuple[Any, ...], value: Any) -> None:
    raw = msgspec.toml.decode(GOOD)
    table = raw
    for key in path[:-1]:
        table = table[key]
    table[path[-1]] = value
    assert all(isinstance(one, str) for one in check(raw, "finder"))


STAGELESS = """
format = 1
name = "finder"
title = "About"
description = "Tells of the server itself, and asks nobody about anything."
deadline_secs = 5
reserve_secs = 0
[annotations]
read_only = true
open_world = false
[reply]
fold = "groundhog_status"
"""


def test_a_file_without_stages_tells_of_the_server_itself_and_feeds_nothing() -> None:
    assert problems(STAGELESS) == []
    assert problems(STAGELESS.replace("groundhog_status", "research")) == [
        "reply: research needs Passage, Document, and nothing reaches the end"
    ]
    fed = '[input.query]\ndescription = "What."\n[feed]\nrecord = "question"\ntext = "$query"\n[reply]'
    assert problems(STAGELESS.replace("[reply]", fed)) == ["feed: there is no stage to feed"]
    unfolded = '[request]\nunfold = "groundhog_search"\n[reply]'
    assert problems(STAGELESS.replace("[reply]", unfolded))[0] == "request: there is no stage to feed"
