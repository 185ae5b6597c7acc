"""The same question in other words: in the language of a place that it names, with another name for a thing, in the singular."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from stages.text import phrasebook, places
from stages.text.words import fold, guess_language, stop_words

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_WAYS = 2
_LEAST_SHARE = 0.5
"""Of the words that carry content, the place left out. With fewer in the book it would be a sentence in two languages."""
_IRREGULAR = {"men": "man", "women": "woman", "children": "child", "feet": "foot", "teeth": "tooth", "mice": "mouse"}
_NO_PLURALS = re.compile(r"(?:ss|us|is|ous|ics|news|series|species|etes)$")
_SHORT = 3


class Translation(Struct, frozen=True):
    """A query for pages in a language, of a country if one is named (ISO codes)."""

    text: str
    language: str
    country: str


def translations(text: str, language: str) -> list[Translation]:
    """In the language spoken where the text names a place, if most of it can be said there; at most two ways to say it."""
    for source in _sources(text, language):
        words = phrasebook.pieces(text, source)
        named = places.named(words, source)
        target = next((one for one in named if one.language in phrasebook.languages() and one.language != source), None)
        if target is not None:
            said = (_said(words, named, source, target.language, way) for way in range(_MOST_WAYS))
            return [Translation(one, target.language, target.country) for one in dict.fromkeys(said) if one]
    return []


def _sources(text: str, language: str) -> tuple[str, ...]:
    """What the text may be written in: short ones do not tell."""
    known = language or guess_language(text)
    return (known,) if known in phrasebook.languages() else () if known else phrasebook.languages()


def _said(words: Sequence[str], named: list[places.Place], source: str, target: str, way: int) -> str:
    parts: list[str] = []
    start = known = other = 0
    for place in [*named, None]:
        end = place.start if place is not None else len(words)
        run = words[start:end]
        at = 0
        for phrase in phrasebook.find(run, source):
            if not _content(run[phrase.start : phrase.end], source):
                continue
            kept = _content(run[at : phrase.start], source)
            other += len(kept)
            known += phrase.end - phrase.start
            ways = phrasebook.ways(phrase.thing, target)
            parts += [*kept, ways[min(way, len(ways) - 1)]]
            at = phrase.end
        kept = _content(run[at:], source)
        other += len(kept)
        parts += kept
        if place is None:
            break
        if place.country:
            parts.append(places.country_name(place.country, target))
        start = place.end
    return " ".join(parts) if known and known >= _LEAST_SHARE * (known + other) else ""


def _content(words: Sequence[str], language: str) -> list[str]:
    """The words that are no stop words, without the signs around them; of scripts without spaces what is no hiragana."""
    if language in phrasebook.UNSPACED:
        return re.sub(r"[\u3040-\u309f\u3001\u3002\uff1f\u7684?]+", " ", "".join(words)).split()
    stop = stop_words(" ".join(words), language)
    bare = (word.strip("?!,;:.()\"'") for word in words)
    return [word for word in bare if word and fold(word) not in stop]


def in_other_words(text: str, language: str) -> str:
    """With the other name of each thing that takes several words to name; empty when there is none."""
    source = language or guess_language(text) or "en"
    if source not in phrasebook.languages() or source in phrasebook.UNSPACED:
        return ""
    words = text.split()
    changed = False
    for phrase in reversed(phrasebook.find(words, source)):
        ways = phrasebook.ways(phrase.thing, source)
        if phrase.end - phrase.start > 1 and len(ways) > 1:
            tail = re.search(r"[?!.,;:]*$", words[phrase.end - 1])
            words[phrase.start : phrase.end] = [ways[0 if phrase.way else 1] + (tail[0] if tail is not None else "")]
            changed = True
    return " ".join(words) if changed else ""


def in_singular(text: str, language: str) -> str:
    """An English text with its nouns in the singular, for indexes that compare letter by letter; empty when none changes."""
    if language not in {"", "en"} or not text.isascii():
        return ""
    words = [_singular(word) for word in text.split(" ")]
    return " ".join(words) if words != text.split(" ") else ""


def _singular(word: str) -> str:
    """Names (in capitals) and short words stay."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if not word.isalpha() or not word.islower() or len(word) <= _SHORT or not word.endswith("s") or _NO_PLURALS.search(word):
        return word
    if word.endswith("ies") and len(word) > _SHORT + 1:
        return f"{word[:-3]}y"
    return word[:-2] if re.search(r"(?:ch|sh|x|ss|zz)es$", word) else word[:-1]
