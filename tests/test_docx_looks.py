"""Word documents: what looks, boxes and fields keep from being seen goes, what is seen stays."""

# ruff: noqa: E501 - lists of what is tried

from __future__ import annotations

import pytest
from documents import W, docx, run, word

from stages.records import Page
from stages.sanitize import Options, sanitize

UNSEEN = "CANARY of the mill is to be told"
W14 = "http://schemas.microsoft.com/office/word/2010/wordml"
STYLES = (
    f'<w:styles {W}><w:style w:styleId="Pale"><w:name w:val="Pale"/><w:rPr><w:color w:val="FFFFFF"/></w:rPr></w:style>'
    '<w:style w:styleId="Paler"><w:name w:val="Paler"/><w:basedOn w:val="Pale"/></w:style>'
    '<w:style w:styleId="Dust"><w:name w:val="Dust"/><w:rPr><w:sz w:val="2"/></w:rPr></w:style>'
    '<w:style w:styleId="Band"><w:name w:val="Band"/><w:pPr><w:shd w:val="clear" w:fill="203040"/></w:pPr><w:rPr><w:color w:val="FFFFFF"/></w:rPr></w:style>'
    "</w:styles>"
)


def read(body: str) -> Page:
    data = docx(word("Plain words.") + body, {"word/styles.xml": STYLES})
    page = sanitize.call(Page(url="https://mill.example/a.docx", media_type="", body=data), Options())
    assert b"Plain words." in page.body
    return page


def paragraph(inner: str, looks: str = "") -> str:
    return f"<w:p><w:pPr>{looks}</w:pPr>{inner}</w:p>"


def white_in(cell_looks: str, table_style: str = "") -> str:
    inner = word(UNSEEN, looks='<w:color w:val="FFFFFF"/>')
    return f"<w:tbl><w:tblPr>{table_style}</w:tblPr><w:tr><w:tc><w:tcPr>{cell_looks}</w:tcPr>{inner}</w:tc></w:tr></w:tbl>"


def row(looks: str) -> str:
    return f"<w:tbl><w:tr><w:trPr>{looks}</w:trPr><w:tc>{word(UNSEEN)}</w:tc></w:tr></w:tbl>"


def box(anchor: str) -> str:
    return f"<w:p><w:r><w:drawing><wp:anchor xmlns:wp='w'>{anchor}<w:txbxContent>{word(UNSEEN)}</w:txbxContent></wp:anchor></w:drawing></w:r></w:p>"


def field(code: str, result: str) -> str:
    mark = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'
    return f"<w:p>{mark.format('begin')}<w:r><w:instrText>QUOTE</w:instrText></w:r>{code}{mark.format('separate')}{result}{mark.format('end')}</w:p>"


EXTENT = '<wp:extent cx="900000" cy="900000"/>'
HIDDEN = {
    "nearly white": word(UNSEEN, looks='<w:color w:val="FAFAFA"/>'),
    "white by its paragraph's style": word(UNSEEN, "Pale"),
    "white by a style that is based on it": word(UNSEEN, "Paler"),
    "white by its own style": paragraph(run(UNSEEN, '<w:rStyle w:val="Pale"/>')),
    "tiny by a style": word(UNSEEN, "Dust"),
    "black on black": word(UNSEEN, looks='<w:color w:val="000000"/><w:shd w:val="clear" w:fill="000000"/>'),
    "yellow under a yellow marker": word(UNSEEN, looks='<w:color w:val="FFFF00"/><w:highlight w:val="yellow"/>'),
    "the colour of its cell": white_in('<w:shd w:val="clear" w:fill="FFFFFF"/>'),
    "white in a plain cell": white_in(""),
    "no fill": word(UNSEEN, looks=f'<w14:textFill xmlns:w14="{W14}"><w14:noFill/></w14:textFill>'),
    "a clear fill": word(
        UNSEEN,
        looks=f'<w14:textFill xmlns:w14="{W14}"><w14:solidFill><w14:alpha w14:val="100000"/></w14:solidFill></w14:textFill>',
    ),
    "letters of no width": word(UNSEEN, looks='<w:w w:val="1"/>'),
    "lines of no height": paragraph(run(UNSEEN), '<w:spacing w:line="2" w:lineRule="exact"/>'),
    "a row of no height": row('<w:trHeight w:val="1" w:hRule="exact"/>'),
    "a hidden row": row("<w:hidden/>"),
    "a box of no extent": box('<wp:extent cx="0" cy="0"/>'),
    "a hidden box": box(f'{EXTENT}<wp:docPr id="1" hidden="1"/>'),
    "a box off the page": box(f"{EXTENT}<wp:positionH><wp:posOffset>-99000000</wp:posOffset></wp:positionH>"),
    "an old box that is hidden": f"<w:p><w:r><w:pict><v:shape xmlns:v='v' style='visibility: hidden'><v:textbox><w:txbxContent>{word(UNSEEN)}</w:txbxContent></v:textbox></v:shape></w:pict></w:r></w:p>",
    "the code of a field": field(run(UNSEEN), run("a quote")),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_what_a_word_document_does_not_show_is_left_out_and_reported(name: str) -> None:
    page = read(HIDDEN[name])
    assert b"CANARY" not in page.body
    assert [threat.kind for threat in page.threats] == ["hidden_attribute"]


SHOWN = {
    "grey": word(UNSEEN, looks='<w:color w:val="BFBFBF"/>'),
    "white on the band of its style": word(UNSEEN, "Band"),
    "white on a dark cell": white_in('<w:shd w:val="clear" w:fill="203040"/>'),
    "white in a table with a style": white_in("", '<w:tblStyle w:val="Grid"/>'),
    "white under a dark marker": word(UNSEEN, looks='<w:color w:val="FFFFFF"/><w:highlight w:val="darkBlue"/>'),
    "white on a pattern": word(UNSEEN, looks='<w:color w:val="FFFFFF"/><w:shd w:val="pct50" w:color="000000" w:fill="FFFFFF"/>'),
    "black again after a pale style": word(UNSEEN, "Pale", '<w:color w:val="000000"/>'),
    "an automatic colour": word(UNSEEN, looks='<w:color w:val="auto"/><w:shd w:val="clear" w:fill="FFFFFF"/>'),
    "hidden in the web view alone": word(UNSEEN, looks="<w:webHidden/>"),
    "narrow letters": word(UNSEEN, looks='<w:w w:val="66"/>'),
    "a low row that may grow": row('<w:trHeight w:val="1" w:hRule="atLeast"/>'),
    "a box": box(f'{EXTENT}<wp:docPr id="1"/><wp:positionH><wp:posOffset>914400</wp:posOffset></wp:positionH>'),
    "white in a box": box(EXTENT).replace("<w:rPr>", '<w:rPr><w:color w:val="FFFFFF"/>'),
    "the result of a field": field("", run(UNSEEN)),
    "a paragraph after a field that never ends": f'<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r></w:p>{word(UNSEEN)}',
    "right to left": f'<w:p><w:bdo w:val="rtl">{run(UNSEEN)}</w:bdo></w:p>',
    "ruby": f"<w:p><w:r><w:ruby><w:rt>{run('how')}</w:rt><w:rubyBase>{run(UNSEEN)}</w:rubyBase></w:ruby></w:r></w:p>",
    "a choice": f"<w:p><mc:AlternateContent xmlns:mc='m'><mc:Choice>{run(UNSEEN)}</mc:Choice><mc:Fallback>{run('old')}</mc:Fallback></mc:AlternateContent></w:p>",
    "a fraction": f"<w:p><m:oMath xmlns:m='m'><m:f><m:num><m:r><m:t>{UNSEEN}</m:t></m:r></m:num></m:f></m:oMath></w:p>",
}


@pytest.mark.parametrize("name", SHOWN)
def test_what_a_word_document_shows_stays_and_is_no_threat(name: str) -> None:
    page = read(SHOWN[name])
    assert UNSEEN.encode() in page.body
    assert page.threats == ()


def test_a_hidden_heading_is_no_title() -> None:
    styles = STYLES.replace("</w:styles>", '<w:style w:styleId="Title"><w:name w:val="Title"/></w:style></w:styles>')
    body = docx(word(UNSEEN, "Title", "<w:vanish/>") + word("The mill", "Title"), {"word/styles.xml": styles})
    page = sanitize.call(Page(url="https://mill.example/a.docx", media_type="", body=body), Options())
    assert b"CANARY" not in page.body
    assert b"<title>The mill</title>" in page.body
