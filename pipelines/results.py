"""Keeps what a reply was cut from, and finds it again for who reads on.

The store holds results for a day, in any process. A recorded run also has them in its archive, written as the exchange of a host
that does not exist: so that a replay reads on alike, wherever it runs.
"""

from __future__ import annotations

import time
from contextlib import aclosing
from functools import cache, partial
from pathlib import Path

import msgspec

from pipelines import cursor
from pipelines.config import Config
from pipelines.run import begin, opened
from pipelines.story import Rejected
from stages.core.env import Budget, Door, Net, Reply, Request
from stages.core.errors import StageError
from stages.records import Notice, Run
from stages.store import results
from stages.store.database import Store
from stages.store.folder import cache_folder

_HOST = "https://results.cribble.invalid/"
STAGE = "read_on"
EXPIRED = (
    "expired: what this cursor leads into is kept no longer (a day, and while there is room; not at all with --no-cache). "
    "Call again with the same arguments as at first, and read on with the new cursor"
)


async def keep(run: Run, config: Config, made: tuple[cursor.Result, ...]) -> bool:
    """Keep these results, in the archive too where the run is recorded. Returns whether other processes can read on."""
    store = _store(_folder(config))
    for one in made:
        await store.run(partial(results.put, name=one.name, packed=results.pack(one.packed), now=time.time()))
    if run.archive and not run.replay:
        door, _ = opened(run, partial(StoreDoor, store), joins=True)
        async with aclosing(door):
            for one in made:
                await _ask(door, one.name)
    return store.shared


async def recall(config: Config, asked: str) -> tuple[Run, cursor.Result]:
    """The run of this call, and the result that a cursor leads into. Raises Rejected, also when it has expired."""
    cursor.name_of(asked)
    run, found = await recall_all(config, (asked,))
    if asked not in found:
        raise Rejected(EXPIRED)
    return run, found[asked]


async def recall_all(config: Config, asked: tuple[str, ...]) -> tuple[Run, dict[str, cursor.Result]]:
    """The run of this call, and the result of each cursor whose result is still kept."""
    run = begin(None, config, time.time())
    store = _store(_folder(config))
    door, _ = opened(run, partial(StoreDoor, store), joins=False)
    found: dict[str, cursor.Result] = {}
    async with aclosing(door):
        for one in asked:
            try:
                found[one] = cursor.unsealed(await _recalled(door, store, cursor.name_of(one), replay=run.replay))
            except (Rejected, msgspec.DecodeError):
                continue
    return run, found


async def _recalled(door: Door, store: Store, name: str, *, replay: bool) -> bytes:
    try:
        return await _ask(door, name)
    except StageError:
        if not replay:
            raise Rejected(EXPIRED) from None
        return await _stored(store, name)  # the same bytes, if the run that is replayed was replayed here from its start


async def _ask(door: Door, name: str) -> bytes:
    notices: set[Notice] = set()
    return (await door.bind(STAGE, name, float("inf"), notices).send(Request(url=_HOST + name))).body


async def _stored(store: Store, name: str) -> bytes:
    found = await store.run(partial(results.find, name=name, now=time.time()))
    if found is None:
        raise Rejected(EXPIRED)
    return found


class StoreDoor:
    """A door that leads to the results of the store, and nowhere else."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def bind(self, stage: str, record: str, until: float, notices: set[Notice]) -> Net:  # noqa: ARG002 - as Door says
        """A Net that answers for `record`."""
        return _StoreNet(self.store, record)

    async def aclose(self) -> None:
        """The store is the process's, and stays open."""


class _StoreNet:
    def __init__(self, store: Store, name: str) -> None:
        self._store, self._name = store, name

    async def send(self, request: Request) -> Reply:
        """The result. Raises StageError `not_found`."""
        try:
            return Reply(url=request.url, status=200, body=await _stored(self._store, self._name))
        except Rejected:
            raise StageError("not_found", "the result is kept no longer") from None

    async def read(self, request: Request, *, obey_robots: bool) -> Reply:  # noqa: ARG002 - as Net says
        """Results redirect nowhere."""
        return await self.send(request)

    async def cool(self, budget: Budget, secs: float, why: str) -> None:
        """Nobody is asked who could refuse."""

    async def forget(self, reply: Reply) -> None:
        """No answer is kept twice."""


def _folder(config: Config) -> Path | None:
    return cache_folder() if config.flags.cache else None


@cache
def _store(folder: Path | None) -> Store:
    """One a process: where there is no file, a host still remembers what it gave out."""
    return Store(folder)


__all__ = ["EXPIRED", "StoreDoor", "keep", "recall", "recall_all"]
