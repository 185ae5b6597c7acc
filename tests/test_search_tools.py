"""The tools that search: what they take, what they refuse, and what they say when engines refuse."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines import folds, unfolds
from pipelines.commands import loaded
from pipelines.folds import news
from pipelines.loader import job
from pipelines.story import Rejected, Story
from pipelines.tool import tool_of
from stages.core.errors import FOUND, NOTHING, UNAVAILABLE
from stages.records import Attempt, Failure, Found, Hit, Notice, Query, Record, Run

RUN = Run(wire=1, cribble="test", id="case", start="2026-01-31T12:00:00.000Z")
MCP = ("mcp_retrieval/web_search", "mcp_retrieval/web_search_images")
BETTER = ("better_web_search/web_search", "better_web_search/web_find", "better_web_search/web_news")


def refused(name: str, arguments: dict[str, Any]) -> str:
    with pytest.raises(Rejected) as refusal:
        job(loaded(name), arguments)
    return str(refusal.value)


def reply(fold: str, *records: Record, fed: tuple[Record, ...] = (), code: int = FOUND, **options: Any) -> Any:
    one = folds.by_name(fold)
    assert one is not None
    return one.fold(Story(run=RUN, fed=fed, records=records, code=code), one.options(**options))


def hit(query: str, url: str, **more: Any) -> Hit:
    return Hit(**{"url": url, "title": url, "found": (Found(engine="a", family="a", query=query, rank=1),), "score": 0.5} | more)


def tried(query: str, outcome: Any, message: str = "", status: int = 0) -> Attempt:
    return Attempt(stage="search", who="bing", subject=query, outcome=outcome, message=message, http_status=status)


@pytest.mark.parametrize("name", MCP)
def test_one_bad_query_refuses_the_whole_call_in_published_words(name: str) -> None:
    assert refused(name, {"queries": []}) == "query must not be empty"
    assert refused(name, {"queries": ["mill", " \t"]}) == "query must not be empty"
    assert refused(name, {"queries": ["mill", "x" * 513]}).splitlines() == [
        "query is too long",
        "queries[1]: over 512 characters",
    ]
    assert refused(name, {"queries": ["mill"] * 11}).startswith("invalid request\n")
    assert refused(name, {"queries": "mill"}).startswith("invalid request\n")
    assert refused(name, {}).startswith("invalid request\n")
    assert job(loaded(name), {"queries": [f" {'x' * 512} "]}).records[-1] == Query(
        text="x" * 512, kind="image" if "images" in name else "web"
    )


@pytest.mark.parametrize(
    ("name", "asked", "used", "notices"),
    [
        ("web_search", {"max_results": 21}, {"limit": 20}, 1),
        ("web_search", {"max_results": 0, "timeout_ms": -1}, {"limit": 5, "timeout_secs": 5.0}, 0),
        ("web_search", {"timeout_ms": 10}, {"timeout_secs": 1.0}, 1),
        ("web_search_images", {"max_images": 20, "timeout_ms": 60_000}, {"limit": 10, "timeout_secs": 10.0}, 2),
        ("web_search_images", {"date": "fortnight"}, {"date": "fortnight"}, 1),
    ],
)
def test_limits_are_moved_and_the_move_is_told(name: str, asked: dict[str, Any], used: dict[str, Any], notices: int) -> None:
    unfold = unfolds.by_name(name)
    assert unfold is not None
    made = unfold.call(msgspec.convert({"queries": ["mill"]} | asked, unfold.arguments))
    assert {key: made.values[key] for key in used} == used
    assert len(made.notices) == notices
    assert made.deadline_secs == made.values["timeout_secs"]


@pytest.mark.parametrize(("date", "span"), [("d", "day"), ("w", "week"), ("m", "month"), ("y", "year"), ("", ""), ("x", "")])
def test_a_date_is_a_span_that_engines_know(date: str, span: str) -> None:
    records = job(loaded(MCP[0]), {"queries": ["mill"], "date": date}).records
    assert [one.freshness for one in records if isinstance(one, Query)] == [span]


def test_each_query_has_its_own_entry_status_and_doubles() -> None:
    told = reply(
        "web_search",
        hit("a", "https://x.example/"), hit("b", "https://x.example/"), hit("a", "https://x.example/?utm_source=y"),
        tried("c", "empty", "the engine found nothing"), tried("d", "timeout", "no answer"), tried("d", "blocked"),
        tried("e", "blocked", "refused with status 403"), tried("f", "irrelevant"),
        Failure(stage="search", subject="g", kind="deadline", message="cut"),
        Notice(stage="request", code="limit_lowered", message="moved"),
        queries=("a", "b", "c", "d", "e", "f", "g", "a"), date="w",
    )  # fmt: skip
    assert [(one.query, one.status, one.count) for one in told.results] == [
        ("a", "success", 1), ("b", "success", 1), ("c", "success", 0), ("d", "timeout", 0), ("e", "failed", 0),
        ("f", "failed", 0), ("g", "timeout", 0), ("a", "success", 1),
    ]  # fmt: skip
    assert told.results[4].error == "bing: refused with status 403"
    assert told.metadata.date == "w"
    assert told.notices == ("moved",)
    (snippet,) = told.results[0].snippets
    assert (snippet.link, snippet.rank, snippet.source) == ("https://x.example/", 1, "x.example")
    assert snippet.id[14] == "7"
    assert snippet.id != told.results[1].snippets[0].id


def test_the_limit_is_each_query_s_own() -> None:
    hits = [hit(query, f"https://{query}{number}.example/") for query in "ab" for number in range(30)]
    told = reply("web_search", *hits, queries=("a", "b"), limit=20)
    assert [one.count for one in told.results] == [20, 20]
    assert [one.rank for one in told.results[1].snippets] == list(range(1, 21))


def test_pictures_that_do_not_fit_are_said_to_be_none() -> None:
    picture = hit("a", "https://x.example/", kind="image", image_url="https://x.example/1.jpg", title="A mill")
    told = reply(
        "web_search_images", picture, tried("b", "irrelevant", "no result has any word of the query"), queries=("a", "b")
    )
    assert [one.status for one in told.results] == ["success", "no relevant"]
    (image,) = told.results[0].images
    assert (image.url, image.page_url, image.description) == ("https://x.example/1.jpg", "https://x.example/", "A mill")


@pytest.mark.parametrize("fold", ["web_search", "web_search_images"])
def test_a_call_whose_queries_all_failed_is_refused_with_the_causes_and_one_that_timed_out_is_not(fold: str) -> None:
    with pytest.raises(Rejected) as refusal:
        reply(
            fold, tried("a", "challenge", "asks whether a person is searching"), tried("b", "blocked", "403"), queries=("a", "b")
        )
    assert str(refusal.value).splitlines() == [
        "every query failed; the search upstream may be unreachable",
        "a: bing: asks whether a person is searching",
        "b: bing: 403",
    ]
    told = reply(fold, tried("a", "challenge"), tried("b", "timeout"), queries=("a", "b"))
    assert [one.status for one in told.results] == ["failed", "timeout"]


def test_additions_to_the_two_searches_are_listed() -> None:
    listed = msgspec.json.decode((loaded(MCP[0]).path.parent / "additions.json").read_bytes())
    for name in MCP:
        schema, short = tool_of(loaded(name)).output_schema, name.rpartition("/")[2]
        items = "images" if "images" in name else "snippets"
        assert set(schema["properties"]) - {"results", "metadata"} == {"notices"}
        own = set(schema["$defs"]["Result"]["properties"]) - {"query", "status", "count", items, "total_time_ms"}
        assert own == {"error"}
        assert listed[short]["output"] == ["notices", "results[].error"]
    assert set(tool_of(loaded(MCP[0])).input_schema["properties"]) == {"queries", "max_results", "timeout_ms", "date"}
    assert tool_of(loaded(MCP[0])).input_schema["properties"]["queries"]["maxItems"] == 10


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        (BETTER[0], {"query": ""}), (BETTER[0], {"query": "x", "max_results": 0}), (BETTER[0], {"query": "x", "max_results": 21}),
        (BETTER[0], {"query": "x", "recency_days": -1}), (BETTER[0], {"query": "x", "recency_days": 366}), (BETTER[0], {}),
        (BETTER[1], {"query": "x"}), (BETTER[1], {"query": "x", "site": ""}),
        (BETTER[2], {"topic": ""}), (BETTER[2], {"topic": "x", "recency_days": 0}),
        (BETTER[2], {"topic": "x", "recency_days": 366}), (BETTER[2], {"topic": "x", "max_results": 2.5}),
    ],
)  # fmt: skip
def test_what_is_out_of_range_is_refused_and_never_moved(name: str, arguments: dict[str, Any]) -> None:
    assert refused(name, arguments)


@pytest.mark.parametrize(
    ("days", "span"), [(0, ""), (1, "day"), (2, "week"), (7, "week"), (8, "month"), (32, "year"), (365, "year")]
)
def test_days_become_the_smallest_span_that_holds_them(days: int, span: str) -> None:
    (query,) = job(loaded(BETTER[0]), {"query": "mill", "recency_days": days}).records
    assert query == Query(text="mill", freshness=span)  # type: ignore[arg-type]


def test_a_site_stands_before_the_query_and_news_look_at_three_times_as_many() -> None:
    (query,) = job(loaded(BETTER[1]), {"query": "mill", "site": "docs.example"}).records
    assert query == Query(text="site:docs.example mill")
    made = job(loaded(BETTER[2]), {"topic": "mill", "max_results": 7})
    assert made.records == (Query(text="mill", kind="news", freshness="week"),)
    assert [step.options.limit for step in made.plan if step.stage.name == "dedupe"] == [21]  # type: ignore[attr-defined]


def test_sources_say_how_relevant_they_are_and_warnings_who_refused() -> None:
    told = reply(
        "better_web_search",
        hit("mill", "https://x.example/", published="2026-01-02", score=0.85), hit("mill", "https://y.example/", score=1.7),
        tried("mill", "challenge", status=202), tried("mill", "rate_limited", "budget used up"), tried("mill", "empty"),
        Failure(stage="search", subject="mill", kind="deadline", message="cut by the deadline"),
        fed=(Query(text="mill"),), query="mill",
    )  # fmt: skip
    assert msgspec.json.decode(msgspec.json.encode(told)) == {
        "answer": 'Top 2 results for "mill"',
        "sources": [
            {
                "title": "https://x.example/",
                "url": "https://x.example/",
                "snippet": "",
                "relevance": 0.85,
                "published": "2026-01-02",
            },
            {"title": "https://y.example/", "url": "https://y.example/", "snippet": "", "relevance": 1.0},
        ],
        "queries_used": ["mill"],
        "warnings": [
            "bing refused the request: rate limited (HTTP 202 challenge page)",
            "bing refused the request: rate limited (budget used up)",
            "cut by the deadline",
        ],
    }


def test_nothing_is_an_answer_that_names_the_site() -> None:
    told = reply("better_web_find", fed=(Query(text="site:d.example q"),), query="q", site="d.example", code=NOTHING)
    assert (told.answer, told.sources, told.queries_used) == ('Top 0 results from d.example for "q"', (), ("site:d.example q",))
    assert "warnings" not in msgspec.json.decode(msgspec.json.encode(told))


def test_where_nothing_was_found_each_engine_says_why() -> None:
    told = reply("better_web_find", tried("q", "empty", "9 results, none of them with the filetype asked for"), code=NOTHING)
    assert told.warnings == ("bing: 9 results, none of them with the filetype asked for",)
    old = hit("q", "https://c.example/", published="2026-01-02", published_trust="trusted")
    told = reply("better_web_news", old, hit("q", "https://d.example/"), tried("q", "ok"), topic="q", days=7)
    assert told.warnings == ("1 reports left out: older than asked for", "1 reports left out: without a date")


def test_a_query_made_of_a_weak_answer_is_told() -> None:
    again = Query(text="mill sluice", derived="feedback")
    told = reply("better_web_search", hit("mill", "https://x.example/"), again, fed=(Query(text="mill"),), query="mill")
    assert told.queries_used == ("mill", "mill sluice")


def test_junk_for_every_query_is_a_failure_of_the_call_and_no_relevant_pictures_are_an_answer() -> None:
    with pytest.raises(Rejected, match="every query failed; the search upstream may be unreachable"):
        reply("web_search", tried("mill", "irrelevant", "about something else"), queries=("mill",))
    assert reply("web_search_images", tried("mill", "irrelevant"), queries=("mill",)).results[0].status == "no relevant"


def test_news_are_recent_dated_and_one_of_each_host() -> None:
    told = reply(
        "better_web_news",
        hit("mill", "https://a.example/1", published="2026-01-30", published_trust="trusted"),
        hit("mill", "https://www.a.example/2", published="2026-01-31", published_trust="trusted"),
        hit("mill", "https://b.example/", published="2026-01-30", published_trust="semi"),
        hit("mill", "https://c.example/", published="2026-01-20", published_trust="trusted"),
        hit("mill", "https://d.example/"),
        hit("mill", "https://e.example/", published="2026-01-24", published_trust="trusted"),
        fed=(Query(text="mill", kind="news"),), topic="mill", days=7,
    )  # fmt: skip
    assert told.answer == 'Top 3 recent news results for "mill" within 7 days'
    assert {day: [one.url for one in those] for day, those in told.timeline.items()} == {
        "2026-01-30": ["https://a.example/1", "https://b.example/"],
        "2026-01-24": ["https://e.example/"],
    }
    assert list(told.timeline) == ["2026-01-30", "2026-01-24"]
    assert not told.recency_verified


def test_a_report_at_its_own_address_stands_for_the_same_one_behind_an_engine_s() -> None:
    opaque = hit(
        "q", "https://news.google.com/rss/articles/C1", title="Mill  Reopened", opaque=True, source_url="https://www.a.example"
    )
    direct = hit("q", "https://a.example/mill", title="Mill reopened", score=0.2)
    chosen = news.choose([opaque, direct], 10)
    assert [one.url for one in chosen.hits] == ["https://a.example/mill"]
    assert chosen.hits[0].score == opaque.score
    assert len(chosen.hits[0].found) == 2
    assert news.choose([opaque], 10).hits == [opaque]


@given(
    st.lists(
        st.builds(
            Hit,
            url=st.sampled_from([f"https://{name}.example/{page}" for name in "abc" for page in "12"]),
            title=st.sampled_from(["x", "y"]),
            published=st.sampled_from(["", "2026-01-01", "2026-01-09"]),
            opaque=st.booleans(),
            source_url=st.sampled_from(["", "https://a.example"]),
        ),
        max_size=8,
    ),
    st.integers(1, 3),
    st.sampled_from(["", "2026-01-05"]),
)
def test_no_outlet_is_shown_twice_and_nothing_old(hits: list[Hit], limit: int, oldest: str) -> None:
    shown = news.choose(hits, limit, oldest).hits
    assert len(shown) <= limit
    assert len({news.outlet(one) for one in shown}) == len(shown)
    assert all(one.published >= oldest for one in shown)
    assert not shown or any(one.published >= oldest and (one.published or not oldest) for one in hits)
    assert bool(news.choose(hits, limit).hits) == bool(hits)


def test_when_everybody_refused_the_reply_is_an_error_that_says_who() -> None:
    for name in ("search_images", "search_news"):
        told = reply(name, tried("mill", "blocked", "no"), fed=(Query(text="mill"),), code=UNAVAILABLE)
        fold = folds.by_name(name)
        assert fold is not None
        assert fold.failed(told)
        assert told.message.startswith("Nothing was found: bing: blocked.")
        assert [(one.query, one.status) for one in told.queries] == [("mill", "unavailable")]
        assert told.message in fold.text(told, "markdown", "n0nce", fold.options())
