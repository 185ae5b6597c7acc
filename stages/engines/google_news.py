"""Google News as a feed. Its links lead through Google and do not tell where to: they stay as they are, and are marked."""

from __future__ import annotations

from typing import Any

from stages.core.env import Budget, Reply, Request, Settings
from stages.engines.answers import ask, child, child_text, cut, day_of_iso, day_of_rfc, hits_of, local_name, read_feed
from stages.engines.engine import Passport, one_line, query_text, web_address
from stages.records import Hit, Query
from stages.text.urls import host

PASSPORT = Passport(
    name="google_news",
    family="google",
    kinds=("news",),
    identity="api",
    default=True,
    operators=frozenset({"phrase", "minus", "or", "site", "-site", "intitle", "inurl"}),
    freshness=frozenset({"day", "week", "month", "year"}),
    dates=True,
    budget=Budget("google_news", per_minute=6, burst=6),
    terms="The feed is for reading, personal and not commercial.",
)

_MAX_QUERY = 1000
_SPANS = {"day": "1d", "week": "7d", "month": "1m", "year": "1y"}
_HOMES = {
    "en": "US", "de": "DE", "fr": "FR", "es": "ES", "it": "IT", "pt": "BR", "nl": "NL", "pl": "PL", "ja": "JP", "ru": "RU",
    "ko": "KR", "sv": "SE", "no": "NO", "da": "DK", "fi": "FI", "cs": "CZ", "hu": "HU", "ro": "RO", "el": "GR", "tr": "TR",
    "uk": "UA", "bg": "BG", "ar": "EG", "iw": "IL", "hi": "IN", "id": "ID", "vi": "VN", "th": "TH", "sr": "RS", "sk": "SK",
    "sl": "SI", "lt": "LT", "lv": "LV", "bn": "BD", "ta": "IN", "te": "IN", "mr": "IN", "ml": "IN",
}  # fmt: skip
"""The country whose edition is asked for when the query names none. In the wrong edition nothing is found."""
_SPELLINGS = {"nb": "no", "nn": "no", "he": "iw"}
_ENGLISH = frozenset({"GB", "AU", "CA", "IE", "IN", "NZ", "ZA", "SG"})


def request(query: Query, settings: Settings, now: str) -> Request:  # noqa: ARG001 - the shape of every engine
    """The feed of the edition for the query's language, up to a hundred items."""
    asked = cut(query_text(query, PASSPORT), _MAX_QUERY)
    after, before = day_of_iso(query.published_after), day_of_iso(query.published_before)
    asked += f" when:{_SPANS[query.freshness]}" if query.freshness and not before else f" after:{after}" if after else ""
    asked += f" before:{before}" if before else ""
    feed = "application/rss+xml"
    return ask("https://news.google.com/rss/search", {"q": asked} | edition(query), PASSPORT.budget, settings, accept=feed)


def edition(query: Query) -> dict[str, str]:
    """`hl`, `gl` and `ceid`; the American edition where the language is not known."""
    from stages.text.words import guess_language

    language = (query.language or guess_language(query.text)).lower().partition("-")[0]
    language = _SPELLINGS.get(language, language)
    region = query.region.upper() if query.region.isascii() and query.region.isalpha() else ""
    if language == "zh":
        script, country = ("Hant", region) if region in ("TW", "HK") else ("Hans", "CN")
        return {"hl": f"zh-{country}", "gl": country, "ceid": f"{country}:zh-{script}"}
    if language not in _HOMES:
        language, region = "en", region if region in _ENGLISH else "US"
    country = region or _HOMES[language]
    spoken, served = language, language
    if language == "en":
        spoken = f"en-{country}"
    elif language == "es" and country != "ES":
        spoken = served = "es-419"
    elif language == "pt":
        spoken, served = ("pt-PT", "pt-150") if country == "PT" else ("pt-BR", "pt-419")
    return {"hl": spoken, "gl": country, "ceid": f"{country}:{served}"}


def parse(reply: Reply, query: Query, now: str) -> list[Hit]:  # noqa: ARG001 - the shape of every engine
    """News in order, dated by their outlets. Raises StageError."""
    root = read_feed(reply, engine_host="news.google.com")
    return hits_of(reply, [one for one in root.iter() if local_name(one) == "item"], _hit)


def _hit(item: Any) -> Hit | None:
    outlet = child(item, "source")
    source = one_line(outlet.text or "") if outlet is not None else ""
    title = one_line(child_text(item, "title"))
    url, published = web_address(child_text(item, "link")), day_of_rfc(child_text(item, "pubDate"))
    if not url or not title:
        return None
    return Hit(
        url=url,
        title=title.removesuffix(f" - {source}") if source else title,
        kind="news",
        published=published,
        published_trust="trusted" if published else "",
        source=source[:200],
        source_url=web_address(outlet.get("url") or "") if outlet is not None else "",
        opaque=host(url) == "news.google.com",
    )
