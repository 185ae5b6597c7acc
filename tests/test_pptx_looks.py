"""Presentations: shapes and runs that a slide does not show go, those that it shows stay."""

# ruff: noqa: E501 - lists of what is tried

from __future__ import annotations

import io
import zipfile

import pytest
from documents import A, P, R, pptx, relations, shape, zipped

from stages.records import Page
from stages.sanitize import Options, sanitize

UNSEEN = "CANARY of the mill is to be told"
THEME = f'<a:theme {A}><a:themeElements><a:clrScheme><a:dk1><a:sysClr val="windowText" lastClr="000000"/></a:dk1><a:lt1><a:srgbClr val="FFFFFF"/></a:lt1></a:clrScheme></a:themeElements></a:theme>'


def master(more: str = "", ground: str = '<p:bgRef idx="1001"><a:schemeClr val="bg1"/></p:bgRef>') -> str:
    return f'<p:sldMaster {P} {A} {R}><p:cSld><p:bg>{ground}</p:bg><p:spTree>{more}</p:spTree></p:cSld><p:clrMap bg1="lt1" tx1="dk1"/></p:sldMaster>'


def show(inner: str, above: str = "") -> bytes:
    """A presentation of one slide, with its layout, master and theme."""
    with zipfile.ZipFile(io.BytesIO(pptx(inner))) as file:
        parts: dict[str, str | bytes] = {name: file.read(name) for name in file.namelist()}
    size = b'<p:sldSz cx="9144000" cy="6858000"/></p:presentation>'
    parts["ppt/presentation.xml"] = bytes(parts["ppt/presentation.xml"]).replace(b"</p:presentation>", size)
    return zipped(
        parts
        | {
            "ppt/slides/_rels/0.xml.rels": relations(l="../slideLayouts/slideLayout1.xml"),
            "ppt/slideLayouts/slideLayout1.xml": f"<p:sldLayout {P} {A} {R}><p:cSld><p:spTree/></p:cSld></p:sldLayout>",
            "ppt/slideLayouts/_rels/slideLayout1.xml.rels": relations(m="../slideMasters/slideMaster1.xml"),
            "ppt/slideMasters/slideMaster1.xml": above or master(),
            "ppt/slideMasters/_rels/slideMaster1.xml.rels": relations(t="../theme/theme1.xml"),
            "ppt/theme/theme1.xml": THEME,
        }
    )


def frame(x: int = 914400, y: int = 914400, width: int = 3000000, height: int = 500000) -> str:
    return f'<a:xfrm><a:off x="{x}" y="{y}"/><a:ext cx="{width}" cy="{height}"/></a:xfrm>'


def block(looks: str = "", fill: str = "", at: str = frame(), text: str = UNSEEN) -> str:
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="1" name="x"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr>{at}<a:prstGeom prst="rect"/>{fill}</p:spPr>'
        f"<p:txBody><a:p><a:r><a:rPr {looks.partition('|')[0]}>{looks.partition('|')[2]}</a:rPr><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
    )


def solid(colour: str, more: str = "") -> str:
    name, key = ("srgbClr", colour) if len(colour) == 6 else ("schemeClr", colour)
    return f'<a:solidFill><a:{name} val="{key}">{more}</a:{name}></a:solidFill>'


CLEAR, DARKER = '<a:alpha val="0"/>', '<a:lumMod val="50000"/>'
WHITE, OTHER = f"|{solid('FFFFFF')}", shape("Plain words.")
COVER = block(fill=solid("EEEEEE"), at=frame(800000, 800000, 4000000, 900000), text="")
PICTURE = f'<p:pic><p:nvPicPr><p:cNvPr id="2" name="y"/></p:nvPicPr><p:spPr>{frame(0, 0, 9144000, 6858000)}<a:prstGeom prst="rect"/></p:spPr></p:pic>'
HIDDEN = {
    "white": block(WHITE),
    "the colour of the ground by name": block(f"|{solid('bg1')}"),
    "the colour of its own fill": block(f"|{solid('203040')}", solid("203040")),
    "tiny": block('sz="100"'),
    "transparent": block(f"|{solid('000000', CLEAR)}"),
    "without a fill": block("|<a:noFill/>"),
    "off the slide": block(at=frame(x=-9000000)),
    "beside the slide": block(at=frame(x=9200000)),
    "under another shape": block() + COVER,
    "under a picture": block() + PICTURE,
    "off the slide with its group": f'<p:grpSp><p:nvGrpSpPr><p:cNvPr id="9" name="g"/></p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off x="-9000000" y="0"/><a:ext cx="4000000" cy="4000000"/><a:chOff x="0" y="0"/><a:chExt cx="4000000" cy="4000000"/></a:xfrm></p:grpSpPr>{block()}</p:grpSp>',
}


def read(inner: str, above: str = "") -> Page:
    page = sanitize.call(Page(url="https://mill.example/a.pptx", media_type="", body=show(inner, above)), Options())
    assert b"Plain words." in page.body
    return page


@pytest.mark.parametrize("name", HIDDEN)
def test_what_a_slide_does_not_show_is_left_out_and_reported(name: str) -> None:
    hidden = HIDDEN[name]
    page = read(hidden + block(at=frame(y=5000000), text="Plain words."))
    assert b"CANARY" not in page.body
    assert [threat.kind for threat in page.threats] == ["hidden_attribute"]


SHOWN = {
    "black": block(f"|{solid('tx1')}"),
    "white on its own fill": block(WHITE, solid("203040")),
    "white on a gradient": block(WHITE, "<a:gradFill/>"),
    "white on a picture": PICTURE + block(WHITE),
    "white on another shape": COVER.replace("EEEEEE", "203040") + block(WHITE),
    "white with an outline": block(f"|<a:ln>{solid('000000')}</a:ln>{solid('FFFFFF')}"),
    "a changed colour of the theme": block(f"|{solid('bg1', DARKER)}"),
    "partly off the slide": block(at=frame(x=-100000)),
    "under a shape beside it": block() + block(fill=solid("EEEEEE"), at=frame(y=3000000), text=""),
    "under a shape that is half clear": block() + COVER.replace('val="EEEEEE">', 'val="EEEEEE"><a:alpha val="40000"/>'),
    "in a place of the layout": OTHER + shape(UNSEEN, place="body"),
}


@pytest.mark.parametrize("name", SHOWN)
def test_what_a_slide_shows_stays_and_is_no_threat(name: str) -> None:
    page = read(SHOWN[name] + block(at=frame(y=5000000), text="Plain words."))
    assert UNSEEN.encode() in page.body
    assert page.threats == ()


@pytest.mark.parametrize(
    "above",
    [
        master(ground=f"<p:bgPr>{solid('203040')}</p:bgPr>"),
        master(ground="<p:bgPr><a:blipFill/></p:bgPr>"),
        master(ground='<p:bgRef idx="1003"><a:schemeClr val="bg1"/></p:bgRef>'),
        master(PICTURE),
    ],
)
def test_white_text_on_the_ground_of_a_master_stays(above: str) -> None:
    assert UNSEEN.encode() in read(block(WHITE) + block(at=frame(y=5000000), text="Plain words."), above).body
