"""`cribble archive`: what an archive holds, whether it is whole, and a copy to show around."""

from __future__ import annotations

import json
from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace
from test_archive import RUN, ScriptedDoor
from test_archive_other import warc

from pipelines.archive import archive
from stages.core.env import Cut, Reply, Request
from stages.core.errors import ArchiveError, StageError, UsageError
from stages.net.archive import Recorder, Replayer
from stages.net.contents import check, entries, find, shown_all
from stages.records import Notice

URLS = ("https://a.example/1", "https://slow.example/2", "https://www.inside.example/3")


def answer(request: Request) -> Reply:
    if "slow" in request.url:
        raise StageError("timeout", "slow.example did not answer within 10 s")
    if request.url.endswith("robots.txt"):
        return Reply(url=request.url, status=200, headers=(("content-type", "text/plain"),), body=b"User-agent: *\nAllow: /")
    return Reply(url=request.url, status=200, headers=(("content-type", "text/html"),), body=f"<p>{request.url}</p>".encode())


async def ask(door: Recorder | Replayer, url: str) -> Reply | str:
    with anyio.fail_after(5):
        try:
            return await door.bind("fetch", url[-1], 0.0, set()).read(Request(url=url), obey_robots="slow" not in url)
        except StageError as error:
            return f"{error.kind}: {error}"


@pytest.fixture
async def recorded(tmp_path: Path) -> Path:
    path = tmp_path / "run.warc.gz"
    recorder = Recorder.start(ScriptedDoor(answer), path, RUN)
    for url in URLS:
        await ask(recorder, url)
    recorder.record_cut("extract", "9", Cut(kind="crashed", message="a page broke the worker"))
    recorder.record_notices("fetch", (Notice(stage="fetch", code="degraded", message="inside.example was asked for twice"),))
    await recorder.aclose()
    return path


@pytest.mark.anyio
async def test_every_outcome_is_listed_once_in_the_order_of_the_file(recorded: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert archive(["ls", str(recorded)]) == 0
    lines = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [(line["what"], line["outcome"], line.get("url", "")) for line in lines] == [
        ("run", "cribble 0.1.0", ""),
        ("exchange", "200", "https://a.example/robots.txt"),
        ("exchange", "200", "https://a.example/1"),
        ("exchange", "timeout", "https://slow.example/2"),
        ("exchange", "200", "https://www.inside.example/robots.txt"),
        ("exchange", "200", "https://www.inside.example/3"),
        ("cut", "crashed", ""),
        ("notices", "notices", ""),
    ]
    assert (lines[2]["stage"], lines[2]["media_type"], lines[2]["bytes"]) == ("fetch", "text/html", 26)


@pytest.mark.anyio
async def test_an_outcome_is_shown_in_full_by_the_exchange_that_a_page_names(
    recorded: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    reply = await ask(Replayer(recorded), URLS[0])
    assert isinstance(reply, Reply)
    for named in (reply.exchange, reply.exchange[:8]):
        assert archive(["show", str(recorded), named]) == 0
        shown = capfd.readouterr().out
        assert "warc-target-uri: https://a.example/1" in shown
        assert shown.endswith("content-type: text/html\r\n\r\n<p>https://a.example/1</p>")
    for wanted, says in (("ffffffffff", "no outcome"), ("", "begins so")):
        with pytest.raises(ArchiveError, match=says):
            find(recorded, wanted)


@pytest.mark.anyio
async def test_the_address_that_was_dialled_is_shown(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    recorder = Recorder.start(
        ScriptedDoor(lambda request: replace(answer(request), address="93.184.216.34")), tmp_path / "a", RUN
    )
    reply = await ask(recorder, URLS[0])
    assert isinstance(reply, Reply)
    assert archive(["show", str(tmp_path / "a"), reply.exchange]) == 0
    assert "warc-ip-address: 93.184.216.34" in capfd.readouterr().out
    assert await ask(Replayer(tmp_path / "a"), URLS[0]) == reply


@pytest.mark.anyio
async def test_a_whole_archive_is_whole_and_one_that_was_cut_or_changed_is_not(
    recorded: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert archive(["check", str(recorded)]) == 0
    assert capfd.readouterr().out == f"{recorded}: whole\n12 records, 7 outcomes\n"
    whole = recorded.read_bytes()
    (tmp_path / "cut").write_bytes(whole[:-7])
    assert archive(["check", str(tmp_path / "cut")]) == 1
    assert "cut off" in capfd.readouterr().out
    for place in range(20, len(whole), 97):
        changed = bytearray(whole)
        changed[place] ^= 0x55
        (tmp_path / "changed").write_bytes(changed)
        try:
            problems = check(tmp_path / "changed").problems
            assert problems or list(shown_all(tmp_path / "changed")) == list(shown_all(recorded))  # a date in a gzip header
        except ArchiveError:
            continue  # its first record cannot be read any more


def test_digests_of_other_tools_are_checked_too(tmp_path: Path) -> None:
    path = warc(tmp_path / "w", packed=False)
    assert check(path).problems == ()
    path.write_bytes(path.read_bytes().replace(b"a later visit", b"a later fisit"))
    assert [problem.partition(": ")[2] for problem in check(path).problems] == [
        "warc-block-digest does not match",
        "warc-payload-digest does not match",
    ]
    assert [entry.outcome for entry in entries(path)][:3] == ["", "200", "200"]


@pytest.mark.anyio
async def test_a_copy_without_bodies_replays_misses_and_not_empty_pages(
    recorded: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "shown.warc.gz"
    assert archive(["redact", str(recorded), "-o", str(copy), "--bodies"]) == 0
    assert "2 without their body" in capfd.readouterr().out
    assert check(copy).problems == ()
    assert copy.stat().st_mode & 0o777 == 0o600
    replayer = Replayer(copy)
    assert await ask(replayer, URLS[0]) == f"replay_miss: the body of {URLS[0]} was taken out of this archive"
    assert await ask(replayer, URLS[1]) == "timeout: slow.example did not answer within 10 s"
    assert b"<p>" not in find(copy, next(entry.id for entry in entries(copy) if entry.url == URLS[0])).block


@pytest.mark.anyio
async def test_a_copy_without_a_host_holds_nothing_of_it(recorded: Path, tmp_path: Path) -> None:
    copy = tmp_path / "shown.warc.gz"
    assert archive(["redact", str(recorded), "--output", str(copy), "--host", "inside.example"]) == 0
    assert [entry.outcome for entry in entries(copy)] == ["cribble 0.1.0", "200", "200", "timeout", "crashed"]
    replayer = Replayer(copy)
    assert isinstance(await ask(replayer, URLS[0]), Reply)
    assert str(await ask(replayer, URLS[2])).startswith(("replay_miss", "robots"))
    with pytest.raises(ArchiveError, match="exists"):
        archive(["redact", str(recorded), "-o", str(copy), "--bodies"])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["lst"], "no such command: lst; did you mean ls?"),
        (["ls"], "usage: cribble archive ls FILE"),
        (["show", "a"], "FILE ID"),
        (["redact", "a"], "say where to"),
        (["redact", "a", "-o", "b"], "say what to take out"),
        (["ls", "a", "--hosts", "x"], "unknown option --hosts"),
        (["ls", "/nowhere"], "No such file"),
    ],
)
def test_a_wrong_word_is_one_clear_line(arguments: list[str], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        archive(arguments)


def test_another_tools_archive_is_not_redacted(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="not recorded by cribble"):
        archive(["redact", str(warc(tmp_path / "w", packed=True)), "-o", str(tmp_path / "x"), "--bodies"])
    assert not (tmp_path / "x").exists()
