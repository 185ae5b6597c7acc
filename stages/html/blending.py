"""What blend modes make of a colour over another. Compositing and Blending, sections 9 and 10."""

from __future__ import annotations

import math
from collections.abc import Callable

from stages.html.colours import Colour

Parts = tuple[float, float, float]


def _overlay(below: float, above: float) -> float:
    return _hard(above, below)


def _hard(below: float, above: float) -> float:
    return 2 * above * below if above <= 0.5 else 1 - 2 * (1 - above) * (1 - below)  # noqa: PLR2004 - the middle


def _soft(below: float, above: float) -> float:
    if above <= 0.5:  # noqa: PLR2004 - the middle
        return below - (1 - 2 * above) * below * (1 - below)
    lit = ((16 * below - 12) * below + 4) * below if below <= 0.25 else math.sqrt(below)  # noqa: PLR2004 - the quarter
    return below + (2 * above - 1) * (lit - below)


def _dodge(below: float, above: float) -> float:
    return 0.0 if below == 0 else 1.0 if above >= 1 else min(below / (1 - above), 1.0)


def _burn(below: float, above: float) -> float:
    return 1.0 if below >= 1 else 0.0 if above <= 0 else 1 - min((1 - below) / above, 1.0)


_SEPARABLE: dict[str, Callable[[float, float], float]] = {
    "multiply": lambda below, above: below * above,
    "screen": lambda below, above: below + above - below * above,
    "overlay": _overlay,
    "darken": min,
    "lighten": max,
    "color-dodge": _dodge,
    "color-burn": _burn,
    "hard-light": _hard,
    "soft-light": _soft,
    "difference": lambda below, above: abs(below - above),
    "exclusion": lambda below, above: below + above - 2 * below * above,
    "plus-lighter": lambda below, above: min(below + above, 1.0),
    "plus-darker": lambda below, above: max(below + above - 1, 0.0),
}


def _light(parts: Parts) -> float:
    return 0.3 * parts[0] + 0.59 * parts[1] + 0.11 * parts[2]


def _lit(parts: Parts, light: float) -> Parts:
    """A colour made as light as that, within what there is."""
    moved = light - _light(parts)
    red, green, blue = (part + moved for part in parts)
    least, most = min(red, green, blue), max(red, green, blue)
    made = [red, green, blue]
    if least < 0:
        made = [light + (part - light) * light / (light - least) for part in made]
    if most > 1:
        made = [light + (part - light) * (1 - light) / (most - light) for part in made]
    return (made[0], made[1], made[2])


def _saturated(parts: Parts, strength: float) -> Parts:
    least, most = min(parts), max(parts)
    if most == least:
        return (0.0, 0.0, 0.0)
    red, green, blue = ((part - least) * strength / (most - least) for part in parts)
    return (red, green, blue)


def _strength(parts: Parts) -> float:
    return max(parts) - min(parts)


_WHOLE: dict[str, Callable[[Parts, Parts], Parts]] = {
    "hue": lambda below, above: _lit(_saturated(above, _strength(below)), _light(below)),
    "saturation": lambda below, above: _lit(_saturated(below, _strength(above)), _light(below)),
    "color": lambda below, above: _lit(above, _light(below)),
    "luminosity": lambda below, above: _lit(below, _light(above)),
}


def blended(mode: str, above: Colour, below: Colour) -> Colour:
    """An opaque colour over an opaque one."""
    if mode in _WHOLE:
        return (*_WHOLE[mode](below[:3], above[:3]), 1.0)
    one = _SEPARABLE.get(mode)
    if one is None:
        return above
    red, green, blue = (one(low, high) for low, high in zip(below[:3], above[:3], strict=True))
    return (red, green, blue, 1.0)
