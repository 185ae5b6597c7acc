"""Engines that answer in JSON, in feeds, and with pictures and news: their cases, what they are asked, and damaged answers."""

from __future__ import annotations

import json
import os
from copy import deepcopy
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.core.env import Reply, Request, Secret, Settings
from stages.core.errors import StageError, UsageError
from stages.engines import ENGINES, choose, load
from stages.engines.engine import Resting, web_address
from stages.records import Hit, Query, encode

FIXTURES = Path(__file__).parents[1] / "fixtures" / "engines"
CAPTURES = Path(os.environ.get("SHARED", Path(__file__).parents[2] / "shared")) / "captures"
API = (
    "marginalia", "brave_api", "tavily", "exa", "serper",
    "wikipedia", "hacker_news", "stack_exchange", "github", "arxiv", "crossref", "pubmed",
    "bing_images", "duckduckgo_images", "openverse", "wikimedia_commons",
    "google_news", "bing_news", "duckduckgo_news",
)  # fmt: skip
CASES = sorted(path.parent for name in API for path in (FIXTURES / name).glob("*/case.json"))
NOW = "2026-01-31T12:00:00.000Z"
KEYS = {name: Secret(f"{name}-of-this-test") for name in ("brave_api_key", "tavily_api_key", "exa_api_key", "serper_api_key")}
SETTINGS = Settings(contact="https://cribble.example/bot", **KEYS)

captured = pytest.mark.skipif(not CAPTURES.is_dir(), reason="no captures beside the project")


def told(folder: Path) -> dict[str, Any]:
    case: dict[str, Any] = json.loads((folder / "case.json").read_text("utf-8"))
    return case


def reply_of(case: dict[str, Any], body: bytes) -> Reply:
    return Reply(url=case["url"], status=case["status"], headers=tuple(case.get("headers", {}).items()), body=body)


def query_of(case: dict[str, Any]) -> Query:
    return Query(text=case["query"], kind=case.get("kind", "web"))


def kinds(name: str) -> set[str]:
    return {told(case)["outcome"] for case in CASES if case.parent.name == name}


@pytest.mark.parametrize("name", API)
def test_an_engine_has_cases_for_results_nothing_a_refusal_and_a_changed_answer(name: str) -> None:
    assert {"ok", "empty", "challenge", "parse_changed"} <= kinds(name)
    assert (FIXTURES / name / "results").is_dir()


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_a_case_is_parsed_to_what_it_says(folder: Path) -> None:
    case = told(folder)
    engine, reply = load(folder.parent.name), reply_of(case, (folder / case["answer"]).read_bytes())
    if case["outcome"] not in ("ok", "next"):
        with pytest.raises(StageError) as refusal:
            engine.parse(reply, query_of(case), NOW)
        assert refusal.value.kind == case["outcome"]
        assert refusal.value.http_status == case["status"]
        assert case.get("message", "") in str(refusal.value)
        return
    step = engine.parse(reply, query_of(case), NOW)
    if isinstance(step, Request):
        assert step.url == case["next_url"]
        assert step.identity == engine.PASSPORT.identity
        assert step.budget == engine.PASSPORT.budget
        return
    assert [{name: getattr(hit, name) for name in expected} for hit, expected in zip(step, case["hits"], strict=True)] == case[
        "hits"
    ]
    assert all(bool(hit.published) == bool(hit.published_trust) for hit in step)
    assert all(msgspec.json.decode(encode(hit), type=Hit) == hit for hit in step)


@captured
@pytest.mark.parametrize(
    ("name", "file", "url", "count", "dated"),
    [
        ("google_news", "google-news-rss-1.xml", "https://news.google.com/rss/search", 92, 92),
        ("bing_news", "bing-news-rss-1.xml", "https://www.bing.com/news/search", 2, 2),
        ("bing_images", "bing-images-1.html", "https://www.bing.com/images/search", 35, 0),
        ("wikipedia", "wikipedia-search-1.json", "https://en.wikipedia.org/w/api.php", 1, 1),
        ("hacker_news", "hn-algolia-1.json", "https://hn.algolia.com/api/v1/search", 6, 6),
        ("duckduckgo_images", "ddg-images-shape-1.json", "https://duckduckgo.com/i.js", 1, 0),
    ],
)
def test_captured_answers_give_their_results(name: str, file: str, url: str, count: int, dated: int) -> None:
    engine = load(name)
    hits = engine.parse(Reply(url=url, status=200, body=(CAPTURES / file).read_bytes()), Query(text="any"), NOW)
    assert isinstance(hits, list)
    assert (len(hits), sum(bool(hit.published) for hit in hits)) == (count, dated)
    assert all(hit.title and web_address(hit.url) == hit.url for hit in hits)
    assert all(hit.kind == "web" or hit.image_url or hit.source for hit in hits)
    assert all(hit.opaque == (name == "google_news") for hit in hits)
    assert not any(hit.title.endswith(f" - {hit.source}") for hit in hits)


@captured
def test_a_captured_check_for_bots_is_one_among_pictures_too() -> None:
    for name, file, url in (
        ("bing_images", "bing-challenge-1.html", "https://www.bing.com/images/async"),
        ("duckduckgo_images", "ddg-challenge-1.html", "https://duckduckgo.com/"),
        ("wikipedia", "challenge-anubis-1.html", "https://en.wikipedia.org/w/api.php"),
    ):
        with pytest.raises(StageError) as refusal:
            load(name).parse(Reply(url=url, status=200, body=(CAPTURES / file).read_bytes()), Query(text="any"), NOW)
        assert refusal.value.kind == "challenge"


def check_survives(name: str, reply: Reply, query: Query) -> None:
    try:
        step = load(name).parse(reply, query, NOW)
    except StageError as error:
        assert error.kind != "ok"  # noqa: PT017 - hits or this
    else:
        if isinstance(step, list):
            assert step
            assert all(hit.title and web_address(hit.url) == hit.url for hit in step)
            assert all(msgspec.json.decode(encode(hit), type=Hit) == hit for hit in step)


@pytest.mark.parametrize("name", API)
@settings(deadline=None)  # a first run imports, and two processors are shared
@given(data=st.data(), status=st.sampled_from([200, 200, 200, 202, 302, 400, 403, 500]))
def test_a_damaged_answer_gives_hits_or_a_named_refusal(name: str, data: st.DataObject, status: int) -> None:
    case = told(FIXTURES / name / "results")
    body = (FIXTURES / name / "results" / case["answer"]).read_bytes()
    start, end = sorted(data.draw(st.tuples(st.integers(0, len(body)), st.integers(0, len(body)))))
    damaged = body[:start] + data.draw(st.binary(max_size=20)) + body[end:]
    check_survives(name, reply_of(case | {"status": status}, damaged), query_of(case))


WILD = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=9), st.just([]), st.just({}), st.just([[None]]),
    st.just({"value": 3}), st.just("http://["), st.just("\ud83d"), st.just(10**400),
)  # fmt: skip


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, one in inner for place in places(one, (*at, key)))]


@pytest.mark.parametrize("name", [name for name in API if (FIXTURES / name / "results" / "answer.json").exists()])
@settings(deadline=None)  # a first run imports, and two processors are shared
@given(data=st.data())
def test_json_with_another_thing_anywhere_gives_hits_or_a_named_refusal(name: str, data: st.DataObject) -> None:
    case = told(FIXTURES / name / "results")
    answer = json.loads((FIXTURES / name / "results" / "answer.json").read_text("utf-8"))
    for _ in range(data.draw(st.integers(1, 3))):
        where = data.draw(st.sampled_from(places(answer)))
        if not where:
            answer = deepcopy(data.draw(WILD))
            continue
        holder = answer
        for key in where[:-1]:
            holder = holder[key]
        holder[where[-1]] = deepcopy(data.draw(WILD))
    check_survives(name, reply_of(case, json.dumps(answer)[:5000].encode()), query_of(case))


@pytest.mark.parametrize("name", API)
@pytest.mark.parametrize(
    "body", [b"[" * 200_000, b'{"results":' + b"[" * 50_000, b"1" * 9000, b"<rss>" * 20_000, b"", b"\xff\xfe"]
)
def test_what_nobody_can_read_is_a_named_refusal(name: str, body: bytes) -> None:
    case = told(FIXTURES / name / "results")
    with pytest.raises(StageError) as refusal:
        load(name).parse(reply_of(case, body), query_of(case), NOW)
    assert refusal.value.kind in ("parse_changed", "challenge", "blocked")


@pytest.mark.parametrize("name", API)
def test_every_request_is_within_the_budget_and_says_who_asks(name: str) -> None:
    passport = load(name).PASSPORT
    assert passport.budget
    assert passport.terms
    for kind in passport.kinds:
        request = load(name).request(
            Query(text="tide mill", kind=kind, language="de", region="at", freshness="week"), SETTINGS, NOW
        )
        sent = dict(request.headers)
        assert request.budget == passport.budget
        assert request.identity == passport.identity
        if passport.identity == "api":
            assert sent["user-agent"].endswith("(https://cribble.example/bot)")
            assert sent["accept"].startswith("application/")
        key = KEYS.get(passport.setting)
        assert not key or key not in request.url + request.body.decode()
        assert not key or sum(key in value for value in sent.values()) == 1


@pytest.mark.parametrize("name", API)
@settings(deadline=None)  # a first run imports, and two processors are shared
@given(text=st.text(min_size=1, max_size=1500), language=st.text(max_size=4), region=st.text(max_size=3))
def test_any_query_can_be_asked(name: str, text: str, language: str, region: str) -> None:
    engine = load(name)
    request = engine.request(Query(text=text, kind=engine.PASSPORT.kinds[0], language=language, region=region), SETTINGS, NOW)
    assert urlsplit(request.url).scheme == "https"
    assert request.url.isascii()
    assert all("\n" not in value and "\r" not in value for _, value in request.headers)


def asked(name: str, query: Query) -> dict[str, str]:
    request = load(name).request(query, SETTINGS, NOW)
    return {key: values[0] for key, values in parse_qs(urlsplit(request.url).query).items()}


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("hacker_news", "numericFilters", "created_at_i>=1769212800"),
        ("stack_exchange", "fromdate", "1769212800"),
        ("crossref", "filter", "from-pub-date:2026-01-24"),
        ("pubmed", "mindate", "2026/01/24"),
        ("github", "q", "tide mill pushed:2026-01-24..*"),
        ("arxiv", "search_query", "(all:tide OR all:mill) AND submittedDate:[202601240000 TO 299912312359]"),
        ("google_news", "q", "tide mill when:7d"),
        ("bing_images", "qft", " filterui:age-lt10080"),
        ("bing_news", "qft", 'interval="7"'),
        ("brave_api", "freshness", "pw"),
    ],
)
def test_a_span_of_time_is_asked_for_in_each_engine_s_own_way(name: str, field: str, value: str) -> None:
    kind = load(name).PASSPORT.kinds[0]
    assert asked(name, Query(text="tide mill", kind=kind, freshness="week"))[field] == value


def test_the_later_of_a_span_and_a_day_counts() -> None:
    query = Query(text="mill", freshness="month", published_after="2026-01-20")
    assert asked("crossref", query)["filter"] == "from-pub-date:2026-01-20"
    query = Query(text="mill", published_after="2026-01-20", published_before="2026-01-25")
    assert asked("crossref", query)["filter"] == "from-pub-date:2026-01-20,until-pub-date:2026-01-24"
    assert asked("hacker_news", query)["numericFilters"] == "created_at_i>=1768867200,created_at_i<1769299200"
    assert asked("github", query)["q"] == "mill pushed:2026-01-20..2026-01-24"
    assert asked("brave_api", query)["freshness"] == "2026-01-20to2026-01-24"
    assert asked("brave_api", Query(text="mill", published_after="2026-01-20"))["freshness"] == "2026-01-20to2026-01-31"
    assert asked("google_news", query)["q"] == "mill after:2026-01-20 before:2026-01-25"
    assert (asked("pubmed", query)["mindate"], asked("pubmed", query)["maxdate"]) == ("2026/01/20", "2026/01/24")
    assert "filter" not in asked("crossref", Query(text="mill", published_after="soon"))
    assert asked("google_news", Query(text="mill", kind="news", published_after="2026-01-20"))["q"] == "mill after:2026-01-20"


@pytest.mark.parametrize(
    ("language", "region", "expected"),
    [
        ("", "", ("en-US", "US", "US:en")), ("en", "GB", ("en-GB", "GB", "GB:en")), ("de", "", ("de", "DE", "DE:de")),
        ("de", "at", ("de", "AT", "AT:de")), ("pt", "", ("pt-BR", "BR", "BR:pt-419")), ("pt", "PT", ("pt-PT", "PT", "PT:pt-150")),
        ("es", "", ("es", "ES", "ES:es")), ("es", "MX", ("es-419", "MX", "MX:es-419")), ("fr", "", ("fr", "FR", "FR:fr")),
        ("zh", "", ("zh-CN", "CN", "CN:zh-Hans")), ("zh", "TW", ("zh-TW", "TW", "TW:zh-Hant")), ("ja", "", ("ja", "JP", "JP:ja")),
        ("he", "", ("iw", "IL", "IL:iw")), ("xx", "DE", ("en-US", "US", "US:en")),
    ],
)  # fmt: skip
def test_google_news_is_asked_in_the_edition_of_the_language(language: str, region: str, expected: tuple[str, str, str]) -> None:
    fields = asked("google_news", Query(text="x1", kind="news", language=language, region=region))
    assert (fields["hl"], fields["gl"], fields["ceid"]) == expected


def test_the_language_of_a_query_is_guessed_where_an_edition_must_be_chosen() -> None:
    assert asked("google_news", Query(text="潮汐で動く水車", kind="news"))["ceid"] == "JP:ja"
    assert load("wikipedia").request(Query(text="Где стоит мельница"), SETTINGS, NOW).url.startswith("https://ru.wikipedia.org/")
    assert load("wikipedia").request(Query(text="x", language="e/x"), SETTINGS, NOW).url.startswith("https://en.wikipedia.org/")


def test_domains_are_asked_for_where_the_service_takes_them() -> None:
    query = Query(text="mill", include_domains=("a.example",), exclude_domains=("b.example",))
    sent = json.loads(load("tavily").request(query, SETTINGS, NOW).body)
    assert (sent["include_domains"], sent["exclude_domains"]) == (["a.example"], ["b.example"])
    sent = json.loads(load("exa").request(query, SETTINGS, NOW).body)
    assert (sent["includeDomains"], sent["excludeDomains"]) == (["a.example"], ["b.example"])


def test_which_engines_answer_by_default_depends_on_the_kind_and_on_keys() -> None:
    def names(kind: str, settings: Settings) -> list[str]:
        return [engine.PASSPORT.name for engine in choose((), settings) if kind in engine.PASSPORT.kinds]

    assert names("image", Settings()) == ["bing_images", "duckduckgo_images", "openverse", "wikimedia_commons"]
    assert names("news", Settings()) == ["google_news", "bing_news", "duckduckgo_news"]
    assert set(names("web", SETTINGS)) - set(names("web", Settings())) == {"brave_api", "tavily", "exa", "serper"}
    assert "serper" in names("image", SETTINGS)
    with pytest.raises(UsageError, match="CRIBBLE_EXA_API_KEY"):
        choose(("exa",), Settings())


def test_a_key_does_not_show_itself() -> None:
    assert "of-this-test" not in repr(SETTINGS)


def test_every_engine_here_is_one_of_all() -> None:
    assert set(API) <= set(ENGINES)


@pytest.mark.parametrize(
    ("name", "headers", "body", "secs"),
    [
        ("stack_exchange", {}, '{"items": [], "backoff": 10}', 10),
        ("stack_exchange", {}, '{"error_id": 502, "error_message": "too many requests, more available in 84000 seconds"}', 84000),
        ("stack_exchange", {}, '{"items": []}', 0),
        ("stack_exchange", {}, "[]", 0),
        ("stack_exchange", {}, "<html>", 0),
        ("github", {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1769860845"}, "{}", 45),
        ("github", {"x-ratelimit-remaining": "3", "x-ratelimit-reset": "1769860845"}, "{}", 0),
        ("github", {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "soon"}, "{}", 0),
        ("github", {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1"}, "{}", 0),
    ],
)
def test_an_interface_that_asks_for_a_rest_is_understood(name: str, headers: dict[str, str], body: str, secs: int) -> None:
    engine = load(name)
    assert isinstance(engine, Resting)
    reply = Reply(url="https://x.example/", status=200, headers=tuple(headers.items()), body=body.encode())
    assert engine.rest_secs(reply, NOW) == secs
