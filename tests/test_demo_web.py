"""The demo's web: it answers as its manifest says, and its pages are what they claim to be."""

from __future__ import annotations

import json
import re
import signal
import ssl
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
DEMO = ROOT / "fixtures" / "demo"
WEB = tomllib.loads((DEMO / "web.toml").read_text("utf-8"))
QUESTION = tomllib.loads((DEMO / "demo.toml").read_text("utf-8"))["question"]
PAGES: list[dict[str, Any]] = WEB["page"]
HITS: list[dict[str, Any]] = WEB["hit"]
FILES = sorted(path for path in (DEMO / "pages").iterdir())
HTML = [path for path in FILES if path.suffix == ".html"]
VOCABULARY = {"schema.org"}  # names things in metadata, is never asked
REAL = (
    "google|microsoft|amazon|facebook|apple inc|wikipedia|github|cloudflare|openai|anthropic|chatgpt|claude|gemini|reddit|youtube"
)
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
COMMON_WORDS = {
    "en": {"the", "and", "of", "is", "that"},
    "de": {"der", "die", "und", "das", "nicht"},
    "fa": {"در", "از", "به", "را", "که"},
}


def source(page: dict[str, Any]) -> str:
    return (DEMO / "pages" / page["file"]).read_text("utf-8")


def visible(text: str) -> str:
    """The text of the body without scripts, spaces folded; hidden elements are still in it."""
    tree = LexborHTMLParser(text)
    for node in tree.css("script, style, template"):
        node.decompose()
    return " ".join(tree.body.text().split()) if "<html" in text and tree.body else " ".join(text.split())


def named(pages: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(page, id=page["at"].replace("/", "_")) for page in pages]


@pytest.fixture(scope="module")
def served() -> Iterator[dict[str, str]]:
    command = [sys.executable, str(ROOT / "bench" / "demo_web.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        try:
            yield json.loads(server.stdout.readline())
        finally:
            server.send_signal(signal.SIGINT)
            assert server.wait(timeout=10) == 130


@pytest.fixture(scope="module")
def client(served: dict[str, str]) -> Iterator[httpx.Client]:
    verify = ssl.create_default_context(cafile=served["ca"])
    with httpx.Client(proxy=served["proxy"], verify=verify, trust_env=False, timeout=5) as client:
        yield client


@pytest.mark.parametrize("page", named([page for page in PAGES if "hang_secs" not in page]))
def test_a_page_is_served_as_the_manifest_says(client: httpx.Client, page: dict[str, Any]) -> None:
    reply = client.get("http://" + page["at"].replace("*", "no/such/page"))
    assert reply.status_code == page.get("status", 200)
    assert reply.headers["content-type"] == page.get("media_type", "text/plain; charset=utf-8")
    assert reply.content == (DEMO / "pages" / page["file"]).read_bytes()
    assert {name: reply.headers[name] for name in page.get("headers", {})} == page.get("headers", {})


def test_a_tunnel_gives_the_same_page_over_tls(client: httpx.Client) -> None:
    at = PAGES[0]["at"]
    assert client.get(f"https://{at}?utm_source=x").content == client.get(f"http://{at}").content


def test_a_slow_page_does_not_answer(client: httpx.Client) -> None:
    slow = next(page for page in PAGES if "hang_secs" in page)
    with pytest.raises(httpx.ReadTimeout):
        client.get("http://" + slow["at"], timeout=0.3)


def test_a_strange_host_is_no_host_at_all(client: httpx.Client) -> None:
    assert client.get("http://strange.example/").status_code == 502
    with pytest.raises(httpx.ProxyError):
        client.get("https://strange.example/")


def test_every_known_name_has_a_public_address_and_a_strange_one_has_none(served: dict[str, str]) -> None:
    hosts = [urlsplit(f"http://{page['at']}").hostname for page in PAGES] + ["searxng.example", "html.duckduckgo.com"]
    for host in hosts:
        addresses = httpx.get(served["resolver"], params={"name": host}, trust_env=False).json()["addresses"]
        assert [address.startswith("93.184.") for address in addresses] == [True]
    assert httpx.get(served["resolver"], params={"name": "strange.example"}, trust_env=False).json()["addresses"] == []


def test_searxng_answers_with_its_hits_in_order_and_says_who_was_silent(client: httpx.Client, served: dict[str, str]) -> None:
    reply = client.get(f"{served['searxng']}/search", params={"q": QUESTION, "format": "json"}).json()
    ranked = sorted((hit for hit in HITS if "searxng" in hit["rank"]), key=lambda hit: hit["rank"]["searxng"])
    assert [result["url"] for result in reply["results"]] == [hit["url"] for hit in ranked]
    assert not any("<b>" in result["content"] for result in reply["results"])
    assert reply["unresponsive_engines"] == [["startpage", "Suspended: CAPTCHA"]]
    assert client.get(f"{served['searxng']}/search", params={"q": QUESTION}).status_code == 403


def test_duckduckgo_wraps_its_links_and_its_advertisement(client: httpx.Client) -> None:
    tree = LexborHTMLParser(client.post("https://html.duckduckgo.com/html/", data={"q": QUESTION, "b": "", "kl": "wt-wt"}).text)
    links = [str(node.attributes["href"]) for node in tree.css("#links .web-result a.result__a")]
    ranked = sorted((hit for hit in HITS if "duckduckgo" in hit["rank"]), key=lambda hit: hit["rank"]["duckduckgo"])
    assert [parse_qs(urlsplit(link).query)["uddg"][0] for link in links] == [hit["url"] for hit in ranked[:10]]
    (advertisement,) = tree.css("#links .result--ad a.result__a")
    inner = parse_qs(urlsplit(str(advertisement.attributes["href"])).query)["uddg"][0]
    assert inner.startswith("https://duckduckgo.com/y.js?ad_domain=")


def test_duckduckgo_gives_its_second_page_for_the_token_only(client: httpx.Client) -> None:
    url = "https://html.duckduckgo.com/html/"
    first = LexborHTMLParser(client.post(url, data={"q": QUESTION}).text)
    fields = {str(node.attributes["name"]): node.attributes["value"] or "" for node in first.css(".nav-link input[type=hidden]")}
    second = LexborHTMLParser(client.post(url, data=fields).text)
    assert len(second.css(".web-result")) == sum("duckduckgo" in hit["rank"] for hit in HITS) - 10
    assert client.post(url, data=fields | {"vqd": "4-1"}).status_code == 403


def test_another_question_finds_nothing(client: httpx.Client, served: dict[str, str]) -> None:
    assert client.get(f"{served['searxng']}/search", params={"q": "zzzz", "format": "json"}).json()["results"] == []
    assert "No results." in client.post("https://html.duckduckgo.com/html/", data={"q": "zzzz"}).text


def test_every_hit_leads_to_a_page_and_every_page_is_used() -> None:
    known = {page["at"] for page in PAGES}
    for hit in HITS:
        parts = urlsplit(hit["url"])
        assert {parts.netloc + parts.path, f"{parts.netloc}/*"} & known, hit["url"]
        assert "searxng" not in hit["rank"] or hit["engines"]
    assert {page["file"] for page in PAGES if "file" in page} == {path.name for path in FILES}


def test_the_demo_shows_what_it_is_for() -> None:
    kinds = [page["kind"] for page in PAGES]
    wanted = {
        "bot wall",
        "closed by robots.txt",
        "documentation",
        "forum",
        "hidden text",
        "json",
        "news",
        "not found",
        "redirect",
    }
    assert wanted | {"syndicated copy", "text", "timeout", "unavailable", "visible injection"} <= set(kinds)
    assert {page.get("language") for page in PAGES} >= {"en", "de", "ja", "fa"}
    assert sum("mark" in page for page in PAGES) >= 10
    assert len({urlsplit(hit["url"])._replace(query="", fragment="").geturl() for hit in HITS}) == len(HITS) - 1


class Balance(HTMLParser):
    """Complains of an element that is closed out of turn or not at all."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, _attrs: object) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> in line {self.getpos()[0]}"


@pytest.mark.parametrize("path", HTML, ids=lambda path: path.stem)
def test_a_page_is_well_formed_html_with_a_title(path: Path) -> None:
    text = path.read_text("utf-8")
    balance = Balance()
    balance.feed(text)
    balance.close()
    assert balance.open == []
    tree = LexborHTMLParser(text)
    assert tree.css_first("title").text().strip()
    for script in tree.css('script[type="application/ld+json"]'):
        assert json.loads(script.text())["@context"] == "https://schema.org"


def test_the_json_page_is_json() -> None:
    releases = json.loads((DEMO / "pages" / "releases.json").read_text("utf-8"))["releases"]
    assert next(release for release in releases if release["version"] == "4.2.0")["date"] == "2026-03-12"


@pytest.mark.parametrize("page", named([page for page in PAGES if "mark" in page]))
def test_a_page_is_in_the_language_that_it_claims(page: dict[str, Any]) -> None:
    text, language = source(page), page["language"]
    if page["file"].endswith(".html"):
        assert LexborHTMLParser(text).css_first("html").attributes["lang"].partition("-")[0] == language
    words = re.findall(r"\w+", visible(text).casefold())
    shares = {name: sum(word in common for word in words) / len(words) for name, common in COMMON_WORDS.items()}
    kana = len(re.findall(r"[\u3040-\u30ff]", text)) / len(text)
    assert (language == "ja" and kana > 0.1) or (
        max(shares, key=lambda name: shares[name]) == language and shares[language] > 0.05
    )


@pytest.mark.parametrize("page", named([page for page in PAGES if "mark" in page]))
def test_the_mark_of_a_page_stands_once_in_its_text(page: dict[str, Any]) -> None:
    assert visible(source(page)).count(page["mark"]) == 1


@pytest.mark.parametrize("page", named([page for page in PAGES if "hidden" in page]))
def test_the_hidden_strings_are_in_the_source_and_not_in_the_mark(page: dict[str, Any]) -> None:
    text = source(page)
    assert [text.count(hidden) for hidden in page["hidden"]] == [1] * len(page["hidden"])
    assert not any(hidden in page.get("mark", "") for hidden in page["hidden"])


@pytest.mark.parametrize("language", ["en", "de", "ja", "fa"])
def test_the_answer_stands_in_every_language(language: str) -> None:
    texts = [visible(source(page)) for page in PAGES if page.get("language") == language and "mark" in page]
    twenty = {"en": "every 20 seconds", "de": "alle 20 Sekunden", "ja": "20秒ごと", "fa": "هر ۲۰ ثانیه"}[language]
    assert any(twenty in text and ("4.2" in text) for text in texts)


@pytest.mark.parametrize("path", [*FILES, DEMO / "web.toml"], ids=lambda path: path.name)
def test_everything_is_invented(path: Path) -> None:
    text = path.read_text("utf-8")
    hosts = {urlsplit(url).hostname for url in re.findall(r"https?://[^\s\"'<>)]+", text)}
    assert {host for host in hosts if host and not host.endswith(".example")} <= VOCABULARY
    assert re.findall(rf"\b({REAL})\b", text.casefold()) == []
