"""Stages for tests of the framework: small ones that wait, fail, hang, crash or stop early on request."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator
from typing import ClassVar

import anyio

from stages.core.env import Env
from stages.core.errors import StageError
from stages.core.stage import Each, Options, Stage, Work, each, stream, whole
from stages.records import Document, Drop, Hit, Notice, Page, Passage, Query, Question


class Gate:
    """Lets a test see how many calls are under way and decide when one may go on."""

    running: ClassVar[int] = 0
    peak: ClassVar[int] = 0
    open: ClassVar[dict[str, anyio.Event]] = {}
    began: ClassVar[list[str]] = []

    @classmethod
    def reset(cls) -> None:
        cls.running = cls.peak = 0
        cls.open, cls.began = {}, []


class AskOptions(Options, frozen=True):
    pass


@each(keeps=True)
def ask(question: Question, options: AskOptions) -> list[Query]:
    if question.text == "refuse":
        raise StageError("refused", "not this one")
    return [Query(text=f"{question.text} {number}") for number in range(2)]


class GetOptions(Each, frozen=True):
    pass


@each()
async def get(hit: Hit, options: GetOptions, env: Env) -> Page:
    """Opens when the test says so; a word in the URL says how it ends."""
    Gate.began.append(hit.url)
    Gate.running += 1
    Gate.peak = max(Gate.peak, Gate.running)
    try:
        if hit.url in Gate.open:
            await Gate.open[hit.url].wait()
        if "hang" in hit.url:
            await anyio.sleep_forever()
        if "blocked" in hit.url:
            raise StageError("blocked", "403 from the server")
        if "bug" in hit.url:
            raise KeyError("bug")
        if "notice" in hit.url:
            env.notice(Notice(stage="get", code="degraded", message="the lamp is low"))
        return Page(url=hit.url, body=hit.title.encode(), fetched_at=env.now)
    finally:
        Gate.running -= 1


@each(finished=lambda page: bool(page.sanitizer))
def clean(page: Page, options: Work) -> Page:
    """One of a pair that shares a worker."""
    if b"dirty" in page.body:
        raise StageError("empty", "nothing left")
    return Page(url=page.url, body=page.body, sanitizer="sample")


@each(lifts=("clean",))
def read(page: Page, options: Work) -> Document:
    """The other one; words in the body say how it ends."""
    if b"hang" in page.body:
        time.sleep(60)
    if b"crash" in page.body:
        os._exit(3)
    if b"memory" in page.body:
        bytearray(8 << 30)
    if b"bug" in page.body:
        raise KeyError("worker bug")
    if b"deep" in page.body:
        raise RecursionError
    return Document(url=page.url, text=page.body.decode())


@each(keeps=True, finished=lambda document: document.passages is not None)
def cut(document: Document, options: Work) -> list[Passage]:
    words = document.text.split()
    return [Passage(id=word, url=document.url, text=word, start=0, end=len(word)) for word in words]


class FirstOptions(Options, frozen=True):
    most: int = 2


@stream()
async def first(hits: AsyncIterator[Hit], options: FirstOptions) -> AsyncIterator[Hit]:
    """Stops early."""
    taken = 0
    async for hit in hits:
        yield hit
        taken += 1
        if taken == options.most:
            return


class BestOptions(Options, frozen=True):
    most: int = 100


@whole(keeps=(Question,), lifts=("clean", "read", "cut"))
def best(records: list[Question | Passage], options: BestOptions) -> list[Passage | Drop]:
    passages = sorted((one for one in records if isinstance(one, Passage)), key=lambda one: one.text)
    rest = [Drop(stage="best", subject=one.text, reason="over_limit") for one in passages[options.most :]]
    return [*passages[: options.most], *rest]


@whole()
async def again(hits: list[Hit], options: BestOptions, env: Env) -> list[Hit]:
    """A second round: a whole stage on the network."""
    if any("hang" in hit.url for hit in hits):
        await anyio.sleep_forever()
    return hits[::-1]


SAMPLES: dict[str, Stage] = {one.name: one for one in (ask, get, clean, read, cut, first, best, again)}
