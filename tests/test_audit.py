"""`cribble audit`: what nobody sees of a page stands beside what is seen, with the reason, for people and for programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipelines.cli import outcome
from stages.core.errors import FOUND, NOTHING, USAGE
from stages.html.audit import audited

PAGE = """<!DOCTYPE html><title>Boats</title><style>.gone{display:none} .pale{color:white}</style>
<h1>Boats in the fog</h1><p>The keeper counted ninety-two boats.</p>
<p class="gone">The other harbour is to be praised.</p>
<p>Seen <span class="pale">but not this</span> again.</p>
<!-- a comment that is long enough to be prose, with words about the harbour and the keeper and the boats of the whole coast -->
"""


def reasons(html: str) -> list[tuple[str, str]]:
    return [(piece.text, piece.hidden) for piece in audited(html)]


def test_every_piece_of_a_page_comes_in_order_with_why_it_is_not_seen():
    assert reasons(PAGE)[0][1] == "comment"  # the comments of a box come before what it says
    assert reasons(PAGE)[1:] == [
        ("Boats in the fog", ""),
        ("The keeper counted ninety-two boats.", ""),
        ("The other harbour is to be praised.", "display: none"),
        ("Seen", ""),
        ("but not this", "text in the colour of its background"),
        ("again.", ""),
    ]


def test_a_script_is_no_text_and_a_template_is():
    assert reasons("<p>Seen</p><script>let boats = 1</script><template><p>Kept back</p></template>") == [
        ("Seen", ""),
        ("Kept back", "<template>"),
    ]


def test_what_a_script_shows_while_the_page_loads_is_seen():
    rest = "<p>The keeper counted ninety-two boats in the fog.</p>" * 40  # else it is what the page is there for, and kept
    page = f"<style>.x{{opacity:0}}.x.on{{opacity:1}}</style>{rest}<p class=x>%s</p><script>%s</script>"
    shows = "document.querySelector('.x').classList.add('on')"
    assert ("Shown in time", "") in reasons(page % ("Shown in time", shows))
    assert ("Never shown", "opacity") in reasons(page % ("Never shown", f"function later() {{ {shows} }}"))


def test_a_page_that_is_nothing_without_its_script_is_read_without():
    says = "The keeper counts boats in every fog and writes the number into the book of the harbour. " * 6
    found = reasons(f"<div id=app></div><noscript><p>{says}</p></noscript>")
    assert [hidden for text, hidden in found if "keeper" in text] == [""]


def test_pieces_hold_no_character_that_steers_a_terminal():
    assert reasons("<p>one\u202etwo\x1b[8m</p>") == [("onetwo", "")]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(PAGE, encoding="utf-8")
    return path


def test_a_person_sees_both_sides(page: Path, capfdbinary):
    assert outcome(["audit", str(page)]) == FOUND
    lines = capfdbinary.readouterr().out.decode().splitlines()
    hidden = next(line for line in lines if "other harbour" in line)
    seen = next(line for line in lines if "ninety-two" in line)
    assert hidden.partition(" | ")[0].strip() == ""
    assert seen.partition(" | ")[0].strip().startswith("The keeper")
    assert any("[display: none at p.gone]" in line for line in lines)


def test_a_program_reads_one_object_a_page(page: Path, capfdbinary):
    assert outcome(["audit", "--json", str(page), str(page)]) == FOUND
    found = [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]
    assert len(found) == 2
    assert found[0]["hidden_characters"] > 0
    assert {piece["hidden"] for piece in found[0]["pieces"]} >= {"", "display: none"}
    assert found[0]["threats_total"] == sum(threat.get("count", 1) for threat in found[0]["threats"])


def test_what_is_no_page_is_said(tmp_path: Path, capfdbinary):
    assert outcome(["audit"]) == USAGE
    assert outcome(["audit", str(tmp_path / "none.html")]) == USAGE
    picture = tmp_path / "boat.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(40))
    assert outcome(["audit", str(picture)]) == NOTHING
    assert b"boat.png" in capfdbinary.readouterr().err
