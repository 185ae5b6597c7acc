"""Words of any language, and which language they are.

Scripts that are written without spaces (and Hangul, whose words grow by suffixes) become overlapping bigrams. Versions,
identifiers and numbers are kept whole, so that `3.13` is not any `3` beside any `13`, and also split, so that a part finds them.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from stages.text.stopwords import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable

_KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HANGUL = "\u1100-\u11ff\uac00-\ud7a3"
_THAI = "\u0e01-\u0e3a\u0e40-\u0e4e"
_OTHER_UNSPACED = "\u0e81-\u0ece\u1000-\u103f\u1780-\u17d3"  # Lao, Burmese, Khmer
_UNSPACED = _KANA + _HAN + _HANGUL + _THAI + _OTHER_UNSPACED

_ASCII_TOKEN = re.compile(r"[a-z0-9]+(?:(?:[._\-]+|(?<=[0-9]),(?=[0-9]{3}(?![0-9])))[a-z0-9]+)*(?:\+\+|(?<![a-z0-9][a-z0-9])#)?")
_SIGNS = re.compile(r"[._\-+#]+")
_POSSESSIVE = re.compile(r"(?<=\w)['\u2019]s\b")
_HAS_UNSPACED = re.compile(f"[{_UNSPACED}]")

_GUESS_CHARS = 4000
"""How much of a text is looked at to guess its language."""
_CACHED_STEMS = 200_000
_MIN_HITS, _MIN_LEAD, _MIN_SHARE = 2, 1.5, 0.1
"""Stop words a language needs to be named: at least so many, so far before the next language, and this share of all words."""
_MIN_KANA, _MIN_SCRIPT = 0.1, 0.3
"""Share of a text's letters that names its language. Japanese is half Han, and headlines more."""

_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (language, re.compile(f"[{letters}]"))
    for language, letters in (
        ("ja", _KANA), ("ko", _HANGUL), ("zh", _HAN), ("th", _THAI), ("el", "\u0370-\u03ff"), ("he", "\u05d0-\u05ea"),
        ("ar", "\u0620-\u06ff"), ("hi", "\u0900-\u097f"), ("bn", "\u0980-\u09ff"), ("ta", "\u0b80-\u0bff"),
        ("ka", "\u10a0-\u10ff"), ("hy", "\u0531-\u0587"), ("ru", "\u0400-\u04ff"),
    )
)  # fmt: skip
"""Letters that give a language away. Kana before Han: Japanese writes both."""

_SNOWBALL = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish",
    "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali",
    "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian",
    "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip


def unspaced(text: str) -> int:
    """How many letters it has of scripts that are written without spaces."""
    return 0 if text.isascii() else len(_HAS_UNSPACED.findall(text))


def fold(text: str) -> str:
    """The text in compatibility composition and case-folded: `Straße` and `STRASSE`, full and half width become equal."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return folded.replace("\u00ad", "").replace("i\u0307", "i")  # soft hyphens; what folding makes of the Turkish İ


@lru_cache(maxsize=1)
def _token() -> re.Pattern[str]:
    """The pattern for text beyond ASCII: a run of an unspaced script, or a word with the marks that belong to it."""
    marks = "".join(chr(code) for code in range(0x300, 0x10000) if unicodedata.category(chr(code)) in {"Mn", "Mc"})
    letters = f"[^\\W_{_UNSPACED}]+"
    word = f"{letters}(?:[{marks}]+(?:{letters})?)*"
    number = r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))"
    return re.compile(f"[{_UNSPACED}]+|{word}(?:(?:[._\\-]+|{number}){word})*(?:\\+\\+|(?<![^\\W_][^\\W_])#)?")


def words(text: str) -> list[str]:
    """Case-folded words in order. A compound comes whole and then in its parts; unspaced scripts come as bigrams."""
    folded = _POSSESSIVE.sub("", fold(text))
    found: list[str] = []
    ascii_only = folded.isascii()
    for token in (_ASCII_TOKEN if ascii_only else _token()).findall(folded):
        if token.isalnum() and (ascii_only or not _HAS_UNSPACED.match(token)):
            found.append(token)
        else:
            found.extend(_pieces(token))
    return found


def _pieces(token: str) -> list[str]:
    if _HAS_UNSPACED.match(token):
        return [token[at : at + 2] for at in range(max(1, len(token) - 1))]
    if "," in token:  # a number with thousands separators is one number
        token = token.replace(",", "")
    parts = [part for part in _SIGNS.split(token) if part]
    joined_words = all(part.isalpha() for part in parts) and "_" not in token and "." not in token and token[-1] not in "+#"
    return parts if joined_words or parts == [token] else [token, *parts]


def stop_words(text: str, language: str = "") -> frozenset[str]:
    """The stop words of the language; of the likeliest one for the text when none is given or it has no list."""
    return STOP_WORDS.get(language) or STOP_WORDS[_likeliest(words(text))[0]]


def content_words(text: str, language: str = "") -> list[str]:
    """The words without the stop words of the language (the likeliest one when none is given); all, if nothing else is left."""
    every, stop = words(text), stop_words(text, language)
    return [word for word in every if word not in stop] or every


def guess_language(text: str) -> str:
    """The ISO 639-1 code of the text's language, by script and then by stop words; empty when that does not tell."""
    sample = text[:_GUESS_CHARS]
    by_script = _by_script(sample)
    if by_script not in {"", "ru"}:
        return by_script
    every = words(sample)
    best, weight, second = _likeliest(every)
    hits = sum(word in STOP_WORDS[best] for word in every)
    confident = hits >= _MIN_HITS and weight >= 1 and weight >= _MIN_LEAD * second and hits >= _MIN_SHARE * len(every)
    return best if confident else by_script


def _by_script(sample: str) -> str:
    letters = sum(map(str.isalpha, sample))
    for language, pattern in _SCRIPTS:
        seen = len(pattern.findall(sample))
        if seen and seen >= (_MIN_KANA if language == "ja" else _MIN_SCRIPT) * letters:
            return language
    return ""


@lru_cache(maxsize=1)
def _stop_word_weights() -> dict[str, tuple[tuple[str, float], ...]]:
    """Each stop word's languages; a word of three languages speaks for each with a third."""
    owners: dict[str, list[str]] = {}
    for language, listed in STOP_WORDS.items():
        for word in listed:
            owners.setdefault(word, []).append(language)
    return {word: tuple((language, 1 / len(languages)) for language in languages) for word, languages in owners.items()}


def _likeliest(every: list[str]) -> tuple[str, float, float]:
    """The language whose stop words these are, with its weight and the next one's. English when there are none."""
    weights = dict.fromkeys(STOP_WORDS, 0.0)
    known = _stop_word_weights()
    for word in every:
        for language, weight in known.get(word, ()):
            weights[language] += weight
    ranked = sorted(weights, key=lambda language: -weights[language])
    return ranked[0], weights[ranked[0]], weights[ranked[1]]


_stemmers: dict[str, Any] = {}
_stems: dict[tuple[str, str], str] = {}


def stems(listed: Iterable[str], language: str) -> list[str]:
    """Each word's stem in the language (ISO 639-1); the word itself where it is not all letters or there is no stemmer."""
    name = _SNOWBALL.get(language, "")
    if not name:
        return list(listed)
    return [_stems.get((name, word)) or _stem(name, word) for word in listed]


def _stem(name: str, word: str) -> str:
    stemmer = _stemmer(name)
    stem = str(stemmer.stemWord(word)) or word if stemmer is not None and word.isalpha() else word
    if len(_stems) >= _CACHED_STEMS:
        _stems.clear()
    _stems[name, word] = stem
    return stem


def _stemmer(name: str) -> Any:
    if name not in _stemmers:
        import snowballstemmer

        _stemmers[name] = snowballstemmer.stemmer(name) if name in snowballstemmer.algorithms() else None
    return _stemmers[name]
