"""One text in a page of ordinary ones: whether it is still there behind `sanitize`, and what Chromium says."""

from __future__ import annotations

from pathlib import Path

from chromium import Chromium
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
