"""RSS, RDF and Atom feeds: the channel's title, then each entry with its title, day and text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from stages.formats.markup import Converted, document, escaped, heading, link, paragraph
from stages.formats.zipped import local, parse_xml
from stages.html.parsing import parsed

if TYPE_CHECKING:
    from lxml.etree import _Element

READER = "feed/1"
TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/rdf+xml"})

_START = re.compile(
    r"\ufeff?\s*(?:<\?xml[^>]{0,300}\?>)?\s*(?:<!--.{0,2000}?-->\s*|<\?[^>]{0,500}\?>\s*|<!DOCTYPE[^>]{0,500}>\s*)*<(?:rss|feed|rdf:RDF)[\s>]",
    re.DOTALL,
)
_DECLARATION = re.compile(r"\A\ufeff?\s*<\?xml[^>]{0,300}\?>")
_TEXTS = ("encoded", "content", "description", "summary")
"""Where an entry keeps its text: the fullest first."""


def is_feed(text: str, media_type: str) -> bool:
    """Whether the XML is a feed: by its root; a media type alone may lie."""
    return (media_type in TYPES or media_type.endswith("xml") or media_type in ("", "text/plain")) and _START.match(
        text
    ) is not None


def read_feed(text: str) -> Converted | None:
    """The feed as HTML; None for one that cannot be read."""
    root = parse_xml(_DECLARATION.sub("", text).encode("utf-8", "replace"))
    if root is None:
        return None
    channel = next(root.iter("{*}channel"), root)
    title = _line(channel, "title")
    entries = list(root.iter("{*}item", "{*}entry"))
    about = _line(channel, "description", "subtitle", "tagline")
    parts = [heading(escaped(title), 1), paragraph(escaped(about)), *map(_entry, entries)]
    return Converted(document(title, parts, _line(channel, "language")), READER)


def _entry(entry: _Element) -> str:
    title = escaped(_line(entry, "title"))
    day = " ".join(filter(None, (_line(entry, "pubDate", "published", "date", "updated"), _author(entry))))
    body = next((made for name in _TEXTS for made in [_content(entry, name)] if made.strip()), "")
    return f"<article>{heading(link(title, _address(entry)), 2)}{paragraph(escaped(day))}{body}</article>"


def _author(entry: _Element) -> str:
    found = next((one for one in entry if local(one) in ("creator", "author")), None)
    if found is None:
        return ""
    name = found.find("{*}name")
    return " ".join(((name.text if name is not None else found.text) or "").split())


def _address(entry: _Element) -> str:
    links = [one for one in entry if local(one) == "link"]
    chosen = next((one for one in links if one.get("rel", "alternate") == "alternate"), None)
    return "" if chosen is None else (chosen.get("href") or chosen.text or "").strip()


def _line(element: _Element, *names: str) -> str:
    """The text of the first child of one of these names, as one line without markup."""
    for name in names:
        for child in element:
            text = " ".join(_plain(child).split()) if local(child) == name else ""
            if text:
                return text
    return ""


def _plain(child: _Element) -> str:
    """A title may be escaped markup."""
    text = "".join(child.itertext())
    if "<" not in text and "&" not in text:
        return text
    body = parsed(text).body
    return body.text() if body is not None else text


def _content(entry: _Element, name: str) -> str:
    """The entry's own markup, balanced, so that it cannot reach into the next entry."""
    child = next((one for one in entry if local(one) == name), None)
    if child is None:
        return ""
    if child.get("type") == "xhtml" or (len(child) and not (child.text or "").strip()):
        return _serialised(child)
    text = "".join(child.itertext())
    return paragraph(escaped(text)) if child.get("type") == "text" else _balanced(text)


def _serialised(child: _Element) -> str:
    from lxml import etree

    for element in child.iter():
        if local(element):
            element.tag = local(element)
    return _balanced("".join(etree.tostring(one, method="html", encoding="unicode") for one in child))


def _balanced(markup: str) -> str:
    body = parsed(f"<body><div>{markup}</div>").body
    return (body.inner_html or "") if body is not None else ""


__all__ = ["READER", "is_feed", "read_feed"]
