"""How two search engines would answer in the demo's web: SearXNG's JSON and DuckDuckGo's HTML, quirks included.

DuckDuckGo wraps every link, advertisements too; its first advertisement points back at itself. The second page asks for the token
that the first one gave.
"""

from __future__ import annotations

import html
import json
import re
from hashlib import sha256
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

Hits = list[dict[str, Any]]
PAGE_SIZE = 10
SHORT = 3  # words up to this length join anything


def found(hits: Hits, engine: str, query: str) -> Hits:
    """What this engine has for a query, best first: hits that share a word of more than SHORT letters with it."""
    words = {word for word in re.findall(r"\w+", query.casefold()) if len(word) > SHORT}
    known = [hit for hit in hits if engine in hit["rank"]]
    shared = [hit for hit in known if words & set(re.findall(r"\w+", f"{hit['title']} {hit['snippet']}".casefold()))]
    return sorted(shared, key=lambda hit: int(hit["rank"][engine]))


def searxng(hits: Hits, query: str) -> bytes:
    """The JSON of an instance, one of whose engines is suspended."""
    results = [_searxng_result(hit, place) for place, hit in enumerate(found(hits, "searxng", query), 1)]
    reply = {
        "query": query,
        "number_of_results": 0,
        "results": results,
        "unresponsive_engines": [["startpage", "Suspended: CAPTCHA"]],
    }
    reply |= dict.fromkeys(("answers", "corrections", "infoboxes", "suggestions"), ())
    return json.dumps(reply, ensure_ascii=False).encode()


def _searxng_result(hit: dict[str, Any], place: int) -> dict[str, Any]:
    parts = urlsplit(hit["url"])
    engines = hit["engines"]
    return {
        "url": hit["url"],
        "title": hit["title"],
        "content": re.sub(r"</?b>", "", hit["snippet"]),
        "publishedDate": f"{hit['date']}T00:00:00" if "date" in hit else None,
        "engine": engines[0],
        "template": "default.html",
        "parsed_url": [parts.scheme, parts.netloc, parts.path, "", parts.query, parts.fragment],
        "engines": engines,
        "positions": [place] * len(engines),
        "score": round(len(engines) ** 2 / place, 6),
        "category": "general",
    }


def duckduckgo(hits: Hits, ad: dict[str, str], frame: str, asked: dict[str, str]) -> bytes | None:
    """The page for the fields of its form, put into `frame`; None for a later page without the first one's token."""
    query = asked.get("q", "")
    token = f"4-{int(sha256(query.encode()).hexdigest()[:24], 16)}"
    start = int(asked["s"]) if asked.get("s", "").isdigit() else 0
    if start and asked.get("vqd") != token:
        return None
    hits = found(hits, "duckduckgo", query)
    shown = [_result(hit) for hit in hits[start : start + PAGE_SIZE]]
    if not shown:
        shown = ['<div class="result results_links result--no-result"><div class="no-results">No results.</div></div>']
    elif not start:
        shown.insert(0, _advertisement(ad))
    if hits[start + PAGE_SIZE :]:
        shown.append(_next_form(query, token))
    return frame.replace("{query}", html.escape(query)).replace("{results}", "\n".join(shown)).encode()


def _next_form(query: str, token: str) -> str:
    fields = {
        "q": query,
        "s": "10",
        "nextParams": "",
        "v": "l",
        "o": "json",
        "dc": "11",
        "api": "d.js",
        "vqd": token,
        "kl": "wt-wt",
    }
    inputs = "".join(f'<input type="hidden" name="{name}" value="{html.escape(value)}" />' for name, value in fields.items())
    button = '<input type="submit" class="btn btn--alt" value="Next" />'
    return f'<div class="nav-link"><form action="/html/" method="post">{button}{inputs}</form></div>'


def _wrapped(url: str) -> str:
    return html.escape("//duckduckgo.com/l/?" + urlencode({"uddg": url, "rut": sha256(url.encode()).hexdigest()}))


def _result(hit: dict[str, Any]) -> str:
    link, parts = _wrapped(hit["url"]), urlsplit(hit["url"])
    date = f"<span>&nbsp; &nbsp; {hit['date']}T00:00:00.0000000</span>" if "date" in hit else ""
    icon = f'<img class="result__icon__img" alt="" src="//external-content.duckduckgo.com/ip3/{parts.netloc}.ico" />'
    return f"""<div class="result results_links results_links_deep web-result ">
<div class="links_main links_deep result__body">
<h2 class="result__title"><a rel="nofollow" class="result__a" href="{link}">{html.escape(hit["title"])}</a></h2>
<div class="result__extras"><div class="result__extras__url">
<span class="result__icon"><a rel="nofollow" href="{link}">{icon}</a></span>
<a class="result__url" href="{link}">{html.escape(parts.netloc + parts.path)}</a>{date}</div></div>
<a class="result__snippet" href="{link}">{hit["snippet"]}</a>
<div class="clear"></div></div></div>"""


def _advertisement(ad: dict[str, str]) -> str:
    url = f"https://duckduckgo.com/y.js?ad_domain={urlsplit(ad['url']).netloc}&ad_provider=demo&u3={quote(ad['url'], safe='')}"
    link = _wrapped(url)
    return f"""<div class="result results_links results_links_deep result--ad ">
<div class="links_main links_deep result__body">
<h2 class="result__title"><a rel="nofollow" class="result__a" href="{link}">{html.escape(ad["title"])}</a></h2>
<a class="result__snippet" href="{link}">{ad["snippet"]}</a></div></div>"""
