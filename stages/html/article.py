"""What an HTML page says and about itself: the blocks that the model takes for its text, and trafilatura's metadata.

trafilatura deletes every format character, so that Persian and Hindi words lose their joiners: what it says of title and
description is given back the joiners that the page has.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from stages.html.links import Link, placed
from stages.html.maintext import main_blocks, version
from stages.html.markdown import as_markdown, html_boxes
from stages.html.parsing import parsed
from stages.text.urls import joined

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

WALK = "blocks/2"
MAX_ELEMENTS = 20_000
"""Beyond that trafilatura takes seconds (50,000 links: 4.6 s), and the walk has to do without it."""

_unseen = re.compile("[\u00ad\u0600-\u0605\u061c\u06dd\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")
_CHANGED = "meta[property='article:modified_time'], meta[itemprop=dateModified], meta[property='og:updated_time']"
_DAY = re.compile(r"(?:19|20)\d\d-[01]\d-[0-3]\d(?!\d)")
_language = re.compile(r"[a-z]{2,3}(?=$|[-_])", re.IGNORECASE)


class Article(Struct, frozen=True):
    """A page as read. `published` and `modified` are days (ISO 8601) or empty, `language` what the page claims.

    `canonical` is the address that the page gives as its own, where that is another one.
    """

    text: str
    extractor: str
    title: str = ""
    page_type: str = ""
    author: str = ""
    published: str = ""
    modified: str = ""
    canonical: str = ""
    site: str = ""
    description: str = ""
    language: str = ""
    links: tuple[Link, ...] = ()


def read_html(text: str, url: str, fetched_at: str, *, guided: bool = True) -> Article:
    """Text and metadata of a page. Never fails: what trafilatura cannot read is read without it.

    What was no page to begin with (`guided` is False) is text from its first line to its last.
    """
    tree = parsed(text)
    blocks, boxes = html_boxes(tree.body) if tree.body else ([], [])
    found = _trafilatura(text, url, fetched_at) if guided else None
    own = _Own(tree)
    main = main_blocks(blocks, boxes, own.title) if guided else blocks
    return Article(
        text=as_markdown(main),
        extractor=f"{WALK}+{version()}+trafilatura/{_version()}" if guided else WALK,
        title=own.spelled(_value(found, "title")) or own.title,
        page_type=_value(found, "pagetype"),
        author=own.spelled(_value(found, "author")),
        published=_value(found, "date"),
        modified=own.modified,
        canonical=own.canonical(url),
        site=own.spelled(_value(found, "sitename")),
        description=own.spelled(_value(found, "description")),
        language=own.language,
        links=placed(main, own.base(url)),
    )


def _value(found: Any, name: str) -> str:
    return " ".join(str(getattr(found, name, None) or "").split())


def titled(tree: LexborHTMLParser) -> str:
    """What the page calls itself."""
    return _Own(tree).title


class _Own:
    """What the page says of itself, read from the tree as it stands."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        texts = [node.text(deep=True) for node in tree.css("title, h1")]
        texts += [node.attributes.get("content") or "" for node in tree.css("meta[content]")]
        listed = [text for text in (" ".join(text.split()) for text in texts) if text]
        self.title = listed[0] if tree.css_first("title, h1") and listed else ""
        self._spellings = {_unseen.sub("", text): text for text in reversed(listed)}
        root = tree.css_first("html")
        claimed = _language.match((root.attributes.get("lang") or "").strip()) if root else None
        self.language = claimed[0].lower() if claimed else ""
        changed = (found[0] for node in tree.css(_CHANGED) if (found := _DAY.match(node.attributes.get("content") or "")))
        self.modified = next(changed, "")
        based = tree.css_first("base[href]")
        self._base = ((based.attributes["href"] if based else "") or "").strip()
        link = tree.css_first("link[rel~=canonical][href]")
        self._address = ((link.attributes["href"] if link else "") or "").strip()

    def base(self, url: str) -> str:
        """What the page's references start from."""
        return joined(url, self._base) or url

    def canonical(self, url: str) -> str:
        """The address that the page gives as its own; empty where it is `url`, or none that can be read over HTTP."""
        address = joined(url, self._address) if self._address else ""
        return address if address.startswith(("http://", "https://")) and address != url else ""

    def spelled(self, text: str) -> str:
        """The text with the joiners that the page writes it with."""
        return self._spellings.get(text, text)


def _trafilatura(text: str, url: str, fetched_at: str) -> Any:
    """What trafilatura finds out about the page; None where it fails: its many ways to fail on broken pages end here."""
    from lxml.etree import LxmlError
    from lxml.html import HTMLParser, document_fromstring

    try:
        parser = HTMLParser(huge_tree=True, encoding="utf-8")
        root = document_fromstring(text.encode("utf-8", "replace"), parser=parser, ensure_head_body=False)
        if sum(1 for _ in root.iter()) > MAX_ELEMENTS:
            return None
        dates = {"original_date": True, "extensive_search": False, "max_date": fetched_at[:10] or "2100-01-01"}
        return _library().extract_metadata(root, default_url=url or None, date_config=dates, extensive=False)
    except (LxmlError, ValueError, TypeError, AttributeError, LookupError, RecursionError, AssertionError):
        return None


@lru_cache(maxsize=1)
def _library() -> Any:
    import trafilatura

    _silence("trafilatura", "htmldate", "courlan")
    return trafilatura


@lru_cache(maxsize=1)
def _version() -> str:
    from importlib.metadata import version

    return version("trafilatura")


def _silence(*names: str) -> None:
    """What these libraries log is about pages, and would go to stderr."""
    import logging

    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
