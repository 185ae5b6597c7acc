"""What of a PDF page is seen is what its pixels show: texts that paint nothing go, whatever keeps them back, and all others stay."""

# ruff: noqa: E501 - lists of what is tried

from __future__ import annotations

import pytest
from documents import pdf, put

from stages.records import Page
from stages.sanitize import Options, sanitize

SEEN = put("The keeper writes every level down by hand.", 60, 700)
UNSEEN = "CANARY of the mill is to be told"
TEXT = put(UNSEEN, 60, 600)
PAPER = "1 g 0 0 600 690 re f 0 g "
ROUNDED = "50 590 m 500 590 l 510 590 510 595 510 600 c 510 630 l 50 630 l 40 630 40 625 40 620 c h"
CLIPPED = "q BT 7 Tr /F1 24 Tf 40 600 Td ({}) Tj ET {} Q"


def stream(head: str, data: str = "") -> str:
    return f"<< {head} /Length {len(data)} >>\nstream\n{data}\nendstream"


def picture(*shades: int, more: str = "") -> str:
    return stream(
        f"/Type /XObject /Subtype /Image /Width 1 /Height {len(shades)} /ColorSpace /DeviceGray /BitsPerComponent 8 {more}",
        "".join(map(chr, shades)),
    )


def form(data: str, more: str = "") -> str:
    return stream(
        f"/Type /XObject /Subtype /Form /BBox [0 0 600 800] {more} /Resources << /Font << /F1 3 0 R >> /Properties << /A 120 0 R >> >>",
        data,
    )


def tiles(paint: str) -> str:
    return stream("/PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 9 9] /XStep 9 /YStep 9 /Resources << >>", paint)


def shading(first: str, last: str) -> str:
    return (
        "<< /ShadingType 2 /ColorSpace /DeviceRGB /Coords [0 0 600 0] /Extend [true true] /Function "
        f"<< /FunctionType 2 /Domain [0 1] /C0 [{first}] /C1 [{last}] /N 1 >> >>"
    )


def letters(glyph: str, scale: str = ".001") -> str:
    codes, widths = " ".join(f"{code} /g" for code in range(32, 127)), "500 " * 95
    return (
        f"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [{scale} 0 0 {scale} 0 0] /CharProcs << /g {glyph} 0 R >> "
        f"/Encoding << /Differences [{codes}] >> /FirstChar 32 /LastChar 126 /Widths [{widths}] /Resources << >> /ToUnicode 139 0 R >>"
    )


CATALOG = "<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [120 0 R] /D << /OFF [120 0 R] >> >> >>"
MAP = "begincmap 1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <20> <7e> <0020> endbfrange endcmap"
OBJECTS = {
    1: CATALOG,
    120: "<< /Type /OCG /Name (off) >>",
    100: picture(0),
    101: picture(255),
    102: picture(60, 90),
    103: picture(*[255, 17] * 80),
    104: picture(250, more="/SMask 105 0 R"),
    105: picture(60),
    106: form("1 g 50 590 450 40 re f", "/OC 120 0 R"),
    107: form(TEXT, "/Group << /S /Transparency >>"),
    110: tiles(""),
    111: tiles("1 g 0 0 9 9 re f"),
    112: tiles(".3 .1 .1 rg 0 0 9 9 re f"),
    115: shading(".5 .2 .2", ".5 .2 .2"),
    116: shading(".5 .2 .2", ".2 .2 .5"),
    130: letters("131"),
    131: stream("", "500 0 d0"),
    132: letters("133"),
    133: stream("", "500 0 0 0 500 750 d1 100 0 300 700 re f"),
    134: letters("133", ".011"),
    139: stream("", MAP),
}
RESOURCES = (
    "/XObject << /Black 100 0 R /White 101 0 R /Dark 102 0 R /Scan 103 0 R /Stamp 104 0 R /Off 106 0 R /Form 107 0 R >> "
    "/Pattern << /Empty 110 0 R /Paper 111 0 R /Brown 112 0 R /Red << /PatternType 2 /Shading 116 0 R >> >> /Shading << /Plain 115 0 R /Fade 116 0 R >> /Properties << /A 120 0 R >> "
    "/ExtGState << /Screen << /BM /Screen >> /Clear << /ca 0 /CA 0 >> /Faint << /ca .03 >> /Pale << /ca .15 >> /Multiply << /BM /Multiply >> >> "
)


def read(content: str, crop: str = "") -> Page:
    body = pdf(SEEN + content, objects=OBJECTS, resources=RESOURCES, crop=crop)
    body = body.replace(b"/F1 3 0 R >> /XO", b"/F1 3 0 R /No 130 0 R /Box 132 0 R /Big 134 0 R >> /XO")
    page = sanitize.call(Page(url="https://mill.example/a.pdf", media_type="application/pdf", body=body), Options())
    assert b"by hand" in page.body
    return page


def drawn(name: str) -> str:
    return f" q 500 0 0 40 50 590 cm /{name} Do Q "


HIDDEN = {
    "an empty pattern": f"/Pattern cs /Empty scn {TEXT}",
    "a pattern of paper": f"/Pattern cs /Paper scn {TEXT}",
    "white strokes": put(UNSEEN, 60, 600, before="1 G 1 Tr"),
    "the colour of a rounded box": f".2 .3 .4 rg {ROUNDED} f {TEXT}",
    "the colour of two boxes side by side": f".2 .3 .4 rg 50 590 70 40 re f 120 590 400 40 re f {TEXT}",
    "the colour of a thick line": f".2 .3 .4 RG .2 .3 .4 rg 40 w 50 605 m 550 605 l S {TEXT}",
    "the colour of a picture": f"{drawn('Black')} 0 g {TEXT}",
    "the colour of a shading": f"q 50 590 500 40 re W n /Plain sh Q .5 .2 .2 rg {TEXT}",
    "under two boxes side by side": f"{TEXT} 1 g 50 590 70 40 re f 120 590 400 40 re f",
    "under a rounded box": f"{TEXT} .9 g {ROUNDED} f",
    "under a thick line": f"{TEXT} 1 G 40 w 50 605 m 560 605 l S",
    "under a shading": f"{TEXT} q 50 590 500 40 re W n /Fade sh Q",
    "under a pattern": f"{TEXT} /Pattern cs /Brown scn 50 590 500 40 re f",
    "written over": f"1 g {put(UNSEEN, 60, 640)} 0 g {put('The mill stands still today', 60, 640)}",
    "written over, in a document with structure": f"/P << /MCID 1 >> BDC 1 g {put(UNSEEN, 60, 640)} 0 g EMC /P << /MCID 2 >> BDC {put('The mill stands still today', 60, 640)} EMC",
    "written over, all in one clip": f"q 0 0 600 800 re W n 1 g {put(UNSEEN, 60, 640)} 0 g {put('The mill stands still today', 60, 640)} Q",
    "flat letters": f"BT /F1 11 Tf 1 0 0 0 60 600 Tm ({UNSEEN}) Tj ET",
    "thin letters": f"BT /F1 11 Tf .001 0 0 1 60 600 Tm ({UNSEEN}) Tj ET",
    "letters of no width": f"BT /F1 11 Tf .1 Tz 60 600 Td ({UNSEEN}) Tj ET",
    "letters of no size": f"BT /F1 0 Tf 60 600 Td ({UNSEEN}) Tj ET",
    "letters on a line that goes straight up": f"BT /F1 11 Tf 0 0 0 1 60 600 Tm ({UNSEEN}) Tj ET",
    "letters spaced off the page": f"BT /F1 11 Tf 700 Tc 60 600 Td ( {UNSEEN}) Tj ET",
    "a line that goes on off the page": f"BT /F1 11 Tf 60 600 Td [(The mill) -90000 ({UNSEEN})] TJ ET",
    "a line that goes on outside of its clip": f"q 50 590 150 40 re W n {put('The mill and the harbour were built of ' + UNSEEN, 60, 600)} Q",
    "a rim of its letters": f"q 60 600 300 .01 re W n {TEXT} Q",
    "a clip of other letters": f"q BT /F1 30 Tf 7 Tr 60 400 Td (O) Tj ET BT 0 Tr /F1 11 Tf 60 600 Td ({UNSEEN}) Tj ET Q",
    "a clip through which nothing shines": CLIPPED.format(UNSEEN, ""),
    "a clip that ends before the picture": CLIPPED.format(UNSEEN, "") + drawn("Dark"),
    "a blend that paper swallows": f"{PAPER} /Screen gs {TEXT}",
    "next to nothing of its paint": f"/Faint gs {TEXT}",
    "a transparent group": "/Clear gs /Form Do",
    "letters without a shape": f"BT /No 11 Tf 60 600 Td ({UNSEEN}) Tj ET",
    "recognised text where the scan is blank": f"q 600 0 0 680 0 0 cm /White Do Q {put(UNSEEN, 60, 600, before='3 Tr')}",
    "recognised text of a small picture": f"q 100 0 0 90 50 500 cm /Scan Do Q {put(UNSEEN, 60, 600, before='3 Tr')}",
}


@pytest.mark.parametrize("name", HIDDEN)
def test_what_paints_nothing_that_could_be_read_is_left_out_and_reported(name: str) -> None:
    page = read(HIDDEN[name])
    assert b"CANARY" not in page.body
    assert b"told" not in page.body
    assert {threat.kind for threat in page.threats} == {"hidden_pdf"}


SHOWN = {
    "white on a thick line": f".1 .2 .4 RG 40 w 50 605 m 550 605 l S 1 g {TEXT}",
    "white on a rounded box": f".1 .2 .4 rg {ROUNDED} f 1 g {TEXT}",
    "white on a shading": f"q 50 590 500 40 re W n /Fade sh Q 1 g {TEXT}",
    "filled with a shading": f"/Pattern cs /Red scn {TEXT}",
    "filled with a pattern": f"/Pattern cs /Brown scn {TEXT}",
    "white on a pattern": f"/Pattern cs /Brown scn 50 590 500 40 re f 1 g {TEXT}",
    "white on a box with a white line across": f".2 .3 .4 rg 50 590 500 40 re f 1 g 50 590 m 51 590 l 550 631 l 549 632 l h f {TEXT}",
    "white with black strokes": put(UNSEEN, 60, 600, before="1 g 0 G .5 w 2 Tr"),
    "white around black": put(UNSEEN, 60, 600, before="1 g 1 G 2 w 2 Tr") + "BT 0 Tr ET 0 g " + TEXT,
    "red on green of the same light": f"0 .52 0 rg 50 590 500 40 re f .9 0 0 rg {TEXT}",
    "pale grey": f".85 g {TEXT}",
    "a watermark": f"/Pale gs {TEXT}",
    "a highlight over it": f"{TEXT} /Multiply gs 1 1 0 rg 50 590 450 30 re f",
    "a cover that is clipped away": f"{TEXT} q 0 0 10 10 re W n 1 g 50 590 450 40 re f Q",
    "a cover that is switched off": f"{TEXT} /OC /A BDC 1 g 50 590 450 40 re f EMC",
    "a form over it that is switched off": f"{TEXT} /Off Do",
    "a ground of its colour that is switched off": f"/OC /A BDC 0 g 50 590 450 40 re f EMC {TEXT}",
    "a frame around it": f"{TEXT} 1 g 40 580 m 560 580 l 560 640 l 559 640 l 559 581 l 40 581 l f",
    "a stamp with holes over it": f"{TEXT} {drawn('Stamp')}",
    "a clip that a picture fills": CLIPPED.format(UNSEEN, "q 600 0 0 100 0 560 cm /Dark Do Q"),
    "a clip that a box fills": CLIPPED.format(UNSEEN, "0 .3 .5 rg 0 560 600 100 re f"),
    "a clip that a shading fills": CLIPPED.format(UNSEEN, "/Fade sh"),
    "letters of boxes": f"BT /Box 11 Tf 60 600 Td ({UNSEEN}) Tj ET",
    "large letters of a font that says one point": f"BT /Big 1 Tf 60 600 Td ({UNSEEN}) Tj ET",
    "drawn again over what covers it": f"{TEXT} 1 g 50 590 450 40 re f 0 g {TEXT}",
    "a transparency group": "/Form Do",
    "recognised text under the scan": f"{TEXT} q 600 0 0 680 0 0 cm /Scan Do Q",
    "recognised text over a scan in strips": f"q 600 0 0 280 0 0 cm /Scan Do Q q 600 0 0 400 0 280 cm /Scan Do Q {put(UNSEEN, 60, 600, before='3 Tr')}",
    "narrow letters": f"BT /F1 11 Tf 60 Tz 60 600 Td ({UNSEEN}) Tj ET",
    "a line of four points": put(UNSEEN, 60, 600, 4),
    "mirrored and mirrored back": f"q 1 0 0 -1 0 800 cm BT /F1 11 Tf 1 0 0 -1 60 200 Tm ({UNSEEN}) Tj ET Q",
    "letters that run upwards": f"BT /F1 11 Tf 0 1 -1 0 100 350 Tm ({UNSEEN}) Tj ET",
}


@pytest.mark.parametrize("name", SHOWN)
def test_what_can_be_read_on_the_page_stays_and_is_no_threat(name: str) -> None:
    page = read(SHOWN[name])
    assert UNSEEN.encode() in page.body
    assert page.threats == ()


@pytest.mark.parametrize("turn", ["/Rotate 90", "/Rotate 180", "/Rotate 270", "/CropBox [30 90 580 780]", "/UserUnit 2"])
def test_a_page_that_is_turned_or_cropped_shows_its_text(turn: str) -> None:
    page = read(TEXT, turn)
    assert UNSEEN.encode() in page.body
    assert page.threats == ()


def test_an_opaque_note_hides_what_lies_under_it() -> None:
    note = "/Annots [<< /Type /Annot /Subtype /Square /Rect [50 590 550 630] /F 4 /C [1 1 1] /IC [1 1 1] /AP << /N 106 0 R >> >>]"
    objects = OBJECTS | {106: form("1 g 0 0 600 800 re f")}
    body = pdf(SEEN + TEXT, crop=note, objects=objects, resources=RESOURCES)
    page = sanitize.call(Page(url="https://mill.example/a.pdf", media_type="application/pdf", body=body), Options())
    assert b"CANARY" not in page.body


DRAWN = put("The mill was built by the harbour long ago", 60, 600)


@pytest.mark.parametrize("said", [UNSEEN, f"{UNSEEN} that the harbour is closed", "CANARY"])
def test_a_text_that_stands_for_other_words_gives_way_to_those_that_are_drawn(said: str) -> None:
    page = read(f"/Span << /ActualText ({said}) >> BDC {DRAWN} EMC")
    assert b"CANARY" not in page.body
    assert b"The mill was built by the harbour long ago" in page.body
    assert {threat.reason for threat in page.threats} <= {"text that stands for another"}


@pytest.mark.parametrize(
    ("said", "letters", "expected"),
    [
        ("The mill was built by the harbour long ago.", "The mill was built by the harbour long ago", "long ago."),
        ("THE MILL", "the mill", "THE MILL"),
        ("office", "o\\001\\002", "office"),
    ],
)
def test_a_text_that_stands_for_its_own_letters_is_read(said: str, letters: str, expected: str) -> None:
    page = read(f"/Span << /ActualText ({said}) >> BDC {put(letters, 60, 600)} EMC")
    assert expected.encode() in page.body
    assert page.threats == ()


def test_late_pages_of_a_long_document_are_still_judged_where_they_give_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stages.formats.pdf.DRAWN_PAGES", 0)
    for name in HIDDEN.keys() - {"letters without a shape"}:
        assert b"CANARY" not in read(HIDDEN[name]).body, name
    for name, content in SHOWN.items():
        assert UNSEEN.encode() in read(content).body, name


def foreign(text: str, around: str = "{}") -> Page:
    """A page with a text in a font of the Far East that is not in the document, as many are not."""
    font = "<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts [201 0 R] >>"
    objects = OBJECTS | {
        200: font,
        201: "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /DW 1000 /FontDescriptor 202 0 R "
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> >>",
        202: "<< /Type /FontDescriptor /FontName /STSong-Light /Flags 4 /FontBBox [0 -200 1000 900] /Ascent 800 /Descent -200 >>",
    }
    set_text = around.format(f"BT /Song 12 Tf 60 600 Td <{text.encode('utf-16-be').hex()}> Tj ET")
    body = pdf(f"{SEEN} {set_text}", objects=objects, resources=RESOURCES).replace(b"/F1 3 0 R >>", b"/F1 3 0 R /Song 200 0 R >>")
    return sanitize.call(Page(url="https://mill.example/a.pdf", media_type="application/pdf", body=body), Options())


def test_letters_of_a_font_that_is_nowhere_at_hand_are_judged_by_their_paint_alone() -> None:
    text = "\u6bcf\u5929\u624b\u5199\u6c34\u4f4d"
    shown, white, off = foreign(text), foreign(text, "1 g {}"), foreign(text, "1 0 0 1 900 0 cm {}")
    assert text.encode() in shown.body
    assert shown.threats == ()
    assert text.encode() not in white.body + off.body
    assert {threat.kind for threat in white.threats + off.threats} == {"hidden_pdf"}


@pytest.mark.parametrize(
    ("note", "kinds"),
    [
        (f"/Subtype /Text /Rect [500 700 520 720] /Contents ({UNSEEN})", {"hidden_pdf"}),
        (f"/Subtype /FreeText /F 2 /Rect [60 600 300 620] /DA (/Helv 9 Tf) /Contents ({UNSEEN})", {"hidden_pdf"}),
        (f"/Subtype /Widget /FT /Tx /T (a) /F 2 /Rect [60 600 300 620] /V ({UNSEEN})", {"hidden_pdf"}),
        ("/Subtype /Link /Rect [60 600 300 620] /Contents (Read more about the old mill)", set()),
        ("/Subtype /Text /Rect [500 700 520 720] /Contents (Ok, Jane)", set()),
    ],
)
def test_text_of_notes_is_never_read_and_reported_where_it_is_one(note: str, kinds: set[str]) -> None:
    page = read("", f"/Annots [<< /Type /Annot {note} >>]")
    assert b"CANARY" not in page.body
    assert {threat.kind for threat in page.threats} == kinds


def mapped(base: str, more: str = "") -> Page:
    """A page in a font that says of every letter that it is the next one."""
    table = "begincmap 1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <20> <7e> <0021> endbfrange endcmap"
    objects = OBJECTS | {
        210: f"<< /Type /Font /Subtype /Type1 /BaseFont /{base} /Encoding /WinAnsiEncoding /ToUnicode 211 0 R {more} >>",
        211: stream("", table),
    }
    body = pdf(f"{SEEN} BT /Liar 12 Tf 60 600 Td (The mill stands) Tj ET", objects=objects, resources=RESOURCES)
    body = body.replace(b"/F1 3 0 R >>", b"/F1 3 0 R /Liar 210 0 R >>")
    return sanitize.call(Page(url="https://mill.example/a.pdf", media_type="application/pdf", body=body), Options())


def test_a_font_that_is_not_in_the_document_is_read_by_its_encoding_and_not_by_what_it_says() -> None:
    assert b"The mill stands" in mapped("Helvetica-Bold").body
    assert b"Uif!njmm!tuboet" in mapped("ABCDEF+Own").body


NOTES = {
    110: form(put(UNSEEN, 2, 9)).replace("[0 0 600 800]", "[0 0 300 30]"),
    111: form(put(UNSEEN, 2, 9, before="1 g")).replace("[0 0 600 800]", "[0 0 300 30]"),
}
RECT = "/Rect [60 600 360 630] /AP << /N 110 0 R >>"


def noted(note: str) -> Page:
    body = pdf(SEEN, crop=f"/Annots [<< /Type /Annot {note} >>]", objects=OBJECTS | NOTES, resources=RESOURCES)
    return sanitize.call(Page(url="https://mill.example/a.pdf", media_type="application/pdf", body=body), Options())


@pytest.mark.parametrize(
    "note", [f"/Subtype /FreeText /F 4 {RECT}", f"/Subtype /Stamp /F 4 {RECT}", f"/Subtype /Widget /FT /Tx /F 4 /V (x) {RECT}"]
)
def test_what_notes_and_fields_draw_is_a_part_of_the_page(note: str) -> None:
    page = noted(note)
    assert b"by hand" in page.body
    assert UNSEEN.encode() in page.body
    assert page.threats == ()


@pytest.mark.parametrize(
    "note",
    [
        f"/Subtype /FreeText /F 2 {RECT}",
        f"/Subtype /Stamp /F 32 {RECT}",
        f"/Subtype /Stamp /F 4 {RECT.replace('600', '900').replace('630', '930')}",
        f"/Subtype /Widget /FT /Tx /F 4 /V (x) {RECT.replace('110', '111')}",
    ],
)
def test_what_they_hide_is_not(note: str) -> None:
    page = noted(note)
    assert b"by hand" in page.body
    assert b"CANARY" not in page.body


def test_a_page_that_is_too_much_to_draw_is_judged_by_its_paint_and_says_so() -> None:
    layers = "".join(f".{shade % 9} g 0 0 600 690 re f " for shade in range(1000))
    page = read(f"{layers} .5 g {put('CANARY under all', 60, 600)} .1 g 0 0 600 690 re f 1 g {put('The mill stands', 60, 500)}")
    assert b"CANARY" not in page.body
    assert b"The mill stands" in page.body
    assert [threat.kind for threat in page.threats] == ["hidden_pdf", "detection_degraded"]


@pytest.mark.parametrize("size", [3, 5, 8, 11])
@pytest.mark.parametrize("grey", [0, 0.5, 0.75, 0.9])
def test_letters_that_are_set_one_by_one_are_seen_however_small_and_pale_they_are(size: int, grey: float) -> None:
    text = "It's 3.5 i.e., l|!-:; a.b - end. ..`^_"
    line = "".join(put(letter, 60.13 + at * size * 0.6, 600.37, size) for at, letter in enumerate(text) if letter != " ")
    page = read(f"{grey} g {line} 0 g")
    assert page.threats == ()
    assert "".join(text.split()) in "".join(page.body.decode().split())
