"""Tools out of pipeline files: what they take, what they refuse, and that a command, a library call and a tool say the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from cribble_process import PATIENCE_SECS, cribble
from hypothesis import given
from hypothesis import strategies as st

from pipelines.commands import loaded
from pipelines.config import configured, user_file
from pipelines.loader import Pipeline, job, load_file, paths, profiles
from pipelines.story import Rejected
from pipelines.tool import Tool, ToolReply, tool_of, tools
from stages.core.errors import UsageError
from stages.records import Hit, Notice, Question

ROOT = Path(__file__).resolve().parent.parent
DEMO = str(ROOT / "fixtures/demo/demo.warc.gz")
QUESTION = "Which Tidewren release made storm-surge sampling automatic, and how often does the gauge measure then?"
MINE = (ROOT / "pipelines/default/research.toml").read_text()


def tool(name: str) -> Tool:
    return tool_of(loaded(name))


async def replayed(name: str, arguments: dict[str, Any], **flags: Any) -> ToolReply:
    with anyio.fail_after(PATIENCE_SECS):
        return await tool(name).call(arguments, config=configured({"replay": DEMO, **flags}))


@pytest.fixture
def own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    folder = user_file().parent / "pipelines"
    folder.mkdir(parents=True)
    return folder


def test_the_default_profile_has_its_tools_in_the_order_of_their_files() -> None:
    made = tools()
    assert [one.name for one in made.tools] == ["read_url", "research", "search", "search_images", "search_news"]
    assert made.problems == ()


@pytest.mark.parametrize("profile", profiles())
def test_every_tool_has_an_object_at_the_root_of_both_schemas_and_describes_every_argument(profile: str) -> None:
    for one in tools((profile,)).tools:
        assert one.input_schema["type"] == one.output_schema["type"] == "object"
        assert one.input_schema["additionalProperties"] is False
        for name, told in one.input_schema["properties"].items():
            assert told["description"], f"{one.name}.{name}"


def test_an_argument_has_the_limits_of_what_it_is_bound_to_unless_the_file_narrows_them() -> None:
    told = tool("research").input_schema["properties"]
    assert (told["max_sources"]["minimum"], told["max_sources"]["maximum"], told["max_sources"]["default"]) == (1, 20, 8)
    assert told["max_tokens"]["minimum"] == 500  # the fold's: the narrower of the two it is bound to
    assert told["freshness"]["enum"] == ["", "day", "month", "week", "year"]
    assert tool("search").input_schema["properties"]["queries"]["maxItems"] == 10


@pytest.mark.anyio
async def test_a_call_with_wrong_arguments_tells_all_of_them_and_what_to_do() -> None:
    reply = await replayed("research", {"max_sources": "9", "max_tokens": 9, "sites": []})
    assert reply.is_error
    assert reply.structured == {}
    for part in ("unknown argument sites", "query is missing", "expected a whole number, got text", "must be at least 500"):
        assert part in reply.text
    assert "It takes: query, max_sources" in reply.text


@pytest.mark.anyio
@pytest.mark.parametrize("query", ["", "  ", "x" * 2001, None, 3, ["a"], {"a": 1}])
async def test_a_query_that_is_none_is_refused(query: Any) -> None:
    reply = await replayed("research", {"query": query})
    assert reply.is_error
    assert "query" in reply.text


def deep(levels: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(levels):
        found = [found]
    return found


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("query", deep(100_000), "query: expected text, got a list"),
        ("query", "half \ud800 of it", "half a character"),
        ("include_domains", ["\udfff"], "half a character"),
        ("include_domains", [deep(100_000)], "include_domains[0]: expected text, got a list"),
        ("max_sources", 10**400, "max_sources: "),
        ("max_sources", True, "expected a whole number, got true or false"),
        ("freshness", "x" * 100_000, "is not one of"),
        ("x" * 100_000, 1, "unknown argument"),
        ("\ud800", 1, "unknown argument ?"),
    ],
)
def test_arguments_of_any_depth_size_or_kind_are_refused_in_few_words(name: str, value: Any, told: str) -> None:
    with pytest.raises(Rejected) as refused:
        job(loaded("research"), {"query": "q", name: value})
    assert told in str(refused.value)
    assert len(str(refused.value)) < 1000
    str(refused.value).encode()


@given(
    st.dictionaries(
        st.sampled_from(["urls", "query", "max_tokens", "format", "x"]),
        st.none() | st.integers() | st.text("ab\n\u00e9", max_size=5) | st.lists(st.text("htps:/x", max_size=12), max_size=3),
    )
)
def test_any_arguments_make_a_job_or_are_refused(arguments: dict[str, Any]) -> None:
    try:
        made = job(loaded("read_url"), arguments)
    except Rejected as refused:
        assert str(refused).startswith("read_url was not called:")  # noqa: PT017 - either way is right
    else:
        assert [type(record) for record in made.records] == [Hit] * len(made.records)


@pytest.mark.anyio
async def test_a_command_a_library_call_and_another_process_give_the_same_reply() -> None:
    reply = await replayed("research", {"query": QUESTION, "max_sources": 20, "max_tokens": 3000})
    again = await replayed("research", {"query": QUESTION, "max_sources": 20, "max_tokens": 3000})
    assert (reply.text, reply.structured, reply.code) == (again.text, again.structured, 0)
    flags = ("--max-sources", "20", "--max-tokens", "3000", "--replay", DEMO)
    done = cribble("research", *flags, QUESTION)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == reply.text + "\n"
    as_json = cribble("call", "default/research", QUESTION, *flags, "--reply", "json", PYTHONHASHSEED="7")
    assert json.loads(as_json.stdout) == json.loads(json.dumps(reply.structured))


@pytest.mark.anyio
async def test_the_run_writes_the_same_records_as_the_stages_in_a_pipe() -> None:
    """The reply's passages are those of the pipe that the file spells out."""
    reply = await replayed("research", {"query": QUESTION, "max_sources": 20, "max_tokens": 3000})
    frame = 80 + 3000 // 5
    stages = "expand | search --per-engine 20 --timeout-secs 8 | dedupe --limit 20 | fetch | rank --keep 200"
    stages += f" | budget --tokens {3000 - frame}"
    done = cribble("run", stages, QUESTION, "--replay", DEMO)
    passages = [line for line in map(json.loads, done.stdout.splitlines()) if line["type"] == "passage"]
    assert [one["id"] for one in passages] == [one["id"] for one in reply.structured["passages"]]
    assert [one["text"] for one in passages] == [one["text"] for one in reply.structured["passages"]]


@pytest.mark.anyio
async def test_when_nobody_answers_the_reply_is_an_error_that_says_who_and_why() -> None:
    reply = await replayed("search", {"queries": ["something that was never recorded"]})
    assert (reply.is_error, reply.code, reply.structured["status"]) == (True, 69, "unavailable")
    assert "Nothing was found: searxng, duckduckgo: replay_miss." in reply.text


def test_progress_is_told_stage_by_stage() -> None:
    told: set[str] = set()
    call = tool("research").call(
        {"query": QUESTION, "max_sources": 20},
        config=configured({"replay": DEMO}),
        progress=lambda stage, _read, _done: told.add(stage),
    )
    anyio.run(lambda: call)
    assert {"expand", "search", "fetch", "rank", "budget"} <= told


def test_words_and_standard_input_are_the_argument_that_must_be_given() -> None:
    by_words = cribble("call", "search", QUESTION, "--replay", DEMO)
    by_input = cribble("call", "search", "--replay", DEMO, given=QUESTION + "\n")
    by_option = cribble("call", "search", "--queries", QUESTION.replace(",", "\uff0c"), "--replay", DEMO)
    assert by_words.stdout == by_input.stdout
    assert by_words.returncode == 0
    assert by_option.returncode == 69  # another query, which nobody recorded


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["research", "--max-sources", "50", "x"], "max_sources: must be at most 20"),
        (["research"], "query is missing"),
        (["read-url", "example.org"], "urls[0]: 'example.org' does not match"),
        (["research", "--sources", "3", "x"], "unknown option --sources"),
        (["reserch", "x"], "did you mean research?"),
        (["call", "reserch"], "no tool is called 'reserch'; did you mean research?"),
        (["call", "nowhere/research"], "no profile is called 'nowhere'"),
        (["explain-tool"], "say which tool"),
        (["new-tool", "Not A Name"], "name"),
        (["new-tool", "research"], "there is a tool called research already"),
    ],
)
def test_a_command_that_cannot_be_is_told_in_one_line(arguments: list[str], complaint: str) -> None:
    done = cribble(*arguments)
    assert done.returncode == 2
    assert complaint in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


def test_a_file_in_the_user_s_folder_is_a_command_and_a_tool(own_folder: Path) -> None:
    (own_folder / "quick.toml").write_text(
        MINE.replace('name = "research"', 'name = "quick"').replace("default = 8", "default = 20")
    )
    assert [one.name for one in tools().tools] == ["read_url", "research", "search", "search_images", "search_news", "quick"]
    assert tools().tools[-1].profile == "user"
    done = cribble("quick", QUESTION, "--replay", DEMO)
    assert done.returncode == 0
    assert b"[1] https://docs.tidewren.example/manual/4.2/surge-mode" in done.stdout


def test_a_broken_file_is_reported_and_left_out(own_folder: Path) -> None:
    (own_folder / "broken.toml").write_text("format = 1\n")
    (own_folder / "torn.toml").write_text("format =")
    (own_folder / "search.toml").write_text((ROOT / "pipelines/default/search.toml").read_text())
    made = tools()
    assert [one.name for one in made.tools] == ["read_url", "research", "search", "search_images", "search_news"]
    assert any("torn.toml: not TOML" in one for one in made.problems)
    assert any("broken.toml: name is missing" in one for one in made.problems)
    assert any("search.toml: default has a tool called search" in one for one in made.problems)
    done = cribble("lint")
    assert done.returncode == 2
    assert done.stdout.decode().splitlines() == list(made.problems)
    assert "cribble lint" in cribble("broken", "x").stderr.decode()


def test_lint_of_a_file_names_it_and_ends_with_2(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(MINE)
    done = cribble("lint", str(path))
    assert (done.returncode, done.stdout.decode()) == (
        2,
        f'{path}: name: it is "research" in a file called mine.toml; they must be the same\n',
    )
    assert cribble("lint").returncode == 0


def test_new_tool_writes_a_file_that_works_at_once(own_folder: Path) -> None:
    done = cribble("new-tool", "harbour-search", "--like", "search")
    assert done.returncode == 0
    path = own_folder / "harbour_search.toml"
    assert str(path) in done.stdout.decode()
    assert load_file(path, "user")[1] == []
    assert cribble("harbour-search", "--help").returncode == 0
    assert cribble("new-tool", "harbour-search").returncode == 2


def test_explain_tool_says_where_each_argument_goes_and_draws_the_stages() -> None:
    text = cribble("explain-tool", "research").stdout.decode()
    assert "-> stage 6 (budget) tokens; reply max_tokens" in text
    for stage in ("expand", "search*", "dedupe", "fetch*", "sanitize", "extract", "chunk", "rank", "budget"):
        assert f"| {stage} " in text
    assert "(put in for rank)" in text
    drawn = cribble("explain-tool", "research", "--mermaid").stdout.decode().splitlines()
    assert drawn[0] == "flowchart TD"
    assert '  in_max_sources("max_sources") -.->|"limit"| s3' in drawn


@pytest.mark.parametrize("profile", profiles())
def test_every_tool_can_be_explained_and_has_help(profile: str) -> None:
    for path in paths(profile):
        name = f"{profile}/{path.stem}"
        assert cribble("explain-tool", name).returncode == 0
        shown = cribble("call", name, "--help")
        assert shown.returncode == 0
        assert b" |" not in shown.stdout  # an empty choice is not one to type


def test_two_profiles_with_a_tool_of_one_name_are_refused_and_a_prefix_stands_before_every_name() -> None:
    with pytest.raises(UsageError, match="default and groundhog both have a tool called read_url"):
        tools(("default", "groundhog"))
    with pytest.raises(UsageError, match="did you mean groundhog"):
        tools(("groundhogs",))
    assert all(one.name.startswith("gh_") for one in tools(("groundhog",), prefix="gh_").tools)


def test_flags_say_when_a_call_must_be_over_and_else_its_file_does() -> None:
    from pipelines.tool import _timed

    made = job(loaded("research"), {"query": "x"})
    asked = (made.deadline_secs, made.reserve_secs)
    assert _timed(configured({}), *asked).flags.deadline_secs == 30
    assert _timed(configured({}), *asked).flags.reserve_secs == 6
    assert _timed(configured({"deadline_secs": 3}), *asked).flags.deadline_secs == 3
    assert _timed(configured({"deadline_secs": 3}), *asked).flags.reserve_secs == 1  # or nothing would be left to fetch in
    assert _timed(configured({"deadline_secs": 3, "reserve_secs": 2}), *asked).flags.reserve_secs == 2


def scrape() -> Pipeline:
    return loaded("mcp_retrieval/web_scrape")


@pytest.mark.parametrize(
    ("arguments", "first", "cause"),
    [
        ({"urls": ["https://a.example/", "ftp://b.example/"]}, "invalid url", "urls[1]: neither http nor https"),
        ({"urls": ["https://a.example/" + "x" * 2048]}, "invalid url", "urls[0]: longer than 2048 characters"),
        ({"urls": ["https://"]}, "invalid url", "urls[0]: malformed"),
        ({"urls": ["http://[::1"]}, "invalid url", "urls[0]: malformed"),
        ({"urls": ["https://a.example/"] * 11}, "invalid request", "at most 10 items, and has 11"),
        ({"urls": []}, "invalid request", "at least 1 items, and has 0"),
        ({"urls": ["https://a.example/"], "max_chars": "9"}, "invalid request", "max_chars: expected a whole number"),
    ],
)
def test_web_scrape_refuses_the_whole_call_in_published_words(arguments: dict[str, Any], first: str, cause: str) -> None:
    with pytest.raises(Rejected) as refused:
        job(scrape(), arguments)
    assert str(refused.value).splitlines()[0] == first
    assert cause in str(refused.value)


@pytest.mark.parametrize(
    ("timeout_ms", "secs", "told"),
    [(None, 5, False), (0, 5, False), (-3, 5, False), (50, 1, True), (7000, 7, False), (60_000, 10, True)],
)
def test_web_scrape_moves_its_timeout_into_the_range_and_says_so(timeout_ms: int | None, secs: int, *, told: bool) -> None:
    more = {} if timeout_ms is None else {"timeout_ms": timeout_ms}
    made = job(scrape(), {"urls": ["https://a.example/"], "robots_txt": True, **more})
    assert made.deadline_secs == secs
    assert made.plan[1].options.timeout_secs == secs
    notices = [one for one in made.records if isinstance(one, Notice)]
    assert [(one.code, one.asked, one.used) for one in notices] == (
        [("limit_lowered", str(timeout_ms), str(secs * 1000))] if told else []
    )


def test_web_scrape_asks_robots_only_when_told_and_says_so() -> None:
    made = job(scrape(), {"urls": ["https://a.example/"]})
    assert made.plan[1].options.robots == "ignore"
    assert any(isinstance(one, Notice) and one.option == "robots_txt" for one in made.records)
    assert job(scrape(), {"urls": ["https://a.example/"], "robots_txt": True}).plan[1].options.robots == "obey"


@pytest.mark.anyio
async def test_web_scrape_is_an_error_when_every_page_fails() -> None:
    reply = await replayed("mcp_retrieval/web_scrape", {"urls": ["https://unknown.example/"]})
    assert reply.is_error
    lines = reply.text.splitlines()
    assert lines[0] == "every url failed to be scraped; the pages may be unreachable or hold no extractable text"
    assert lines[1].startswith("https://unknown.example/: ")


def groundhog() -> Pipeline:
    return loaded("groundhog/research")


@pytest.mark.parametrize(
    ("arguments", "sources", "tokens", "moved"),
    [
        ({}, 5, 20_000, 0),
        ({"max_sources": 0, "max_tokens": 0}, 1, 20_000, 1),
        ({"max_sources": 99, "max_tokens": None}, 10, 20_000, 1),
        ({"max_sources": 10, "max_tokens": 1234}, 10, 1234, 0),
        ({"max_tokens": 10}, 5, 50, 1),
        ({"include_domains": None, "exclude_domains": None, "published_after": None, "aim": None, "follow": None}, 5, 20_000, 0),
    ],
)
def test_groundhog_research_takes_nulls_and_moves_what_is_out_of_range(
    arguments: dict[str, Any], sources: int, tokens: int, moved: int
) -> None:
    made = job(groundhog(), {"query": "x", **arguments})
    options = {step.stage.name: step.options for step in made.plan if not step.lifted_for}
    assert (options["dedupe"].limit, options["budget"].tokens) == (sources, tokens)
    assert sum(isinstance(one, Notice) for one in made.records) == moved
    assert any(isinstance(one, Question) for one in made.records)


@pytest.mark.parametrize(
    ("arguments", "first"),
    [
        ({"query": " "}, "query must not be empty"),
        ({"query": "x", "aim": "a" * 201}, "aim must be at most 200 characters"),
        ({"query": "x", "include_domains": [f"a{n}.example" for n in range(9)]}, "include_domains takes at most 8 domains"),
        ({"query": "x", "exclude_domains": ["https://a.example/"]}, "not a domain name: 'https://a.example/'"),
        ({"query": "x", "include_domains": ["localhost"]}, "not a domain name: 'localhost'"),
        ({"query": "x", "include_domains": ["*.example"]}, "not a domain name: '*.example'"),
        ({"query": "x", "follow": []}, "follow takes 1-8 entries"),
        ({"query": "x", "follow": [{"token": "t", "why": "w"}] * 9}, "follow takes 1-8 entries"),
        ({"query": "x", "follow": [{"token": "t", "why": " "}]}, "every follow entry needs a why of 1-160 characters"),
        ({"query": "x", "published_after": "20260101"}, "published_after must be a date as YYYY-MM-DD"),
        ({"query": "x", "published_after": "soon"}, "published_after must be a date"),
        ({"query": "x", "follow": [{"token": "t", "why": "w" * 161}]}, "every follow entry needs a why of 1-160 characters"),
        ({"query": "x", "follow": [{"token": "t"}]}, "research was not called:"),
    ],
)
def test_groundhog_research_refuses_what_it_publishes_as_refused(arguments: dict[str, Any], first: str) -> None:
    with pytest.raises(Rejected) as refused:
        job(groundhog(), arguments)
    assert str(refused.value).startswith(first)


@pytest.mark.anyio
async def test_groundhog_research_searches_nothing_when_it_is_to_follow() -> None:
    reply = await replayed("groundhog/research", {"query": "x", "follow": [{"token": "t", "why": "to know"}]})
    assert reply.structured["followed"] == [{"url": None, "why": "to know", "outcome": "invalid_token"}]
    assert reply.structured["receipt"]["executed_query"] is None
    assert reply.structured["receipt"]["hits"] == 0


def test_additions_to_published_replies_are_listed() -> None:
    listed = msgspec.json.decode((ROOT / "pipelines/mcp_retrieval/additions.json").read_bytes())
    schema = tool("mcp_retrieval/web_scrape").output_schema
    published = {"results", "metadata"}
    assert set(schema["properties"]) - published == {"notices"}
    assert listed["web_scrape"]["output"] == ["notices", "results[].error"]
    assert set(schema["$defs"]["Result"]["properties"]) - {"url", "status", "scraped_data", "total_time_ms"} == {"error"}
