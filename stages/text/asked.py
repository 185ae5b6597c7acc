"""What a question asks for beside its words: a quantity, or what a certain site says."""

from __future__ import annotations

import re
from itertools import pairwise
from urllib.parse import urlsplit

_MEASURES = {
    "en": r"\b(?:how (?:many|much|far|long|tall|wide|deep|high|big|large|old|fast|heavy|often|late|early|soon)|by how|number of"
    r"|(?:what|which)(?: is the)? (?:share|proportion|percentage|percent|fraction|number|amount|price|size|height|width|length"
    r"|weight|distance|temperature|age|score|rate|year|date|version)|total (?:height|width|length|weight|cost))\b",
    "de": r"\b(?:wie (?:viel|weit|lange?|groß|hoch|breit|tief|schwer|alt|oft|schnell)"
    r"|welche[rsn]? (?:anteil|prozentsatz|jahr|anzahl|zahl|nummer|preis|höhe|größe|alter))",
    "fr": r"\b(?:combien|quel(?:le)?s? (?:est )?(?:la |le |l['’])?(?:part|proportion|pourcentage|nombre|numéro|prix|taille"
    r"|hauteur|longueur|largeur|distance|âge|année|date|température|vitesse))\b",
    "es": r"\b(?:cu[aá]nt[oa]s?|qu[eé] (?:porcentaje|proporci[oó]n|n[uú]mero|precio|tama[nñ]o|altura|longitud|distancia|edad"
    r"|a[nñ]o|fecha))\b",
    "it": r"\b(?:quant[oaie]|(?:che|quale) (?:percentuale|quota|numero|prezzo|altezza|lunghezza|distanza|et[aà]|anno|data))\b",
    "pt": r"\b(?:quant[oa]s?|(?:que|qual)(?: é)?(?: [oa])? (?:por?centagem|percentagem|proporção|número|preço|altura"
    r"|comprimento|distância|idade|ano|data))\b",
    "nl": r"\b(?:hoe(?:veel| (?:ver|lang|groot|hoog|breed|diep|zwaar|oud|vaak|snel))"
    r"|welk (?:percentage|aandeel|aantal|jaar|nummer))\b",
    "pl": r"\b(?:ile|jaki (?:procent|odsetek|rok|numer)|jak (?:daleko|długo|często|wysok|duż|szerok))",
    "ru": r"\b(?:сколько|как(?:ой|ая|ое) (?:процент|доля|число|номер|год|цена|высота|длина|размер|возраст)"
    r"|как (?:долго|далеко|часто))",
    "zh": r"多少|[几幾]|多[远遠长長高大宽寬深重久快]|百分之",
    "ja": r"いくつ|いくら|何(?:人|年|個|割|歳|時|本|回|倍|円|パーセント|メートル|キロ|ドル)|(?:どの|どれ)(?:くらい|ぐらい)",
    "ko": r"몇|얼마",
    "ar": r"\bكم\b|\b(?:نسبة|عدد|سعر|طول|ارتفاع)\b",
}
"""Language -> how it asks for a number."""
_MEASURE = re.compile("|".join(_MEASURES.values()), re.IGNORECASE)
_NUMBER = re.compile(
    r"\d|[一二三四五六七八九十百千万億亿半]|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty"
    r"|hundred|thousand|million|billion|half|third|quarter|twice|percent|zwei|drei|vier|fünf|zehn|hundert|tausend|deux|trois|quatre|cinq"
    r"|mille|tres|cuatro|cinco|diez|cien|tre|quattro|cinque|dieci|cento|dois|três|quatro|dez|twee|drie|vijf|tien)\b",
    re.IGNORECASE,
)
_UNNAMED = frozenset({"www", "com", "co", "org", "net", "blog", "en", "m", "docs", "support", "help"})
"""Labels of a host that name nobody."""
LEAST = 4
"""Letters of a word from which the beginning or end of a label is no chance."""


def asks_for_number(question: str) -> bool:
    """Whether it asks how many, how far, in which year, or the like."""
    return _MEASURE.search(question) is not None


def has_number(text: str) -> bool:
    """Whether a text gives one, in digits or words."""
    return _NUMBER.search(text) is not None


def named_in(words: list[str], url: str) -> frozenset[str]:
    """The words of a question that name the site of a page: labels of its host, or what one begins or ends with."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return frozenset()
    labels = [label for label in host.split(".")[:-1] if label not in _UNNAMED]
    flat = [label.replace("-", "") for label in labels]
    parts = {part for label in labels for part in label.split("-")}
    found = {
        word
        for word in words
        if word in flat
        or (len(word) >= LEAST and (word in parts or any(label.startswith(word) or label.endswith(word) for label in flat)))
    }
    for first, second in pairwise(words):
        if first + second in flat:
            found |= {first, second}
    return frozenset(found)
