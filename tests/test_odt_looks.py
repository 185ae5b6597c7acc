"""OpenDocument texts: what styles keep from being seen goes, what is seen stays."""

# ruff: noqa: E501 - lists of what is tried

from __future__ import annotations

import pytest
from documents import odt

from stages.records import Page
from stages.sanitize import Options, sanitize

UNSEEN = "CANARY of the mill is to be told"
FO = 'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"'
TABLE = 'table:name="t"'


def style(name: str, looks: str, parent: str = "", around: str = "") -> str:
    return (
        f'<style:style style:name="{name}" style:parent-style-name="{parent}" {FO}>'
        f"<style:text-properties {looks}/>{around}</style:style>"
    )


STYLES = "".join(
    (
        style("White", 'fo:color="#ffffff"'),
        style("Whiter", 'fo:font-weight="bold"', "White"),
        style("Dust", 'fo:font-size="1pt"'),
        style("Ghost", 'text:display="none"'),
        style("Marked", 'fo:color="#203040" fo:background-color="#203040"'),
        style("Squeezed", 'style:text-scale="1%"'),
        style("Black", 'fo:color="#000000" text:display="true"'),
        style("Grey", 'fo:color="#bfbfbf"'),
        style("Band", "", around='<style:paragraph-properties fo:background-color="#203040"/>'),
        style("Cell", "", around='<style:table-cell-properties fo:background-color="#203040"/>'),
    )
)


def read(text: str) -> Page:
    body = odt(f"<text:p>Plain words.</text:p>{text}", STYLES)
    page = sanitize.call(Page(url="https://mill.example/a.odt", media_type="", body=body), Options())
    assert b"Plain words." in page.body
    return page


def row(looks: str = "", cell: str = "", style: str = "") -> str:
    inner = f'<text:p text:style-name="{style}">{UNSEEN}</text:p>'
    return f"<table:table {TABLE}><table:table-row {looks}><table:table-cell {cell}>{inner}</table:table-cell></table:table-row></table:table>"


@pytest.mark.parametrize(
    "text",
    [
        *(
            f'<text:p text:style-name="{name}">{UNSEEN}</text:p>'
            for name in ("White", "Whiter", "Dust", "Ghost", "Squeezed", "Marked")
        ),
        f'<text:p>Seen <text:span text:style-name="White">{UNSEEN}</text:span></text:p>',
        f'<text:h text:outline-level="2" text:style-name="Ghost">{UNSEEN}</text:h>',
        f"<text:p>{UNSEEN}<text:hidden-paragraph/></text:p>",
        f'<text:p><text:hidden-text text:string-value="{UNSEEN}"/></text:p>',
        f'<text:section text:display="none"><text:p>{UNSEEN}</text:p></text:section>',
        row('table:visibility="collapse"'),
        row(style="White"),
    ],
)
def test_what_an_open_document_does_not_show_is_left_out_and_reported(text: str) -> None:
    page = read(text)
    assert b"CANARY" not in page.body
    assert [threat.kind for threat in page.threats] == ["hidden_attribute"]


@pytest.mark.parametrize(
    "text",
    [
        f'<text:p text:style-name="Grey">{UNSEEN}</text:p>',
        f'<text:p text:style-name="Ghost"><text:span text:style-name="Black">{UNSEEN}</text:span></text:p>',
        f'<text:p text:style-name="White"><text:span text:style-name="Black">{UNSEEN}</text:span></text:p>',
        f'<text:p text:style-name="Band"><text:span text:style-name="White">{UNSEEN}</text:span></text:p>',
        row(cell='table:style-name="Cell"', style="White"),
        f'<text:p>{UNSEEN}<text:hidden-paragraph text:is-hidden="false"/></text:p>',
        f'<text:p><drawing:frame><drawing:text-box><text:p text:style-name="White">{UNSEEN}</text:p></drawing:text-box></drawing:frame></text:p>',
    ],
)
def test_what_an_open_document_shows_stays_and_is_no_threat(text: str) -> None:
    page = read(text)
    assert UNSEEN.encode() in page.body
    assert page.threats == ()
