"""Turn a question into several ways to ask it: as it stands, as keywords, and in other words.

Reads Question, writes Query. The original comes first and weighs most; `derived` says how each other one came about: keywords;
translation:xx, into the language of a country or language that is named, and then looked for there; acronym, written out or
shortened; synonym; singular. Operators and quotes go along. No failures.
"""

from __future__ import annotations

import re
from typing import Annotated

import msgspec
from msgspec import Meta

from stages.core.stage import Options as StageOptions
from stages.core.stage import each
from stages.records import Query, Question, record_id

_LOOSE_ENDS = "?!.,;:()[]{}\u2026\u3002\uff1f\uff01\u3001\u00bf\u00a1'\u2019\u2018*"
_WEIGHTS = {"original": 1.0, "keywords": 0.7, "translation": 0.7, "acronym": 0.6, "synonym": 0.5, "singular": 0.4}
_SECOND = 0.7
"""What another way of the same kind weighs beside the first."""
_MIN_KEYWORDS, _MAX_CHARACTERS = 2, 2000


class Options(StageOptions, frozen=True):
    """Options of `expand`."""

    queries: Annotated[int, Meta(ge=1, le=8, description="Queries made of one question at most.")] = 6


class _Variant(msgspec.Struct, frozen=True):
    """A way to ask; language and region are empty where they stay the question's."""

    derived: str
    text: str
    weight: float
    language: str = ""
    region: str = ""


@each(keeps=True)
def expand(question: Question, options: Options) -> list[Query]:
    """One question, its queries, best first."""
    from stages.text.words import guess_language

    text = " ".join(question.text.split())
    language = question.language or guess_language(text)
    seen: set[frozenset[str]] = set()
    queries = []
    for variant in _variants(text, language, question):
        form = _form(variant.text)
        if variant.text and form not in seen:
            seen.add(form)
            queries.append(_query(question, language, variant))
    return queries[: options.queries]


def _form(text: str) -> frozenset[str]:
    """What two ways to ask have in common when no engine would tell them apart: the same words, in whatever order."""
    return frozenset(_bare(word) for word in text.casefold().split()) - {""}


def _variants(text: str, language: str, question: Question) -> list[_Variant]:
    from stages.text.query import Asked, operators, parse, render

    asked = parse(text)
    rest = render(msgspec.structs.replace(asked, groups=()))
    plain = render(Asked(groups=asked.groups)) if rest else text
    variants = [_Variant("original", text, 1.0)]
    if "or" in operators(asked) or not 0 < len(plain) <= _MAX_CHARACTERS:  # a choice or an essay is no sentence to reword
        return variants
    variants += _reworded(plain, language, question)
    return [variants[0], *(msgspec.structs.replace(one, text=f"{one.text} {rest}".strip()) for one in variants[1:] if one.text)]


def _reworded(text: str, language: str, question: Question) -> list[_Variant]:
    """All the other ways, the likeliest to help first."""
    from stages.text.acronyms import other_forms
    from stages.text.wording import in_other_words, in_singular, translations
    from stages.text.words import guess_language

    short = _keywords(text, language)
    variants = [_Variant("keywords", short, _WEIGHTS["keywords"])]
    translated = [one for one in translations(text, guess_language(text)) if question.language in {"", one.language}]
    for place, one in enumerate(translated):
        weight = _WEIGHTS["translation"] * _SECOND**place
        region = question.region or one.country
        variants.append(_Variant(f"translation:{one.language}", one.text, round(weight, 2), one.language, region))
    forms = [
        _Variant("acronym", form, round(_WEIGHTS["acronym"] * _SECOND**place, 2))
        for place, form in enumerate(other_forms(text)[:2])
    ]
    variants[2:2] = forms
    variants.append(_Variant("synonym", in_other_words(short or text, language), _WEIGHTS["synonym"]))
    variants.append(_Variant("singular", in_singular(short or text.strip(_LOOSE_ENDS), language), _WEIGHTS["singular"]))
    return variants


def _query(question: Question, language: str, variant: _Variant) -> Query:
    filters = {name: getattr(question, name) for name in question.__struct_fields__ if name not in {"text", "aim"}}
    filters |= {"language": variant.language or language, "region": variant.region or question.region}
    return Query(text=variant.text, derived=variant.derived, weight=variant.weight, question=record_id(question), **filters)


def _keywords(text: str, language: str) -> str:
    """The text without stop words. Phrases in quotes (made straight), numbers and capitalised words inside a sentence stay.

    Empty when one word is left, which would be a vaguer question.
    """
    from stages.text.query import QUOTED

    kept: list[str] = []
    at = 0
    for quoted in QUOTED.finditer(text):
        kept += _plain_keywords(text[at : quoted.start()], language, starts=at == 0)
        kept.append(f'"{(quoted[1] or quoted[2] or quoted[3]).strip()}"')
        at = quoted.end()
    kept += _plain_keywords(text[at:], language, starts=at == 0)
    return " ".join(kept) if len(kept) >= _MIN_KEYWORDS else ""


def _plain_keywords(text: str, language: str, *, starts: bool) -> list[str]:
    from stages.text.words import fold, stop_words

    stop = stop_words(text, language)
    kept = []
    sentence_start = starts
    for token in text.split():
        word = _bare(token)
        named = word[:1].isupper() and not sentence_start and (len(word) > 1 or word != "I")
        if word and (named or not _is_stop(fold(word), stop)):
            kept.append(re.sub(r"['\u2019]s$", "", word))
        sentence_start = token[-1:] in ".?!:"
    return kept


def _bare(token: str) -> str:
    """A word without the signs of the sentence around it; `.NET` and `f(x)` keep those that are theirs."""
    word = token.strip(_LOOSE_ENDS)
    start = token.find(word)
    if word and token[:start].endswith(".") and word[0].isalpha() and not token[:start].endswith(".."):
        word = f".{word}"
    return word + ")" * (word.count("(") - word.count(")"))


def _is_stop(word: str, stop: frozenset[str]) -> bool:
    """`l'eau` is kept, `what's` is not: every part has to be a stop word."""
    return all(part in stop for part in re.split(r"['\u2019]", word) if part)
