"""What a stage may touch besides its records, and what the runner tells the archive.

Protocols only: the network is `stages.net`, the archive `stages.net.archive`; tests bring their own.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct

from stages.records import Notice
from stages.vocabulary import Outcome


class Budget(Struct, frozen=True):
    """What a service bears from this machine: `burst` exchanges at once, and `per_minute` (more than 0) in the long run."""

    name: str
    """Who bears it. Requests of the same name share one budget, whatever their hosts."""
    per_minute: float
    burst: int
    """At least 1."""


class Request(Struct, frozen=True, kw_only=True):
    """One HTTP exchange to make, without redirects."""

    url: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    identity: str = "browser"
    """`browser`: a consistent browser identity through curl_cffi; `api`: an honest user agent through httpx."""
    max_bytes: int = 8 << 20
    timeout_secs: float = 10.0
    within_secs: float = 0.0
    """How long a `read` may take with all its hops, if that is bounded; a replay has no clock."""
    trusted: bool = False
    """For the service that the user named in the configuration (his own SearXNG), which may be on a private network. The door
    believes it only of the address that it was itself given."""
    shared: bool = False
    """Asked once for all records (robots.txt): the archive's key then leaves the stage and the record out."""
    wait_secs: float = 0.0
    """Wait this long first (`Retry-After`); a replay does not."""
    part: bool = False
    """Belongs to a page that had its turn at this host (a redirect's next hop, a retry, a stylesheet): it waits for none."""
    spacing_secs: float = 0.0
    """What the host's robots.txt wants between two pages, if that is more than the settings say."""
    budget: Budget | None = None
    """Counted against this, which skips instead of waiting: `rate_limited`, with nothing sent. A `part`, an answer of the
    cache and a `trusted` service cost nothing."""


class Reply(Struct, frozen=True, kw_only=True):
    """What came back. `body` is decoded from content codings, headers are as they came, names in lower case."""

    url: str
    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    exchange: str = ""
    asked: str = ""
    """The first URL, where redirects were followed."""
    from_cache: str = ""
    """When the stored answer was got or last confirmed (ISO 8601, UTC); empty for one that the network gave."""
    address: str = ""
    """The public address that was dialled; empty where a proxy did the dialling."""

    def header(self, name: str, default: str = "") -> str:
        """The first header of this lower-case name."""
        return next((value for key, value in self.headers if key == name), default)


class Net(Protocol):
    """The only door to the network. Every method raises StageError and nothing else."""

    async def send(self, request: Request) -> Reply:
        """One exchange, guarded, recorded or replayed. A redirect is returned as it is."""

    async def read(self, request: Request, *, obey_robots: bool) -> Reply:
        """Follow redirects by hand, guard and robots.txt at every hop."""

    async def cool(self, budget: Budget, secs: float, why: str) -> None:
        """Leave the service alone for so long, in every process: it refused, and `why` is the outcome.

        Not for a request that was skipped, whose error has no `http_status`. Nothing happens in a replay.
        """

    async def forget(self, reply: Reply) -> None:
        """Do not keep this answer: who read it found a refusal in it. Nothing happens in a replay."""


class Cut(Struct, frozen=True):
    """How the runner ended a call, so that a replay ends it alike."""

    kind: Outcome
    message: str


class Ledger(Protocol):
    """The archive as the runner sees it."""

    replaying: bool

    def record_cut(self, stage: str, record: str, cut: Cut, /) -> None:
        """Write it down, if something is being recorded."""

    def recorded_cuts(self, stage: str, /) -> Mapping[str, Cut]:
        """Cuts that were recorded for this stage, by record id; empty when nothing is replayed."""

    def recorded_notices(self, stage: str, /) -> tuple[Notice, ...]:
        """Those that the recorded run gave."""

    def record_notices(self, stage: str, notices: tuple[Notice, ...], /) -> None:
        """Write them down, if something is being recorded."""


class NoLedger:
    """Nothing is recorded and nothing replayed."""

    replaying = False

    def record_cut(self, _stage: str, _record: str, _cut: Cut, /) -> None:
        """Nothing to write to."""

    def recorded_cuts(self, _stage: str, /) -> Mapping[str, Cut]:
        """None."""
        return {}

    def recorded_notices(self, _stage: str, /) -> tuple[Notice, ...]:
        """None."""
        return ()

    def record_notices(self, _stage: str, _notices: tuple[Notice, ...], /) -> None:
        """Nothing to write to."""


class Deadline(Struct, frozen=True, kw_only=True):
    """In Unix seconds, infinite when there is none: network stages stop at `soft`, workers at `work`, barriers make `hard`."""

    hard: float = math.inf
    soft: float = math.inf

    @property
    def work(self) -> float:
        """When parsing must be over: the last third of the reserve belongs to the barriers."""
        return self.hard if math.isinf(self.hard) else self.hard - (self.hard - self.soft) / 3


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How this machine reaches the network. From flags, `CRIBBLE_*`, the user's file; see `cribble config`.

    Without `cache` and `pace_secs` nothing is read or written outside the run, and budgets are this run's alone: what is on by
    default stands in the flags.
    """

    proxy: str = ""
    """`ambient` for the variables of the environment; `{session}` in its login is a new name for each host."""
    ca_bundle: str = ""
    resolver: str = ""
    searxng_url: str = ""
    engines: tuple[str, ...] = ()
    agent: str = ""
    """The name that robots.txt knows us by, when it is not `cribble`."""
    cache: bool = False
    pace_secs: float = 0.0
    contact: str = ""
    """Whom JSON services may write to; it stands in the user agent."""
    brave_api_key: str = ""
    tavily_api_key: str = ""
    exa_api_key: str = ""
    serper_api_key: str = ""
    """Keys are `Secret`: from the environment alone, in headers alone, and in no record, archive or message."""


class Secret(str):
    """A key that tracebacks and debug output do not show."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "Secret(***)"


class Env(Struct, frozen=True, kw_only=True):
    """What one call of a network stage gets."""

    net: Net
    now: str
    """The frozen clock of the run, ISO 8601."""
    random: random.Random
    """Seeded by the run and the record."""
    settings: Settings
    notices: set[Notice]
    """Put in what the caller must know; written once, sorted, when the stage ends."""

    def notice(self, notice: Notice) -> None:
        """Tell the caller, once however often it is said."""
        self.notices.add(notice)


class Door(Protocol):
    """Makes a Net for one call; closed when the run is over."""

    def bind(self, stage: str, record: str, until: float, notices: set[Notice]) -> Net:
        """A Net whose exchanges are keyed by stage and record id, and end at `until` (Unix seconds)."""

    async def aclose(self) -> None:
        """Close every connection."""


__all__ = ["Budget", "Cut", "Deadline", "Door", "Env", "Ledger", "Net", "NoLedger", "Reply", "Request", "Secret", "Settings"]
