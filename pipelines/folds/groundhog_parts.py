"""What the replies of Groundhog's tools have in common: page statuses, threats, provenance, ids of passages, notes."""

from __future__ import annotations

from hashlib import sha256

from pipelines.folds.groundhog_types import PageStatus, Provenance, Threat
from pipelines.story import Rejected, Story
from stages import records
from stages.vocabulary import Outcome

PAGE: dict[Outcome, PageStatus] = {
    "challenge": "challenge", "blocked": "blocked", "login": "blocked", "consent": "blocked", "rate_limited": "rate_limited",
    "not_found": "not_found", "server_error": "server_error", "unsupported_content": "unsupported_content", "empty": "empty",
    "needs_browser": "empty", "too_large": "too_large", "unknown": "unknown",
}  # fmt: skip
"""A page came, and it is not what was asked for."""
TIMES = ("timeout", "deadline")
SSRF, LATE = "blocked by SSRF policy", "fetch timed out"
MOST_EXCERPT = 80


def threats(document: records.Document) -> tuple[Threat, ...]:
    """What was hidden on a page."""
    return tuple(
        Threat(type=one.kind, reason=one.reason, location=one.place or None, excerpt=one.excerpt[:MOST_EXCERPT], seen=one.count)
        for one in document.threats
    )


def provenance(document: records.Document) -> Provenance:
    """Where a text comes from, and what the page says of it."""
    return Provenance(
        content_hash=document.provenance.document_sha256,
        word_count=len(document.text.split()),
        author=document.author or None,
        published=document.published or None,
        modified=document.modified or None,
        canonical=document.canonical or None,
        language=document.language or None,
    )


def passage_id(url: str, content_hash: str, start: int, end: int) -> str:
    """The published form: the same passage has the same id in every tool and call, while the page stays as it is."""
    named = sha256(f"{url}\n{content_hash}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"p:{named[:12]}:{start}-{end}"


def why(failure: records.Failure) -> str:
    """The published words for a page that could not be had at all."""
    if failure.kind == "refused":
        return SSRF
    return LATE if failure.kind in TIMES else f"{failure.kind}: {failure.message}"


def backend(story: Story) -> str:
    """The engines that answered with something, in the order asked."""
    return "+".join(dict.fromkeys(one.who for one in story.of(records.Attempt) if one.stage == "search" and one.outcome == "ok"))


def refusals(story: Story) -> tuple[str, ...]:
    """The engines that did not answer, and why."""
    asked = (one for one in story.of(records.Attempt) if one.stage == "search" and one.outcome not in ("ok", "empty"))
    return tuple(dict.fromkeys(f"{one.who}: {one.outcome}" for one in asked))


def unanswered(story: Story) -> Rejected:
    """The refusal of a search that no engine answered: that is not the same as one that found nothing."""
    return Rejected("\n".join(("every search engine failed:", *refusals(story))))


def notes(story: Story) -> tuple[str, ...]:
    """What the caller must know. What was lifted is the file's own doing."""
    return tuple(dict.fromkeys(one.message for one in story.of(records.Notice) if one.code != "lifted"))


__all__ = ["PAGE", "TIMES", "backend", "notes", "passage_id", "provenance", "refusals", "threats", "unanswered", "why"]
