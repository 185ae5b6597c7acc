"""Documents that are zip files of XML: opened with caps, so that no bomb unfolds, and parsed without entities or network."""

from __future__ import annotations

import io
import posixpath
import re
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from stages.core.errors import StageError

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_PART_BYTES = 64 << 20
MAX_TOTAL_BYTES = 128 << 20
"""Unfolded, of all parts that are read."""
MAX_PARTS = 20_000

_ENCRYPTED = 1
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""What these formats allow; zipfile knows more."""
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, struct.error),
    *(EOFError, NotImplementedError, RuntimeError, OSError, ValueError, IndexError),
)
"""What zipfile raises over a broken directory or part: it believes every offset, length and method that it reads."""
_NUMBER = re.compile(r"\d{1,9}", re.ASCII)


class Parts:
    """The files of a zip. Raises StageError: `unsupported_content` for a damaged or encrypted one, `too_large` for a bomb."""

    def __init__(self, body: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(body))
        except _DAMAGED:
            raise StageError("unsupported_content", "the document is damaged: its zip directory cannot be read") from None
        self._infos = {info.filename: info for info in self._zip.infolist()}
        if len(self._infos) > MAX_PARTS:
            raise StageError("too_large", f"the document has more than {MAX_PARTS} parts")
        self._left = MAX_TOTAL_BYTES

    def __contains__(self, name: str) -> bool:
        return name in self._infos

    def names(self) -> list[str]:
        """In the order of the directory."""
        return list(self._infos)

    def read(self, name: str) -> bytes:
        """The bytes of a part; nothing where there is none."""
        info = self._infos.get(name)
        if info is None:
            return b""
        if info.flag_bits & _ENCRYPTED:
            raise StageError("unsupported_content", "the document asks for a password")
        allowed = min(MAX_PART_BYTES, self._left)
        try:
            if info.compress_type not in _METHODS:
                raise NotImplementedError
            with self._zip.open(info) as part:
                data = part.read(allowed + 1)
        except _DAMAGED:
            raise StageError("unsupported_content", f"the document is damaged: {name[:80]} cannot be read") from None
        if len(data) > allowed:
            raise StageError("too_large", f"the document unfolds to more than {MAX_TOTAL_BYTES >> 20} MB")
        self._left -= len(data)
        return data

    def xml(self, name: str) -> _Element | None:
        """The root of a part, or None where there is none."""
        return parse_xml(self.read(name))

    def relations(self, name: str) -> dict[str, str]:
        """Targets by id of an Office part: paths in the zip, or addresses of the web."""
        folder, file = posixpath.split(name)
        root = self.xml(f"{folder}/_rels/{file}.rels" if folder else f"_rels/{file}.rels")
        found: dict[str, str] = {}
        for one in root if root is not None else ():
            target = one.get("Target", "")
            outside = one.get("TargetMode") == "External"
            found[one.get("Id", "")] = target if outside else resolved(name, target)
        return found


def resolved(base: str, target: str) -> str:
    """The path in the zip that a reference from a part means."""
    path = unquote(target.partition("#")[0])
    return path.lstrip("/") if path.startswith("/") else posixpath.normpath(posixpath.join(posixpath.dirname(base), path))


def parse_xml(data: bytes) -> _Element | None:
    """The root of what can be read; None where nothing can. No entity is unfolded, no address asked."""
    from lxml import etree

    if not data.strip():
        return None
    parser: Any = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        recover=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root: _Element | None = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    return root


def number(text: str) -> int:
    """A count or an index as documents write them; -1 for what is none."""
    return int(text) if _NUMBER.fullmatch(text) else -1


def local(element: _Element) -> str:
    """`p` of `{namespace}p`; empty for what is no element."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: _Element, name: str) -> str:
    """The first attribute of this local name, whatever its namespace."""
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


__all__ = ["Parts", "attribute", "local", "number", "parse_xml", "resolved"]
