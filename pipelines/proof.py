"""Passages proved: the recorded bytes behind each are read again, and what stands at its place is compared with what it says."""

from __future__ import annotations

import random
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from pipelines import feed, texts
from pipelines.config import Config
from pipelines.run import carry
from stages import load
from stages.core.env import Env, Settings
from stages.core.errors import StageError, UsageError
from stages.core.plan import build
from stages.core.wire import Item
from stages.html.embedded import EXTRACTOR
from stages.records import Document, Failure, Hit, Page, Passage, Provenance

if TYPE_CHECKING:
    from stages.net.archive import Replayer

Outcome = Literal["proved", "text_differs", "document_differs", "bytes_differ", "missing", "unreadable"]


class Verdict(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of one passage, by the place that it names; `exchange` and `sha256` are of the bytes it was read from."""

    id: str
    url: str
    start: int
    end: int
    verdict: Outcome
    message: str = ""
    exchange: str = ""
    sha256: str = ""


class Disproved(Exception):  # noqa: N818 - a finding about what was claimed, not a fault
    """Why a text cannot be worked out again."""

    def __init__(self, verdict: Outcome, message: str) -> None:
        super().__init__(message)
        self.verdict = verdict


Origin = tuple[str, str, str]
"""Exchange, hash of the bytes, and the address that was asked for: what tells documents apart."""
Worked = dict[Origin, str | Disproved]


def origin(proof: Provenance) -> Origin:
    """Which document a text is of."""
    return proof.exchange, proof.sha256, proof.asked


async def prove(passages: list[Passage], archive: str, config: Config) -> list[Verdict]:
    """A verdict a passage, in order. `archive` is a WARC; empty where everything was read from files.

    Raises ArchiveError, and UsageError where the network answered and no archive is named.
    """
    proofs = {origin(passage.provenance): passage.provenance for passage in passages}
    worked: Worked = {}
    pages: list[tuple[Page, bool]] = []
    async with AsyncExitStack() as stack:
        recorded = _Recorded(archive) if archive else None
        if recorded is not None:
            stack.push_async_callback(recorded.replayer.aclose)
        for key, proof in proofs.items():
            try:
                pages.append((await _page(proof, recorded), proof.extractor == EXTRACTOR))
            except Disproved as reason:
                worked[key] = reason
    for embedded in (False, True):
        some = [page for page, brought in pages if brought is embedded]
        for page, text in zip(some, await _texts(some, config, embedded=embedded), strict=True):
            worked[page.exchange, page.sha256, page.asked] = text
    return [_verdict(passage, worked[origin(passage.provenance)]) for passage in passages]


class _Recorded:
    """An archive, and who asked for each of its exchanges."""

    def __init__(self, path: str) -> None:
        from stages.net.archive import Replayer
        from stages.net.contents import askers
        from stages.net.other_warc import OtherArchive

        self.replayer: Replayer = Replayer(path)
        self._askers = askers(Path(path))
        self._by_url = isinstance(self.replayer.archive, OtherArchive)

    async def page(self, proof: Provenance) -> Page:
        """The page as `fetch` got it. Raises Disproved."""
        fetch = load("fetch")
        asker = "" if self._by_url else self._askers.get(proof.exchange)
        if asker is None:
            raise Disproved("missing", f"{self.replayer.archive.name} holds no exchange {proof.exchange or 'of this text'}")
        net = self.replayer.bind(fetch.name, asker, 0.0, set())
        unused = random.Random()  # noqa: S311 - fetch draws no lots
        env = Env(net=net, now=proof.fetched_at, random=unused, settings=Settings(), notices=set())
        try:
            page: Page = await fetch.call(Hit(url=proof.asked), fetch.options(robots="ignore", scripted="pass"), env)
        except StageError as error:
            raise Disproved("missing", str(error)) from None
        return page


async def _page(proof: Provenance, recorded: _Recorded | None) -> Page:
    """The page that a text says it was read from, its bytes the same. Raises Disproved, UsageError."""
    if proof.tier == "file":
        try:
            page = texts.page(proof.asked)
        except UsageError as error:
            raise Disproved("missing", str(error)) from None
    elif recorded is not None:
        page = await recorded.page(proof)
    else:
        raise UsageError("say which archive holds what the network answered: --replay FILE")
    if page.sha256 != proof.sha256:
        raise Disproved("bytes_differ", f"sha256 of what is there: {page.sha256}")
    return page


async def _texts(pages: list[Page], config: Config, *, embedded: bool) -> list[str | Disproved]:
    """The text of each page, read in worker processes as ever; `embedded` where it is what the page brings for its scripts."""
    sanitize, extract = load("sanitize"), load("extract")
    made: list[str | Disproved] = []

    async def sink(items: list[Item]) -> None:
        for item in items:
            if isinstance(item, Document):
                made.append(item.text)
            elif isinstance(item, Failure):
                made.append(Disproved("unreadable", f"{item.stage}: {item.message}"))

    steps = [("sanitize", sanitize.options(embedded=embedded)), ("extract", extract.options())]
    if pages:
        await carry(build(steps, load), feed.Feed(feed.items(list(pages))), config, sink)
    return made


def _verdict(passage: Passage, worked: str | Disproved) -> Verdict:
    outcome, message = _compared(passage, worked)
    proof = passage.provenance
    return Verdict(
        id=passage.id,
        url=passage.url,
        start=passage.start,
        end=passage.end,
        verdict=outcome,
        message=message,
        exchange=proof.exchange,
        sha256=proof.sha256,
    )


def _compared(passage: Passage, worked: str | Disproved) -> tuple[Outcome, str]:
    from stages.text.digests import text_sha256

    if isinstance(worked, Disproved):
        return worked.verdict, str(worked)
    if worked[passage.start : passage.end] == passage.text:
        return "proved", ""
    if text_sha256(worked) != passage.provenance.document_sha256:
        by = f"{passage.provenance.sanitizer}, {passage.provenance.extractor}"
        return "document_differs", f"the bytes are the same, but what is read from them is another text now (then: {by})"
    return "text_differs", "the page says something else at this place"


__all__ = ["Disproved", "Outcome", "Verdict", "origin", "prove"]
