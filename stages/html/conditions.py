"""Conditions of at-rules, judged for what a reader sits before: a light screen of 1280 by 900 pixels, with a mouse."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

from stages.html.properties import WATCHED, expand
from stages.html.pseudo import is_known
from stages.html.values import Scale, length

WIDTH, HEIGHT = 1280.0, 900.0
_UNITS = {"px": 1.0, "em": 16.0, "rem": 16.0, "pt": 4 / 3, "in": 96.0, "cm": 37.8, "mm": 3.78}
_SIZES = {
    "width": WIDTH,
    "height": HEIGHT,
    "device-width": WIDTH,
    "device-height": HEIGHT,
    "inline-size": WIDTH,
    "block-size": HEIGHT,
}
_FEATURES = {
    "orientation": "landscape", "prefers-color-scheme": "light", "prefers-reduced-motion": "no-preference", "hover": "hover",
    "any-hover": "hover", "pointer": "fine", "any-pointer": "fine", "scripting": "enabled", "prefers-contrast":
    "no-preference", "forced-colors": "none", "display-mode": "browser", "update": "fast",
    "overflow-block": "scroll", "overflow-inline": "scroll", "color-gamut": "srgb", "prefers-reduced-transparency":
    "no-preference", "dynamic-range": "standard", "prefers-reduced-data": "no-preference", "scan": "progressive",
}  # fmt: skip
_NUMBERS = {
    "color": 8.0,
    "color-index": 0.0,
    "monochrome": 0.0,
    "grid": 0.0,
    "resolution": 1.0,
    "-webkit-device-pixel-ratio": 1.0,
}


def media(tokens: list[Any]) -> bool:
    """Whether a media query list holds. Empty holds; what is not understood does not."""
    try:
        return not _bare(tokens) or any(_query(query) for query in _split(tokens, ","))
    except RecursionError:  # brackets nested by the thousand
        return False


def supports(tokens: list[Any]) -> bool:
    """Whether a browser of today supports what is asked."""
    return logic(_bare(tokens), _supported)


def _bare(tokens: list[Any]) -> list[Any]:
    return [token for token in tokens if token.type not in ("whitespace", "comment")]


def _split(tokens: list[Any], at: str) -> list[list[Any]]:
    parts: list[list[Any]] = [[]]
    for token in tokens:
        if token.type == "literal" and token.value == at:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _query(tokens: list[Any]) -> bool:
    words = _bare(tokens)
    negated = False
    if words and words[0].type == "ident" and words[0].lower_value in ("not", "only"):
        if len(words) > 1 and words[1].type == "ident":
            negated = words[0].lower_value == "not"
            words = words[1:]
        elif words[0].lower_value == "only":
            return False
    if words and words[0].type == "ident" and words[0].lower_value != "not":
        holds = words[0].lower_value in ("screen", "all")
        rest = words[1:]
        if rest and rest[0].type == "ident" and rest[0].lower_value == "and":
            holds = logic(rest[1:], feature) and holds
        return holds != negated
    return bool(words) and logic(words, feature)


def logic(words: list[Any], judge: Callable[[Any], bool]) -> bool:
    """`not a`, `a and b`, `a or b`; brackets nest."""
    if not words:
        return False
    if words[0].type == "ident" and words[0].lower_value == "not":
        return not logic(words[1:2], judge) and not (judge is feature and _unknown(words[1:2]))
    result = _operand(words[0], judge)
    for word, operand in zip(words[1::2], words[2::2], strict=False):
        if word.type != "ident":
            return False
        if word.lower_value == "and":
            result = _operand(operand, judge) and result
        elif word.lower_value == "or":
            result = result or _operand(operand, judge)
    return result


def _unknown(words: list[Any]) -> bool:
    """Whether a media feature is asked for that no browser knows: neither it nor its opposite holds."""
    inside = _bare(words[0].content) if words and words[0].type == "() block" else []
    name = inside[0].lower_value if inside and inside[0].type == "ident" else ""
    bound = name.removeprefix("-webkit-").removeprefix("min-").removeprefix("max-")
    return len(inside) in (1, 3) and bool(name) and name not in _FEATURES and _actual(bound) is None


def _operand(token: Any, judge: Callable[[Any], bool]) -> bool:
    if token.type == "() block":
        inside = _bare(token.content)
        nested = inside and (
            inside[0].type in ("() block", "function") or (inside[0].type == "ident" and inside[0].lower_value == "not")
        )
        return logic(inside, judge) if nested else judge(token)
    return judge(token)


_PROPERTY = re.compile(
    r"(?:-webkit-(?!touch-callout|overflow-scrolling|text-zoom|marquee)|(?!line-clamp))(?:accent|align|all|anchor|animation|appearance|aspect|backdrop|backface|background|baseline|block|border|bottom|box|break"
    r"|caption|caret|clear|clip|color|column|columns|contain|container|content|corner|counter|cursor|direction|display|dominant|dynamic|empty"
    r"|field|fill|filter|flex|float|flood|font|forced|gap|grid|height|hyphenate|hyphens|image|initial|inline|inset|interactivity|interpolate"
    r"|isolation|justify|left|letter|lighting|line|list|margin|marker|mask|math|max|min|mix|object|offset|opacity|order|orphans|outline"
    r"|overflow|overlay|overscroll|padding|page|paint|perspective|place|pointer|position|print|quotes|reading|resize|right|rotate|row|ruby"
    r"|scale|scroll|scrollbar|shape|speak|stop|stroke|tab|table|tap|text|timeline|top|touch|transform|transition|translate|unicode|user"
    r"|vector|vertical|view|visibility|white|widows|width|will|word|writing|x|y|z|zoom)(?:-[a-z-]+)?"
)
"""How the properties of today's browsers are named."""
_BOGUS = re.compile(r"-(?:moz|ms|o|khtml|apple)-|bogus|^masonry$")
_PSEUDO = re.compile(r"::?([a-z-]+)")


def _supported_function(token: Any) -> bool:
    said = "".join(part.serialize() for part in token.arguments).strip().lower()
    if token.lower_name == "selector":
        return all(is_known(name) for name in _PSEUDO.findall(said))
    if token.lower_name == "font-format":
        return said in ("collection", "opentype", "truetype", "woff", "woff2", "svg")
    if token.lower_name == "font-tech":
        return said.startswith(("color-", "variations", "features-opentype", "palettes"))
    return bool(token.lower_name == "at-rule")


def _supported(token: Any) -> bool:
    if token.type == "function":
        return _supported_function(token)
    if token.type != "() block":
        return False
    inside = _bare(token.content)
    name = inside[0].lower_value if inside and inside[0].type == "ident" else ""
    if not name or len(inside) < 3:  # noqa: PLR2004 - name, colon, value
        return False
    value = "".join(part.serialize() for part in token.content).partition(":")[2].strip()
    if name.startswith("--"):
        return True
    if _BOGUS.search(value) or not _PROPERTY.fullmatch(name):
        return False
    return name not in WATCHED or bool(expand(name, value.lower().removesuffix("!important").strip()))


_COMPARED = re.compile(r"(<=|>=|<|>|=)")


def feature(token: Any, sizes: dict[str, float] = _SIZES) -> bool:
    """`(min-width: 40em)`, `(400px <= width < 900px)`, `(hover)`."""
    if token.type != "() block":
        return False
    text = "".join(part.serialize() for part in token.content if part.type != "comment").strip().lower()
    if _COMPARED.search(text):
        return _range([part.strip() for part in _COMPARED.split(text)], sizes)
    name, colon, value = (part.strip() for part in text.partition(":"))
    if not colon:
        return name in sizes or _FEATURES.get(name, "none") not in ("none", "no-preference") or _NUMBERS.get(name, 0.0) > 0
    bound = name.removeprefix("min-").removeprefix("max-").replace("-webkit-min-", "-webkit-").replace("-webkit-max-", "-webkit-")
    actual, wanted = _actual(bound, sizes), _number(value)
    if actual is None or wanted is None:
        return _FEATURES.get(name) == value
    if "min-" in name:
        return actual >= wanted
    return actual <= wanted if "max-" in name else actual == wanted


def _actual(name: str, sizes: dict[str, float] = _SIZES) -> float | None:
    if name in ("aspect-ratio", "device-aspect-ratio"):
        return sizes["width"] / sizes["height"]
    return sizes.get(name, _NUMBERS.get(name))


def _number(text: str) -> float | None:
    ratio = re.fullmatch(r"(\d+\.?\d*|\.\d+)\s*/\s*(\d+\.?\d*|\.\d+)", text)
    if ratio and float(ratio[2]):
        return float(ratio[1]) / float(ratio[2])
    if "(" in text:
        return length(text, Scale())
    match = re.fullmatch(r"([+-]?\d*\.?\d+)([a-z]*)", text)
    return float(match[1]) * _UNITS.get(match[2], 1 / 96 if match[2] == "dpi" else 1.0) if match else None


def _range(parts: list[str], sizes: dict[str, float]) -> bool:
    compare: dict[str, Callable[[float, float], bool]] = {
        "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq,
    }  # fmt: skip
    values = [value if (value := _actual(part, sizes)) is not None else _number(part) for part in parts[::2]]
    for left, sign, right in zip(values, parts[1::2], values[1:], strict=False):
        if left is None or right is None or not compare[sign](left, right):
            return False
    return True
