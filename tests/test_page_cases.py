"""Walks fixtures/pages: what sanitize and extract make of each page. `pytest tests/test_page_cases.py --accept` rewrites it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec
import pytest

from stages import load
from stages.records import Document, Page

ROOT = Path(__file__).parents[1] / "fixtures" / "pages"
CASES = sorted(path.parent for path in ROOT.glob("*/page.html"))


def document(case: Path) -> Document:
    """The page, sanitised and extracted."""
    body = (case / "page.html").read_bytes()
    url = f"https://pages.example/{case.name}"
    page = Page(url=url, asked=url, media_type="text/html", body=body, sha256=hashlib.sha256(body).hexdigest())
    sanitize, extract = load("sanitize"), load("extract")
    found: Document = extract.call(sanitize.call(page, sanitize.options()), extract.options())
    return found


def facts(found: Document) -> bytes:
    """All but the text and what changes with the version of a library."""
    kept = msgspec.structs.replace(found, text="", provenance=type(found.provenance)(), passages=None)
    return msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_page_is_read_as_its_case_says(case: Path, request: pytest.FixtureRequest) -> None:
    found = document(case)
    expected = {"text.md": found.text.encode() + b"\n", "facts.json": facts(found)}
    for name, made in expected.items():
        kept = case / name
        if request.config.getoption("--accept"):
            kept.write_bytes(made)
        assert kept.exists(), f"no {name} yet: run with --accept and read the diff"
        assert made.decode() == kept.read_text(encoding="utf-8")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_no_marker_of_a_page_comes_through(case: Path) -> None:
    assert "marker-" not in document(case).text


def test_there_are_cases() -> None:
    assert len(CASES) >= 3
