"""Page status: walls are told from pages."""

from __future__ import annotations

import gzip
import json
import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.net.classify import classify
from stages.net.media import charset_of, media_type_of, sniffed
from stages.text import markup
from stages.text.markup import glance

SHARED = Path(os.environ.get("SHARED", Path(__file__).parents[2] / "shared"))
CASES = SHARED / "cases" / "hidden_text" / "status_cases.jsonl"
PAGES = SHARED / "bench" / "wcxb" / "dev" / "html"
OTHER_NAMES = {
    "login": {"blocked", "login_required"},
    "consent": {"blocked", "consent"},
    "needs_browser": {"empty", "js_required"},
}
HTML = (("content-type", "text/html; charset=utf-8"),)
PROSE = "<p>" + "The ferry leaves the northern pier at dawn and returns with the evening tide. " * 20 + "</p>"


def outcome(body: str, status: int = 200, *headers: tuple[str, str], url: str = "https://example.com/a") -> str:
    return classify(status, (*HTML, *headers), body.encode(), url).outcome


@pytest.mark.skipif(not CASES.exists(), reason="the shared cases are not here")
def test_the_shared_cases_get_a_status_that_they_accept() -> None:
    rows = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    wrong = []
    for row in rows:
        verdict = classify(
            row["status"], tuple((name.lower(), value) for name, value in row["headers"].items()), row["body"].encode()
        )
        if not {verdict.outcome, *OTHER_NAMES.get(verdict.outcome, ())} & set(row["accept"]):
            wrong.append((row["name"], verdict))
    assert len(wrong) <= 0.05 * len(rows), wrong


@pytest.mark.skipif(not PAGES.exists(), reason="the shared pages are not here")
def test_recorded_pages_are_pages() -> None:
    paths = sorted(PAGES.glob("*.html.gz"))[::20]
    wrong = [path.name for path in paths if classify(200, HTML, gzip.decompress(path.read_bytes())).outcome != "ok"]
    assert len(wrong) <= 0.02 * len(paths), wrong


@pytest.mark.parametrize(
    "body",
    [
        f"<title>How to read a challenge</title><h1>Just a moment</h1><p>Verify you are human, says Cloudflare.</p>{PROSE}",
        f"<title>What a 404 page owes its reader</title><h1>What a 404 page owes its reader</h1>{PROSE}",
        f"<script src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'></script><div class='cf-turnstile'></div>{PROSE}",
        f"<script src='https://www.google.com/recaptcha/api.js'></script>{PROSE}<form><input type=password></form>",
        f"<script src='/_Incapsula_Resource?x=1'></script>{PROSE}",
        f"<pre>&lt;script id=&quot;anubis_challenge&quot;&gt;</pre>{PROSE}",
        f"<div class='paywall'>Subscribe to continue reading.</div>{PROSE}",
        "<h1>Opening hours</h1><p>Monday to Friday, nine to five.</p>",
    ],
)
def test_a_page_that_only_mentions_a_wall_is_a_page(body: str) -> None:
    assert outcome(body) == "ok"


@pytest.mark.parametrize(
    ("body", "status", "headers", "expected"),
    [
        ("<title>x</title>", 403, (("cf-mitigated", "challenge"),), "challenge"),
        (PROSE, 200, (("server", "cloudflare"), ("cf-ray", "1"), ("x-datadome", "protected")), "ok"),
        (PROSE, 403, (), "blocked"),
        (PROSE, 404, (), "not_found"),
        ("", 410, (), "not_found"),
        (PROSE, 429, (), "rate_limited"),
        (PROSE, 503, (), "server_error"),
        ("", 204, (), "empty"),
        (" \n", 200, (), "empty"),
        ("<p>Redirecting</p>", 302, (), "unknown"),
        ("<title>Seite nicht gefunden | Beispiel</title><p>Schade.</p>", 200, (), "not_found"),
        ("<h1>ページが見つかりません</h1>", 200, (), "not_found"),
        ("<title>Sign in</title><p>Welcome back to the members' area.</p><input type='password'>", 200, (), "login"),
        ("<h1>Before you continue</h1><p>We use cookies.</p><button>Accept</button>", 200, (), "consent"),
        ("<title>App</title><div id='root'></div><script src=/a.js></script>", 200, (), "needs_browser"),
        ("<noscript>Please enable <b>JavaScript</b>.</noscript><div></div>", 200, (), "needs_browser"),
        (f"<noscript>{PROSE}</noscript><div id=app></div>", 200, (), "ok"),
        ("<title>Robot check</title><p>Bitte bestätigen Sie, dass Sie kein Roboter sind.</p>", 200, (), "challenge"),
        ("<h1>Access Denied</h1><p>Reference&#32;&#35;18&#46;2e5f</p>", 403, (), "blocked"),
    ],
)
def test_what_stands_in_place_of_a_page_is_named(
    body: str, status: int, headers: tuple[tuple[str, str], ...], expected: str
) -> None:
    assert outcome(body, status, *headers) == expected


def test_a_shell_that_brings_its_text_as_data_is_a_page() -> None:
    text = "the keeper wrote every level of the river down by hand " * 20
    body = f'<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{json.dumps({"text": text})}</script>'
    assert outcome(body) == "ok"
    assert outcome(body.replace(text, "short")) == "needs_browser"


@pytest.mark.parametrize(
    ("declared", "body", "media"),
    [
        ("text/html", b"%PDF-1.7", "application/pdf"),
        ("", b"\n<!-- x --><!DOCTYPE HTML>", "text/html"),
        ("", b"plain words", "text/plain"),
        ("application/octet-stream", b"<?xml version='1.0'?>", "application/xml"),
        ("", b"\xff\xfe<\x00h\x00t\x00m\x00l\x00>\x00", "text/html"),
        ("", bytes(range(32)) * 20, "application/octet-stream"),
        ("text/markdown", b"<html>", "text/markdown"),
    ],
)
def test_bytes_say_what_a_body_is(declared: str, body: bytes, media: str) -> None:
    assert sniffed(declared, body) == media


@pytest.mark.parametrize(
    ("content_type", "body", "expected"),
    [
        ("application/json", b'{"a": 1}', "ok"),
        ("application/feed+json", b"{}", "ok"),
        ("text/markdown", b"# A", "ok"),
        ("application/rss+xml", b"<rss/>", "ok"),
        ("image/png", b"\x89PNG\r\n", "unsupported_content"),
        ("application/pdf", b"%PDF-1.7 \x00\x01\x02", "ok"),
        ("application/octet-stream", b"PK\x03\x04 [Content_Types].xml word/document.xml", "ok"),
        ("application/zip", b"PK\x03\x04 notes.txt", "unsupported_content"),
        ("text/css", b"a{}", "ok"),
        ("application/javascript", b"let a;", "ok"),
        ("text/event-stream", b"data: 1", "unsupported_content"),
        ("text/plain", b"{\\rtf1 x}", "unsupported_content"),
        ("image/svg+xml", b"<svg/>", "unsupported_content"),
        ("text/html", b"\x01\x02\x03" * 99, "unsupported_content"),
    ],
)
def test_only_text_is_content(content_type: str, body: bytes, expected: str) -> None:
    assert classify(200, (("content-type", content_type),), body).outcome == expected


@pytest.mark.parametrize(
    ("stream", "named"),
    [
        ("WordDocument", "Word document"),
        ("Workbook", "Excel workbook"),
        ("PowerPoint Document", "PowerPoint"),
        ("Other", "x-ole-storage"),
    ],
)
def test_an_office_file_of_the_old_kind_is_called_what_it_is(stream: str, named: str) -> None:
    body = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + stream.encode("utf-16-le") + bytes(512)
    for declared in ("application/msword", "application/octet-stream", "text/html", ""):
        found = classify(200, (("content-type", declared),), body)
        assert found.outcome == "unsupported_content"
        assert named in found.hint


def test_a_content_type_is_read_leniently() -> None:
    assert media_type_of((("content-type", "Text/HTML ; Charset='ISO-8859-1'"),)) == "text/html"
    assert charset_of((("content-type", "Text/HTML ; Charset='ISO-8859-1'"),)) == "iso-8859-1"
    assert media_type_of((("content-type", "nonsense"),)) == ""


def test_a_glance_sees_words_and_not_code() -> None:
    seen = glance(
        "<title>A &amp; B</title><script>x<y</script><h1>Hë <b>llo</b></h1><style>p{}</style>t\u2019s<!-- no --> <p>end".encode()
    )
    assert (seen.title, seen.headings, seen.text) == ("a & b", ("hë llo",), "Hë llo t's end")


def test_a_page_is_looked_at_once_however_often_it_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[bytes] = []
    look = markup._look
    monkeypatch.setattr(markup, "_glances", {})
    monkeypatch.setattr(markup, "_look", lambda body, charset: looked.append(body) or look(body, charset))
    pages = [f"<title>{number}</title><p>{number} harbours and their tides</p>".encode() for number in range(3)]
    for number, page in enumerate((*pages, *pages)):
        assert classify(200, HTML, page).outcome == "ok"
        assert glance(bytes(bytearray(page)), "utf-8").title == str(number % 3)
    assert looked == pages
    for number in range(200):
        glance(b"<p>%d" % number)
    assert len(markup._glances) <= markup._REMEMBERED


@pytest.mark.parametrize(
    "body",
    [
        b"<script" * 9000, b"<!--" * 20000, b"<" * 200000, b"<meta " + b'a="' * 60000, b"<h1>" * 50000, b'{"' * 90000,
        b"<p>" * 2_000_000,
    ],
)  # fmt: skip
def test_hostile_markup_takes_no_long_time(body: bytes) -> None:
    start = time.process_time()
    classify(200, HTML, body)
    assert time.process_time() - start < 0.5


@settings(max_examples=200)
@given(
    st.binary(max_size=300),
    st.integers(0, 1000),
    st.sampled_from(["", "text/html", "text/html; charset=punycode", "a/b", "text/plain"]),
)
def test_any_bytes_get_a_verdict(body: bytes, status: int, content_type: str) -> None:
    verdict = classify(status, (("content-type", content_type),), body)
    assert verdict == classify(status, (("content-type", content_type),), body)
    assert verdict.outcome != "ok" or 200 <= status < 300
