"""Pages without results: what engines say in every language when they found nothing, pages that break off, other charsets."""

from __future__ import annotations

import pytest

from stages.core.env import Reply
from stages.core.errors import StageError
from stages.engines import load
from stages.records import Query

NOW = "2026-08-01T12:00:00.000Z"
ADDRESSES = {
    "duckduckgo": "https://html.duckduckgo.com/html/",
    "bing": "https://www.bing.com/search?q=x",
    "bing_rss": "https://www.bing.com/search?q=x&format=rss",
    "bing_images": "https://www.bing.com/images/async?q=x",
    "yahoo": "https://search.yahoo.com/search?p=x",
    "brave": "https://search.brave.com/search?q=x",
    "mojeek": "https://www.mojeek.com/search?q=x",
    "startpage": "https://www.startpage.com/sp/search",
}


def test_brave_s_older_page_is_read_too() -> None:
    result = (
        '<div class="snippet fdb"><a class="result-header" href="https://mill.example/{n}"><span class="snippet-title">Mill {n}'
        '</span></a><p class="snippet-description">A mill by the tide.</p></div>'
    )
    rows = "".join(result.replace("{n}", str(number)) for number in (1, 2))
    body = f'<html><body><div id="results">{rows}<div class="snippet standalone">Widget</div></div></body></html>'.encode()
    hits = load("brave").parse(Reply(url=ADDRESSES["brave"], status=200, body=body), Query(text="mill"), NOW)
    assert isinstance(hits, list)
    assert [(hit.title, hit.url) for hit in hits] == [(f"Mill {n}", f"https://mill.example/{n}") for n in (1, 2)]


def _page(text: str, *, echo: str = '<input name="q" value="tide mill">', end: str = "</body></html>") -> bytes:
    return f"<html><head><title>Search</title></head><body><form>{echo}</form><p>{text}</p>{end}".encode()


@pytest.mark.parametrize("name", ["duckduckgo", "bing", "yahoo", "brave", "mojeek", "startpage"])
@pytest.mark.parametrize(
    "words",
    [
        "No matches for tide mill", "We did not find results for: tide mill", "Es wurden keine passenden Ergebnisse gefunden",
        "Aucun résultat", "No encontramos resultados para tide mill", "Non abbiamo trovato alcun risultato",
        "Não encontramos resultados", "Geen zoekresultaten of geen resultaten", "Nie znaleziono", "Ничего не нашлось",
        "一致する情報は見つかりませんでした", "没有找到相关结果",
        "검색 결과가 없습니다", "Sonuç bulunamadı", "Inga resultat", "لا توجد نتائج",
    ],
)  # fmt: skip
def test_an_engine_that_says_in_its_language_that_it_found_nothing_is_understood(name: str, words: str) -> None:
    assert _kind(name, _page(words)) == "empty"
    assert _kind(name, _page(words, echo="")) == "blocked"


@pytest.mark.parametrize("echo", ['<textarea name="q">tide mill</textarea>', "<title>Tide Mill - Search</title>"])
def test_a_page_repeats_the_query_in_any_box_or_in_its_title(echo: str) -> None:
    page = b"<html><head></head><body><p>No results</p></body></html>"
    assert _kind("brave", page) == "blocked"
    assert _kind("brave", page.replace(b"</head>", f"</head>{echo}".encode())) == "empty"


@pytest.mark.parametrize("name", ["duckduckgo", "bing", "yahoo", "brave", "mojeek", "startpage", "bing_images"])
def test_a_page_that_breaks_off_is_no_refusal(name: str) -> None:
    assert _kind(name, _page("Loading", end="")) == "parse_changed"
    assert _kind(name, _page("Loading")) == "blocked"


def test_a_feed_that_breaks_off_has_not_found_nothing() -> None:
    feed = b"<rss><channel><title>Bing: tide mill</title></channel></rss>"
    assert [_kind("bing_rss", feed[:end]) for end in (None, -6, -16)] == ["empty", "parse_changed", "parse_changed"]


@pytest.mark.parametrize("charset", ["utf-16", "utf-8-sig", "windows-1252"])
def test_a_page_in_another_charset_is_read_in_it(charset: str) -> None:
    result = '<li><a class="ob" href="https://mill.example/"></a><h2><a class="title">Mühle – é</a></h2></li>'
    results = f'<ul class="results-standard">{result}</ul>'
    page = f'<html><head><meta charset="{charset}"></head><body>{results}</body></html>'.encode(charset)
    reply = Reply(url=ADDRESSES["mojeek"], status=200, body=page)
    hits = load("mojeek").parse(reply, Query(text="Mühle"), NOW)
    assert isinstance(hits, list)
    assert [hit.title for hit in hits] == ["Mühle – é"]


def _kind(name: str, body: bytes) -> str:
    reply = Reply(url=ADDRESSES[name], status=200, body=body)
    with pytest.raises(StageError) as caught:
        load(name).parse(reply, Query(text="tide mill"), NOW)
    return caught.value.kind
