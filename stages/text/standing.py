"""What the published formula 0.5 text + 0.2 domain + 0.2 recency + 0.1 provider says of a page beside its text."""

from __future__ import annotations

import re
from datetime import date

from stages.text.query import parse
from stages.text.urls import host, registrable_domain
from stages.text.words import words

WEIGHTS = {"text": 0.5, "domain": 0.2, "recency": 0.2, "provider": 0.1}
UNKNOWN = 0.5
_PUBLIC = re.compile(r"(?:^|\.)(?:(?:gov|edu|mil|ac)(?:\.[a-z]{2})?|int|europa\.eu)$")
_PUBLIC_TIER = 0.95
_TIERS = {
    "wikipedia.org": 0.9, "arxiv.org": 0.9, "doi.org": 0.9, "ietf.org": 0.9, "rfc-editor.org": 0.9, "w3.org": 0.9, "iso.org": 0.9,
    "python.org": 0.9, "mozilla.org": 0.9, "github.com": 0.7, "stackoverflow.com": 0.7, "stackexchange.com": 0.7,
    "archive.org": 0.7, "reddit.com": 0.3, "quora.com": 0.3, "pinterest.com": 0.3, "facebook.com": 0.3, "tiktok.com": 0.3,
    "x.com": 0.3, "instagram.com": 0.3,
}  # fmt: skip
"""Public bodies, references, and places where anybody writes anything; all others are between them."""
_HALF_LIFE_DAYS = 90
_TIMELY = frozenset(
    """latest newest new recent recently today current currently now news update price prices best 2026 2027 neu
    neueste aktuell heute preis preise dernier actuel prix último actual hoy precio ultimo oggi prezzo novo hoje preço nieuwste
    prijs najnowszy cena dzisiaj новый последний сегодня цена 最新 今日 価格 价格 今天""".split()  # noqa: SIM905 - a list of words
)


def domain_tier(url: str) -> float:
    """Of whose word this is: 0.95 to 0.3."""
    name = host(url)
    return _PUBLIC_TIER if _PUBLIC.search(name) else _TIERS.get(registrable_domain(url), UNKNOWN)


def recency(published: str, today: str) -> float:
    """1 for today (ISO dates), a half after three months, and so on; a half when the date is unknown."""
    try:
        days = (date.fromisoformat(today[:10]) - date.fromisoformat(published[:10])).days
    except ValueError:
        return UNKNOWN
    return float(0.5 ** (max(0, days) / _HALF_LIFE_DAYS))


def asks_for_news(query: str) -> bool:
    """Whether the day matters to who asks."""
    asked = parse(query)
    return bool(asked.days or asked.after) or not _TIMELY.isdisjoint(words(asked.text))
