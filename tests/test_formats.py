"""Documents that are no web pages: their text comes out readable, what is hidden in them does not."""
# ruff: noqa: E501 - samples of markup are easier to read on one line

from __future__ import annotations

import io
import json
import os
import zipfile
from pathlib import Path

import pytest
from documents import W, docx, epub, odt, pdf, pptx, put, run, shape, word, xlsx, zipped
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.core.errors import StageError
from stages.extract import Options as ExtractOptions
from stages.extract import extract
from stages.formats.convert import converted
from stages.formats.zipped import MAX_TOTAL_BYTES, Parts
from stages.records import Document, Page
from stages.sanitize import Options, sanitize
from stages.text.magic import DOCX, EPUB, ODT, PDF, PPTX, XLSX, magic_type

SHARED = Path(os.environ.get("SHARED", Path(__file__).parents[2] / "shared")) / "cases" / "hidden_text"
STYLES = (
    f"<w:styles {W}>"
    '<w:style w:styleId="Title"><w:name w:val="Title"/></w:style>'
    '<w:style w:styleId="H2"><w:name w:val="heading 2"/></w:style>'
    '<w:style w:styleId="Own"><w:name w:val="Own"/><w:basedOn w:val="H2"/></w:style>'
    '<w:style w:styleId="Ghost"><w:name w:val="Ghost"/><w:rPr><w:vanish/></w:rPr></w:style></w:styles>'
)


def read(body: bytes, media_type: str = "") -> Document:
    """As the stages do it one after the other."""
    clean = sanitize.call(Page(url="https://example.org/file", media_type=media_type, body=body, sha256="raw"), Options())
    assert clean.media_type == "text/html"
    assert sanitize.call(clean, Options()) == clean
    return extract.call(clean, ExtractOptions())


def reasons(found: Document) -> list[str]:
    return [threat.reason for threat in found.threats]


def test_a_word_document_keeps_headings_lists_tables_links_and_notes() -> None:
    numbering = (
        '<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:abstractNum w:abstractNumId="7">'
        '<w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num></w:numbering>'
    )
    item = '<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="{}"/></w:numPr></w:pPr>' + run("{}") + "</w:p>"
    notes = (
        '<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:footnote w:type="separator">'
        f"{word('----')}</w:footnote><w:footnote>{word('Measured at noon.')}</w:footnote></w:footnotes>"
    )
    cells = "".join(f"<w:tc>{word(text)}</w:tc>" for text in ("Station", "Level"))
    more = "".join(f"<w:tc>{word(text)}</w:tc>" for text in ("Weir &amp; lock", "3.2 m"))
    found = read(
        docx(
            word("River levels", "Title")
            + word("Upper reach", "Own")
            + f"<w:p>{run('The keeper')}{run(' writes ')}<w:hyperlink r:id='l1'>{run('every level')}</w:hyperlink>{run(' down.')}</w:p>"
            + item.format(1, "Read the gauge")
            + item.format(1, "Write it down")
            + item.format(2, "Close the lid")
            + f"<w:tbl><w:tr>{cells}</w:tr><w:tr>{more}</w:tr></w:tbl>",
            {"word/styles.xml": STYLES, "word/numbering.xml": numbering, "word/footnotes.xml": notes},
            l1="https://example.org/levels",
        ),
        DOCX,
    )
    assert found.title == "River levels"
    assert "# River levels\n\n## Upper reach\n\nThe keeper writes every level down." in found.text
    assert "1. Read the gauge\n2. Write it down" in found.text
    assert "- Close the lid" in found.text
    assert "| Station | Level |" in found.text
    assert "| Weir & lock | 3.2 m |" in found.text
    assert found.text.endswith("Measured at noon.")
    assert "----" not in found.text
    assert (found.threats, found.provenance.sha256) == ((), "raw")
    assert found.provenance.sanitizer.endswith("+docx/1")


def test_text_that_a_word_document_hides_is_left_out_and_reported() -> None:
    deleted = "<w:p><w:del><w:r><w:delText>old words</w:delText></w:r></w:del></w:p>"
    band = run("Seen on a dark band.", '<w:color w:val="FFFFFF"/>')
    shaded = f"<w:p><w:pPr><w:shd w:fill='203040'/></w:pPr>{band}</w:p>"
    found = read(
        docx(
            word("Plain words.")
            + word("vanished words", looks="<w:vanish/>")
            + word("kept words", looks='<w:vanish w:val="0"/>')
            + word("white words", looks='<w:color w:val="FFFFFF"/>')
            + word("tiny words", looks='<w:sz w:val="2"/>')
            + word("ghostly words", "Ghost")
            + deleted
            + shaded,
            {"word/styles.xml": STYLES},
        )
    )
    assert found.text == "Plain words.\n\nkept words\n\nSeen on a dark band."
    assert reasons(found) == [
        "text marked as hidden",
        "text in the colour of what is under it",
        "text too small to be read",
    ]
    assert {threat.kind for threat in found.threats} == {"hidden_attribute"}


def test_a_presentation_is_read_slide_by_slide_without_hidden_slides_and_shapes() -> None:
    found = read(
        pptx(
            shape("Keep the lamp lit", "and clean") + shape("The lamp", place="title") + shape("3", place="sldNum"),
            'show="0"\n' + shape("A slide that is not shown"),
            shape("First point", "Second point", place="body")
            + shape("Not there", hidden=True)
            + shape("Thank you", place="ctrTitle"),
        )
    )
    assert found.text == "## The lamp\n\nKeep the lamp lit\n\nand clean\n\n## Thank you\n\n- First point\n- Second point"
    assert found.title == "The lamp"
    assert [(threat.reason, threat.place) for threat in found.threats] == [
        ("a hidden slide", "slide 2"),
        ("a hidden shape", "slide 3"),
    ]


def test_a_workbook_is_a_table_a_sheet_with_dates_and_shares_as_they_are_shown() -> None:
    styles = '<numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy hh:mm"/></numFmts><cellXfs>' + "".join(
        f'<xf numFmtId="{one}"/>' for one in (0, 14, 10, 164, 4)
    )
    rows = (
        '<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="D1" t="inlineStr"><is><t>Seen</t></is></c></row>'
        '<row r="2"><c r="A2" s="1"><v>45000</v></c><c r="B2"><v>3.2000000000000002</v></c><c r="D2" s="2"><v>0.125</v></c></row>'
        '<row r="3"><c r="A3" s="3"><v>45000.5</v></c><c r="B3" t="b"><v>1</v></c><c r="D3" t="str"><v>a|b</v></c></row></sheetData>'
    )
    found = read(xlsx({"Levels": rows}, ("Day", "Level"), f"{styles}</cellXfs>"))
    assert found.text.splitlines() == [
        "## Levels",
        "",
        "| Day | Level | Seen |",
        "| --- | --- | --- |",
        "| 2023-03-15 | 3.2 | 12.5 % |",
        "| 2023-03-15 12:00:00 | TRUE | a\\|b |",
    ]


def test_hidden_sheets_rows_and_columns_are_left_out_and_reported() -> None:
    cell = '<c r="{}" t="inlineStr"><is><t>{}</t></is></c>'
    rows = (
        '<cols><col min="2" max="2" hidden="1"/></cols><sheetData>'
        f'<row r="1">{cell.format("A1", "seen")}{cell.format("B1", "secret column")}</row>'
        f'<row r="2" hidden="1">{cell.format("A2", "secret row")}</row></sheetData>'
    )
    secret = f'<sheetData><row r="1">{cell.format("A1", "secret sheet")}</row></sheetData>'
    found = read(xlsx({"One": rows, "Two": secret}, states={"Two": "veryHidden"}))
    assert "secret" not in found.text
    assert "seen" in found.text
    assert sorted(reasons(found)) == ["a hidden column", "a hidden row", "a hidden sheet"]


def test_an_open_document_keeps_headings_lists_tables_and_notes_and_leaves_out_what_is_hidden() -> None:
    found = read(
        odt(
            '<text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:h text:outline-level="1">Tide table</text:h>'
            '<text:p>High<text:s text:c="2"/>water at <text:a xlink:href="https://example.org/t">noon</text:a>'
            "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>By the old clock.</text:p></text:note-body></text:note>,"
            ' <text:span text:style-name="T9">hidden span</text:span>daily.</text:p>'
            "<text:list><text:list-item><text:p>ebb</text:p></text:list-item><text:list-item><text:p>flood</text:p></text:list-item></text:list>"
            "<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>Day</text:p></table:table-cell><table:table-cell>"
            "<text:p>Metres</text:p></table:table-cell></table:table-row></table:table-header-rows><table:table-row><table:table-cell>"
            "<text:p>Monday</text:p></table:table-cell><table:table-cell><text:p>6.4</text:p></table:table-cell></table:table-row></table:table>"
            '<text:section text:display="none"><text:p>a hidden section of words</text:p></text:section>',
            '<style:style style:name="T9"><style:text-properties text:display="none"/></style:style>',
        )
    )
    assert found.text.startswith("# Tide table\n\nHigh water at noon, daily.\n\n- ebb\n- flood")
    assert "| Day | Metres |" in found.text
    assert found.text.endswith("By the old clock.")
    assert "hidden" not in found.text
    assert "gone" not in found.text
    assert sorted(reasons(found)) == ["a hidden section", "text marked as hidden"]


def test_a_book_is_read_in_the_order_of_its_spine_by_its_own_styles() -> None:
    page = (
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><link rel="stylesheet" href="style.css"/></head>'
        '<body class="c"><h1>{0}</h1><p>It&nbsp;was {0} &amp; calm.<br/>Nobody spoke.</p><p class="ghost">secret words</p></body></html>'
    )
    found = read(epub({"b.xhtml": page.format("evening"), "a.xhtml": page.format("morning")}, ".ghost{display:none}", "Two days"))
    assert found.text.index("morning") < found.text.index("evening")
    assert "# morning\n\nIt was morning & calm.\nNobody spoke." in found.text
    assert "secret" not in found.text
    assert found.title == "Two days"
    assert [threat.kind for threat in found.threats] == ["hidden_css"]


def test_the_styles_of_one_chapter_hide_nothing_in_another() -> None:
    page = "<html xmlns='http://www.w3.org/1999/xhtml'><head><style>{}</style></head><body{}><p class='note'>{}</p><p>More of it.</p></body></html>"
    dark = page.format(".note {color: #fff}", " style='background: #000'", "Seen on a dark page.")
    plain, hidden = page.format("", "", "Seen on a plain page."), page.format(".note {display: none}", "", "secret words")
    found = read(epub({"one.xhtml": hidden, "two.xhtml": plain, "three.xhtml": dark}))
    assert "Seen on a dark page." in found.text
    assert "Seen on a plain page." in found.text
    assert "secret" not in found.text


def test_a_pdf_has_headings_by_size_joined_lines_and_an_anchor_for_each_page() -> None:
    first = (
        put("Keeping a lamp", 60, 700, 24)
        + put("The lamp burns colza oil, and its keeper writes down every", 60, 660)
        + put("tide of the har-", 60, 646)
        + put("bour by hand.", 60, 632)
        + put("Oil", 60, 590, 15)
        + put("\\225 colza", 60, 570)
        + put("\\225 rape", 60, 556)
    )
    body = pdf(first, put("The second page speaks of wicks and of nothing else at all.", 60, 700))
    found = read(body, "application/octet-stream")
    assert found.text == (
        "# Keeping a lamp\n\nThe lamp burns colza oil, and its keeper writes down every tide of the harbour by hand.\n\n## Oil\n\n"
        "- colza\n- rape\n\nThe second page speaks of wicks and of nothing else at all."
    )
    assert found.title == "Keeping a lamp"
    clean = sanitize.call(Page(url="https://example.org/a.pdf", media_type=PDF, body=body), Options())
    assert b'id="page-1"' in clean.body
    assert b'id="page-2"' in clean.body


IMAGE = {
    100: "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>\nstream\nA\nendstream"
}
STAMP = {
    100: "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /SMask 101 0 R /Length 1 >>\nstream\nA\nendstream",
    101: "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>\nstream\n\x10\nendstream",
}
SCAN = {
    100: "<< /Type /XObject /Subtype /Image /Width 1 /Height 320 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 320 >>\nstream\n"
    + "\xff\x11" * 160
    + "\nendstream"
}
"""A picture with ink everywhere."""
PICTURE = "/XObject << /I 100 0 R >>"
SEEN = put("The keeper writes every level down by hand.", 60, 700)
UNSEEN = "CANARY of the mill"


@pytest.mark.parametrize(
    ("stream", "more", "reason"),
    [
        (put(UNSEEN, 60, 600, before="3 Tr") + "BT 0 Tr ET ", {}, "text that is not painted"),
        (put(UNSEEN, 60, 600, before="1 g"), {}, "text in the colour of what is under it"),
        (put(UNSEEN, 60, 600, before="0 0 0 0 k"), {}, "text in the colour of what is under it"),
        (f"0.1 0.2 0.3 rg 50 590 300 40 re f {put(UNSEEN, 60, 600)}", {}, "text in the colour of what is under it"),
        (put(UNSEEN, 60, 600, 0.4), {}, "text too small to be read"),
        (f"q 0.05 0 0 0.05 0 0 cm {put(UNSEEN, 900, 9000)} Q", {}, "text too small to be read"),
        (put(UNSEEN, 900, 600), {}, "text off the page"),
        (put(UNSEEN, 60, 790), {"crop": "/CropBox [0 0 600 780]"}, "text off the page"),
        (f"{put(UNSEEN, 60, 600)} 1 g 50 590 300 40 re f", {}, "text under something opaque"),
        (
            f"{put(UNSEEN, 60, 600)} q 300 0 0 40 50 590 cm /I Do Q",
            {"objects": IMAGE, "resources": PICTURE},
            "text under something opaque",
        ),
        (
            f"/G gs {put(UNSEEN, 60, 600)}",
            {"resources": "/ExtGState << /G << /ca 0 >> >>"},
            "transparent text",
        ),
    ],
)
def test_text_of_a_pdf_that_nobody_sees_is_left_out_and_reported(stream: str, more: dict[str, object], reason: str) -> None:
    found = read(pdf(f"{SEEN}q {stream} Q", **more))
    assert found.text == "The keeper writes every level down by hand."
    assert [(threat.kind, threat.reason, threat.place, threat.excerpt) for threat in found.threats] == [
        ("hidden_pdf", reason, "page 1", UNSEEN)
    ]


@pytest.mark.parametrize(
    ("stream", "more"),
    [
        (f"0 g 0 0 600 800 re f {put(UNSEEN, 60, 600, before='1 g')}", {}),
        (f"{put(UNSEEN, 60, 600)} q 300 0 0 40 50 590 cm /I Do Q", {"objects": STAMP, "resources": PICTURE}),
        (f"q 600 0 0 800 0 0 cm /I Do Q {put(UNSEEN, 60, 600, before='3 Tr')}", {"objects": SCAN, "resources": PICTURE}),
        (f"q 300 0 0 40 50 590 cm /I Do Q {put(UNSEEN, 60, 600, before='1 g')}", {"objects": IMAGE, "resources": PICTURE}),
        (put(UNSEEN, 60, 600, before="2 Tr"), {}),
        (put(UNSEEN, 60, 600, 5), {}),
        (f"{put(UNSEEN, 60, 600)} 0 g 60 598 90 1 re f", {}),
        (f"q 11 0 0 11 60 600 cm {put(UNSEEN, 0, 0, 1)} Q", {}),
    ],
)
def test_text_of_a_pdf_that_is_seen_stays(stream: str, more: dict[str, object]) -> None:
    found = read(pdf(stream, **more))
    assert UNSEEN in found.text
    assert found.threats == ()


@pytest.mark.skipif(not (SHARED / "pdf_cases.jsonl").exists(), reason="the shared cases are not here")
def test_the_shared_pdf_cases_neither_leak_nor_lose() -> None:
    for row in map(json.loads, (SHARED / "pdf_cases.jsonl").read_text(encoding="utf-8").splitlines()):
        found = read((SHARED / row["file"]).read_bytes(), PDF)
        assert [text for text in row["must_not"] if text in found.text] == [], row["technique"]
        assert [text for text in row["must"] if text not in found.text] == [], row["technique"]
        assert set(row["expected_threat_types"]) <= {threat.kind for threat in found.threats}, row["technique"]
        assert row["report"] != "none" or found.threats == (), row["technique"]


def test_a_feed_is_its_entries_and_hidden_markup_in_them_is_judged() -> None:
    rss = (
        '<?xml version="1.0" encoding="utf-8"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>'
        "<title>Harbour news</title><description>From the pier</description><item><title>The lamp &amp;amp; the tide</title>"
        "<link>https://example.org/1</link><pubDate>Mon, 02 Mar 2026 10:00:00 GMT</pubDate><description>short</description>"
        '<content:encoded><![CDATA[<p>The lamp was lit.</p><p style="display:none">secret words</p><div>]]></content:encoded></item>'
        "<item><title>Second</title><description>&lt;b&gt;Fog&lt;/b&gt; came.</description></item></channel></rss>"
    )
    found = read(rss.encode(), "application/rss+xml")
    assert found.title == "Harbour news"
    assert found.text == (
        "# Harbour news\n\nFrom the pier\n\n## The lamp & the tide\n\nMon, 02 Mar 2026 10:00:00 GMT\n\nThe lamp was lit.\n\n"
        "## Second\n\nFog came."
    )
    assert [threat.kind for threat in found.threats] == ["hidden_css"]


def test_an_atom_feed_under_a_plain_name_is_still_a_feed() -> None:
    atom = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><title>Log</title><entry><title>Day one</title><updated>2026-03-02</updated>'
        '<author><name>Nessa</name></author><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Calm <em>sea</em>.</p></div>'
        "</content></entry></feed>"
    )
    assert read(atom.encode(), "text/plain").text == "# Log\n\n## Day one\n\n2026-03-02 Nessa\n\nCalm sea."


@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        (docx(""), DOCX),
        (pptx(), PPTX),
        (xlsx({}), XLSX),
        (odt(""), ODT),
        (epub({"a": ""}), EPUB),
        (pdf(""), PDF),
        (b"\n%PDF-1.4", PDF),
        (zipped({"notes.txt": "x"}), "application/zip"),
    ],
)
def test_documents_are_known_by_their_bytes(body: bytes, media_type: str) -> None:
    assert magic_type(body) == media_type


def test_a_zip_that_points_before_its_beginning_is_damaged() -> None:
    parts = Parts(docx(word("The weir"))[5:])
    with pytest.raises(StageError, match="damaged"):
        [parts.read(name) for name in parts.names()]


def test_a_part_that_is_packed_as_no_document_may_be_is_damaged() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_BZIP2) as file:
        file.writestr("word/document.xml", "<a/>")
    with pytest.raises(StageError, match="damaged"):
        Parts(buffer.getvalue()).read("word/document.xml")


@pytest.mark.parametrize(
    "body",
    [
        b"%PDF-1.7 nothing",
        b"PK\x03\x04[Content_Types].xml word/document.xml",
        docx("")[:200] + b"[Content_Types].xmlword/document.xml",
    ],
)
def test_a_damaged_document_is_refused_and_says_so(body: bytes) -> None:
    with pytest.raises(StageError, match="damaged") as caught:
        converted(body, "")
    assert caught.value.kind == "unsupported_content"


def test_a_locked_pdf_says_that_it_is_locked() -> None:
    lock = {100: "<< /Filter /Standard /V 1 /R 2 /O <" + "00" * 32 + "> /U <" + "11" * 32 + "> /P -4 >>"}
    body = pdf(SEEN, objects=lock).replace(b"/Root 1 0 R", b"/Root 1 0 R /Encrypt 100 0 R /ID [<00> <00>]")
    with pytest.raises(StageError, match="password"):
        converted(body, PDF)


def test_a_bomb_does_not_unfold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stages.formats.zipped.MAX_PART_BYTES", 1 << 20)
    with pytest.raises(StageError) as caught:
        converted(docx(word(" " * (2 << 20))), DOCX)
    assert caught.value.kind == "too_large"
    assert MAX_TOTAL_BYTES <= 128 << 20


def test_entities_of_xml_are_not_unfolded() -> None:
    bomb = '<!DOCTYPE d [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;">]>'
    body = docx(
        "",
        {
            "word/document.xml": f'{bomb}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{word("x &b; y")}</w:body></w:document>'
        },
    )
    made = converted(body, DOCX)
    assert made is not None
    assert "lol" not in made.html


SAMPLES = (
    docx(word("Plain words.") * 3, {"word/styles.xml": STYLES}),
    pptx(shape("The lamp", place="title")),
    xlsx({"One": '<sheetData><row><c r="A1"><v>1</v></c></row></sheetData>'}, ("x",)),
    odt("<text:p>words</text:p>"),
    epub({"a.xhtml": "<html><body><p>x</p></body></html>"}),
    pdf(SEEN, SEEN),
)


@pytest.mark.parametrize("odd", ["x", "-1", "9" * 5000, "", "\u0664"])
def test_odd_numbers_in_a_document_are_none(odd: str) -> None:
    listed = f'<w:p><w:pPr><w:outlineLvl w:val="{odd}"/><w:numPr><w:ilvl w:val="{odd}"/><w:numId w:val="{odd}"/></w:numPr></w:pPr>{run("words")}</w:p>'
    numbering = (
        f'<w:numbering {W}><w:abstractNum><w:lvl w:ilvl="{odd}"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum></w:numbering>'
    )
    assert "words" in read(docx(listed, {"word/numbering.xml": numbering})).text
    cells = f'<cols><col min="{odd}" max="{odd}" hidden="1"/></cols><sheetData><row><c s="{odd}"><v>7</v></c><c t="s"><v>{odd}</v></c></row></sheetData>'
    assert "7" in read(xlsx({"One": cells}, ("s",), f'<cellXfs><xf numFmtId="{odd}"/></cellXfs>')).text
    assert "words" in read(odt(f'<text:h text:outline-level="{odd}">words<text:s text:c="{odd}"/></text:h>')).text


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SAMPLES), st.data())
def test_a_mutated_document_is_read_or_refused(body: bytes, data: st.DataObject) -> None:
    mutated = bytearray(body)
    for _ in range(data.draw(st.integers(1, 12))):
        mutated[data.draw(st.integers(0, len(mutated) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(mutated[: data.draw(st.integers(50, len(mutated)))])
    try:
        made = converted(cut, "")
    except StageError as error:
        kind = error.kind
    else:
        kind = "ok" if made is None or made.html.startswith("<!doctype html>") else "broken"
    assert kind in ("ok", "unsupported_content", "too_large")
