"""Pages that do not say which HTML they are: names of any case, and lengths and colours left bare. Each checked in Chromium."""

from __future__ import annotations

import pytest
from chromium import Chromium, installed
from painted_cases import BOX, REST, TEXT, Case, page_of
from selectolax.lexbor import LexborHTMLParser

from stages.records import Page
from stages.sanitize import Options, sanitize

OLD = '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">'
STRICT = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">'
HIDDEN = [(one, BOX) if isinstance(one, str) else one for one in [
    ".X{display:none}",
    "p.X{display:none}",
    ".W>.X{display:none}",
    ("#A{display:none}", "<p id=a>@</p>"),
    ".x{position:absolute;left:-9999}",
    ".x{text-indent:-9999}",
    ".x{margin:0 0 0 -9999}",
    ".x{height:0;overflow:hidden}",
    ".x{color:ffffff}",
    ("", "<p style='color:fff'>@</p>"),
]]  # fmt: skip
SEEN = [(one, BOX) if isinstance(one, str) else one for one in [
    ".y{display:none}",
    ".x{position:absolute;left:10}",
    ".x{width:300;height:60;overflow:hidden}",
    ".x{color:000}",
    ".x{color:white;background-color:000}",
    ".x{margin:4 8}",
    ".x{opacity:1}",
    ".x{line-height:2}",
]]  # fmt: skip


def without_type(case: Case, doctype: str = "") -> str:
    css, body = case
    head = f"<title>Boats</title><style>body{{font:16px monospace}}</style><style>{css}</style>"
    return f"{doctype}<html><head>{head}</head><body bgcolor=white>{body.replace('@', TEXT)}{REST}</body></html>"


def shows(html: str) -> bool:
    page = Page(url="https://coast.example/old", media_type="text/html", body=html.encode())
    result = sanitize.call(page, Options())
    assert sanitize.call(result, Options()) == result
    return TEXT in LexborHTMLParser(result.body.decode()).root.text(separator=" ")


@pytest.mark.parametrize("doctype", ["", OLD, "<!-- made by hand --><!DOCTYPE boats>"])
@pytest.mark.parametrize("case", HIDDEN, ids=" ".join)
def test_what_an_old_page_hides_goes(case, doctype):
    assert not shows(without_type(case, doctype))


@pytest.mark.parametrize("case", SEEN, ids=" ".join)
def test_what_an_old_page_shows_stays(case):
    assert shows(without_type(case))


@pytest.mark.parametrize("case", [case for case in HIDDEN if "height:0" not in case[0]], ids=" ".join)
@pytest.mark.parametrize("doctype", ["<!doctype HTML>", STRICT])
def test_a_page_that_says_what_it_is_is_read_to_the_letter(case, doctype):
    assert shows(without_type(case, doctype))
    assert shows(page_of(case))


@pytest.mark.skipif(not installed(), reason="there is no Chromium on PATH")
def test_chromium_paints_the_same(tmp_path):
    with Chromium(tmp_path) as browser:
        for doctype in ("", OLD):
            assert [case for case in HIDDEN if browser.painted(without_type(case, doctype), [TEXT])] == []
        assert [case for case in SEEN if not browser.painted(without_type(case), [TEXT])] == []
