"""What browsers read otherwise on pages that do not say which HTML they are: names of any case, lengths and colours left bare.

Quirks Mode Standard, sections 3.1 to 3.3.
"""

from __future__ import annotations

import re
from functools import lru_cache

from stages.html.sheets import Declaration

_DOCTYPE = re.compile(r"(?:\s|\ufeff|<!--(?:(?!-->).)*-->|<\?[^>]*>)*<!doctype\s*([^\s>]*)([^>]*)>", re.IGNORECASE | re.DOTALL)
_OLD = re.compile(
    r"public\s*[\"'](?:-//w3c//dtd html (?:3|4\.0 (?:frameset|transitional))|-//ietf//dtd html|-//w3o//|html\b)"
    r"|public\s*[\"']-//w3c//dtd html 4\.01 (?:frameset|transitional)//[^\"']*[\"']\s*\Z",
    re.IGNORECASE,
)
MAX_BEFORE = 5000
"""Characters in which a page says what it is."""
_LENGTHS = frozenset({
    "left", "right", "top", "bottom", "width", "height", "max-width", "max-height", "min-width", "min-height", "font-size",
    "text-indent", "margin", "margin-left", "margin-right", "margin-top", "margin-bottom", "padding", "padding-left",
    "padding-right", "padding-top", "padding-bottom",
})  # fmt: skip
_COLOURS = frozenset({"color", "background-color"})
_BARE = re.compile(r"(?<![\w.%#(-])[+-]?(?:\d+\.?\d*|\.\d+)(?![\w.%)])")
_SHADE = re.compile(r"[0-9a-f]{3}(?:[0-9a-f]{3})?", re.IGNORECASE)


def has_quirks(text: str) -> bool:
    """Whether browsers read a page in this way."""
    said = _DOCTYPE.match(text[:MAX_BEFORE])
    return said is None or said[1].lower() != "html" or _OLD.search(said[2].strip()) is not None


@lru_cache(maxsize=4096)
def spelled_out(declarations: tuple[Declaration, ...]) -> tuple[Declaration, ...]:
    """Declarations with the units and signs that bare lengths and colours stand for."""
    return tuple((name, _whole(name, value), important) for name, value, important in declarations)


def _whole(name: str, value: str) -> str:
    if name in _LENGTHS and "(" not in value:
        return _BARE.sub(lambda match: f"{match[0]}px", value)
    return f"#{value}" if name in _COLOURS and _SHADE.fullmatch(value) else value
