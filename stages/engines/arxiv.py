"""Papers on arXiv, which answers with an Atom feed."""

from __future__ import annotations

import re
from typing import Any

from stages.core.env import Budget, Reply, Request, Settings
from stages.core.errors import StageError
from stages.engines.answers import ask, child_text, day_of_iso, hits_of, local_name, read_feed, wanted_days
from stages.engines.engine import Passport, one_line, query_text, web_address
from stages.records import Hit, Query

PASSPORT = Passport(
    name="arxiv",
    family="arxiv",
    identity="api",
    operators=frozenset({"phrase"}),
    freshness=frozenset({"day", "week", "month", "year"}),
    dates=True,
    budget=Budget("arxiv", per_minute=20, burst=1),
    terms="One request in three seconds. Abstracts are free to use, papers under their own licences.",
)

_MOST_TERMS = 12


def request(query: Query, settings: Settings, now: str) -> Request:
    """Papers with any of the words, those with most of them first."""
    terms = " OR ".join(f"all:{term}" for term in _terms(query_text(query, PASSPORT), query.language))
    first, last = wanted_days(query, now)
    if first or last:
        since, until = first.strftime("%Y%m%d") if first else "19910101", last.strftime("%Y%m%d") if last else "29991231"
        terms = f"({terms}) AND submittedDate:[{since}0000 TO {until}2359]"
    fields = {"search_query": terms, "start": "0", "max_results": "20", "sortBy": "relevance"}
    return ask("https://export.arxiv.org/api/query", fields, PASSPORT.budget, settings, accept="application/atom+xml")


def _terms(asked: str, language: str) -> list[str]:
    """Phrases, then words that mean something, without what the query language there gives a meaning to."""
    from stages.text.words import content_words

    phrases = [" ".join(re.findall(r"\w+", found)) for found in re.findall(r'"([^"]{1,200})"', asked)]
    rest = re.sub(r'"[^"]{1,200}"', " ", asked)
    words = content_words(rest, language) if rest.strip(' "') else []
    return [f'"{phrase}"' for phrase in phrases if phrase][:3] + words[:_MOST_TERMS] or ["nothing"]


def parse(reply: Reply, query: Query, now: str) -> list[Hit]:  # noqa: ARG001 - the shape of every engine
    """Papers in order, each by its abstract's page. Raises StageError."""
    root = read_feed(reply, engine_host="arxiv.org")
    entries = [one for one in root if local_name(one) == "entry"]
    if not entries and not child_text(root, "totalResults"):
        raise StageError("parse_changed", "a feed without a count of results", http_status=reply.status)
    if entries and "/api/errors" in child_text(entries[0], "id"):
        raise StageError("server_error", one_line(child_text(entries[0], "summary"))[:200], http_status=reply.status)
    return hits_of(reply, entries, _hit)


def _hit(entry: Any) -> Hit | None:
    url = web_address(re.sub(r"^http:", "https:", child_text(entry, "id")))
    title = one_line(child_text(entry, "title"))
    if not url or not title:
        return None
    submitted = day_of_iso(child_text(entry, "published"))
    return Hit(
        url=url,
        title=title,
        snippet=one_line(child_text(entry, "summary"))[:1500],
        published=submitted,
        published_trust="trusted" if submitted else "",
    )
