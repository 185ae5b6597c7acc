"""DuckDuckGo's page for browsers without scripts, which shows Bing's index. A challenge is reported, never solved."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

from stages.core.env import Budget, Reply, Request, Settings
from stages.core.errors import StageError
from stages.engines.engine import (
    Passport,
    accept_language,
    check_body,
    check_layout,
    check_status,
    folded_text,
    no_results,
    query_text,
    web_address,
)
from stages.records import Hit, Query

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

BUDGET = Budget("duckduckgo", per_minute=4, burst=4)
"""All pages of DuckDuckGo count together."""
PASSPORT = Passport(
    name="duckduckgo",
    family="bing",
    default=True,
    operators=frozenset({"site", "-site", "filetype", "intitle", "inurl"}),
    freshness=frozenset({"day", "week", "month", "year"}),
    budget=BUDGET,
    terms="No automated bulk use. A handful of requests a minute from one address, then a challenge.",
)

_URL = "https://html.duckduckgo.com/html/"
_MAX_QUERY = 499
_FRESHNESS = {"": "", "day": "d", "week": "w", "month": "m", "year": "y"}
_REGIONS = frozenset(
    """ar-es at-de au-en be-fr be-nl bg-bg br-pt ca-en ca-fr ch-de ch-fr cl-es cn-zh co-es ct-ca cz-cs de-de dk-da ee-et es-ca
    es-es fi-fi fr-fr gr-el hk-tzh hr-hr hu-hu id-en ie-en il-en in-en is-is it-it jp-jp kr-kr lt-lt lv-lv mx-es my-en nl-nl no-no
    nz-en pe-es ph-en pk-en pl-pl pt-pt ro-ro ru-ru se-sv sg-en sk-sk sl-sl th-en tr-tr tw-tzh ua-uk uk-en us-en us-es vn-en xa-ar
    za-en""".split()  # noqa: SIM905 - a table of codes
)
_COUNTRIES = {"gb": "uk", "si": "sl"}
"""Where its country codes are not the usual ones."""
_ADS = ("duckduckgo.com/y.js", "ad_domain=", "ad_provider=")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def request(query: Query, settings: Settings, now: str) -> Request:  # noqa: ARG001 - the shape of every engine
    """The form that its own page sends."""
    place, freshness = region(query), _FRESHNESS[query.freshness]
    fields = {"q": _text(query), "b": "", "kl": place, **({"df": freshness} if freshness else {})}
    cookies = f"kl={place}" + (f"; df={freshness}" if freshness else "")
    language = accept_language(query)
    return Request(
        url=_URL,
        method="POST",
        headers=(
            ("content-type", "application/x-www-form-urlencoded"),
            ("referer", _URL),
            ("sec-fetch-dest", "document"),
            ("sec-fetch-mode", "navigate"),
            ("sec-fetch-site", "same-origin"),
            ("sec-fetch-user", "?1"),
            ("cookie", cookies),
            *((("accept-language", language),) if language else ()),
        ),
        body=urlencode(fields).encode(),
        max_bytes=2 << 20,
        budget=BUDGET,
    )


def parse(reply: Reply, query: Query, now: str) -> list[Hit]:  # noqa: ARG001 - the shape of every engine
    """Hits in order, without advertisements. Raises StageError."""
    from selectolax.lexbor import LexborHTMLParser

    check_status(reply, engine_host="duckduckgo.com")
    if reply.status == HTTPStatus.ACCEPTED:
        raise StageError("challenge", "asks whether a person is searching", http_status=reply.status)
    text = reply.body.decode("utf-8", "replace")
    tree = LexborHTMLParser(text)
    blocks = [block for block in tree.css("#links div.web-result") if "result--ad" not in (block.attributes.get("class") or "")]
    if not blocks:
        raise _without_results(reply, text, tree)
    hits: dict[str, Hit] = {}
    containers = readable = 0
    for block in blocks:
        url, title = _target(block), folded_text(block.css_first("a.result__a"))
        if any(mark in url for mark in _ADS):
            continue
        containers += 1
        if url and title:
            readable += 1
            # An "Official site" comes first as a copy of a later result, which has the real title and keeps the early place.
            hits[url] = _hit(block, url, title)
    check_layout(reply, containers=containers, readable=readable)
    if not hits:
        raise no_results(reply, folded_text(tree.body), says_so=False)
    return list(hits.values())


def _without_results(reply: Reply, text: str, tree: Any) -> StageError:
    if "anomaly-modal" in text or "/anomaly.js" in text:
        return StageError("challenge", "asks whether a person is searching", http_status=reply.status)
    check_body(reply, text)
    marked = tree.css_first(".no-results, .result--no-result") is not None and tree.css_first("form input[name=q]") is not None
    return no_results(reply, folded_text(tree.body), says_so=marked)


def _hit(block: LexborNode, url: str, title: str) -> Hit:
    dates = (_DATE.search(span.text()) for span in block.css(".result__extras__url > span:not(.result__icon)"))
    published = next((found[0] for found in dates if found), "")
    return Hit(
        url=url,
        title=title,
        snippet=folded_text(block.css_first("a.result__snippet")),
        published=published,
        published_trust="semi" if published else "",
    )


def _target(block: LexborNode) -> str:
    """Where a result leads, out of its `/l/?uddg=` wrapper; empty when it has no address of the web."""
    anchor = block.css_first("a.result__a")
    href = (anchor.attributes.get("href") or "") if anchor is not None else ""
    href = f"https:{href}" if href.startswith("//") else href
    try:
        wrapped = parse_qs(urlsplit(href).query).get("uddg", [""])[0]
    except ValueError:
        return ""
    return web_address(wrapped or href)


def _text(query: Query) -> str:
    """The query within the length that is answered, and with `!bang` words quoted: they would lead to another site."""
    text = re.sub(r"(?<!\S)(!\S*)", r"'\1'", query_text(query, PASSPORT))
    return text if len(text) <= _MAX_QUERY else (text[: _MAX_QUERY + 1].rpartition(" ")[0] or text[:_MAX_QUERY])


def region(query: Query) -> str:
    """Its own name for the query's region, `wt-wt` for none."""
    country = _COUNTRIES.get(query.region.lower(), query.region.lower())
    ours = [region for region in sorted(_REGIONS) if region.startswith(f"{country}-")] if country else []
    return next((region for region in ours if region.endswith(f"-{query.language}")), ours[0] if ours else "wt-wt")
