"""How the engines for pictures and news would answer in the demo's web, by fixtures/demo/more.toml; DuckDuckGo wants a person."""

from __future__ import annotations

import html
import json
import re
import time
import tomllib
from email.utils import formatdate
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus, urlsplit

MORE = Path(__file__).resolve().parent.parent / "fixtures" / "demo" / "more.toml"
HOSTS = ("www.bing.com", "news.google.com", "duckduckgo.com", "api.openverse.org")
DAY_SECS = 86_400
SHORT = 3  # words up to this length join anything
Rows = list[dict[str, Any]]
Body = tuple[int, str, str]
"""Status, media type and text."""


def rows(kind: str, engine: str, query: str) -> Rows:
    """What this engine has that shares a word with the query, in the manifest's order."""
    words = {word for word in re.findall(r"\w+", query.casefold()) if len(word) > SHORT}
    every = tomllib.loads(MORE.read_text("utf-8"))[kind]
    return [row for row in every if engine in row["engines"] and words & set(re.findall(r"\w+", row["title"].casefold()))]


def answer(host: str, path: str, asked: dict[str, str]) -> Body | None:
    """The reply of one of HOSTS; None for an address that is no engine's."""
    query = asked.get("q", "")
    if (host, path) == ("www.bing.com", "/images/async"):
        return 200, "text/html; charset=utf-8", bing_images(rows("picture", "bing", query))
    if (host, path) == ("www.bing.com", "/news/search"):
        return 200, "text/xml; charset=utf-8", bing_news(rows("report", "bing", query), query)
    if (host, path) == ("news.google.com", "/rss/search"):
        asked_for = re.sub(r"\b(?:when|after|before):\S+", " ", query)
        return 200, "application/xml; charset=utf-8", google_news(rows("report", "google", asked_for))
    if (host, path) == ("api.openverse.org", "/v1/images/"):
        return 200, "application/json", openverse(rows("picture", "openverse", query))
    if host == "duckduckgo.com":
        return 202, "text/html; charset=utf-8", '<div class="anomaly-modal__title">Are you a person?</div>'
    return None


def bing_images(found: Rows) -> str:
    """The fragment that the page loads."""
    items = []
    for row in found:
        mark = {
            "purl": row["page"],
            "murl": row["image"],
            "turl": row["image"] + "?small",
            "t": row["title"],
            "desc": row["title"],
        }
        width, height = row["size"]
        items.append(
            f'<li><div class="imgpt"><a class="iusc" m="{html.escape(json.dumps(mark))}" href="/images/search?view=detailV2"></a>'
            f'<div><span class="nowrap">{width} x {height} · jpeg</span></div></div></li>'
        )
    return f'<div id="mmComponent_images_1"><ul class="dgControl_list">{"".join(items)}</ul></div>'


def openverse(found: Rows) -> str:
    """A page of the collection's answer."""
    listed = [
        {
            "title": row["title"],
            "url": row["image"],
            "thumbnail": f"https://api.openverse.org/v1/images/{number}/thumb/",
            "foreign_landing_url": row["page"],
            "license": row["license"],
            "license_version": "4.0",
            "creator": row["creator"],
            "width": row["size"][0],
            "height": row["size"][1],
            "source": "harbour collection",
        }
        for number, row in enumerate(found, 1)
    ]
    return json.dumps({"result_count": len(listed), "page_count": 1, "results": listed})


def bing_news(found: Rows, query: str) -> str:
    """The feed, whose links count clicks."""
    own = html.escape(f"https://www.bing.com/news/search?q={quote_plus(query)}&format=rss")
    items = "".join(
        f"<item><title>{html.escape(row['title'])}</title>"
        f"<link>{html.escape('http://www.bing.com/news/apiclick.aspx?ref=FexRss&url=' + quote(row['url'], safe=''))}</link>"
        f"<description>{html.escape(row['text'])}</description><pubDate>{_date(row)}</pubDate>"
        f"<News:Source>{html.escape(row['outlet'])}</News:Source></item>"
        for row in found
    )
    head = f"<title>{html.escape(query)} - BingNews</title><link>{own}</link><description>Search results</description>"
    return f'<?xml version="1.0" encoding="utf-8" ?><rss version="2.0" xmlns:News="{own}"><channel>{head}{items}</channel></rss>'


def google_news(found: Rows) -> str:
    """The feed, whose links do not tell where they lead."""
    items = "".join(
        f"<item><title>{html.escape(row['title'])} - {html.escape(row['outlet'])}</title>"
        f"<link>https://news.google.com/rss/articles/CBMi{number:08}?oc=5</link><pubDate>{_date(row)}</pubDate>"
        f'<source url="https://{urlsplit(row["url"]).netloc}">{html.escape(row["outlet"])}</source></item>'
        for number, row in enumerate(found, 1)
    )
    head = "<generator>NFE/5.0</generator><title>Google News</title>"
    return f'<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel>{head}{items}</channel></rss>'


def searxng_pictures(query: str) -> str:
    """The pictures of an instance."""
    listed = [
        {
            "url": row["page"],
            "title": row["title"],
            "content": "",
            "img_src": row["image"],
            "resolution": "{} x {}".format(*row["size"]),
            "engines": ["bing images"],
            "positions": [place],
        }
        for place, row in enumerate(rows("picture", "searxng", query), 1)
    ]
    return json.dumps({"query": query, "results": listed, "unresponsive_engines": []})


def _date(row: dict[str, Any]) -> str:
    return formatdate(int(time.time()) // DAY_SECS * DAY_SECS - row["days_ago"] * DAY_SECS + DAY_SECS // 4, usegmt=True)
