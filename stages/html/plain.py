"""Bodies that are text but not HTML."""

from __future__ import annotations

import json

from stages.core.errors import StageError
from stages.html.article import Article

KINDS = {
    "": "text",
    "application/json": "json",
    "text/json": "json",
    "application/xml": "xml",
    "text/xml": "xml",
}


def read_plain(text: str, media_type: str) -> Article:
    """The text as it is; JSON laid out in a fence, one value a line. Raises StageError: unsupported_content."""
    kind = KINDS.get(media_type) or _by_shape(media_type)
    return Article(text=_laid_out(text) if kind == "json" else text, extractor=f"{kind}/1", page_type=kind)


def _by_shape(media_type: str) -> str:
    if media_type.endswith("+json"):
        return "json"
    if media_type.endswith("+xml"):
        return "xml"
    if media_type.startswith("text/"):
        return "text"
    raise StageError("unsupported_content", f"{media_type} is not text")


def _laid_out(text: str) -> str:
    """Text that is no JSON after all, or nested too deep, stays as it is."""
    try:
        value = json.loads(text)
        laid_out = json.dumps(value, ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return text
    return f"```json\n{laid_out}\n```"
