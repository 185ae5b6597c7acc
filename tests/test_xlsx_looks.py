"""Workbooks: cells whose format, colour or place shows nothing go, those that are seen stay."""

# ruff: noqa: E501 - lists of what is tried

from __future__ import annotations

import pytest
from documents import xlsx

from stages.records import Page
from stages.sanitize import Options, sanitize

UNSEEN = "CANARY of the mill is to be told"
STYLES = (
    '<numFmts><numFmt numFmtId="164" formatCode=";;;"/><numFmt numFmtId="165" formatCode=";;"/></numFmts>'
    '<fonts><font><sz val="11"/></font><font><color rgb="FFFFFFFF"/></font><font><sz val="1"/></font><font><color theme="0"/></font><font><color indexed="9"/></font></fonts>'
    '<fills><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FF203040"/></patternFill></fill>'
    '<fill><patternFill patternType="solid"><fgColor rgb="FFFFFFFF"/></patternFill></fill><fill><gradientFill/></fill></fills><cellXfs>'
    '<xf numFmtId="0" fontId="0" fillId="0"/><xf numFmtId="164" fontId="0" fillId="0"/><xf numFmtId="0" fontId="1" fillId="0"/><xf numFmtId="0" fontId="2" fillId="0"/>'
    '<xf numFmtId="0" fontId="3" fillId="3"/><xf numFmtId="0" fontId="4" fillId="0"/><xf numFmtId="0" fontId="1" fillId="2"/><xf numFmtId="0" fontId="1" fillId="4"/>'
    '<xf numFmtId="0" fontId="1" fillId="1"/><xf numFmtId="165" fontId="0" fillId="0"/></cellXfs>'
)


def read(rows: str, before: str = "", after: str = "") -> Page:
    seen = '<row r="1"><c r="A1" t="inlineStr"><is><t>Plain words.</t></is></c></row>'
    data = xlsx({"One": f"{before}<sheetData>{seen}{rows}</sheetData>{after}"}, styles=STYLES)
    page = sanitize.call(Page(url="https://mill.example/a.xlsx", media_type="", body=data), Options())
    assert b"Plain words." in page.body or "zeroHeight" in before
    return page


def row(style: int = 0, looks: str = "", column: str = "B") -> str:
    return f'<row r="2" {looks}><c r="{column}2" s="{style}" t="inlineStr"><is><t>{UNSEEN}</t></is></c></row>'


@pytest.mark.parametrize(
    ("rows", "before"),
    [
        *((row(style), "") for style in (1, 2, 3, 4, 5)),
        (row(looks='ht="0" customHeight="1"'), ""),
        (row(looks='ht="0.1" customHeight="1"'), ""),
        (row(), '<cols><col min="2" max="2" width="0" customWidth="1"/></cols>'),
        (row(), '<sheetFormatPr zeroHeight="1"/>'),
    ],
)
def test_cells_that_show_nothing_are_left_out_and_reported(rows: str, before: str) -> None:
    page = read(rows, before)
    assert b"CANARY" not in page.body
    assert {threat.kind for threat in page.threats} == {"hidden_attribute"}


@pytest.mark.parametrize(
    ("rows", "before", "after"),
    [
        *((row(style), "", "") for style in (0, 6, 7, 8, 9)),
        (row(2), "", '<conditionalFormatting sqref="B2"/>'),
        (row(2), "", "<tableParts><tablePart/></tableParts>"),
        (row(looks='hidden="0"'), '<sheetFormatPr zeroHeight="1"/>', ""),
        (row(looks='ht="6"'), '<cols><col min="2" max="2" width="1.5"/></cols>', ""),
    ],
)
def test_cells_that_show_their_text_stay_and_are_no_threat(rows: str, before: str, after: str) -> None:
    page = read(rows, before, after)
    assert UNSEEN.encode() in page.body
    assert [threat.reason for threat in page.threats] == (["a hidden row"] if before.startswith("<sheetFormat") else [])
