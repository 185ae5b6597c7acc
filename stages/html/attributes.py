"""Attributes that go on: what a reader or an extractor needs of them, cleaned; never a place to hide prose in."""

from __future__ import annotations

import re

from stages.html.report import Report, is_for_machines, is_prose
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
SPOKEN = frozenset({"alt", "title", "aria-label", "aria-description", "placeholder", "content", "srcdoc", "label", "value"})
"""Attributes that a page may keep prose in; those that begin with `data-` besides."""
META = re.compile(
    r"(?:description|author|keywords|date|dc|dcterms|og|article|twitter|fb|citation|parsely|sailthru|generator|robots|language|publisher|news_keywords"
    r"|pubdate|lastmod|last-modified|title|byl|application-name|copyright|section|datepublished|datemodified|headline|name|revised|created|modified"
    r"|content-language|theme-color|viewport|referrer|video|book|profile|product|music|al|cxenseparse|bt|prism|eprints|sc|dable|thumbnail)"
    r"(?:[.:_-].{0,60})?",
    re.IGNORECASE,
)
_NAME = re.compile(r"[a-z_][a-z0-9_.:-]{0,80}")
_SPECIAL = re.compile(r"[^ !#-;=?-~]").search
_STARTS = ("/", "#", "?", "https://", "http://")
"""An address that starts so, and a short value without special characters: nothing is to be done but to escape ampersands."""
MAX_KINDS = 4096
_ACTIVE = re.compile(r"[\s\x00-\x20]*(?:javascript|vbscript|data|file|blob):", re.IGNORECASE)


class _Kinds(dict[str, str]):
    """Attribute name -> what is done about it, worked out once."""

    def __missing__(self, name: str) -> str:
        kind = _kind(name)
        if len(self) < MAX_KINDS:
            self[name] = kind
        return kind


def _kind(name: str) -> str:
    lower = name.lower()
    if lower == "style":
        return "style"
    if lower in DROPPED or lower.startswith("on") or not _NAME.fullmatch(lower):
        return "dropped"
    if lower == "hidden":
        return "hidden"
    return "url" if lower in URLS else "plain" if lower == name else "mixed"


_KINDS = _Kinds()


Shape = tuple[tuple[tuple[str, str], ...], tuple[str, ...]]
"""Which attributes go on where all values are short, each as it is named and as it is written, and which hold an address."""


class _Shapes(dict[tuple[str, ...], Shape | None]):
    """The names of an element's attributes -> what goes on of them; None where one has to be looked at."""

    def __missing__(self, names: tuple[str, ...]) -> Shape | None:
        kinds = {name: _KINDS[name] for name in names}
        shape: Shape | None = None
        if "hidden" not in kinds.values():
            written = tuple((name, name.lower()) for name in names if kinds[name] not in ("dropped", "style"))
            shape = (written, tuple(name for name in names if kinds[name] == "url"))
        if len(self) < MAX_KINDS:
            self[names] = shape
        return shape


_SHAPES = _Shapes()


def rendered(element: Element, report: Report) -> str:
    """The attributes that go on as they are written in a start tag, each with a blank before."""
    attributes = element.attributes
    shape = _SHAPES[tuple(attributes)]
    if shape is not None:
        names, addresses = shape
        values = " ".join(attributes.values())
        short = len(values) < MAX_CHARACTERS or max(map(len, attributes.values())) < MAX_CHARACTERS
        if short and not _SPECIAL(values) and all([attributes[name].startswith(_STARTS) for name in addresses]):  # noqa: C419
            written_out = "".join([f' {written}="{attributes[name]}"' for name, written in names])
            return written_out if "&" not in values else written_out.replace("&", "&amp;")
    out = ""
    for name, value in attributes.items():
        kind = _KINDS[name]
        plain = kind == "plain" or (kind == "url" and value.startswith(_STARTS))
        if plain and len(value) < MAX_CHARACTERS and not _SPECIAL(value):
            out += f' {name}="{value}"' if "&" not in value else f' {name}="{value.replace("&", "&amp;")}"'
        elif kind != "style":
            cleaned = _judged(element, kind, name, value, report)
            if cleaned is not None:
                quoted = escaped(cleaned).replace('"', "&quot;")
                out += f' {name.lower()}="{quoted}"'
    return out


def _judged(element: Element, kind: str, name: str, value: str, report: Report) -> str | None:
    """The cleaned value of an attribute that goes on; None, and a finding where it carries prose, for one that does not."""
    if kind == "dropped" or (kind == "hidden" and value.lower() != "until-found"):
        _carried(element, name, value, report)
        return None
    cleaned = clean(value)
    if kind == "url":
        wanted = len(cleaned) <= MAX_URL and not _ACTIVE.match(cleaned) and not is_prose(cleaned, MAX_CHARACTERS)
    else:
        wanted = len(cleaned) <= _limit(element, name)
    if not wanted:
        _carried(element, name, value, report)
    return cleaned if wanted else None


def _limit(element: Element, name: str) -> int:
    if name in LISTS:
        return MAX_META if name != "id" else MAX_CHARACTERS * 2
    return MAX_META if element.tag == "meta" and name == "content" else MAX_CHARACTERS


def _carried(element: Element, name: str, value: str, report: Report) -> None:
    told = name in SPOKEN or not is_for_machines(value)
    if told and is_prose(value, MAX_CHARACTERS) and name not in ("style", "class", "content") and not name.startswith("on"):
        report.add("hidden_attribute", f"long {name if _NAME.fullmatch(name) else 'attribute'}", value, element)


def escaped(text: str) -> str:
    """Text as it is written in HTML; quotes are left alone."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\xa0", "&nbsp;")


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
