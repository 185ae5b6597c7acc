"""What colour letters are seen in, over what, and whether their outlines show or cover them."""

from __future__ import annotations

from stages.html.blending import blended
from stages.html.colours import Colour, colour, colours, contrast, over
from stages.html.effects import FAINT, filtered
from stages.html.geometry import OFF
from stages.html.state import State
from stages.html.values import Scale, length, pieces

SAME, HUE = 1.15, 0.5
"""Contrast below which a text is as good as not there, and the difference of a primary colour that is seen all the same."""
THICK = 0.18
"""Times the font size: a stroke that covers what it goes around."""


def painted(state: State) -> tuple[Colour | None, Colour]:
    """The colour of letters, None where it is not known, and of what lies behind, filters applied."""
    fill = state.colour if state.fill == "currentcolor" else colour(state.fill, state.dark)
    if fill is not None and state.fill_opacity < 1:
        fill = (*fill[:3], fill[3] * state.fill_opacity)
    if state.blends and fill is not None and fill[3] > FAINT:
        return _blended(state, fill)
    if not state.filters:
        return fill, state.known
    return fill and filtered(fill, state.filters), filtered(state.known, state.filters[: state.behind])


def _blended(state: State, fill: Colour) -> tuple[Colour, Colour]:
    """Letters and what lies behind them, as the blend modes around leave them."""
    letter, ground = over(fill, state.known), state.known
    for mode, below, owner in reversed(state.blends):
        letter = blended(mode, letter, below)
        ground = blended(mode, ground, below) if state.owner is not owner else below
    return letter, ground


def stands_out(letter: Colour, ground: Colour) -> bool:
    """Whether two opaque colours are told apart, by their light or by their hue."""
    return contrast(letter, ground) >= SAME or sum(abs(a - b) for a, b in zip(letter[:3], ground[:3], strict=True)) > HUE


def _is_far(shadow: str) -> bool:
    """Whether a shadow lies far from its letters."""
    return any(abs(length(part, Scale()) or 0.0) > -OFF for part in pieces(shadow))


def outlined(state: State) -> bool:
    """Whether a shadow or a stroke paints letters that their own colour does not."""
    for value, own in ((state.shadow, state.colour), (state.stroke, state.colour)):
        if (
            value in ("none", "")
            or _is_far(value)
            or (value is state.stroke and not any((length(part, Scale()) or 0) > 0 for part in pieces(value)))
        ):
            continue
        found: list[Colour | None] = [colour(part) for part in colours(value)] or [own]
        if any(shade is not None and shade[3] > FAINT and stands_out(over(shade, state.known), state.known) for shade in found):
            return True
    return False


def drawn_over(state: State, ground: Colour) -> bool:
    """Whether a stroke in the colour of the background covers the letters."""
    width = max((length(part, Scale(state.font)) or 0.0 for part in pieces(state.stroke)), default=0.0)
    if width < THICK * state.font or pieces(state.styles.get("paint-order", "normal"))[:1] == ["stroke"]:
        return False
    shades = [colour(part) for part in colours(state.stroke)]
    return bool(shades) and shades[0] is not None and shades[0][3] >= 1 - FAINT and not stands_out(shades[0], ground)
