"""What the engines that answer with HTML share: where their pages keep results, and how hits and refusals are read there.

Selectors are tuples, best first: engines rename classes more often than they rebuild a page.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from msgspec import Struct

from stages.core.env import Budget, Request
from stages.core.errors import StageError
from stages.engines.engine import (
    accept_language,
    check_layout,
    check_status,
    no_results,
    one_line,
    web_address,
)
from stages.engines.refusals import refusal
from stages.records import Hit
from stages.text.dates import read_date, split_date

if TYPE_CHECKING:
    from collections.abc import Callable

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from stages.core.env import Reply
    from stages.records import Query

    Unwrap = Callable[[str], str]
    Rows = Callable[[LexborNode], list[LexborNode]]

Selectors = tuple[str, ...]
_MAX_BYTES = 4 << 20
_MOST_BLOCKS = 100
"""Results of one page that are read. The fullest captured page has 20."""
_NESTING = re.compile(r"<(/?)(?:div|span|section|article|main|center|table|ul|ol|dl|form|b|i|font)\b", re.IGNORECASE)
"""Tags that are always closed; `li`, `p` and cells need not be."""
_DEEPEST = 1000


class Parts(Struct, frozen=True):
    """The elements that one result consists of; `own` are the other results, which may stand inside of a broken one."""

    nodes: list[Any]
    own: set[int]

    def first(self, selectors: Selectors) -> LexborNode | None:
        """The first match of the best selector that is this result's."""
        found = (
            found
            for selector in selectors
            for node in self.nodes
            for found in node.css(selector)
            if not _inside(found, self.own, node.mem_id)
        )
        return next(found, None)


class Layout(Struct, frozen=True, kw_only=True):
    """Where a page of results keeps what."""

    host: str
    """Whose page it is; one from elsewhere is a refusal."""
    blocks: Selectors
    titles: Selectors
    labels: Selectors = ()
    """Elements whose `aria-label` is the title, where they have one."""
    links: Selectors
    snippets: Selectors
    dates: Selectors = ()
    """Elements that hold nothing but a date; it may also lead the snippet."""
    extras: str = ""
    """What stands inside a title or snippet and is none of it."""
    others: str = ""
    """Blocks that are no results: advertisements, widgets."""
    nothing: str = ""
    """What is there only when the engine says that it found nothing."""
    not_results: tuple[str, ...] = ()
    """Parts of addresses, without their query, that only advertisements and the engine's own pages have."""


def get(url: str, fields: dict[str, str], query: Query, budget: Budget | None, **more: str) -> Request:
    """The request of a page, as a link would make it. `more` are headers; an empty one is left out."""
    asked = f"?{urlencode(fields)}" if fields else ""
    return Request(url=f"{url}{asked}", headers=_headers(query, more), max_bytes=_MAX_BYTES, budget=budget)


def post(url: str, fields: dict[str, str], query: Query, budget: Budget | None, **more: str) -> Request:
    """The request of a page, as a form would make it. `more` are headers, with `_` for `-`."""
    headers = _headers(query, {"content_type": "application/x-www-form-urlencoded", **more})
    body = urlencode(fields).encode()
    return Request(url=url, method="POST", headers=headers, body=body, max_bytes=_MAX_BYTES, budget=budget)


def _headers(query: Query, more: dict[str, str]) -> tuple[tuple[str, str], ...]:
    named = more | {"accept_language": accept_language(query)}
    return tuple((name.replace("_", "-"), value) for name, value in named.items() if value)


def page_hits(
    reply: Reply, query: Query, now: str, layout: Layout, *, unwrap: Unwrap = web_address, rows: Rows = lambda block: [block]
) -> list[Hit]:
    """At least one hit, in the page's order; of two with one address the first one's place and the second one's words.

    `unwrap` gives the address that a result's link leads to, `rows` the elements that a result consists of. Raises StageError.
    """
    check_status(reply, engine_host=layout.host)
    tree = page_tree(reply)
    blocks = _blocks(tree, layout)
    if reply.status != HTTPStatus.OK or not blocks:
        marked = bool(layout.nothing) and tree.css_first(layout.nothing) is not None
        raise refusal(reply, query, tree, visible=shown(tree.body), source=page_text(reply), marked=marked, found=bool(blocks))
    own = {block.mem_id for block in blocks}
    languages = (query.language, page_language(tree))
    hits: dict[str, Hit] = {}
    containers = readable = 0
    for block in blocks:
        parts = Parts(nodes=rows(block), own=own - {block.mem_id})
        url, title = _address(parts, layout, unwrap), _title(parts, layout)
        if any(mark in url.partition("?")[0] for mark in layout.not_results):
            continue
        containers += 1
        if url and title:
            readable += 1
            hits[url] = _hit(parts, layout, languages, now, url=url, title=title)
    check_layout(reply, containers=containers, readable=readable)
    if not hits:
        raise no_results(reply, shown(tree.body), says_so=False)
    return list(hits.values())


def page_tree(reply: Reply) -> LexborHTMLParser:
    """The page as a browser would build it. Raises `parse_changed` for one nested so deep that building it would take minutes."""
    from selectolax.lexbor import LexborHTMLParser

    text = page_text(reply)
    depth = 0
    for tag in _NESTING.finditer(text):
        depth = depth + 1 if not tag[1] else max(0, depth - 1)
        if depth > _DEEPEST:
            raise StageError("parse_changed", f"a page nested more than {_DEEPEST} deep", http_status=reply.status)
    return LexborHTMLParser(text)


def page_text(reply: Reply) -> str:
    """The page's source. All engines write UTF-8, but what stands between may not know."""
    from stages.text.charset import decode

    said = re.search(r"charset=[\"']?([\w.:-]{1,40})", reply.header("content-type"), re.IGNORECASE)
    return decode(reply.body, said[1] if said else "")[0]


def page_language(tree: LexborHTMLParser) -> str:
    """What the page says of its language: dates are written in it, whatever was asked for."""
    return (tree.root.attributes.get("lang") or "") if tree.root is not None else ""


def attribute(node: LexborNode | None, name: str) -> str:
    """An attribute's value; empty for none."""
    return (node.attributes.get(name) or "") if node is not None else ""


_INLINE = frozenset(
    """a abbr b bdi bdo cite code data dfn em font i ins kbd label mark nobr q s samp small span strong sub sup time tt u var wbr
    -text -comment""".split()  # noqa: SIM905 - a table of names
)
_UNSEEN = frozenset({"script", "style", "noscript", "svg", "template", "select", "button", "title", "head"})
_DEEP = 60
"""Ancestors looked at. No result is nested deeper, and a hostile page may be."""


def shown(node: LexborNode | None, without: frozenset[int] = frozenset()) -> str:
    """A node's text as a reader sees it, in one line, blocks apart; `without` names elements (by `mem_id`) that are left out."""
    if node is None:
        return ""
    pieces: list[str] = []
    around: int | None = None
    for inner in node.traverse(include_text=True):
        if inner.tag not in _INLINE:
            around = None
        elif inner.tag == "-text" and (home := _home(inner, node, without)) is not None:
            pieces += ["" if home == around else " ", inner.text_content or ""]
            around = home
    return one_line("".join(pieces))


def plain_text(markup: str) -> str:
    """What a piece of markup shows."""
    from selectolax.lexbor import LexborHTMLParser

    return shown(LexborHTMLParser(markup).body) if re.search("[<&]", markup) else one_line(markup)


def _home(text: LexborNode, node: LexborNode, without: frozenset[int]) -> int | None:
    """The block that a text stands in; None when it is not seen."""
    block, above = 0, text.parent
    for _ in range(_DEEP):
        if above is None:
            break
        if above.tag in _UNSEEN or above.mem_id in without:
            return None
        if not block and above.tag not in _INLINE:
            block = above.mem_id
        if above.mem_id == node.mem_id:
            break
        above = above.parent
    return block


def _inside(node: LexborNode, others: set[int], until: int = 0) -> bool:
    """Whether the node is one of the others or stands in one, looking up to `until`."""
    above: LexborNode | None = node if others else None
    for _ in range(_DEEP):
        if above is None or above.mem_id == until:
            return False
        if above.mem_id in others:
            return True
        above = above.parent
    return False


def _blocks(tree: LexborHTMLParser, layout: Layout) -> list[LexborNode]:
    """What the first selector with a match finds, without what only looks like a result."""
    others = {other.mem_id for other in tree.css(layout.others)} if layout.others else set()
    for selector in layout.blocks:
        found = [block for block in tree.css(selector) if not _inside(block, others)]
        if found:
            return found[:_MOST_BLOCKS]
    return []


def _address(parts: Parts, layout: Layout, unwrap: Unwrap) -> str:
    href = attribute(parts.first(layout.links), "href").strip()
    try:
        return unwrap(f"https:{href}" if href.startswith("//") else href) if href else ""
    except ValueError:
        return ""


def _hit(parts: Parts, layout: Layout, languages: tuple[str, ...], now: str, *, url: str, title: str) -> Hit:
    lead, snippet = split_date(_text(parts.first(layout.snippets), layout), languages, now)
    day = read_date(shown(parts.first(layout.dates)), languages, now) or lead
    return Hit(url=url, title=title, snippet=snippet, published=day, published_trust="semi" if day else "")


def _title(parts: Parts, layout: Layout) -> str:
    return one_line(attribute(parts.first(layout.labels), "aria-label")) or _text(parts.first(layout.titles), layout)


def _text(node: LexborNode | None, layout: Layout) -> str:
    extras = node.css(layout.extras) if node is not None and layout.extras else []
    return shown(node, frozenset(extra.mem_id for extra in extras))


def form_fields(form: Any) -> dict[str, str]:
    """The hidden fields of a form, verbatim, in its order."""
    inputs = form.css("input[type=hidden][name]")
    return {attribute(field, "name"): attribute(field, "value") for field in inputs}
