"""Bodies that are text but not HTML."""

from __future__ import annotations

import io
import json
import re

from stages.core.errors import StageError
from stages.html.article import Article
from stages.text.magic import is_text_type

KINDS = {
    "": "text",
    "application/json": "json",
    "text/json": "json",
    "application/csv": "csv",
    "application/x-csv": "csv",
    "text/csv": "csv",
    "text/tab-separated-values": "csv",
    "text/x-csv": "csv",
    "application/xml": "xml",
    "text/xml": "xml",
}

_SEPARATORS = (",", ";", "\t", "|")
_MAX_FILLING = 4
_PROBED_CHARACTERS, _PROBED_LINES = 64 << 10, 20


def read_plain(text: str, media_type: str) -> Article:
    """The text as it is; JSON laid out in a fence, one value a line. Raises StageError: unsupported_content."""
    kind = KINDS.get(media_type) or _by_shape(media_type)
    laid_out = {"json": _laid_out, "csv": _table}.get(kind)
    return Article(text=laid_out(text) if laid_out else text, extractor=f"{kind}/1", page_type=kind)


def _by_shape(media_type: str) -> str:
    if media_type.endswith("+json"):
        return "json"
    if media_type.endswith("+xml"):
        return "xml"
    if is_text_type(media_type):
        return "text"
    raise StageError("unsupported_content", f"{media_type} is not text")


def _table(text: str) -> str:
    """Separated values as a markdown table whose first row is the head; text that is no table after all stays as it is."""
    import csv

    separator = _separator(text)
    if not separator:
        return text
    try:
        rows = [
            row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if any(cell.strip() for cell in row)
        ]
    except csv.Error:
        return text
    width = max(map(len, rows), default=0)
    if len(rows) * width > _MAX_FILLING * len(text):
        return text  # one long row among many short ones would be mostly empty cells
    lines = [f"| {' | '.join(_cell(cell) for cell in row + [''] * (width - len(row)))} |" for row in rows]
    return "\n".join([*lines[:1], f"|{' --- |' * width}", *lines[1:]])


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _separator(text: str) -> str:
    """The sign that stands in the first lines equally often, outside quotes; the first of them where several do."""
    bare = re.sub(r'"[^"]*"', "", text[:_PROBED_CHARACTERS])
    lines = [line for line in bare.splitlines()[:_PROBED_LINES] if line.strip()]
    counts = {sign: [line.count(sign) for line in lines] or [0] for sign in _SEPARATORS}
    even = next((sign for sign, found in counts.items() if 0 < min(found) == max(found)), "")
    often = max(_SEPARATORS, key=lambda sign: min(counts[sign]))
    return even or (often if min(counts[often]) else "")


def _laid_out(text: str) -> str:
    """Text that is no JSON after all, or nested too deep, stays as it is."""
    try:
        value = json.loads(text)
        laid_out = json.dumps(value, ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return text
    return f"```json\n{laid_out}\n```"
