"""Engines that answer with HTML or a feed of it: what they are asked, further pages, and real pages where they are at hand."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from stages.core.env import Reply, Request, Settings
from stages.core.errors import StageError
from stages.engines import ENGINES, load
from stages.engines.bing import target as bing_target
from stages.engines.engine import Paged, web_address
from stages.engines.yahoo import target as yahoo_target
from stages.records import Hit, Query

FIXTURES = Path(__file__).parents[1] / "fixtures" / "engines"
CAPTURES = Path(os.environ.get("SHARED", Path(__file__).parents[2] / "shared")) / "captures"
WEB = ("duckduckgo", "duckduckgo_lite", "bing", "bing_rss", "yahoo", "brave", "mojeek", "startpage")
NOW = "2026-08-01T12:00:00.000Z"
ADDRESSES = {
    "duckduckgo": "https://html.duckduckgo.com/html/",
    "duckduckgo_lite": "https://lite.duckduckgo.com/lite/",
    "bing": "https://www.bing.com/search?q=x",
    "bing_rss": "https://www.bing.com/search?q=x&format=rss",
    "yahoo": "https://search.yahoo.com/search?p=x",
    "brave": "https://search.brave.com/search?q=x",
    "mojeek": "https://www.mojeek.com/search?q=x",
    "startpage": "https://www.startpage.com/sp/search",
}

captured = pytest.mark.skipif(not CAPTURES.is_dir(), reason="no captures beside the project")


def _answer(name: str, body: bytes, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> Reply:
    return Reply(url=ADDRESSES[name], status=status, headers=headers, body=body)


def _hits(name: str, body: bytes, text: str = "any") -> list[Hit]:
    found = load(name).parse(_answer(name, body), Query(text=text), NOW)
    assert isinstance(found, list)
    return found


def _refusal(name: str, reply: Reply) -> StageError:
    with pytest.raises(StageError) as refusal:
        load(name).parse(reply, Query(text="tide mill"), NOW)
    return refusal.value


def _asked(name: str, query: Query) -> tuple[Request, dict[str, str], dict[str, str]]:
    request = load(name).request(query, Settings(), NOW)
    sent = request.body.decode() or urlsplit(request.url).query
    return request, dict(parse_qsl(sent, keep_blank_values=True)), dict(request.headers)


# -- Captured pages ---------------------------------------------------------------------------------------------------------


@captured
@pytest.mark.parametrize(
    ("name", "capture", "count", "dates"),
    [
        ("duckduckgo", "ddg-html-1.html", 10, []),
        ("duckduckgo", "ddg-html-2.html", 11, []),
        ("duckduckgo", "duckduckgo-containers-2026-08-02.html", 9, ["2025-08-07", "2026-07-29", "2026-06-17", "2026-06-17"]),
        ("duckduckgo_lite", "ddg-lite-1.html", 10, []),
        (
            "bing",
            "bing-3.html",
            10,
            [
                *("2025-07-16", "2025-08-15", "2025-11-29", "2026-05-01", "2024-01-12", "2023-06-01", "2026-02-23"),
                *("2024-10-08", "2025-07-24"),
            ],
        ),
        ("yahoo", "yahoo-1.html", 7, ["2026-03-13", "2026-07-30", "2025-10-02"]),
        ("brave", "brave-1.html", 20, ["2024-12-13", "2025-10-17", "2025-09-08", "2025-12-01"]),
        ("mojeek", "mojeek-1.html", 10, []),
        ("mojeek", "mojeek-containers-2026-08-02.html", 3, []),
        ("startpage", "startpage-1.html", 10, ["2023-10-14", "2024-05-09", "2026-03-13"]),
    ],
)
def test_captured_pages_give_direct_addresses_titles_and_dates(name: str, capture: str, count: int, dates: list[str]) -> None:
    hits = _hits(name, (CAPTURES / capture).read_bytes())
    assert len(hits) == count
    assert [hit.published for hit in hits if hit.published] == dates
    own = urlsplit(ADDRESSES[name]).hostname or ""
    assert all(hit.title and own not in hit.url and "/ck/a" not in hit.url for hit in hits)
    assert sum(not hit.snippet for hit in hits) <= 1
    assert all(hit.published_trust == ("semi" if hit.published else "") for hit in hits)


@captured
def test_a_captured_feed_gives_its_item_and_a_date_that_is_not_trusted() -> None:
    hits = _hits("bing_rss", (CAPTURES / "bing-web-rss-1.xml").read_bytes(), "hepsiemlak ankara")
    assert [(hit.url, hit.published, hit.published_trust) for hit in hits] == [
        ("https://www.hepsiemlak.com/", "2026-08-01", "untrusted")
    ]


def _pieces(capture: str) -> list[str]:
    text = (CAPTURES / capture).read_text(encoding="utf-8")
    return [part.partition("-->")[2] for part in text.split("<!-- container")[1:]]


@captured
@pytest.mark.parametrize(
    ("name", "capture", "readable"),
    [
        ("bing", "bing-containers-2026-08-02.html", 6),
        ("brave", "brave-containers-2026-08-02.html", 9),
        ("startpage", "startpage-containers-2026-08-02.html", 6),
    ],
)
def test_captured_results_that_were_cut_off_are_read_one_by_one(name: str, capture: str, readable: int) -> None:
    outcomes = []
    for piece in _pieces(capture):
        try:
            outcomes += [hit.url for hit in _hits(name, piece.encode())]
        except StageError as error:
            outcomes.append(error.kind)
    assert len([one for one in outcomes if one.startswith("https://")]) == readable
    assert "empty" not in outcomes


@captured
@pytest.mark.parametrize(
    ("capture", "vendor"),
    [
        ("challenge-cloudflare-1.html", "cloudflare"),
        ("challenge-cloudflare-old-bfm_07_01_2021.html", "cloudflare"),
        ("challenge-cloudflare-old-reCaptcha_challenge_12_12_2019.html", "cloudflare"),
        ("challenge-akamai-1.html", "akamai"),
        ("challenge-anubis-1.html", "anubis"),
        ("challenge-awswaf-1.html", "aws-waf"),
        ("challenge-datadome-1.html", "datadome"),
        ("challenge-imperva-1.html", "imperva"),
        ("challenge-perimeterx-1.html", "human"),
        ("challenge-projectshield-1.html", "project shield"),
        ("bing-challenge-1.html", "cloudflare"),
        ("brave-pow-1.html", "brave"),
        ("mojeek-altcha-1.html", "altcha"),
        ("ddg-challenge-1.html", "duckduckgo"),
    ],
)
@pytest.mark.parametrize("name", ["bing", "brave", "bing_rss", "startpage"])
def test_a_captured_wall_is_a_challenge_by_name_at_any_engine(name: str, capture: str, vendor: str) -> None:
    for status in (200, 403, 503):
        refusal = _refusal(name, _answer(name, (CAPTURES / capture).read_bytes(), status))
        assert (refusal.kind, vendor in str(refusal)) == ("challenge", True)


@captured
@pytest.mark.parametrize(
    ("capture", "kind"),
    [
        ("challenge-anubis-har.json", "challenge"),
        ("challenge-google-har.json", "consent"),
        ("challenge-reddit-har.json", "rate_limited"),
        ("challenge-recaptcha-har.json", "rate_limited"),
        ("challenge-linkedin-har.json", "blocked"),
        ("challenge-dribbble-har.json", "blocked"),
    ],
)
def test_a_captured_exchange_with_a_wall_is_a_refusal_by_name(capture: str, kind: str) -> None:
    answer = _har(json.loads((CAPTURES / capture).read_text(encoding="utf-8")))
    headers = tuple((header["name"].lower(), header["value"]) for header in answer["headers"])
    body = (answer["content"].get("text") or "").encode()
    assert _refusal("bing", _answer("bing", body, answer["status"], headers)).kind == kind


def _har(value: Any) -> Any:
    """The answer somewhere in a recorded exchange."""
    if isinstance(value, dict) and {"status", "content"} <= set(value):
        return value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((found for one in inner if (found := _har(one)) is not None), None)


@captured
@pytest.mark.parametrize("capture", ["google-1.html", "ecosia-1.html", "swisscows-1.html", "qwant-unavailable-1.html"])
def test_a_captured_page_of_another_engine_is_never_an_empty_result(capture: str) -> None:
    for name in ("bing", "mojeek", "brave"):
        assert _refusal(name, _answer(name, (CAPTURES / capture).read_bytes())).kind in ("parse_changed", "blocked", "challenge")


SMALL = sorted(path for path in CAPTURES.glob("*.*ml") if path.stat().st_size < 140_000) if CAPTURES.is_dir() else []


@captured
@pytest.mark.parametrize("name", WEB)
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_a_damaged_capture_gives_hits_or_a_named_refusal(name: str, data: st.DataObject) -> None:
    body = data.draw(st.sampled_from(SMALL)).read_bytes()
    start, end = sorted(data.draw(st.tuples(st.integers(0, len(body)), st.integers(0, len(body)))))
    damaged = body[:start] + data.draw(st.binary(max_size=20)) + body[end:]
    try:
        found = load(name).parse(_answer(name, damaged), Query(text="tide mill"), NOW)
    except StageError as error:
        assert error.kind not in ("ok", "unknown")  # noqa: PT017 - hits or this
    else:
        assert isinstance(found, list)
        assert found
        assert all(hit.title and web_address(hit.url) == hit.url for hit in found)


def _reserialised(source: str) -> str:
    return LexborHTMLParser(source).html or ""


def _single_quoted(source: str) -> str:
    return re.sub(r"""(?<==)"([^"'<>]*)"(?=[ >/])""", r"'\1'", source)


def _classes_moved(source: str) -> str:
    return re.sub(r"""(?<=class=")[^"]*(?=")""", lambda names: " ".join(["x1", *reversed(names[0].split()), "svelte-z"]), source)


def _on_lines(source: str) -> str:
    return re.sub(r"(?<=[a-z\"'])(?=\s*/?>)", "\n        ", source)


def _attributes_moved(source: str) -> str:
    return re.sub(r'<(a|div|li|p|td|span|input)((?: [a-z-]+="[^"]*")+)(?=>)', _turned, source)


def _turned(tag: re.Match[str]) -> str:
    attributes = re.findall(r'[a-z-]+="[^"]*"', tag[2])
    return f"<{tag[1]} data-new {' '.join(reversed(attributes))}"


@pytest.mark.parametrize("written", [_reserialised, _single_quoted, _classes_moved, _on_lines, _attributes_moved])
@pytest.mark.parametrize("name", [name for name in WEB if name != "bing_rss"])
def test_how_a_page_is_written_does_not_matter(name: str, written: Callable[[str], str]) -> None:
    for case in sorted(path.parent.name for path in (FIXTURES / name).glob("results*/case.json")):
        page = _page(name, case)
        other = msgspec.structs.replace(page, body=written(page.body.decode()).encode())
        query = Query(text="tide mill")
        assert load(name).parse(other, query, NOW) == load(name).parse(page, query, NOW)


@pytest.mark.parametrize("name", [name for name in WEB if name != "bing_rss"])
def test_a_page_that_nests_without_end_is_a_changed_one_and_costs_no_time(name: str) -> None:
    assert _refusal(name, _answer(name, b"<div>" * 300_000)).kind == "parse_changed"


# -- What is asked ----------------------------------------------------------------------------------------------------------


def test_every_engine_says_what_it_bears_and_spends_it_on_every_request() -> None:
    for name in WEB:
        passport = load(name).PASSPORT
        assert passport.budget is not None
        assert _asked(name, Query(text="tide mill"))[0].budget == passport.budget
        assert passport.terms
        assert (passport.pages > 1) == isinstance(load(name), Paged)
    assert load("duckduckgo").PASSPORT.budget == load("duckduckgo_lite").PASSPORT.budget


@pytest.mark.parametrize("name", WEB)
@given(text=st.text(min_size=1), language=st.text(max_size=4), region=st.text(max_size=3))
def test_any_query_gives_a_request_that_can_be_sent(name: str, text: str, language: str, region: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    request = load(name).request(Query(text=text, language=language, region=region, freshness="week"), Settings(), NOW)
    assert request.url.isascii()
    assert all(part.isascii() and part.isprintable() for header in request.headers for part in header)


def test_bing_is_asked_in_a_market_and_never_for_a_count() -> None:
    query = Query(text="tide mill", language="de", region="AT", freshness="week", exclude_domains=("b.example",))
    request, fields, headers = _asked("bing", query)
    assert request.url.startswith("https://www.bing.com/search?")
    assert fields == {"q": "tide mill -site:b.example", "mkt": "de-AT", "filters": 'ex1:"ez2"'}
    assert headers == {"accept-language": "de-AT,de;q=0.9"}
    assert _asked("bing", Query(text="x", language="de"))[1] == {"q": "x", "setlang": "de"}
    assert _asked("bing", Query(text="x", region="at"))[1] == {"q": "x", "cc": "AT"}


def test_bing_and_brave_take_a_year_and_a_day_by_the_clock_of_the_run() -> None:
    assert _asked("bing", Query(text="x", freshness="year"))[1]["filters"] == 'ex1:"ez5_20301_20666"'
    assert _asked("bing", Query(text="x", published_after="2026-07-01"))[1]["filters"] == 'ex1:"ez5_20635_20666"'
    assert _asked("bing", Query(text="x", freshness="day", published_after="2026-01-01"))[1]["filters"] == 'ex1:"ez1"'
    assert _asked("brave", Query(text="x", freshness="year"))[1]["tf"] == "py"
    assert _asked("brave", Query(text="x", published_after="2026-07-01"))[1]["tf"] == "2026-07-01to2026-08-01"
    assert _asked("mojeek", Query(text="x", freshness="week"))[1]["since"] == "20260725"


def test_yahoo_is_asked_at_the_host_of_the_country() -> None:
    request, fields, headers = _asked("yahoo", Query(text="tide mill", language="en", region="GB", freshness="month"))
    assert urlsplit(request.url).hostname == "uk.search.yahoo.com"
    assert fields == {"p": "tide mill", "btf": "m", "iscqry": ""}
    assert "vl=lang_en" in headers["cookie"]
    assert urlsplit(_asked("yahoo", Query(text="x", region="US"))[0].url).hostname == "search.yahoo.com"


def test_brave_and_mojeek_are_told_the_country_in_cookies() -> None:
    assert "country=de" in _asked("brave", Query(text="x", language="de", region="DE"))[2]["cookie"]
    assert "country=all" in _asked("brave", Query(text="x", region="D;\r\n"))[2]["cookie"]
    assert _asked("mojeek", Query(text="x", language="de", region="DE"))[2]["cookie"] == "lb=de; arc=de"


def test_mojeek_never_gets_a_start_or_a_format_on_its_first_page() -> None:
    assert _asked("mojeek", Query(text="tide mill"))[1] == {"q": "tide mill", "safe": "0"}


# -- Steps and further pages ------------------------------------------------------------------------------------------------


def _page(name: str, case: str = "results") -> Reply:
    told = json.loads((FIXTURES / name / case / "case.json").read_text(encoding="utf-8"))
    return Reply(url=told["url"], status=told["status"], body=(FIXTURES / name / case / told["answer"]).read_bytes())


def _next(name: str, reply: Reply, page: int, query: Query | None = None) -> dict[str, str] | None:
    engine = load(name)
    assert isinstance(engine, Paged)
    request = engine.next_page(reply, query or Query(text="tide mill"), page, NOW)
    if request is None:
        return None
    assert request.budget == engine.PASSPORT.budget
    return dict(parse_qsl(request.body.decode() or urlsplit(request.url).query, keep_blank_values=True))


def test_startpage_is_searched_with_the_form_and_the_token_of_its_own_page() -> None:
    engine, query = load("startpage"), Query(text="tide mill", language="de", region="DE", freshness="week")
    home = engine.request(query, Settings(), NOW)
    assert (home.url, home.method) == ("https://www.startpage.com/", "GET")
    form = (
        '<form action="/sp/search" method="post" id="search"><input name="query" value="">'
        '<input type="hidden" name="t" value="device"><input type="hidden" name="sc" value="tokentoken00">'
        '<input type="hidden" name="abp" value="1"><input type="hidden" name="abd" value="1">'
        '<input type="hidden" name="with_date" value=""></form>'
    )
    search = engine.parse(Reply(url=home.url, status=200, body=form.encode()), query, NOW)
    assert isinstance(search, Request)
    assert (search.url, search.method) == ("https://www.startpage.com/sp/search", "POST")
    assert dict(parse_qsl(search.body.decode())) == {
        "query": "tide mill", "t": "device", "sc": "tokentoken00", "abd": "1", "cat": "web", "with_date": "w",
        "language": "deutsch",
    }  # fmt: skip
    assert dict(search.headers)["origin"] == "https://www.startpage.com"


def test_startpage_leads_on_by_the_form_for_that_page() -> None:
    fields = _next("startpage", _page("startpage"), 2)
    assert fields is not None
    assert (fields["page"], fields["segment"], fields["sc"]) == ("2", "startpage.udog", "tokentoken01")
    assert "abp" not in fields
    assert _next("startpage", _page("startpage"), 4) is None


def test_duckduckgo_leads_on_by_its_form_verbatim_and_never_without_its_token() -> None:
    fields = _next("duckduckgo_lite", _page("duckduckgo_lite"), 2)
    assert fields == {
        "q": "tide mill", "s": "10", "nextParams": "", "v": "l", "o": "json", "dc": "6", "api": "d.js",
        "vqd": "4-111122223333444455556666777788889999000", "kl": "wt-wt",
    }  # fmt: skip
    assert _next("duckduckgo_lite", _page("duckduckgo_lite", "no_results"), 2) is None
    bare = _page("duckduckgo_lite").body.replace(b'name="vqd"', b'name="other"')
    assert _next("duckduckgo_lite", Reply(url=ADDRESSES["duckduckgo_lite"], status=200, body=bare), 2) is None


def test_duckduckgo_does_not_take_the_form_that_leads_back_for_the_one_that_leads_on() -> None:
    def form(start: int) -> str:
        hidden = f'<input type="hidden" name="s" value="{start}"><input type="hidden" name="vqd" value="4-1">'
        return f'<form action="/html/" method="post"><input type="submit" value="?">{hidden}</form>'

    both = Reply(url=ADDRESSES["duckduckgo"], status=200, body=f"{form(10)}{form(40)}".encode())
    back = Reply(url=ADDRESSES["duckduckgo"], status=200, body=form(10).encode())
    assert (_next("duckduckgo", both, 4) or {})["s"] == "40"
    assert _next("duckduckgo", back, 4) is None


@pytest.mark.parametrize(
    ("name", "page", "expected"),
    [
        ("bing", 2, {"first": "11", "FORM": "PERE"}),
        ("bing", 4, {"first": "31", "FORM": "PERE2"}),
        ("bing_rss", 2, {"first": "11", "format": "rss"}),
        ("yahoo", 2, {"b": "8", "pz": "7", "bct": "0", "xargs": "0"}),
        ("brave", 2, {"offset": "1"}),
        ("mojeek", 3, {"s": "21"}),
    ],
)
def test_the_others_lead_on_by_number(name: str, page: int, expected: dict[str, str]) -> None:
    fields = _next(name, _page(name), page) or {}
    assert expected.items() <= fields.items()
    assert "tide mill" in (fields.get("q"), fields.get("p"))


def test_what_a_page_says_in_a_hidden_field_does_not_get_into_a_header() -> None:
    page = _page("duckduckgo_lite")
    engine = load("duckduckgo_lite")
    assert isinstance(engine, Paged)
    evil = msgspec.structs.replace(page, body=page.body.replace(b'value="wt-wt"', b'value="x;\r\ny: \xc3\xa9"'))
    request = engine.next_page(evil, Query(text="tide mill"), 2, NOW)
    assert request is not None
    assert "cookie" not in dict(request.headers)


def test_searxng_leads_on_at_the_address_that_was_asked() -> None:
    query = Query(text="tide mill")
    asked = load("searxng").request(query, Settings(searxng_url="http://searx.example"), NOW)
    for page, before in ((2, asked.url), (3, f"{asked.url}&pageno=2")):
        engine = load("searxng")
        assert isinstance(engine, Paged)
        further = engine.next_page(Reply(url=before, asked=before, status=200), query, page, NOW)
        assert further is not None
        last = further.url
        assert further.url == f"{asked.url}&pageno={page}"
        assert further.trusted
    rows = '{"results":[{"url":"https://a.example/","title":"Tide mill","engines":["google"],"positions":[2]}]}'
    later = engine.parse(Reply(url=last, status=200, body=rows.encode()), query, NOW)
    assert isinstance(later, list)
    assert (later[0].found[0].rank, later[0].found[0].ranks) == (21, (22,))


def test_yahoo_leads_no_further_than_its_page_does() -> None:
    assert _next("yahoo", _page("yahoo", "results_of_a_country"), 2) is None


# -- Links ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("href", "address"),
    [
        ("https://www.bing.com/ck/a?!&&p=0a&u=a1aHR0cHM6Ly9hLmV4YW1wbGUvP3E9MSZtc29ja2lkPTE&ntb=1", "https://a.example/?q=1"),
        ("/ck/a?!&&p=0a&u=a1aHR0cHM6Ly9hLmV4YW1wbGUv&ntb=1", "https://a.example/"),
        ("https://www4.bing.com/ck/a?u=a1aHR0cHM6Ly9hLmV4YW1wbGUv", "https://a.example/"),
        ("https://www.bing.com/alink/link?url=https%3a%2f%2fa.example%2fx&source=serp", "https://a.example/x"),
        ("https://a.example/ck/a?u=a1zzz", "https://a.example/ck/a?u=a1zzz"),
        ("https://a.example/?msockid=1#part", "https://a.example/#part"),
        ("https://a.example/?x=msockid=1", "https://a.example/?x=msockid=1"),
        ("javascript:void(0)", ""),
    ],
)
def test_bing_links_are_unwrapped(href: str, address: str) -> None:
    assert bing_target(href) == address


@pytest.mark.parametrize(
    ("href", "address"),
    [
        ("https://r.search.yahoo.com/_ylt=A/RV=2/RE=1/RO=10/RU=https%3a%2f%2fa.example%2f%3fx%3d1/RK=2/RS=b-", "https://a.example/?x=1"),
        ("https://r.search.yahoo.com/_ylt=A/RV=2/RU=https%3a%2f%2fa.example%2f/RS=b", "https://a.example/"),
        ("https://a.example/RU=1/RK=2", "https://a.example/RU=1/RK=2"),
        ("https://r.search.yahoo.com/RU=javascript%3aalert(1)/RK=2", ""),
    ],
)  # fmt: skip
def test_yahoo_links_are_unwrapped(href: str, address: str) -> None:
    assert yahoo_target(href) == address


def test_the_web_engines_that_cost_a_token_or_share_a_budget_are_asked_when_they_are_named_and_not_before() -> None:
    assert set(WEB) <= set(ENGINES)
    assert {name for name in WEB if not load(name).PASSPORT.default} == {"duckduckgo_lite", "startpage"}
