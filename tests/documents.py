"""Documents made on the spot: the bytes of PDF, Office, OpenDocument and EPUB files, no more than a reader needs."""

from __future__ import annotations

import io
import zipfile

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
ODF = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text", "table", "style", "drawing")
)


def zipped(parts: dict[str, str | bytes], *, stored_first: bool = False) -> bytes:
    """A zip of the parts in their order; the first one uncompressed where the format asks for it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for number, (name, data) in enumerate(parts.items()):
            file.writestr(name, data, zipfile.ZIP_STORED if stored_first and not number else zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def relations(**targets: str) -> str:
    """A part of relations: ids to targets; addresses of the web are external."""
    outside = ' TargetMode="External"'
    rows = "".join(
        f'<Relationship Id="{name}" Target="{target}"{outside if "://" in target else ""}/>' for name, target in targets.items()
    )
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{rows}</Relationships>'


def docx(body: str, more: dict[str, str] | None = None, **links: str) -> bytes:
    """A Word document with this body."""
    return zipped(
        {
            "[Content_Types].xml": "<Types/>",
            "word/document.xml": f"<w:document {W} {R}><w:body>{body}</w:body></w:document>",
            "word/_rels/document.xml.rels": relations(**links),
            **(more or {}),
        }
    )


def run(text: str, looks: str = "") -> str:
    """A run of a Word paragraph."""
    return f'<w:r><w:rPr>{looks}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def word(text: str, style: str = "", looks: str = "") -> str:
    """A Word paragraph."""
    named = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{named}{run(text, looks)}</w:p>"


def pptx(*slides: str) -> bytes:
    """A presentation of slides, each the inside of its shape tree."""
    ids = "".join(f'<p:sldId id="{300 + number}" r:id="s{number}"/>' for number in range(len(slides)))
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": "<Types/>",
        "ppt/presentation.xml": f"<p:presentation {P} {R}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations(**{f"s{number}": f"slides/{number}.xml" for number in range(len(slides))}),
    }
    for number, inner in enumerate(slides):
        attributes, _, shapes = inner.rpartition("\n")
        parts[f"ppt/slides/{number}.xml"] = (
            f"<p:sld {P} {A} {R} {attributes}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
        )
    return zipped(parts)


def shape(*lines: str, place: str = "", hidden: bool = False) -> str:
    """A shape of a slide; `place` is the placeholder that it fills."""
    text = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in lines)
    gone = ' hidden="1"'
    filled = f'<p:ph type="{place}"/>' if place else ""
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="1" name="x"{gone if hidden else ""}/><p:cNvSpPr/><p:nvPr>{filled}</p:nvPr></p:nvSpPr>'
        f"<p:txBody>{text}</p:txBody></p:sp>"
    )


def xlsx(sheets: dict[str, str], strings: tuple[str, ...] = (), styles: str = "", states: dict[str, str] | None = None) -> bytes:
    """A workbook: sheets by name, each the inside of its worksheet."""
    listed = "".join(
        f'<sheet name="{name}" sheetId="{number}" r:id="r{number}" state="{(states or {}).get(name, "visible")}"/>'
        for number, name in enumerate(sheets, 1)
    )
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": "<Types/>",
        "xl/workbook.xml": f"<workbook {S} {R}><sheets>{listed}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": relations(
            **{f"r{number}": f"worksheets/s{number}.xml" for number in range(1, len(sheets) + 1)}
        ),
        "xl/sharedStrings.xml": f"<sst {S}>{''.join(f'<si><t>{text}</t></si>' for text in strings)}</sst>",
        "xl/styles.xml": f"<styleSheet {S}>{styles}</styleSheet>",
    }
    for number, inner in enumerate(sheets.values(), 1):
        parts[f"xl/worksheets/s{number}.xml"] = f"<worksheet {S}>{inner}</worksheet>"
    return zipped(parts)


def odt(text: str, styles: str = "") -> bytes:
    """An OpenDocument text."""
    content = (
        f'<office:document-content {ODF} xmlns:xlink="http://www.w3.org/1999/xlink"><office:automatic-styles>{styles}'
        f"</office:automatic-styles><office:body><office:text>{text}</office:text></office:body></office:document-content>"
    )
    return zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content}, stored_first=True)


def epub(chapters: dict[str, str], css: str = "", title: str = "A book") -> bytes:
    """A book: chapters by file name, each a whole XHTML page."""
    items = "".join(f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in chapters)
    spine = "".join(f'<itemref idref="{name}"/>' for name in reversed(chapters))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>{title}</dc:title><dc:language>en</dc:language></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
    )
    parts: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": container,
        "OEBPS/book.opf": package,
    }
    parts |= {f"OEBPS/{name}": page for name, page in chapters.items()} | {"OEBPS/style.css": css}
    return zipped(parts, stored_first=True)


def pdf(*pages: str, crop: str = "", objects: dict[int, str] | None = None, resources: str = "") -> bytes:
    """A PDF of pages, each a content stream; F1 is Helvetica. Further objects begin at 100."""
    first = 10
    kids = " ".join(f"{first + 2 * number} 0 R" for number in range(len(pages)))
    made = {
        1: "<< /Type /Catalog /Pages 2 0 R >>",
        2: f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        3: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        **(objects or {}),
    }
    for number, stream in enumerate(pages):
        at = first + 2 * number
        made[at] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] {crop} /Contents {at + 1} 0 R "
            f"/Resources << /Font << /F1 3 0 R >> {resources} >> >>"
        )
        made[at + 1] = f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream"
    out, places = bytearray(b"%PDF-1.7\n"), {}
    for number in sorted(made):
        places[number] = len(out)
        out += f"{number} 0 obj\n{made[number]}\nendobj\n".encode("latin-1")
    start = len(out)
    rows = "".join(f"{number} 1\n{place:010} 00000 n \n" for number, place in places.items())
    out += f"xref\n0 1\n0000000000 65535 f \n{rows}".encode()
    out += f"trailer\n<< /Root 1 0 R /Size {max(made) + 1} >>\nstartxref\n{start}\n%%EOF".encode()
    return bytes(out)


def put(text: str, x: float, y: float, size: float = 11, before: str = "") -> str:
    """Operators that set a line of text."""
    return f"BT {before} /F1 {size} Tf {x} {y} Td ({text}) Tj ET\n"
