"""Colours of documents, and whether two of them are told apart."""

from __future__ import annotations

import re

Colour = tuple[int, int, int]
WHITE: Colour = (255, 255, 255)
_LEAST_CONTRAST, _LEAST_DIFFERENCE = 1.15, 128
"""Colours are alike below both: by light as WCAG has it, and by one of red, green and blue."""
_HEX = re.compile(r"#?(?:[0-9a-fA-F]{2})?([0-9a-fA-F]{2})([0-9a-fA-F]{2})([0-9a-fA-F]{2})")


def alike(one: Colour, two: Colour) -> bool:
    """Whether nobody tells two colours apart."""
    high, low = sorted((_luminance(one), _luminance(two)), reverse=True)
    near = max(abs(a - b) for a, b in zip(one, two, strict=True)) <= _LEAST_DIFFERENCE
    return near and (high + 0.05) / (low + 0.05) < _LEAST_CONTRAST


def hex_colour(text: str) -> Colour | None:
    """`#RRGGBB`, with or without its sign, or with an alpha before it; None for anything else."""
    match = _HEX.fullmatch(text.strip())
    return (int(match[1], 16), int(match[2], 16), int(match[3], 16)) if match else None


def _luminance(colour: Colour) -> float:
    red, green, blue = (part / 3294.6 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in colour)  # noqa: PLR2004
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


__all__ = ["WHITE", "Colour", "alike", "hex_colour"]
