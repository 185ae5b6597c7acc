"""CSS colours: every way to write one, as sRGB; how they lie over each other, and how well they are told apart."""

from __future__ import annotations

import colorsys
import math
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from stages.html.values import MAX_VALUE, Scale, length, number, pieces

Colour = tuple[float, float, float, float]
"""sRGB and alpha, each 0 to 1."""

_SYSTEM: dict[str, Colour] = {
    "canvas": (1, 1, 1, 1), "canvastext": (0, 0, 0, 1), "field": (1, 1, 1, 1), "fieldtext": (0, 0, 0, 1), "window": (1, 1, 1,
    1), "windowtext": (0, 0, 0, 1), "buttonface": (0.94, 0.94, 0.94, 1), "buttontext": (0, 0, 0, 1), "linktext": (0, 0, 0.93,
    1), "graytext": (0.5, 0.5, 0.5, 1), "highlight": (0.7, 0.84, 1, 1), "highlighttext": (0, 0, 0, 1), "mark": (1, 1, 0, 1),
    "marktext": (0, 0, 0, 1), "background": (1, 1, 1, 1), "infobackground": (1, 1, 1, 1), "menu": (1, 1, 1, 1),
}  # fmt: skip


_DARK: dict[str, Colour] = {
    "canvas": (0.07, 0.07, 0.07, 1), "canvastext": (1, 1, 1, 1), "field": (0.23, 0.23, 0.23, 1), "fieldtext": (1, 1, 1, 1),
    "window": (0.07, 0.07, 0.07, 1), "windowtext": (1, 1, 1, 1), "background": (0.07, 0.07, 0.07, 1), "linktext": (0.62, 0.62,
    1, 1), "menu": (0.07, 0.07, 0.07, 1), "buttonface": (0.42, 0.42, 0.42, 1), "buttontext": (1, 1, 1, 1),
}  # fmt: skip
"""What differs under a dark colour scheme."""


@lru_cache(maxsize=4096)
def colour(text: str, dark: bool = False) -> Colour | None:  # noqa: PLR0911 - one way to write it after the other
    """A colour; None for what is none or cannot be worked out. `currentcolor` is the caller's."""
    import tinycss2.color5

    text = text.strip().lower()[:MAX_VALUE]
    if text in _SYSTEM:
        return _DARK.get(text, _SYSTEM[text]) if dark else _SYSTEM[text]
    name, _, inside = text.partition("(")
    if name in _MADE and text.endswith(")"):
        return _MADE[name](inside[:-1], dark)
    if inside.lstrip().startswith("from "):
        return _relative(name, inside.lstrip()[5:-1], dark)
    try:
        found: Any = tinycss2.color5.parse_color(_plain(text))
    except (ValueError, TypeError, ZeroDivisionError, AttributeError, RecursionError):
        return None
    if found is None or isinstance(found, str) or not hasattr(found, "space"):
        return None
    values = [0.0 if value is None else float(value) for value in found.coordinates]
    alpha = 0.0 if found.alpha is None else float(found.alpha)
    if found.space == "display-p3":
        red, green, blue = _from_p3(values)
    elif found.space in _LINEAR:
        red, green, blue = (_curved(part) for part in _LINEAR[found.space](*values))
    elif found.space in ("oklch", "oklab", "lch", "lab"):
        red, green, blue = _from_lab(found.space, values)
    else:
        try:
            red, green, blue = (float(value) for value in found.to("srgb").coordinates)
        except (NotImplementedError, ValueError, TypeError):
            return None
    return (_unit(red), _unit(green), _unit(blue), _unit(alpha))


def _plain(text: str) -> str:
    """Simple `calc()` inside a colour worked out, and missing parts taken for zero; of those of HSL and HWB any may be bare."""
    if "(" in text:
        text = re.sub(r"\bnone\b", "0", text)
    if text.startswith(("hsl", "hwb")) and "," not in text:
        channels, slash, alpha = text.partition("/")
        text = channels.replace("%", "") + slash + alpha
    return re.sub(r"calc\(([^()]{1,80})\)", lambda match: str(length(match[0], Scale(percent=100.0)) or 0), text)


def _unit(value: float) -> float:
    return min(max(value, 0.0), 1.0)


_SHARE = re.compile(r"(?:^|\s)(\d+\.?\d*|\.\d+)%(?=\s|$)")


def _mixed(inside: str, dark: bool) -> Colour | None:
    """`color-mix()`, in sRGB whatever space it names: exact where both are the same or one has all the weight."""
    parts = pieces(inside, ",")
    if len(parts) != 3:  # noqa: PLR2004 - the space and two colours
        return None
    shares = [float(match[1]) / 100 if (match := _SHARE.search(part)) else None for part in parts[1:]]
    first, second = (colour(_SHARE.sub("", part), dark) for part in parts[1:])
    if first is None or second is None:
        return None
    one, two = shares
    if one is None:
        one = 1 - two if two is not None else 0.5
    if two is None:
        two = 1 - one
    if not one + two:
        return None
    share, faded = one / (one + two), min(one + two, 1.0)
    alpha = first[3] * share + second[3] * (1 - share)
    if not alpha:
        return (0.0, 0.0, 0.0, 0.0)
    red, green, blue = (
        (a * first[3] * share + b * second[3] * (1 - share)) / alpha for a, b in zip(first[:3], second[:3], strict=True)
    )
    return (red, green, blue, alpha * faded)


def _by_scheme(inside: str, dark: bool) -> Colour | None:
    parts = pieces(inside, ",")
    return colour(parts[1] if dark else parts[0], dark) if len(parts) == 2 else None  # noqa: PLR2004 - for light, for dark


def _against(inside: str, dark: bool) -> Colour | None:
    """`contrast-color()`: black or white, whichever stands out more."""
    ground = colour(inside.removesuffix("max"), dark)
    if ground is None:
        return None
    white, black = (1.0, 1.0, 1.0, 1.0), (0.0, 0.0, 0.0, 1.0)
    return white if contrast(white, ground) >= contrast(black, ground) else black


_MADE: dict[str, Callable[[str, bool], Colour | None]] = {
    "color-mix": _mixed, "light-dark": _by_scheme, "contrast-color": _against,
}  # fmt: skip
_CHANNELS = {
    "rgb": "r g b", "rgba": "r g b", "hsl": "h s l", "hsla": "h s l", "hwb": "h w b", "lab": "l a b", "oklab": "l a b", "lch":
    "l c h", "oklch": "l c h", "color": "srgb r g b",
}  # fmt: skip


def _relative(name: str, inside: str, dark: bool) -> Colour | None:  # noqa: PLR0911 - one way to write it after the other
    """`rgb(from red r g b / 50%)`: exact where the channels stay as they are, and in sRGB, HSL and HWB."""
    words = pieces(inside.replace("/", " / "))
    origin = colour(words[0], dark) if words else None
    if origin is None or name not in _CHANNELS:
        return None
    channels, slash, alpha = " ".join(words[1:]).partition(" / ")
    faded = number(re.sub(r"\balpha\b", repr(origin[3]), alpha)) if slash else origin[3]
    if faded is None:
        return None
    if channels == _CHANNELS[name]:
        return (*origin[:3], _unit(faded))
    if name in ("lab", "oklab", "lch", "oklch"):
        made = colour(f"{name}({channels})") if not re.search("[a-z]", channels) else _end_of_light(name, pieces(channels))
        return (*made[:3], _unit(faded)) if made else None
    known = _parts(name, origin)
    if known is None:
        return None
    plain = re.sub(r"\b[rgbhslw]\b", lambda match: repr(round(known.get(match[0], 0.0), 4)), channels.removeprefix("srgb"))
    percent = "%" if name in ("hsl", "hsla", "hwb") else ""
    values = [length(part, Scale(percent=100.0)) for part in pieces(plain)]
    if len(values) != 3 or None in values:  # noqa: PLR2004 - three channels
        return None
    hue_first = [f"{value}{percent if at else ''}" for at, value in enumerate(values)]
    found = colour(f"color(srgb {plain})" if name == "color" else f"{name}({' '.join(hue_first)})")
    return (*found[:3], _unit(faded)) if found else None


def _end_of_light(name: str, channels: list[str]) -> Colour | None:
    """Of a colour by its lightness: black or white where that is none or all of it and nothing, or no colour, is added."""
    light, *rest = channels
    most = 1.0 if name.startswith("ok") else 100.0
    grey = rest[:1] == ["0"] if name.endswith("lch") else rest == ["0", "0"]
    known = length(light, Scale(percent=most))
    return (float(known > 0),) * 3 + (1.0,) if grey and known in (0.0, most) else None


def _parts(name: str, origin: Colour) -> dict[str, float] | None:
    red, green, blue = origin[:3]
    if name in ("rgb", "rgba"):
        return {"r": red * 255, "g": green * 255, "b": blue * 255}
    if name == "color":
        return {"r": red, "g": green, "b": blue}
    hue, light, strength = colorsys.rgb_to_hls(red, green, blue)
    if name == "hwb":
        return {"h": hue * 360, "w": min(red, green, blue) * 100, "b": 100 - max(red, green, blue) * 100}
    return {"h": hue * 360, "s": strength * 100, "l": light * 100} if name in ("hsl", "hsla") else None


def _curved(part: float) -> float:
    return 12.92 * part if part <= LINEAR else 1.055 * part ** (1 / 2.4) - 0.055


_LINEAR: dict[str, Callable[[float, float, float], tuple[float, float, float]]] = {
    "srgb-linear": lambda r, g, b: (r, g, b),
    "rec2020": lambda r, g, b: (r**2.4, g**2.4, b**2.4),
    "a98-rgb": lambda r, g, b: (r**2.2, g**2.2, b**2.2),
    "prophoto-rgb": lambda r, g, b: (r**1.8, g**1.8, b**1.8),
    "xyz": lambda x, y, z: (
        3.2410 * x - 1.5374 * y - 0.4986 * z,
        1.8760 * y - 0.9692 * x + 0.0416 * z,
        0.0556 * x - 0.2040 * y + 1.0570 * z,
    ),
}
"""Colour spaces as linear sRGB. Of the wider ones the grey axis is exact, and that is what hiding needs."""
_LINEAR["xyz-d65"] = _LINEAR["xyz"]
_LINEAR["xyz-d50"] = lambda x, y, z: (
    3.1338561 * x - 1.6168667 * y - 0.4906146 * z,
    -0.9787684 * x + 1.9161415 * y + 0.033454 * z,
    0.0719453 * x - 0.2289914 * y + 1.4052427 * z,
)


def _from_p3(values: list[float]) -> tuple[float, float, float]:
    """To sRGB, as in CSS Color 4."""
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in map(_unit, values))  # noqa: PLR2004 - sRGB
    linear = (1.2249 * r - 0.2249 * g, 1.0420 * g - 0.0420 * r, 1.0983 * b - 0.0197 * r - 0.0786 * g)
    red, green, blue = (12.92 * c if c <= LINEAR else 1.055 * c ** (1 / 2.4) - 0.055 for c in linear)
    return red, green, blue


def _from_lab(space: str, values: list[float]) -> tuple[float, float, float]:
    """To sRGB. CSS Color 4, sample code for the matrices."""
    light, a, b = values
    if space.endswith("lch"):
        a, b = a * math.cos(math.radians(b)), a * math.sin(math.radians(b))
    if space.startswith("ok"):
        light = light / 100 if light > 1 else light
        root = (
            light + 0.3963377774 * a + 0.2158037573 * b,
            light - 0.1055613458 * a - 0.0638541728 * b,
            light - 0.0894841775 * a - 1.291485548 * b,
        )
        l, m, s = (value**3 for value in root)  # noqa: E741 - cone responses
        linear = (
            4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
            -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
            -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
        )
    else:
        fy = (light + 16) / 116
        x, y, z = (_cube(f) * white for f, white in zip((fy + a / 500, fy, fy - b / 200), (0.96422, 1.0, 0.82521), strict=True))
        linear = (
            3.1338561 * x - 1.6168667 * y - 0.4906146 * z,
            -0.9787684 * x + 1.9161415 * y + 0.033454 * z,
            0.0719453 * x - 0.2289914 * y + 1.4052427 * z,
        )
    red, green, blue = (12.92 * c if c <= LINEAR else 1.055 * c ** (1 / 2.4) - 0.055 for c in linear)
    return red, green, blue


def _cube(value: float) -> float:
    return value**3 if value**3 > 216 / 24389 else (116 * value - 16) * 27 / 24389


LINEAR = 0.0031308
"""Where the sRGB transfer function bends."""


def over(top: Colour, bottom: Colour, opacity: float = 1.0) -> Colour:
    """The colour that is seen where `top` lies over an opaque `bottom`."""
    alpha = top[3] * opacity
    red, green, blue = (a * alpha + b * (1 - alpha) for a, b in zip(top[:3], bottom[:3], strict=True))
    return (red, green, blue, 1.0)


def contrast(first: Colour, second: Colour) -> float:
    """WCAG contrast ratio of two opaque colours, 1 to 21."""
    lights = []
    for each in (first, second):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in each[:3]]  # noqa: PLR2004 - sRGB
        lights.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
    return (max(lights) + 0.05) / (min(lights) + 0.05)


ALIKE = 0.03
"""Of each primary colour: a difference that nobody sees."""


def gradient(image: str) -> Colour | None:
    """The one colour of a gradient whose stops nobody tells apart; None for any other image."""
    if "url(" in image or "gradient(" not in image:
        return None
    shades = [shade for part in colours(image) if (shade := colour(part)) is not None]
    alike = all(abs(one - first) <= ALIKE for shade in shades for one, first in zip(shade, shades[0], strict=True))
    return shades[0] if shades and alike else None


_COLOUR = re.compile(r"#[0-9a-f]{3,8}|(?:rgba?|hsla?|hwb|ok(?:lch|lab)|lch|lab|color)\([^()]*\)|\b[a-z]{3,24}\b")


def colours(text: str) -> list[str]:
    """What in a gradient or a shadow is a colour."""
    return [part for part in _COLOUR.findall(text) if part[0] == "#" or "(" in part or colour(part) is not None]
