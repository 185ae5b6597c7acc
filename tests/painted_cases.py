"""One text in a page of ordinary ones: whether it is still there behind `sanitize`, and what Chromium says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chromium import Chromium, installed
from selectolax.lexbor import LexborHTMLParser

from stages.records import Page
from stages.sanitize import Options, sanitize

TEXT = "MARKERQ"
BOX = '<div class="w"><p class="x">@</p></div>'
REST = "".join(
    f"<p>Paragraph {number}: ordinary words about boats, nets and the weather of the coast.</p>" for number in range(9)
)
Case = tuple[str, str]
"""A stylesheet, and markup with `@` where the text goes."""


def page_of(case: Case) -> str:
    css, body = case
    return (
        "<!DOCTYPE html><html lang=en><head><title>Boats</title><style>body{font:16px monospace}</style>"
        f"<style>{css}</style></head><body>{body.replace('@', TEXT)}{REST}</body></html>"
    )


def shows(case: Case) -> bool:
    page = Page(url="https://coast.example/made", media_type="text/html", body=page_of(case).encode())
    result = sanitize.call(page, Options())
    assert sanitize.call(result, Options()) == result
    return TEXT in LexborHTMLParser(result.body.decode()).root.text(separator=" ")


def disagreements(folder: Path, hidden: list[Case], seen: list[Case]) -> list[Case]:
    """The cases about which Chromium says otherwise."""
    with Chromium(folder) as browser:
        return [
            case
            for cases, wanted in ((hidden, False), (seen, True))
            for case in cases
            if bool(browser.painted(page_of(case), [TEXT])) is not wanted
        ]


def judged_alike(hidden: list[Case], seen: list[Case]) -> tuple[Callable[..., Any], ...]:
    """The tests of a module of cases: what is not painted goes, what is painted stays, and Chromium says the same."""

    @pytest.mark.parametrize("case", hidden, ids=" ".join)
    def goes(case: Case) -> None:
        assert not shows(case)

    @pytest.mark.parametrize("case", seen, ids=" ".join)
    def stays(case: Case) -> None:
        assert shows(case)

    @pytest.mark.skipif(not installed(), reason="there is no Chromium on PATH")
    def agrees(tmp_path: Path) -> None:
        assert disagreements(tmp_path, hidden, seen) == []

    return goes, stays, agrees
