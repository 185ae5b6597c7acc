"""robots.txt by RFC 9309: asked once per origin and run, obeyed at every hop; between runs the HTTP cache keeps it.

4xx means no rules; 5xx, 429 or no answer means that nothing may be fetched for now. Rules are read by protego. `Crawl-delay`,
which the RFC does not know, is taken as a wish for more time between two pages.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from stages.core.env import Reply, Request
from stages.core.errors import StageError
from stages.net.guard import join_url, parse_url
from stages.net.once import Once
from stages.vocabulary import Outcome

if TYPE_CHECKING:
    from protego import Protego

AGENT = "cribble"
"""Who we are, unless the settings say otherwise."""
MAX_PARSED_BYTES = 500 * 1024
"""What RFC 9309 asks to be read at least; the rest is ignored."""
_MAX_FETCHED_BYTES = 4 << 20
_MAX_REDIRECTS = 5
_TIMEOUT_SECS = 8.0
_TOO_MANY_REQUESTS = 429
_NOBODY_THERE = frozenset({"network", "timeout", "replay_miss"})
MAX_DELAY_SECS = 86400.0
_RULE = re.compile(r"\s*(user-?\s?agent|allow|disallow|crawl-?delay)\s*[:\s]\s*(.*)", re.IGNORECASE)
_TOKEN = re.compile(r"\*|[a-z_-]+", re.IGNORECASE | re.ASCII)

Send = Callable[[Request], Awaitable[Reply]]


class Rules(Struct, frozen=True):
    """What one origin allows."""

    parsed: Protego | None
    """None: there are no rules."""
    unreachable: str = ""
    """Why the rules cannot be known, which refuses everything."""
    kind: Outcome = "robots"
    """What a page is refused as then: a host that cannot be reached at all has refused nothing."""
    delays: Protego | None = None
    """The same groups with their delays alone; None when there are none."""

    def allows(self, url: str, agent: str = AGENT) -> bool:
        """Whether the agent may fetch this URL of the origin."""
        return not self.unreachable and (self.parsed is None or bool(self.parsed.can_fetch(url, agent)))

    def delay_secs(self, agent: str = AGENT) -> float:
        """What the origin wants between two pages, at most a day; 0 when it does not say."""
        wanted = self.delays.crawl_delay(agent) if self.delays is not None else None
        return min(max(float(wanted), 0.0), MAX_DELAY_SECS) if wanted is not None and wanted == wanted else 0.0  # noqa: PLR0124


def parse_rules(text: str) -> Rules:
    """Read a robots.txt.

    Only rules are handed on to protego: by RFC 9309 an unknown line does not end a group and a token ends at its first other
    character, which protego sees differently.
    """
    from protego import Protego

    rules: list[str] = []
    delays: list[str] = []
    for line in text.removeprefix("\ufeff").splitlines():
        rule = _RULE.match(line.partition("#")[0])
        if rule is None:
            continue
        key, value = rule[1].lower(), rule[2].strip()
        if key.startswith("user"):
            token = _TOKEN.match(value)
            rules.append(f"user-agent: {token[0] if token else '-'}")
            delays.append(rules[-1])
        elif key.startswith("crawl"):
            delays.append(f"crawl-delay: {value}")
        else:
            rules.append(f"{key}: {value}")
            delays.append("allow: /")  # ends the list of agents, as any rule does
    slow = any(line.startswith("crawl") for line in delays)
    return Rules(Protego.parse("\n".join(rules)), delays=Protego.parse("\n".join(delays)) if slow else None)


class Cache:
    """The rules of every origin asked in a run, one per door. `agent` is who we are."""

    def __init__(self, agent: str = "") -> None:
        self._agent = agent or AGENT
        self._origins: Once[Rules] = Once()

    async def check(self, send: Send, request: Request) -> float:
        """Ask the origin's robots.txt about a request; returns the seconds it wants between two pages, 0 where it does not say.

        Raises StageError `robots`, `refused`, `deadline`, and `network`, `timeout` or `replay_miss` where nobody answers at all.
        """
        target = parse_url(request.url)
        rules = await self._origins.get(target.origin, lambda: _load(send, target.origin, request))
        if rules.unreachable:
            raise StageError(rules.kind, f"{target.host}: its robots.txt cannot be read now ({rules.unreachable}); retry later")
        if not rules.allows(target.href, self._agent):
            raise StageError(rules.kind, f"{target.host}: its robots.txt closes this page to programs")
        return rules.delay_secs(self._agent)


async def _load(send: Send, origin: str, request: Request) -> Rules:
    """Follow redirects to the file; the rules stay those of the origin. Raises StageError `deadline`, `refused`."""
    url = f"{origin}/robots.txt"
    try:
        for _ in range(_MAX_REDIRECTS + 1):
            reply = await send(
                Request(
                    url=url,
                    shared=True,
                    identity=request.identity,
                    trusted=request.trusted and url.startswith(f"{origin}/"),
                    max_bytes=_MAX_FETCHED_BYTES,
                    timeout_secs=min(request.timeout_secs, _TIMEOUT_SECS),
                )
            )
            location = reply.header("location")
            if not (300 <= reply.status < 400 and location):  # noqa: PLR2004 (the classes of HTTP status)
                return _judged(reply)
            url = join_url(url, location)
    except StageError as error:
        if error.kind == "deadline" or (error.kind == "refused" and url == f"{origin}/robots.txt"):
            raise  # the page would be refused for the same reason
        if error.kind in _NOBODY_THERE:
            return Rules(None, unreachable=f"{error}", kind=error.kind)
        return Rules(None, unreachable=error.kind)
    return Rules(None)  # RFC 9309 2.3.1.2: more redirects than that may be taken as "there is no file"


def _judged(reply: Reply) -> Rules:
    if reply.status == _TOO_MANY_REQUESTS or reply.status >= 500:  # noqa: PLR2004
        return Rules(None, unreachable=f"HTTP {reply.status}")
    start = reply.body[:512].lstrip().lower()
    if not 200 <= reply.status < 300 or start.startswith((b"<!doctype", b"<html", b"<head")):  # noqa: PLR2004
        return Rules(None)
    return parse_rules(reply.body[:MAX_PARSED_BYTES].decode("utf-8", "replace"))


__all__ = ["AGENT", "Cache", "Rules", "Send", "parse_rules"]
