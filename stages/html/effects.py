"""What changes the colour that is seen: filters, masks, blending, shadows inside a box."""

from __future__ import annotations

import re

from stages.html.colours import Colour, colour, colours, gradient
from stages.html.values import Scale, length, number, pieces

FAINT = 0.05
"""Opacity that nobody sees."""
Filter = tuple[str, float]
_FILTER = re.compile(r"(invert|brightness|contrast|grayscale)\(([^()]*(?:\([^()]*\))?)\)")
_NAMED = re.compile(r"[-a-z]+\([^()]*(?:\([^()]*\))*[^()]*\)")
LINE = 4.0
"""Pixels of an image that underlines a text and does not lie behind it."""
_BLUR = re.compile(r"blur\(([^()]*(?:\([^()]*\))?)\)")
BLURRED = 20.0
"""Pixels of a blur that leave nothing to be read."""
AWAY = 2000.0
WIDE = 20.0
"""Pixels that a shadow inside a box reaches to be a background."""


def filters(value: str) -> tuple[Filter, ...]:
    """The functions of a `filter` that make one colour of another; opacity is the caller's."""
    found = []
    for name, amount in _FILTER.findall(value):
        how_much = number(amount.strip() or "1")
        if how_much is not None:
            found.append((name, max(how_much, 0.0)))
    return tuple(found)


def filtered(shade: Colour, chain: tuple[Filter, ...]) -> Colour:
    """A colour behind filters. Filter Effects, section 8."""
    for name, amount in chain:
        red, green, blue, alpha = shade
        if name == "grayscale":
            grey, share = 0.2126 * red + 0.7152 * green + 0.0722 * blue, min(amount, 1.0)
            shade = (*(part + (grey - part) * share for part in (red, green, blue)), alpha)  # type: ignore[assignment]
            continue
        slope, start = {
            "invert": (1 - 2 * min(amount, 1.0), min(amount, 1.0)),
            "brightness": (amount, 0.0),
            "contrast": (amount, 0.5 - amount / 2),
        }[name]
        made = [min(max(part * slope + start, 0.0), 1.0) for part in (red, green, blue)]
        shade = (made[0], made[1], made[2], alpha)
    return shade


def masked(styles: dict[str, str]) -> bool:
    """Whether a mask of gradients leaves nothing."""
    mask = styles.get("mask-image", styles.get("mask", "none"))
    if "gradient(" not in mask:
        return False
    sizes = [length(part, Scale()) for part in pieces(styles.get("mask-size", "auto").replace(",", " "))]
    sizes += [
        length(part, Scale())
        for layer in pieces(styles.get("mask", ""), ",")
        for part in pieces("".join(pieces(layer, "/")[1:2]))
    ]
    if 0.0 in sizes:
        return True
    if _moved_away(styles, mask) or _cut_out(styles, mask):
        return True
    light = "luminance" in f"{styles.get('mask-mode', '')} {styles.get('mask', '')}"
    shades = [colour(part) for part in colours(mask)]
    return bool(shades) and all(
        shade is not None
        and (shade[3] * (0.2126 * shade[0] + 0.7152 * shade[1] + 0.0722 * shade[2]) if light else shade[3]) <= FAINT
        for shade in shades
    )


def _moved_away(styles: dict[str, str], mask: str) -> bool:
    """Whether a mask is drawn once, and nowhere near the box."""
    whole = f"{styles.get('mask', '')} {styles.get('mask-repeat', '')} {styles.get('mask-position', '')}"
    places = [length(part, Scale()) or 0.0 for part in pieces(_NAMED.sub(" ", whole).replace("/", " "))]
    return "no-repeat" in whole and mask.count("gradient(") == 1 and any(abs(place) >= AWAY for place in places)


def _cut_out(styles: dict[str, str], mask: str) -> bool:
    """Whether two masks that let all through are taken from each other."""
    way = f"{styles.get('mask-composite', '')} {_NAMED.sub(' ', styles.get('mask', ''))}"
    if not {"exclude", "subtract", "xor", "source-out", "destination-out"} & set(pieces(way.replace(",", " "))):
        return False
    layers = [gradient(layer) for layer in pieces(mask, ",") if "gradient(" in layer]
    return len(layers) == 2 and all(layer is not None and layer[3] >= 1 - FAINT for layer in layers)  # noqa: PLR2004


def blurred(value: str) -> bool:
    """Whether a filter leaves letters as a haze that nobody reads."""
    return any((length(amount, Scale()) or 0.0) >= BLURRED for amount in _BLUR.findall(value))


def blended_away(mode: str, backdrop: Colour) -> bool:
    """Whether a blend mode leaves nothing but the backdrop, whatever lies over it."""
    if mode in ("lighten", "screen", "color-dodge", "plus-lighter"):
        return min(backdrop[:3]) > 1 - FAINT
    return mode in ("darken", "multiply", "color-burn", "plus-darker") and max(backdrop[:3]) < FAINT


def image(styles: dict[str, str], own: Colour | None) -> Colour | bool:
    """What background images come to: one colour, True for anything else, False where they do not show.

    `own` is the colour of the letters.
    """
    value = styles.get("background-image", "none").replace("url()", "none")
    layers = pieces(value, ",")
    if all(layer == "none" or not _behind(styles, at) for at, layer in enumerate(layers)):
        return False
    if own is not None and "currentcolor" in value:
        value = value.replace("currentcolor", "rgb({} {} {}/{})".format(*(round(part * 255, 2) for part in own[:3]), own[3]))
    return gradient(value) or True


def _behind(styles: dict[str, str], at: int) -> bool:
    """Whether the image of a layer lies behind letters, and not beside its box or as a line along an edge of it."""
    size, place, repeat = (
        pieces(each[at % len(each)])
        for name, initial in (("size", "auto"), ("position", "0"), ("repeat", "repeat"))
        for each in [pieces(styles.get(f"background-{name}", initial), ",") or [initial]]
    )
    sides = [length(part, Scale(percent=1000.0)) for part in (*size, "auto")[:2]]
    once = repeat[0] in ("no-repeat", "repeat-y"), repeat[-1] in ("no-repeat", "repeat-x")
    if 0.0 in sides or any(each and side is not None and side <= LINE for each, side in zip(once, sides, strict=True)):
        return False
    places = [length(part, Scale()) or 0.0 for part in place]
    known = [(start, side) for start, side, each in zip(places, sides, once, strict=False) if each and side is not None]
    return not any(start + side <= 0 for start, side in known)


def opaque(styles: dict[str, str]) -> bool:
    """Whether a background of gradients lets nothing through."""
    return bool(shades(styles))


def shades(styles: dict[str, str]) -> list[Colour]:
    """The colours of a background of gradients that lets nothing through; none for any other."""
    value = styles.get("background-image", "none")
    found = [shade for part in colours(value) if (shade := colour(part)) is not None]
    spread = (
        styles.get("background-size", "auto") in ("auto", "cover", "100%", "100% 100%")
        and styles.get("background-position", "0") == "0"
    )
    return found if "url(" not in value and spread and all(shade[3] >= 1 - FAINT for shade in found) else []


def shadow_inside(value: str, dark: bool) -> Colour | None:
    """The colour that a shadow reaching far into its box gives it."""
    for layer in pieces(value, ","):
        if "inset" not in layer:
            continue
        lengths = [size for part in pieces(_NAMED.sub(" ", layer)) if (size := length(part, Scale())) is not None]
        shades = [shade for part in colours(layer) if (shade := colour(part, dark)) is not None]
        if shades and len(lengths) > 3 and lengths[3] >= WIDE:  # noqa: PLR2004 - the fourth length is the spread
            return shades[0]
    return None
