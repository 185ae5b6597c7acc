"""Books (.epub): the chapters in the order of the spine, with the book's own styles, by which hidden text is judged."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from stages.core.errors import StageError
from stages.formats.markup import Converted, document, escaped
from stages.formats.zipped import Parts, local, parse_xml, resolved

if TYPE_CHECKING:
    from lxml.etree import _Element

READER = "epub/1"
CONTAINER = "META-INF/container.xml"
ENCRYPTION = "META-INF/encryption.xml"
MAX_STYLE_CHARACTERS = 1 << 20

_PAGES = frozenset({"application/xhtml+xml", "text/html"})
_ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z][A-Za-z0-9]{1,31});")


def read_epub(body: bytes) -> Converted:
    """The book as HTML, a section a chapter. Raises StageError."""
    parts = Parts(body)
    container = parts.xml(CONTAINER)
    found = container.find(".//{*}rootfile") if container is not None else None
    path = found.get("full-path", "") if found is not None else ""
    package = parts.xml(path)
    if package is None:
        raise StageError("unsupported_content", "the book is damaged: its list of contents cannot be read")
    book = _Book(parts)
    chapters = [book.chapter(name, number) for number, name in enumerate(_spine(package, path), 1)]
    if ENCRYPTION in parts and not any(chapters):
        raise StageError("unsupported_content", "the book is encrypted")
    title, language = (next((one.text or "" for one in package.iter(f"{{*}}{name}")), "") for name in ("title", "language"))
    styles = book.stylesheet([number for number, chapter in enumerate(chapters, 1) if chapter])
    return Converted(document(title, [f"<style>{styles}</style>" if styles else "", *chapters], language), READER)


def _spine(package: _Element, path: str) -> list[str]:
    items = {one.get("id", ""): one for one in package.iterfind("{*}manifest/{*}item")}
    listed = [items.get(one.get("idref", "")) for one in package.iterfind("{*}spine/{*}itemref") if one.get("linear") != "no"]
    return [
        resolved(path, item.get("href", ""))
        for item in listed
        if item is not None and item.get("media-type") in _PAGES and "nav" not in item.get("properties", "").split()
    ]


class _Book:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._styles: dict[str, list[int]] = {}
        """Every style of the book once, in the order in which the chapters name them, and which of them do."""

    def stylesheet(self, chapters: list[int]) -> str:
        """The styles of the book: one that not every chapter has is of force in those that have it."""
        sheets = (
            sheet if set(those) >= set(chapters) else f"@scope ({', '.join(f'#chapter-{one}' for one in those)}) {{{sheet}}}"
            for sheet, those in self._styles.items()
        )
        return "\n".join(sheets).replace("</", "<\\/")[:MAX_STYLE_CHARACTERS]

    def chapter(self, name: str, number: int) -> str:
        """The inside of a chapter's body."""
        from lxml import etree

        root = parse_xml(_ENTITY.sub(_character, self._parts.read(name)))
        body = next((one for one in root.iter("{*}body")), None) if root is not None else None
        if root is None or body is None:
            return ""
        self._note_styles(root, name, number)
        for element in root.iter():
            if local(element):
                element.tag = local(element)
        etree.cleanup_namespaces(root)
        inner = etree.tostring(body, method="html", encoding="unicode", with_tail=False)
        return f'<section id="chapter-{number}">{_inside(inner)}</section>'

    def _note_styles(self, root: _Element, name: str, number: int) -> None:
        for element in root.iter("{*}link", "{*}style"):
            if local(element) == "style":
                self._note("".join(element.itertext()), number)
            elif "stylesheet" in element.get("rel", "").lower().split():
                sheet = self._parts.read(resolved(name, element.get("href", "")))
                self._note(sheet.decode("utf-8", "replace"), number)

    def _note(self, sheet: str, number: int) -> None:
        chapters = self._styles.setdefault(sheet, [])
        if not chapters or chapters[-1] != number:
            chapters.append(number)


def _character(found: re.Match[bytes]) -> bytes:
    """A named character of HTML, which XML does not know."""
    text = html.unescape(found[0].decode("ascii"))
    return escaped(text).encode() if text != found[0].decode("ascii") else b""


def _inside(body: str) -> str:
    """`<body class=…>x</body>` as a div, so that rules for its classes still hold."""
    return re.sub(r"^<body\b", "<div", body).removesuffix("</body>") + "</div>"


__all__ = ["READER", "read_epub"]
