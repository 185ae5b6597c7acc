"""Attributes that go on: what a reader or an extractor needs of them, cleaned; never a place to hide prose in."""

from __future__ import annotations

import re
from functools import lru_cache

from stages.html.report import Report, is_prose
from stages.html.tree import Element
from stages.text.unicode import clean

MAX_CHARACTERS = 125
"""An attribute with a longer text is a carrier: alternative texts and labels are shorter."""
MAX_META = 1000
MAX_URL = 4096

URLS = frozenset(
    {
        "href",
        "src",
        "srcset",
        "cite",
        "poster",
        "action",
        "data-src",
        "data-srcset",
        "longdesc",
        "usemap",
        "formaction",
        "data",
        "about",
    }
)
LISTS = frozenset({"class", "id", "rel", "for", "headers", "itemtype", "itemprop", "itemid", "typeof", "property", "sizes"})
DROPPED = frozenset({
    "style", "bgcolor", "background", "text", "link", "vlink", "alink", "aria-hidden", "srcdoc", "nonce", "integrity",
    "popover", "inert", "color", "shadowrootmode", "slot", "is", "http-equiv", "charset", "align", "valign", "face",
})  # fmt: skip
"""Presentation, which has been judged and would only be judged again without its stylesheet, and what browsers act on."""
META = re.compile(
    r"(?:description|author|keywords|date|dc|dcterms|og|article|twitter|fb|citation|parsely|sailthru|generator|robots|language|publisher|news_keywords"
    r"|pubdate|lastmod|last-modified|title|byl|application-name|copyright|section|datepublished|datemodified|headline|name|revised|created|modified"
    r"|content-language|theme-color|viewport|referrer|video|book|profile|product|music|al|cxenseparse|bt|prism|eprints|sc|dable|thumbnail)"
    r"(?:[.:_-].{0,60})?",
    re.IGNORECASE,
)
_NAME = re.compile(r"[a-z_][a-z0-9_.:-]{0,80}")
_ACTIVE = re.compile(r"[\s\x00-\x20]*(?:javascript|vbscript|data|file|blob):", re.IGNORECASE)


def kept(element: Element, report: Report) -> list[tuple[str, str]]:
    """Name and value of every attribute that goes on."""
    going: list[tuple[str, str]] = []
    for name, value in element.attributes.items():
        kind = _kind(name)
        if kind == "plain" and len(value) <= MAX_CHARACTERS and value.isascii() and value.isprintable():
            going.append((name, value))
            continue
        if kind == "dropped" or (kind == "hidden" and value.lower() != "until-found"):
            _carried(element, name, value, report)
            continue
        cleaned = clean(value)
        if kind == "url":
            wanted = len(cleaned) <= MAX_URL and not _ACTIVE.match(cleaned) and not is_prose(cleaned, MAX_CHARACTERS)
        else:
            wanted = len(cleaned) <= _limit(element, name)
        if wanted:
            going.append((name.lower(), cleaned))
        else:
            _carried(element, name, value, report)
    return going


@lru_cache(maxsize=4096)
def _kind(name: str) -> str:
    lower = name.lower()
    if lower in DROPPED or lower.startswith("on") or not _NAME.fullmatch(lower):
        return "dropped"
    if lower == "hidden":
        return "hidden"
    return "url" if lower in URLS else "plain" if lower == name else "mixed"


def _limit(element: Element, name: str) -> int:
    if name in LISTS:
        return MAX_META if name != "id" else MAX_CHARACTERS * 2
    return MAX_META if element.tag == "meta" and name == "content" else MAX_CHARACTERS


def _carried(element: Element, name: str, value: str, report: Report) -> None:
    if is_prose(value, MAX_CHARACTERS) and name not in ("style", "class", "content") and not name.startswith("on"):
        report.add("hidden_attribute", f"long {name if _NAME.fullmatch(name) else 'attribute'}", value, element)


def meta_goes_on(element: Element, report: Report) -> bool:
    """Whether a `meta` is one that extraction reads; long ones that nobody knows are reported."""
    attributes = element.attributes
    name = attributes.get("name") or attributes.get("property") or attributes.get("itemprop") or ""
    content = attributes.get("content", "")
    if name and META.fullmatch(name.strip()) and len(content) <= MAX_META:
        return True
    if is_prose(content, MAX_CHARACTERS):
        report.add("hidden_attribute", "meta", content, element)
    return False
