"""Search engines: what they are asked, and what becomes of each kind of answer."""

from __future__ import annotations

import json
import os
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_engines_api import API

from stages.core.env import Reply, Request, Settings
from stages.core.errors import StageError, UsageError
from stages.engines import ENGINES, choose, load
from stages.engines.engine import accept_language, family_of, web_address
from stages.records import Hit, Query, encode

WEB = tuple(name for name in ENGINES if name not in API)
"""The others have their own file."""
FIXTURES = Path(__file__).parents[1] / "fixtures" / "engines"
CASES = sorted(path.parent for name in WEB for path in (FIXTURES / name).glob("*/case.json"))
CAPTURES = Path(os.environ.get("SHARED", Path(__file__).parents[2] / "shared")) / "captures"
SETTINGS = Settings(searxng_url="http://searx.example/")
NOW = "2026-08-01T12:00:00.000Z"

captured = pytest.mark.skipif(not CAPTURES.is_dir(), reason="no captures beside the project")


def _reply(case: dict[str, Any], folder: Path) -> Reply:
    return Reply(url=case["url"], status=case["status"], body=(folder / case["answer"]).read_bytes())


def _hits(name: str, reply: Reply, query: Query) -> list[Hit]:
    found = load(name).parse(reply, query, NOW)
    assert isinstance(found, list)
    return found


def test_every_engine_has_cases_for_results_and_for_a_refusal() -> None:
    for name in WEB:
        outcomes = {
            json.loads((case / "case.json").read_text(encoding="utf-8"))["outcome"] for case in CASES if case.parent.name == name
        }
        assert {"ok", "empty", "challenge", "parse_changed"} <= outcomes, name


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_a_case_is_parsed_to_what_it_says(folder: Path) -> None:
    case = json.loads((folder / "case.json").read_text(encoding="utf-8"))
    name, query = folder.parent.name, Query(text=case["query"], language=case.get("language", ""))
    if case["outcome"] != "ok":
        with pytest.raises(StageError) as refusal:
            _hits(name, _reply(case, folder), query)
        assert refusal.value.kind == case["outcome"]
        assert refusal.value.http_status == case["status"]
        assert case.get("message", "") in str(refusal.value)
        return
    hits = _hits(name, _reply(case, folder), query)
    assert [_shown(hit, expected) for hit, expected in zip(hits, case["hits"], strict=True)] == case["hits"]
    assert all(bool(hit.published_trust) == bool(hit.published) for hit in hits)


def _shown(hit: Hit, expected: dict[str, Any]) -> dict[str, Any]:
    place = hit.found[0] if hit.found else None
    return {
        name: msgspec.to_builtins(getattr(hit, name) if hasattr(hit, name) else getattr(place, name)) for name in expected
    } | {name: list(getattr(place, name)) for name in ("families", "ranks") if name in expected}


@captured
def test_a_captured_searxng_answer_and_a_captured_bot_gate() -> None:
    engine, url = load("searxng"), "http://searx.example/search"
    hits = _hits(
        "searxng", Reply(url=url, status=200, body=(CAPTURES / "searxng-json-1.json").read_bytes()), Query(text="python")
    )
    assert [hit.found[0].rank for hit in hits] == [1, 2, 3, 4]
    assert hits[0].found[0].families == ("bing", "google")
    with pytest.raises(StageError, match="web page instead of JSON") as refusal:
        engine.parse(
            Reply(url=url, status=200, body=(CAPTURES / "searxng-botgate-1.html").read_bytes()), Query(text="python"), NOW
        )
    assert refusal.value.kind == "challenge"


@pytest.mark.parametrize("name", WEB)
@settings(deadline=None)  # the first date that is read loads its language
@given(data=st.data(), status=st.sampled_from([200, 200, 200, 202, 302, 404, 500]))
def test_a_damaged_answer_gives_hits_or_a_named_refusal(name: str, data: st.DataObject, status: int) -> None:
    whole = data.draw(st.sampled_from([case for case in CASES if case.parent.name == name]))
    case = json.loads((whole / "case.json").read_text(encoding="utf-8"))
    body = (whole / case["answer"]).read_bytes()
    start, end = sorted(data.draw(st.tuples(st.integers(0, len(body)), st.integers(0, len(body)))))
    damaged = body[:start] + data.draw(st.binary(max_size=20)) + body[end:]
    try:
        hits = load(name).parse(Reply(url=case["url"], status=status, body=damaged), Query(text=case["query"]), NOW)
    except StageError as error:
        assert error.kind != "ok"  # noqa: PT017 - hits or this
        assert error.kind != "unknown" or status != 200  # noqa: PT017
    else:
        assert isinstance(hits, Request) or hits
        assert isinstance(hits, Request) or all(hit.title and web_address(hit.url) == hit.url for hit in hits)


def test_duckduckgo_is_asked_with_the_form_of_its_own_page() -> None:
    query = Query(
        text="!w tide mill", language="de", region="CH", freshness="month", include_domains=("a.ch",), exclude_domains=("b.ch",)
    )
    request = load("duckduckgo").request(query, SETTINGS, NOW)
    fields = parse_qs(request.body.decode(), keep_blank_values=True)
    assert (request.method, request.url, request.identity) == ("POST", "https://html.duckduckgo.com/html/", "browser")
    assert fields == {"q": ["'!w' tide mill site:a.ch -site:b.ch"], "b": [""], "kl": ["ch-de"], "df": ["m"]}
    headers = dict(request.headers)
    assert headers["cookie"] == "kl=ch-de; df=m"
    assert headers["accept-language"] == "de-CH,de;q=0.9"


@pytest.mark.parametrize(
    ("language", "region", "expected"),
    [("", "", "wt-wt"), ("en", "GB", "uk-en"), ("de", "", "wt-wt"), ("ja", "JP", "jp-jp"), ("", "XX", "wt-wt")],
)
def test_duckduckgo_has_its_own_names_of_regions(language: str, region: str, expected: str) -> None:
    request = load("duckduckgo").request(Query(text="x", language=language, region=region), SETTINGS, NOW)
    assert parse_qs(request.body.decode())["kl"] == [expected]


@given(st.text(alphabet="ab !é", min_size=1, max_size=1200))
def test_duckduckgo_never_gets_more_than_it_answers(text: str) -> None:
    request = load("duckduckgo").request(Query(text=text), SETTINGS, NOW)
    asked = parse_qs(request.body.decode(), keep_blank_values=True)["q"][0]
    assert len(asked) <= 499
    assert not any(word.startswith("!") for word in asked.split(" "))


@pytest.mark.parametrize("base", ["http://searx.example", "http://searx.example/", "http://searx.example/search"])
def test_searxng_is_asked_at_the_address_that_the_user_named(base: str) -> None:
    query = Query(text="tide mill", kind="news", language="de", region="at", freshness="week", include_domains=("a.at", "b.at"))
    request = load("searxng").request(query, Settings(searxng_url=base), NOW)
    parts = urlsplit(request.url)
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == "http://searx.example/search"
    assert parse_qs(parts.query) == {
        "q": ["tide mill (site:a.at OR site:b.at)"], "format": ["json"], "categories": ["news"], "language": ["de-AT"],
        "time_range": ["week"],
    }  # fmt: skip
    assert request.trusted
    assert request.identity == "api"


def test_an_engine_is_chosen_by_name_by_setting_or_because_it_can_be_asked() -> None:
    def names(asked: tuple[str, ...], settings: Settings) -> list[str]:
        return [engine.PASSPORT.name for engine in choose(asked, settings)]

    keyless = ["duckduckgo", "brave", "mojeek", "bing", "yahoo", "bing_rss"]
    assert [name for name in names((), Settings()) if name not in API] == keyless
    assert [name for name in names((), SETTINGS) if name not in API] == ["searxng", *keyless]
    assert names((), Settings(searxng_url="http://s", engines=("searxng",))) == ["searxng"]
    assert names(("duckduckgo", "searxng"), Settings(searxng_url="http://s", engines=("searxng",))) == ["duckduckgo", "searxng"]
    with pytest.raises(UsageError, match="altavista"):
        names(("altavista",), SETTINGS)
    with pytest.raises(UsageError, match="CRIBBLE_SEARXNG_URL"):
        names(("searxng",), Settings())


def test_every_module_of_an_engine_says_its_own_name() -> None:
    for name in ENGINES:
        assert load(name).PASSPORT.name == name
        assert load(name) is import_module(f"stages.engines.{name}")


def _answered(name: str, body: bytes, status: int = 200, *headers: tuple[str, str]) -> Reply:
    case = json.loads((FIXTURES / name / "results" / "case.json").read_text(encoding="utf-8"))
    return Reply(url=case["url"], status=status, headers=headers, body=body)


@pytest.mark.parametrize("name", WEB)
@pytest.mark.parametrize(("status", "location"), [(300, "http://["), (304, "//[::1"), (302, "https://\u2100.example/")])
def test_an_answer_that_leads_nowhere_is_an_error_of_its_status(name: str, status: int, location: str) -> None:
    with pytest.raises(StageError) as refusal:
        load(name).parse(_answered(name, b"", status, ("location", location)), Query(text="mill"), NOW)
    assert refusal.value.kind == "unknown"


@pytest.mark.parametrize("body", [b"[" * 200_000, b'{"results":' + b"[" * 50_000 + b"]" * 50_000 + b"}", b"1" * 9000])
def test_json_that_nobody_can_read_is_a_changed_answer(body: bytes) -> None:
    with pytest.raises(StageError) as refusal:
        load("searxng").parse(_answered("searxng", body), Query(text="mill"), NOW)
    assert refusal.value.kind == "parse_changed"


def test_one_odd_result_costs_no_other() -> None:
    odd = [
        '{"url":"http://a.example/","title":"half a \\ud83d letter"}',
        '{"url":"http://b.example/\\ud83d","title":"no address"}',
        f'{{"url":"http://c.example/{"x" * 5000}","title":"too long"}}',
        f'{{"url":"http://d.example/","title":"far down","engines":["google"],"positions":[{"9" * 400}, 1e999, -1, 3]}}',
        '{"url":"http://e.example/","title":"fine"}',
    ]
    hits = _hits("searxng", _answered("searxng", f'{{"results":[{",".join(odd)}]}}'.encode()), Query(text="mill"))
    assert [hit.url for hit in hits] == ["http://a.example/", "http://d.example/", "http://e.example/"]
    assert hits[0].title == "half a \N{REPLACEMENT CHARACTER} letter"
    assert hits[1].found[0].ranks == (3,)
    assert all(msgspec.json.decode(encode(hit), type=Hit) == hit for hit in hits)


@pytest.mark.parametrize("language", ["en\r\nx-evil: 1", "é", "en\x00", "\udcff", "en;q=1,de"])
def test_what_is_no_language_is_not_put_into_a_header(language: str) -> None:
    assert accept_language(Query(text="mill", language=language)) == ""
    assert accept_language(Query(text="mill", language="de", region=language)) == "de,en;q=0.5"


def test_families_of_indexes() -> None:
    assert [family_of(name) for name in ("Google CSE", "duckduckgo", "mojeek", "")] == ["google", "bing", "mojeek", ""]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" https://a.example/x ", "https://a.example/x"),
        ("https://a.example/é\u202e", "https://a.example/%C3%A9%E2%80%AE"),
        ("javascript:alert(1)", ""), ("ftp://a.example/", ""), ("//a.example/", ""), ("https://", ""), ("", ""),
    ],
)  # fmt: skip
def test_only_addresses_of_the_web_pass(text: str, expected: str) -> None:
    assert web_address(text) == expected
