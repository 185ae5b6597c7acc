"""Well-known utility classes, for a page whose stylesheets are not attached: what they mean where nothing else says so."""

from __future__ import annotations

_CLIPPED = "position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)"
_SIZES = ("sm:", "md:", "lg:", "xl:", "d-sm-", "d-md-", "d-lg-", "d-xl-")
_WIDER = f":not({','.join(f'[class*={size!r}]' for size in _SIZES)})"
"""A class that shows it again on a screen as wide as a desk's."""
UTILITY = {
    **dict.fromkeys(
        (
            "sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screen-reader-only", "screenreader-only",
            "a11y-hidden",            "u-visually-hidden", "element-invisible", "assistive-text", "offscreen",
        ),
        _CLIPPED,
    ),
    **dict.fromkeys(("d-none", "hidden", "is-hidden", "u-hidden", "display-none"), "display:none"),
    "invisible": "visibility:hidden",
    "opacity-0": "opacity:0",
}  # fmt: skip
"""Class -> its declarations in the libraries that it comes from."""


def stylesheet(defined: frozenset[str]) -> str:
    """The classes that no stylesheet at hand defines; `defined` are the keys that those ask for."""
    return "".join(f".{name}{_WIDER}{{{declared}}}" for name, declared in UTILITY.items() if f".{name}" not in defined)
