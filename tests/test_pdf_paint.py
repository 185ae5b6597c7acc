"""PDF texts by what paints them: stroke and fill, patterns, clips of letters, drawn fonts, and what is drawn over them."""

# ruff: noqa: E501 - lists of what is tried

from __future__ import annotations

import pytest
from documents import pdf, put
from selectolax.lexbor import LexborHTMLParser

from stages.records import Page
from stages.sanitize import Options, sanitize

SEEN = put("The keeper writes every level down by hand.", 60, 700)
UNSEEN = "CANARY of the mill"
PATTERN = "/Pattern << /P 102 0 R >>"
ONE_COLOUR = "<< /ShadingType 2 /ColorSpace /DeviceRGB /Coords [0 0 600 0] /Extend [true true] /Function << /FunctionType 2 /Domain [0 1] /C0 [{0}] /C1 [{1}] /N 1 >> >>"
LETTERS = "begincmap 1 begincodespacerange <20> <7e> endcodespacerange 1 beginbfrange <20> <7e> <0020> endbfrange endcmap"


def text(looks: str = "", size: float = 12) -> str:
    return f"BT {looks} /F1 {size} Tf 60 600 Td ({UNSEEN}) Tj ET\n"


def drawn(stream: str) -> str:
    return f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream"


def form(stream: str, more: str = "") -> str:
    return f"<< /Type /XObject /Subtype /Form /BBox [0 0 600 800] {more} /Resources << /Font << /F1 3 0 R >> >> /Length {len(stream)} >>\nstream\n{stream}\nendstream"


def tiles(stream: str) -> str:
    return f"<< /Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 9 9] /XStep 9 /YStep 9 /Resources << >> /Length {len(stream)} >>\nstream\n{stream}\nendstream"


def shading(first: str, last: str) -> str:
    return f"<< /Type /Pattern /PatternType 2 /Shading {ONE_COLOUR.format(first, last)} >>"


def read(stream: str, objects: dict[int, str], resources: str) -> Page:
    body = pdf(SEEN + stream, objects=objects, resources=resources)
    page = sanitize.call(Page(url="https://mill.example/a.pdf", media_type="application/pdf", body=body), Options())
    assert b"by hand" in page.body
    return page


GONE = {
    "under two boxes": (text() + "1 g 0 580 100 60 re f 100 580 500 60 re f", {}, ""),
    "under a shape": (text() + "1 g 0 580 m 0 590 0 600 0 640 c 600 640 l 600 580 l h f", {}, ""),
    "pressed flat": (text("1 Tz"), {}, ""),
    "an outline in white": (text("1 Tr 1 1 1 RG"), {}, ""),
    "fill and outline in white": (text("2 Tr 1 1 1 RG 1 1 1 rg"), {}, ""),
    "under a thick line": (text() + "1 G 80 w 0 605 m 600 605 l S", {}, ""),
    "under a shading": (text() + "q 0 580 600 60 re W n /S sh Q", {}, f"/Shading << /S {ONE_COLOUR.format('1 1 1', '1 1 1')} >>"),
    "clipped by letters": (f"q BT 7 Tr /F1 12 Tf 300 300 Td (x) Tj ET {text('0 Tr')} Q", {}, ""),
    "filled with nothing": ("/Pattern cs /P scn " + text(), {102: tiles("")}, PATTERN),
    "filled with a white shading": ("/Pattern cs /P scn " + text(), {102: shading("1 1 1", "1 1 1")}, PATTERN),
    "blended away": ("1 g 0 580 600 60 re f 0 g /G gs " + text(), {}, "/ExtGState << /G << /BM /Screen >> >>"),
    "white that multiplies": ("/G gs " + text("1 g"), {}, "/ExtGState << /G << /BM /Multiply >> >>"),
    "behind a mask": ("/G gs " + text(), {101: form("", "/Group << /S /Transparency /CS /DeviceGray >>")}, "/ExtGState << /G << /SMask << /S /Luminosity /G 101 0 R >> >> >>"),
    "a colour of no ink": ("/CS cs 1 scn " + text(), {}, "/ColorSpace << /CS [/Separation /None /DeviceRGB << /FunctionType 2 /Domain [0 1] /C0 [1 1 1] /C1 [1 0 0] /N 1 >>] >>"),
    "a form drawn small": ("q .001 0 0 .001 0 0 cm /X Do Q", {102: form(text())}, "/XObject << /X 102 0 R >>"),
}  # fmt: skip
KEPT = {
    "a black outline around white": (text("2 Tr 1 1 1 rg 0 0 0 RG"), {}, ""),
    "filled with a shading": ("/Pattern cs /P scn " + text(), {102: shading("1 0 0", "0 0 1")}, PATTERN),
    "filled with tiles": ("/Pattern cs /P scn " + text(), {102: tiles("1 0 0 rg 0 0 9 9 re f")}, PATTERN),
    "underlined": (text() + "0 g 60 598 120 1 re f", {}, ""),
    "struck through": (text() + "0 g 60 603 120 1 re f", {}, ""),
    "condensed": (text("60 Tz"), {}, ""),
    "over a shading": ("q 0 580 600 60 re W n /S sh Q " + text(), {}, f"/Shading << /S {ONE_COLOUR.format('1 1 1', '.8 .8 .8')} >>"),
    "crossed by a line": (text() + "0 G 8 w 0 660 m 600 560 l S", {}, ""),
    "blended": ("/G gs " + text(), {}, "/ExtGState << /G << /BM /Multiply >> >>"),
    "white on black": ("0 g 0 580 600 60 re f " + text("1 g"), {}, ""),
    "in a form": ("/X Do", {102: form(text())}, "/XObject << /X 102 0 R >>"),
}  # fmt: skip


@pytest.mark.parametrize("name", GONE)
def test_text_that_leaves_no_trace_on_the_page_is_left_out_and_reported(name):
    page = read(*GONE[name])
    assert b"CANARY" not in page.body
    assert {threat.kind for threat in page.threats} == {"hidden_pdf"}


@pytest.mark.parametrize("name", KEPT)
def test_text_that_is_seen_on_the_page_stays_and_nothing_is_reported(name):
    page = read(*KEPT[name])
    assert UNSEEN in LexborHTMLParser(page.body.decode()).root.text()
    assert page.threats == ()


def test_letters_of_a_drawn_font_that_are_empty_are_left_out():
    font = (
        "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [.001 0 0 .001 0 0] /CharProcs << /a 104 0 R >> /Resources << >>"
        f" /Encoding << /Type /Encoding /Differences [32 {'/a ' * 95}] >> /FirstChar 32 /LastChar 126 /Widths [{'500 ' * 95}] /ToUnicode 105 0 R >>"
    )
    objects = {103: font, 104: drawn("500 0 d0"), 105: drawn(LETTERS)}
    body = pdf(SEEN + "BT /T3 12 Tf 60 600 Td (CANARY) Tj ET", objects=objects).replace(b"/F1 3 0 R", b"/F1 3 0 R /T3 103 0 R", 1)
    page = sanitize.call(Page(url="https://mill.example/a.pdf", media_type="application/pdf", body=body), Options())
    assert b"CANARY" not in page.body
