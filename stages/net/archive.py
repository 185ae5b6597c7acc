"""Record what the network came to, and replay it from the archive alone.

A Recorder stands between the stages and the live door; a Replayer stands in for it. Both give back what the archive holds, never
what only the wire saw, so a replay cannot differ. The first outcome written for a key stands for all who ask the same, in every
process that shares the file. Raises ArchiveError where the file fails: the run ends, since a recording with gaps is none.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from stages.core.errors import ArchiveError, StageError
from stages.net import outcomes
from stages.net.other_warc import OtherArchive, read_archive
from stages.net.other_warc import read_run as run_of
from stages.net.outcome_store import OutcomeStore, run_date
from stages.net.outcomes import Key
from stages.net.redact import cookie_values, hide, redact_reply, redact_request, restore, restore_cookies, restore_reply, secrets

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stages.core.env import Budget, Cut, Door, Net, Reply, Request
    from stages.net import robots
    from stages.records import Notice, Run


class Recorder:
    """Door and Ledger of a run that is recorded; made by `start` or `join`."""

    replaying = False

    def __init__(self, door: Door, archive: OutcomeStore) -> None:
        self._door = door
        self.archive = archive
        self.date = run_date(archive.run)
        self.robots = _Robots(archive.run.agent)
        self.cookies: dict[str, str] = {}
        """Values by the marks that stages see instead."""

    @classmethod
    def start(cls, door: Door, path: str | Path, run: Run) -> Recorder:
        """Record into a new file. Raises ArchiveError, also where the path is taken."""
        return cls(door, OutcomeStore.start(Path(path), run))

    @classmethod
    def join(cls, door: Door, path: str | Path, run: Run) -> Recorder:
        """Record into the file that a sibling process of the same run started. Raises ArchiveError."""
        archive = OutcomeStore.open(Path(path), writable=True)
        if archive.run.id != run.id:
            archive.close()
            raise ArchiveError(f"{path} belongs to another run; a recording starts a new file")
        return cls(door, archive)

    def bind(self, stage: str, record: str, until: float, notices: set[Notice]) -> Net:
        """The inner door's Net, with every outcome written before it is given back."""
        return _Recording(self, self._door.bind(stage, record, until, notices), stage, record)

    async def aclose(self) -> None:
        """Close the inner door and the file."""
        try:
            await self._door.aclose()
        finally:
            self.archive.close()

    def recorded_cuts(self, _stage: str, /) -> Mapping[str, Cut]:
        """None: this is the run that is recorded."""
        return {}

    def recorded_notices(self, _stage: str, /) -> tuple[Notice, ...]:
        """None: this is the run that is recorded."""
        return ()

    def record_cut(self, stage: str, record: str, cut: Cut, /) -> None:
        """Write how the runner ended a call. Raises ArchiveError."""
        key = Key(what="cut", stage=stage, record=record)
        self.archive.put(key, [outcomes.cut_record(key, cut, self.date)])

    def record_notices(self, stage: str, notices: tuple[Notice, ...], /) -> None:
        """Write what the stage told the caller. Raises ArchiveError."""
        if notices:
            key, record = outcomes.notices_record(stage, notices, self.date)
            self.archive.put(key, [record])


class Replayer:
    """Door and Ledger of a run that is replayed: no network, no timer, nothing written."""

    replaying = True

    def __init__(self, path: str | Path) -> None:
        self.archive = read_archive(Path(path))
        self._bound: set[str] = set()
        self.robots = _Robots(self.archive.run.agent)

    def bind(self, stage: str, record: str, until: float, notices: set[Notice]) -> Net:  # noqa: ARG002  Door
        """A Net that answers from the archive."""
        self._bound.add(stage)
        return _Replaying(self, stage, record)

    async def aclose(self) -> None:
        """Close the file."""
        self.archive.close()

    def recorded_cuts(self, stage: str, /) -> Mapping[str, Cut]:
        """How the recorded run ended calls of the stage, by record id. Raises ArchiveError."""
        return self.archive.find_cuts(stage)

    def recorded_notices(self, stage: str, /) -> tuple[Notice, ...]:
        """What the recorded run told the caller; of another tool's archive, that it is one. Raises ArchiveError."""
        if isinstance(self.archive, OtherArchive):
            return (self.archive.notice(stage),) if stage in self._bound else ()
        return self.archive.find_notices(stage)

    def record_cut(self, _stage: str, _record: str, _cut: Cut, /) -> None:
        """Nothing is written while replaying."""

    def record_notices(self, _stage: str, _notices: tuple[Notice, ...], /) -> None:
        """Nothing is written while replaying."""


class _Net:
    """A Net of one call: counts what is asked, so that each request has its key."""

    def __init__(self, robots: _Robots, stage: str, record: str) -> None:
        self._robots = robots
        self._stage = stage
        self._record = record
        self._asked: Counter[Key] = Counter()

    async def send(self, request: Request) -> Reply:
        """One exchange, or its outcome. Raises StageError as it was recorded."""
        raise NotImplementedError

    async def read(self, request: Request, *, obey_robots: bool) -> Reply:
        """Follow redirects through `send`, so that every hop is recorded or replayed."""
        from stages.net import follow

        return await follow.read(self.send, self._robots.cache(), request, obey_robots=obey_robots)

    async def cool(self, budget: Budget, secs: float, why: str) -> None:
        """Nothing, while replaying: a request that was skipped is skipped again, as an outcome."""

    async def forget(self, reply: Reply) -> None:
        """Nothing, while replaying."""

    def _key(self, shown: Request) -> Key:
        key = outcomes.request_key(shown)
        return key if shown.shared else self._own(key)

    def _read_key(self, request: Request) -> Key:
        return self._own(replace(outcomes.request_key(redact_request(request)), what="read"))

    def _own(self, key: Key) -> Key:
        self._asked[key] += 1
        return replace(key, stage=self._stage, record=self._record, attempt=self._asked[key])


class _Recording(_Net):
    def __init__(self, recorder: Recorder, inner: Net, stage: str, record: str) -> None:
        super().__init__(recorder.robots, stage, record)
        self._recorder = recorder
        self._inner = inner

    async def send(self, request: Request) -> Reply:
        """Ask the inner Net, unless the answer already stands; write; give back what was written."""
        shown, values = redact_request(request), secrets(request)
        key, store, date = self._key(shown), self._recorder.archive, self._recorder.date
        outcome = store.find(key)
        if outcome is None:
            outcome = await self._ask(request, values)
            if isinstance(outcome, StageError):
                if request.shared and outcome.kind == "deadline":
                    raise outcome  # it is this caller's and nobody else's: `read` writes it
                records = [outcomes.error_record(key, outcome, date)]
            else:
                outcome = replace(outcome, exchange=key.id)
                records = outcomes.exchange_records(key, shown, outcome, date)
            if not store.put(key, records):
                outcome = store.find(key) or outcome
        return _settle(outcome, request, values)

    async def read(self, request: Request, *, obey_robots: bool) -> Reply:
        """Follow redirects; what ends the whole read by the clock is written as its end.

        It may have come while waiting for a robots.txt that others then got: in a replay they may get it first.
        """
        key = self._read_key(request)
        try:
            return await super().read(request, obey_robots=obey_robots)
        except StageError as error:
            if error.kind == "deadline" or (error.kind == "timeout" and request.within_secs):
                shown = StageError(error.kind, hide(str(error), secrets(request)), http_status=error.http_status)
                self._recorder.archive.put(key, [outcomes.error_record(key, shown, self._recorder.date)])
            raise

    async def cool(self, budget: Budget, secs: float, why: str) -> None:
        """Passed on: it is about this machine and not about the run."""
        await self._inner.cool(budget, secs, why)

    async def forget(self, reply: Reply) -> None:
        """Passed on; the archive holds what came, whatever it was."""
        await self._inner.forget(reply)

    async def _ask(self, request: Request, values: tuple[str, ...]) -> Reply | StageError:
        cookies = self._recorder.cookies
        try:
            reply = await self._inner.send(replace(request, headers=restore_cookies(request.headers, cookies)))
        except StageError as error:
            return StageError(error.kind, hide(str(error), values), http_status=error.http_status)
        cookies.update(cookie_values(reply.headers))
        return redact_reply(replace(reply, url="" if reply.url == request.url else reply.url), values)


class _Replaying(_Net):
    def __init__(self, replayer: Replayer, stage: str, record: str) -> None:
        super().__init__(replayer.robots, stage, record)
        self._store = replayer.archive

    async def send(self, request: Request) -> Reply:
        """The outcome from the archive; `replay_miss` where the recorded run did not ask."""
        from anyio.lowlevel import checkpoint

        await checkpoint()  # a call that only replays can be cancelled, and lets the others run
        shown = redact_request(request)
        outcome = self._store.find(self._key(shown))
        if outcome is None:
            raise StageError("replay_miss", f"{shown.url} is not in {self._store.name}: the recorded run did not ask for this")
        return _settle(outcome, request, secrets(request))

    async def read(self, request: Request, *, obey_robots: bool) -> Reply:
        """Follow redirects as recorded, or end as the recorded read did."""
        ended = self._store.find(self._read_key(request))
        if ended is not None:
            return _settle(ended, request, secrets(request))
        return await super().read(replace(request, within_secs=0.0), obey_robots=obey_robots)


class _Robots:
    """The robots.txt cache of one door, made when it is first needed."""

    def __init__(self, agent: str) -> None:
        self._agent = agent
        self._cache: robots.Cache | None = None

    def cache(self) -> robots.Cache:
        from stages.net import robots

        if self._cache is None:
            self._cache = robots.Cache(self._agent)
        return self._cache


def _settle(outcome: Reply | StageError, request: Request, values: tuple[str, ...]) -> Reply:
    """Give an outcome to the caller, the same from the wire as from the archive."""
    if isinstance(outcome, StageError):
        raise StageError(outcome.kind, restore(str(outcome), values), http_status=outcome.http_status)
    return restore_reply(replace(outcome, url=outcome.url or request.url), values)


def read_run(path: str | Path) -> Run:
    """The run that an archive was recorded from; the caller sets `archive` and `replay`. Raises ArchiveError."""
    return run_of(Path(path))
