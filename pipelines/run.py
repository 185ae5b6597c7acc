"""Carries one process's part of a run: its Run record, its archive, its plan, from the feed to the sink."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from pipelines.config import Config
from pipelines.feed import Feed
from pipelines.keys import KEYS, REPLAYED
from stages.core import runner
from stages.core.env import Deadline, Door, Ledger, Net, NoLedger, Settings
from stages.core.errors import UsageError
from stages.core.plan import Step
from stages.core.wire import Item
from stages.records import Notice, Run
from stages.vocabulary import VERSION, WIRE

Sink = Callable[[list[Item]], Awaitable[None]]
Watch = Callable[[str, int, int], None]


async def carry(plan: Sequence[Step], feed: Feed, config: Config, sink: Sink, progress: Watch | None = None) -> None:
    """Run the plan over the feed. The Run line is the first that `sink` gets.

    Raises UsageError for what the caller must change; an input that ends at an error raises it once all before it is written.
    """
    began = time.time()
    feed.until = began + (config.flags.deadline_secs or math.inf)
    upstream = await feed.run()
    run = begin(upstream, config, began)
    ends = deadline(run)
    feed.until = ends.hard if math.isinf(ends.hard) else (ends.work + ends.hard) / 2  # what arrived must still pass a barrier
    live = partial(network, plan, config, run)
    door, ledger = opened(run, live, joins=upstream is not None and upstream.archive == run.archive)
    try:
        await sink([run])
        context = runner.Context(
            run=run,
            door=door,
            ledger=ledger,
            settings=settings(run, config),
            deadline=ends,
            tee=_folder(config.flags.tee),
            progress=progress,
        )
        await runner.run(plan, feed.batches(), context, sink)
    finally:
        await door.aclose()
    if feed.error is not None:
        raise feed.error


def begin(upstream: Run | None, config: Config, began: float) -> Run:
    """The Run of this process: the one it was handed, or a new one; in a replay the recorded one. Flags given here override it.

    `began` is when this process did, in Unix seconds; a new Run's clock stands there.
    Raises UsageError for a second archive in one pipe.
    """
    flags = config.flags
    asked = flags.replay or flags.record
    if upstream and upstream.archive and asked and (upstream.archive, upstream.replay) != (asked, bool(flags.replay)):
        raise UsageError(f"this pipe already uses the archive {upstream.archive}: say so in its first command only")
    if flags.replay and not (upstream and upstream.replay):
        from stages.net.archive import read_run

        return replace(read_run(flags.replay), archive=flags.replay, replay=True)
    now = datetime.fromtimestamp(began, UTC)
    run = upstream or Run(
        wire=WIRE, cribble=VERSION, id=os.urandom(8).hex(), start=f"{now:%Y-%m-%dT%H:%M:%S}.{now.microsecond // 1000:03}Z"
    )
    if run.replay:
        return run
    given = {name for name, origin in config.origins.items() if origin.startswith("--")}
    if "deadline_secs" in given or (upstream is None and flags.deadline_secs):
        ends = began + flags.deadline_secs if flags.deadline_secs else 0.0
        run = replace(run, deadline=round(ends, 3), reserve_secs=flags.reserve_secs)
    return replace(
        run,
        archive=run.archive or flags.record,
        seed=flags.seed if "seed" in given else run.seed,
        engines=flags.engines or run.engines,
        searxng_url=flags.searxng_url or run.searxng_url,
        agent=flags.agent or run.agent,
        keyed=tuple(config.keys) or run.keyed,
    )


_ASKED = ("engines", "searxng_url", "agent")
"""What decides which exchanges there are: it stands in the Run."""


def settings(run: Run, config: Config) -> Settings:
    """How the stages reach the network. What the recorded run asked for stands in a replay, unless a flag says otherwise.

    A SearXNG that only the Run line names is asked too, but the door does not let it be on a private network.
    """
    own = config.settings
    if not run.replay:
        return replace(own, **{name: getattr(own, name) or getattr(run, name) for name in _ASKED})
    asked = {name: getattr(run, name) for name in _ASKED if not config.origins[name].startswith("--")}
    keys = {name: REPLAYED if name in run.keyed else "" for name in KEYS}
    return replace(own, **asked, **keys)


def deadline(run: Run) -> Deadline:
    """When network stages and when everything must be over. A replay has no clock: it ends where the recorded run did."""
    if run.replay or not run.deadline:
        return Deadline()
    return Deadline(hard=run.deadline, soft=run.deadline - run.reserve_secs)


def opened(run: Run, live: Callable[[], Door], *, joins: bool) -> tuple[Door, Ledger]:
    """The door to the network, the one that `live` makes or the archive's, and the archive. Raises ArchiveError.

    `joins`: the archive is there already, begun by a sibling or by this process.
    """
    if run.replay:
        from stages.net.archive import Replayer

        replayer = Replayer(run.archive)
        return replayer, replayer
    door = live()
    if not run.archive:
        return door, NoLedger()
    from stages.net.archive import Recorder

    recorder = (Recorder.join if joins else Recorder.start)(door, run.archive, run)
    return recorder, recorder


def network(plan: Sequence[Step], config: Config, run: Run) -> Door:
    """The door that the plan needs."""
    if not any(step.stage.uses_env for step in plan):
        return NoDoor()
    from stages.net.client import LiveDoor

    return LiveDoor(replace(config.settings, agent=run.agent))


class NoDoor:
    """The door of a run whose stages use no network."""

    def bind(self, stage: str, record: str, until: float, notices: set[Notice]) -> Net:  # noqa: ARG002 - as Door says
        """Only stages that use the network ask for one."""
        raise TypeError(f"{stage} does not use the network")

    async def aclose(self) -> None:
        """Nothing is open."""


def _folder(name: str) -> Path | None:
    if not name:
        return None
    path = Path(name)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--tee: {name}: {error.strerror}") from None
    return path
