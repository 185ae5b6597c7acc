"""A recorded run and its replays: the same replies, errors, cuts and notices, whatever the order of the calls."""

from __future__ import annotations

import itertools
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from warcio.archiveiterator import ArchiveIterator

from stages.core.env import Cut, Net, Reply, Request
from stages.core.errors import StageError
from stages.net.archive import Recorder, Replayer, read_run
from stages.records import Notice, Run

RUN = Run(wire=1, cribble="0.1.0", id="run-1", start="2026-03-04T05:06:07.089Z", seed=7, archive="somewhere.warc.gz")
Answer = Callable[[Request], Reply]


class ScriptedDoor:
    """Answers by a function; keeps what was asked."""

    def __init__(self, answer: Answer) -> None:
        self.asked: list[Request] = []
        self.closed = False
        self._answer = answer

    def bind(self, _stage: str, _record: str, _until: float, _notices: set[Notice]) -> Net:
        return self

    async def send(self, request: Request) -> Reply:
        self.asked.append(request)
        return self._answer(request)

    async def read(self, request: Request, *, obey_robots: bool) -> Reply:
        raise AssertionError("the recorder reads through its own send")

    async def aclose(self) -> None:
        self.closed = True


def page(request: Request) -> Reply:
    return Reply(url=request.url, status=200, headers=(("content-type", "text/html"),), body=f"<p>{request.url}</p>".encode())


def mostly(request: Request) -> Reply:
    if "slow" in request.url:
        raise StageError("timeout", "slow.example did not answer within 10 s")
    if "gone" in request.url:
        raise StageError("not_found", "gone", http_status=404)
    return page(request)


CALLS = [(f"record-{number}", f"https://{host}.example/{number}") for number, host in enumerate(["a", "slow", "b", "gone", "c"])]


async def outcomes(door: Recorder | Replayer, calls: list[tuple[str, str]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for record, url in calls:
        try:
            found[record] = await door.bind("fetch", record, 0.0, set()).send(Request(url=url))
        except StageError as error:
            found[record] = (error.kind, str(error), error.http_status)
    return found


def send(door: Recorder | Replayer, request: Request, *, stage: str = "fetch", record: str = "r") -> Awaitable[Reply]:
    return door.bind(stage, record, 0.0, set()).send(request)


@pytest.mark.anyio
async def test_replays_give_what_the_recorded_run_got_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "run.warc.gz"
    with anyio.fail_after(5):
        recorder = Recorder.start(ScriptedDoor(mostly), path, RUN)
        recorded = await outcomes(recorder, CALLS)
        await recorder.aclose()
        for calls in (CALLS, CALLS[::-1], CALLS[2:] + CALLS[:2]):
            replayer = Replayer(path)
            assert await outcomes(replayer, calls) == recorded
            await replayer.aclose()
    assert recorded["record-1"] == ("timeout", "slow.example did not answer within 10 s", 0)
    assert recorded["record-3"] == ("not_found", "gone", 404)


@pytest.mark.anyio
async def test_equal_runs_give_equal_bytes_and_ids(tmp_path: Path) -> None:
    files = []
    for name in ("one.warc.gz", "two.warc.gz"):
        recorder = Recorder.start(ScriptedDoor(mostly), tmp_path / name, replace(RUN, archive=str(tmp_path / name)))
        await outcomes(recorder, CALLS)
        await recorder.aclose()
        files.append((tmp_path / name).read_bytes())
    assert files[0] == files[1]


@pytest.mark.anyio
async def test_the_nth_identical_request_of_a_call_has_the_nth_outcome(tmp_path: Path) -> None:
    numbers = itertools.count(1)
    recorder = Recorder.start(ScriptedDoor(lambda _: Reply(url="", status=200, body=b"%d" % next(numbers))), tmp_path / "a", RUN)
    net = recorder.bind("search", "r", 0.0, set())
    request = Request(url="https://a.example/", method="POST", body=b"q=1")
    recorded = [await net.send(request), await net.send(replace(request, body=b"q=2")), await net.send(request)]
    await recorder.aclose()
    replayer = Replayer(tmp_path / "a")
    net = replayer.bind("search", "r", 0.0, set())
    replayed = [await net.send(request), await net.send(request), await net.send(replace(request, body=b"q=2"))]
    assert [reply.body for reply in recorded] == [b"1", b"2", b"3"]
    assert replayed == [recorded[0], recorded[2], recorded[1]]


@pytest.mark.anyio
async def test_equal_calls_get_one_outcome_though_the_wire_would_have_given_two(tmp_path: Path) -> None:
    numbers = itertools.count(1)
    door = ScriptedDoor(lambda _: Reply(url="", status=200, body=b"%d" % next(numbers)))
    recorder = Recorder.start(door, tmp_path / "a", RUN)
    request = Request(url="https://a.example/")
    assert (await send(recorder, request)) == (await send(recorder, request))
    assert len(door.asked) == 1
    assert (await send(recorder, request, record="other")).body == b"2"


@pytest.mark.anyio
async def test_the_outcome_that_a_sibling_wrote_first_stands(tmp_path: Path) -> None:
    first = Recorder.start(ScriptedDoor(lambda _: Reply(url="", status=503)), tmp_path / "a", RUN)
    second = Recorder.join(ScriptedDoor(page), tmp_path / "a", RUN)
    robots = Request(url="https://a.example/robots.txt", shared=True)
    assert (await send(first, robots, stage="search")).status == 503
    assert (await send(second, robots, stage="fetch", record="x")).status == 503
    replayer = Replayer(tmp_path / "a")
    assert (await send(replayer, robots, stage="rank", record="y")).status == 503


@pytest.mark.anyio
async def test_a_deadline_met_while_asking_for_all_is_not_the_answer_for_all(tmp_path: Path) -> None:
    late = iter([True])

    def answer(request: Request) -> Reply:
        if next(late, False):
            raise StageError("deadline", "too late")
        return page(request)

    recorder = Recorder.start(ScriptedDoor(answer), tmp_path / "a", RUN)
    robots = Request(url="https://a.example/robots.txt", shared=True)
    with pytest.raises(StageError, match="too late"):
        await send(recorder, robots)
    assert (await send(recorder, robots)).status == 200
    assert (await send(Replayer(tmp_path / "a"), robots)).status == 200


@pytest.mark.anyio
async def test_what_the_recorded_run_did_not_ask_is_a_replay_miss(tmp_path: Path) -> None:
    recorder = Recorder.start(ScriptedDoor(page), tmp_path / "run.warc.gz", RUN)
    await send(recorder, Request(url="https://a.example/"))
    await recorder.aclose()
    replayer = Replayer(tmp_path / "run.warc.gz")
    for request, record in (
        (Request(url="https://a.example/?token=secret-secret"), "r"),
        (Request(url="https://a.example/"), "s"),
        (Request(url="https://a.example/", method="HEAD"), "r"),
        (Request(url="https://a.example/", body=b"x"), "r"),
    ):
        with pytest.raises(StageError, match=r"not in run\.warc\.gz: the recorded run did not ask for this") as caught:
            await send(replayer, request, record=record)
        assert caught.value.kind == "replay_miss"
        assert "secret-secret" not in str(caught.value)


@pytest.mark.anyio
async def test_cuts_and_notices_come_back_and_a_replay_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a"
    told = (Notice(stage="fetch", code="degraded", message="a"), Notice(stage="fetch", code="degraded", message="b\u2028\ud800"))
    recorder = Recorder.start(ScriptedDoor(page), path, RUN)
    sibling = Recorder.join(ScriptedDoor(page), path, RUN)
    recorder.record_cut("fetch", "r1", Cut("timeout", "not finished within 10 s"))
    sibling.record_cut("fetch", "r2", Cut("deadline", "cut by the deadline"))
    recorder.record_notices("fetch", told[:1])
    sibling.record_notices("fetch", told)
    sibling.record_notices("fetch", ())
    assert (recorder.recorded_cuts("fetch"), recorder.recorded_notices("fetch"), recorder.replaying) == ({}, (), False)
    written = path.read_bytes()
    replayer = Replayer(path)
    replayer.record_cut("fetch", "r3", Cut("timeout", ""))
    replayer.record_notices("fetch", told)
    assert replayer.recorded_cuts("fetch") == {
        "r1": Cut("timeout", "not finished within 10 s"),
        "r2": Cut("deadline", "cut by the deadline"),
    }
    assert replayer.recorded_cuts("rank") == {}
    assert (replayer.recorded_notices("fetch"), replayer.recorded_notices("rank"), replayer.replaying) == (told, (), True)
    assert path.read_bytes() == written


def opened(path: Path) -> list[Path]:
    return [one for one in Path("/dev/fd").iterdir() if os.path.realpath(one) == str(path)]


@pytest.mark.anyio
async def test_closing_a_recorder_closes_the_door_and_the_file(tmp_path: Path) -> None:
    door = ScriptedDoor(page)
    recorder = Recorder.start(door, tmp_path / "a", RUN)
    await recorder.aclose()
    await Replayer(tmp_path / "a").aclose()
    assert door.closed
    assert not opened(tmp_path / "a")


def test_the_run_comes_back_without_the_path_it_was_recorded_at(tmp_path: Path) -> None:
    Recorder.start(ScriptedDoor(page), tmp_path / "a", RUN)
    assert read_run(tmp_path / "a") == replace(RUN, archive="")


@pytest.mark.anyio
@pytest.mark.parametrize("url", ["", "javascript:\r\nWARC-Type: x", "http://\ud800\u2028/", "https://[", "a" * 100_000])
async def test_an_address_that_is_none_stays_refused(tmp_path: Path, url: str) -> None:
    def refuse(_: Request) -> Reply:
        raise StageError("refused", "not an address")

    recorder = Recorder.start(ScriptedDoor(refuse), tmp_path / "a", RUN)
    with pytest.raises(StageError, match="not an address"):
        await send(recorder, Request(url=url))
    with pytest.raises(StageError, match="not an address") as caught:
        await send(Replayer(tmp_path / "a"), Request(url=url))
    assert caught.value.kind == "refused"


texts = st.text(max_size=30)
names = st.one_of(st.sampled_from(["content-encoding", "content-length", "x-archive-orig-content-length", "etag"]), texts)
replies = st.builds(
    Reply,
    url=st.one_of(st.just("https://a.example/"), texts),
    status=st.integers(0, 1200),
    headers=st.lists(st.tuples(names, st.one_of(texts, st.characters())), max_size=5).map(tuple),
    body=st.binary(max_size=300),
    asked=texts,
    address=st.sampled_from(["", "93.184.216.34", "2606:4700::1111"]),
)
requests = st.builds(
    Request,
    url=st.one_of(st.just("?a=1&key=abcdefgh"), st.text(st.characters(), max_size=40)).map("https://a.example/".__add__),
    method=st.one_of(st.sampled_from(["GET", "POST"]), texts),
    headers=st.lists(st.tuples(names, texts), max_size=3).map(tuple),
    body=st.binary(max_size=50),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(exchanges=st.lists(st.tuples(requests, st.one_of(replies, texts)), min_size=1, max_size=4))
def test_any_reply_or_error_comes_back_as_the_recorded_run_saw_it(
    tmp_path_factory: pytest.TempPathFactory, exchanges: list[tuple[Request, Reply | str]]
) -> None:
    path = tmp_path_factory.mktemp("any") / "a"
    answers = iter(answer for _, answer in exchanges)

    def answer(_: Request) -> Reply:
        given = next(answers)
        if isinstance(given, str):
            raise StageError("network", given)
        return given

    async def all_of(door: Recorder | Replayer) -> list[object]:
        found: list[object] = []
        net = door.bind("fetch", "r\ud800", 0.0, set())
        for request, _ in exchanges:
            try:
                found.append(await net.send(request))
            except StageError as error:
                found.append((error.kind, str(error)))
        await door.aclose()
        return found

    recorded = anyio.run(all_of, Recorder.start(ScriptedDoor(answer), path, RUN))
    assert anyio.run(all_of, Replayer(path)) == recorded
    assert [one.body for one in recorded if isinstance(one, Reply)] == [
        one.body for _, one in exchanges if isinstance(one, Reply)
    ]
    with path.open("rb") as stream:
        read = [
            record.content_stream().read()
            for record in ArchiveIterator(stream, check_digests="raise")
            if record.rec_type == "response"
        ]
    bodies = [one.body for _, one in exchanges if isinstance(one, Reply)]
    assert [one.body for one in recorded if isinstance(one, Reply)] == bodies
    assert len(read) == len(bodies)
    assert all(block.endswith(body) for block, body in zip(read, bodies, strict=True))
