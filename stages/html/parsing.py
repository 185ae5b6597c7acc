"""The one call of the HTML parser under sanitize and extract, with its own error mapped where it enters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stages.core.errors import StageError

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser


def parsed(text: str) -> LexborHTMLParser:
    """The tree of a page. Raises StageError `crashed` where the parser gives up: the tree outgrows the worker's memory."""
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError

    try:
        return LexborHTMLParser(text)
    except SelectolaxError:
        raise StageError("crashed", "the HTML parser gave up: the page makes a tree too large for its memory") from None
