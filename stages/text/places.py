"""Countries and languages that a text names, by the names that CLDR has for them, and what is spoken there."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

from stages.text.words import fold, stems

if TYPE_CHECKING:
    from collections.abc import Sequence

_SIGNS = "?!,;:()'\"\u3001\u3002\uff1f"
_CODE = 2
"""Letters of a country's or a language's code; longer ones are regions and varieties."""
_LONGEST_NAME = 5
"""Words; of scripts without spaces, characters count double."""
_ENGLISH = {
    "usa": "US", "u.s.": "US", "united states of america": "US", "america": "US", "uk": "GB", "u.k.": "GB", "great britain": "GB",
    "britain": "GB", "england": "GB", "scotland": "GB", "wales": "GB", "holland": "NL", "czech republic": "CZ", "uae": "AE",
    "german": "DE", "austrian": "AT", "swiss": "CH", "french": "FR", "italian": "IT", "spanish": "ES", "mexican": "MX",
    "argentine": "AR", "argentinian": "AR", "colombian": "CO", "chilean": "CL", "peruvian": "PE", "portuguese": "PT",
    "brazilian": "BR", "dutch": "NL", "belgian": "BE", "polish": "PL", "japanese": "JP", "chinese": "CN", "taiwanese": "TW",
    "russian": "RU",
}  # fmt: skip
"""Names and adjectives that CLDR lacks. An adjective means the country here: what is bought there is what is asked for."""
_EVERYWHERE = {"usa": "US", "uk": "GB"}
_COMMON_WORDS = {
    "turkey", "chad", "jordan", "georgia", "guinea", "jersey", "polish", "china", "mali", "niger", "cuba", "panama", "chile",
    "dutch", "french", "swiss", "peru", "togo", "oman",
}  # fmt: skip
"""Names that are other things in small letters."""
_BEFORE_LANGUAGE = frozenset(["in", "auf", "en", "em", "op", "po", "w", "na", "по", "на"])


class Place(Struct, frozen=True):
    """A country or language named at `start:end` of the words. `country` is empty where only a language is meant."""

    start: int
    end: int
    country: str
    language: str
    """What is spoken there in the first place (ISO 639-1)."""


def named(words: Sequence[str], language: str) -> list[Place]:
    """The places in order. Words are as they were written: a name in small letters counts in a text without capitals only."""
    plain = not any(word[:1].isupper() for word in words)
    unspaced = language in {"ja", "zh"}
    joint, longest = ("", 2 * _LONGEST_NAME) if unspaced else (" ", _LONGEST_NAME)
    found: list[Place] = []
    start = 0
    while start < len(words):
        place = None
        names, tongues = _countries(language, _initial(words[start])), _languages(language, _initial(words[start]))
        for end in range(min(len(words), start + longest), start, -1):
            name = _name(joint.join(words[start:end]), language)
            written = (
                unspaced
                or words[start][:1].isupper()
                or (plain and fold(words[start]) not in _COMMON_WORDS)
                or not name[:1].isascii()
            )
            before = fold(words[start - 1]) if start else ""
            if name in tongues and before in _BEFORE_LANGUAGE:
                place = Place(start - 1, end, "", tongues[name])
            elif name in names and written:
                place = Place(start, end, names[name], spoken_in(names[name]))
            if place is not None:
                break
        if place is not None:
            found.append(place)
        start = place.end if place is not None else start + 1
    return found


def spoken_in(country: str) -> str:
    """The first official language of a country (ISO 3166 code); empty when none is known."""
    from babel.languages import get_official_languages

    spoken = get_official_languages(country, regional=False, de_facto=True)
    return spoken[0].partition("_")[0] if spoken else ""


def country_name(country: str, language: str) -> str:
    """What the country is called in a language; empty when that is not known."""
    from babel import Locale

    return str(Locale(language).territories.get(country, ""))


def _name(text: str, language: str) -> str:
    """A name as it is compared: `Германии` is `Германия`."""
    return " ".join(stems((word.strip(_SIGNS) for word in fold(text).split(" ")), language))


def _initial(text: str) -> str:
    """The first letter, bare of its marks. Names are compared with those of the same one: to stem all would take long."""
    return unicodedata.normalize("NFD", fold(text.strip(_SIGNS)))[:1]


@lru_cache(maxsize=1024)
def _countries(language: str, initial: str) -> dict[str, str]:
    from babel import Locale

    listed = {name: code for code, name in Locale(language).territories.items() if code.isalpha() and len(code) == _CODE}
    known = listed | (_ENGLISH if language == "en" else _EVERYWHERE)
    return {_name(name, language): code for name, code in known.items() if _initial(name) == initial}


@lru_cache(maxsize=1024)
def _languages(language: str, initial: str) -> dict[str, str]:
    from babel import Locale

    listed = Locale(language).languages.items()
    return {_name(name, language): code for code, name in listed if len(code) == _CODE and _initial(name) == initial}
