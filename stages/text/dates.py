"""Days as search engines write them before a snippet: `Jul 16, 2025 ·`, `vor 3 Tagen -`, `3天前`. Nothing is guessed.

A day needs its year, or words that count back from now: `2 - 3 players` and `5 min` are no dates.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST = 40
"""Characters. `mercredi 16 septembre 2025, 10:15` is shorter."""
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_DAY = re.compile(r"(?<!\d)\d{1,2}(?!\d)")
_WORD = re.compile(r"[^\W\d_]+")
_JOINING = frozenset(["de", "del", "di", "of", "a", "y", "il"])
_MOST_NAMES, _MOST_WORDS = 3, 4
"""Words of a date with a year, `mercredi 16 septembre`, and of one that counts back, `πριν από 3 ημέρες`."""
_BACK = re.compile(
    r"""\b(?:ago|yesterday|today|vor|gestern|heute|il\ y\ a|hier|aujourd.hui|hace|ayer|hoy|fa|ieri|oggi|h[áa]|ontem|hoje|atrás
    |geleden|gisteren|vandaag|temu|wczoraj|dzisiaj|назад|вчера|сегодня|тому|вчора|sedan|igår|siden|går|önce|dün|před|včera|sitten
    |eilen|πριν|trước|lalu|acum|ieri|преди|prije|pred|včeraj|napja|órája|hete|hónapja|éve|tegnap|قبل|منذ|أمس|לפני|אתמול)\b
    |पहले|पूर्व|पہلے|پیش|前|昨[日天]|今[日天]|전|어제|오늘|ก่อน|ที่ผ่านมา|ที่แล้ว""",
    re.VERBOSE | re.IGNORECASE,
)
_ISO = re.compile(r"(?<!\d)((?:19|20)\d\d)-(\d\d)-(\d\d)(?!\d)")
_DOTTED = re.compile(r"(\d{1,2})\.\s?(\d{1,2})\.\s?((?:19|20)\d\d)\.?")
"""Day first wherever it is written so; English, which would take it for a month, is not."""
_LEAD = re.compile(rf"(?P<day>[^·…—–|]{{3,{_LONGEST}}}?)\s*(?:[·…—–|]|\.\.\.|\s-(?=\s|$))\s*")
_BY_SCRIPT = (
    ("\u0370-\u03ff", ("el",)), ("\u0400-\u04ff", ("ru", "uk", "bg", "sr")), ("\u0590-\u05ff", ("he",)),
    ("\u0600-\u06ff", ("ar", "fa", "ur")), ("\u0900-\u097f", ("hi",)), ("\u0e00-\u0e7f", ("th",)),
)  # fmt: skip
"""Letters that only a few of the languages are written in."""
_USUAL = (
    "de",
    "fr",
    "es",
    "it",
    "pt",
    "nl",
    "pl",
    "ru",
    "uk",
    "ja",
    "zh",
    "ko",
    "tr",
    "sv",
    "da",
    "nb",
    "cs",
    "fi",
    "hu",
    "ro",
    "vi",
    "id",
)
"""Tried last: an engine may answer in the language of the address that asks it."""
_SPELLED = {"no": "nb", "iw": "he", "in": "id"}
"""Codes that the library has another one for."""
_SPANS = {"day": 1, "week": 7, "month": 31, "year": 365}


def split_date(text: str, languages: Iterable[str], now: str) -> tuple[str, str]:
    """The day (ISO 8601) that a snippet begins with, and the snippet without it; `("", text)` when it begins with none."""
    lead = _LEAD.match(text)
    day = read_date(lead["day"], languages, now) if lead else ""
    return (day, text[lead.end() :]) if lead and day else ("", text)


def read_date(text: str, languages: Iterable[str], now: str) -> str:
    """The day (ISO 8601) that the whole text names, in one of the languages (`de`, `pt-BR`), else English, else a usual one.

    `now` is what `3 days ago` counts from (ISO 8601). Empty when the text is no date, or one without day or year.
    """
    text = text.strip(" \t\r\n\u00a0-–—·.,")
    if len(text) > _LONGEST or not _may_be_date(text):
        return ""
    if (iso := _ISO.match(text)) is not None:
        return _real(*iso.groups())
    if (dotted := _DOTTED.fullmatch(text)) is not None:
        return _real(dotted[3], dotted[2], dotted[1])
    if quick := _english(text, now):
        return quick
    names = tuple(dict.fromkeys((*(_SPELLED.get(name := one.lower().partition("-")[0], name) for one in languages), "en")))
    others = next((spoken for letters, spoken in _BY_SCRIPT if re.search(f"[{letters}]", text)), _USUAL)
    for tried in (names, tuple(name for name in others if name not in names)):
        try:
            found = _parser(tried, now[:19]).get_date_data(text).date_obj
        except (ValueError, OverflowError):
            continue
        if found is not None:
            return str(found.date().isoformat())
    return ""


def _may_be_date(text: str) -> bool:
    """Whether it has the look of one. The library takes a second to load its tables, which a title's year is not worth."""
    listed = [word for word in _WORD.findall(text) if word.casefold() not in _JOINING]
    if _YEAR.search(text):
        return len(listed) <= _MOST_NAMES and _DAY.search(_YEAR.sub(" ", text, count=1)) is not None
    return len(listed) <= _MOST_WORDS and _BACK.search(text) is not None


def first_day(freshness: str, after: str, now: str) -> str:
    """The first day (ISO 8601) of what is asked for: `after`, or so far back as `day`, `week`, `month`, `year`; empty for any."""
    days = _SPANS.get(freshness)
    back = (datetime.fromisoformat(now).date() - timedelta(days=days)).isoformat() if days else ""
    asked = _ISO.match(after)
    return max(back, _real(*asked.groups()) if asked else "")


_AGO = re.compile(r"(\d{1,3}) (minute|hour|day|week)s? ago", re.IGNORECASE)


def _english(text: str, now: str) -> str:
    """The commonest forms, which are no other day in any language: without them every run would load the library's tables."""
    if (ago := _AGO.fullmatch(text)) is not None:
        back = timedelta(**{f"{ago[2].lower()}s": int(ago[1])})
        return (datetime.fromisoformat(now) - back).date().isoformat()
    for form in ("%b %d, %Y", "%B %d, %Y", "%d %b %Y", "%d %B %Y"):
        try:
            return datetime.strptime(text, form).date().isoformat()  # noqa: DTZ007 - a day has no zone
        except ValueError:
            continue
    return ""


def _real(year: str, month: str, day: str) -> str:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return ""


@lru_cache(maxsize=64)
def _parser(languages: tuple[str, ...], now: str) -> Any:
    from dateparser.data.languages_info import language_order
    from dateparser.date import DateDataParser

    return DateDataParser(
        languages=[name for name in languages if name in language_order],
        try_previous_locales=False,  # what was read before must not change what is read now
        use_given_order=True,
        settings={
            "RELATIVE_BASE": datetime.fromisoformat(now).replace(tzinfo=None),
            "REQUIRE_PARTS": ["day", "month", "year"],
            "PARSERS": ["relative-time", "absolute-time"],
            "TIMEZONE": "UTC",
            "RETURN_AS_TIMEZONE_AWARE": False,
        },
    )
