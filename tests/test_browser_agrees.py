"""The cascade's verdicts beside the browser's, on generated pages: what Chromium paints stays, what it does not paint goes.

Disagreements are printed. They are bounded, not forbidden: layout is the browser's, and of that little is worked out here.
"""

# ruff: noqa: T201 - what they disagree about is to be read

from __future__ import annotations

import pytest
from chromium import Chromium, installed
from generated_pages import Made, pages
from hypothesis import HealthCheck, Phase, given, seed, settings
from selectolax.lexbor import LexborHTMLParser

from stages.records import Page
from stages.sanitize import Options, sanitize

EXAMPLES, SEEDS = 40, 4
MOST = 0.03
"""Share of the texts that the two may disagree about, either way."""


def kept(made: Made) -> set[str]:
    page = Page(url="https://coast.example/made", media_type="text/html", body=made.html.encode())
    parser = LexborHTMLParser(sanitize.call(page, Options()).body.decode())
    text = parser.root.text(separator=" ")
    return {marker for marker in made.markers if marker in text}


@pytest.mark.skipif(not installed(), reason="there is no Chromium on PATH")
@pytest.mark.parametrize("number", range(SEEDS))
def test_what_chromium_paints_stays_and_what_it_hides_goes(tmp_path, number):
    texts, leaked, lost = 0, [], []
    with Chromium(tmp_path) as browser:

        @seed(number)
        @settings(
            max_examples=EXAMPLES, deadline=None, database=None, phases=(Phase.generate,), suppress_health_check=list(HealthCheck)
        )
        @given(pages())
        def compare(made: Made) -> None:
            nonlocal texts
            painted, ours = browser.painted(made.html, made.markers), kept(made)
            texts += len(made.markers)
            leaked.extend((marker, made.html) for marker in sorted(ours - painted))
            lost.extend((marker, made.html) for marker in sorted(painted - ours))

        compare()
    for name, found in (("leaked", leaked), ("lost", lost)):
        for marker, html in found:
            print(name, marker, html.partition("</style><style>")[2].partition("<blockquote")[0])
    print(f"{texts} texts, {len(leaked)} leaked, {len(lost)} lost")
    assert texts > EXAMPLES
    assert len(leaked) <= MOST * texts
    assert len(lost) <= MOST * texts
