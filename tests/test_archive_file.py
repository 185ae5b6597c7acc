"""The archive as a file: shared by processes, cut off anywhere, full disks, what other tools see and what they wrote."""

from __future__ import annotations

import errno
import gzip
import io
import os
import random
import signal
import stat
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace
from test_archive import RUN, Answer, ScriptedDoor, page, send
from warcio.archiveiterator import ArchiveIterator
from warcio.warcwriter import WARCWriter

from stages.core.env import Cut, Reply, Request
from stages.core.errors import ArchiveError
from stages.net import warc
from stages.net.archive import Recorder, Replayer, read_run

ROOT = Path(__file__).resolve().parent.parent
URLS = [f"https://a.example/{number}" for number in range(6)]


async def record(path: Path, urls: list[str], answer: Answer = page) -> dict[str, Reply]:
    recorder = Recorder.start(ScriptedDoor(answer), path, RUN)
    replies = {url: await send(recorder, Request(url=url)) for url in urls}
    await recorder.aclose()
    return replies


async def replay(path: Path, urls: list[str]) -> dict[str, Reply]:
    replayer = Replayer(path)
    replies = {url: await send(replayer, Request(url=url)) for url in urls}
    await replayer.aclose()
    return replies


def members(path: Path) -> list[warc.Place]:
    return [place for place, _ in warc.Warc.open(path).walk()]


def child(code: str, *arguments: str) -> subprocess.Popen[bytes]:
    script = f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / 'tests')!r}]\n{code}"
    return subprocess.Popen([sys.executable, "-c", script, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_only_the_owner_may_read_it(tmp_path: Path) -> None:
    Recorder.start(ScriptedDoor(page), tmp_path / "a", RUN)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600


def test_a_recording_starts_a_new_file_and_leaves_an_old_one_alone(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"mine")
    with pytest.raises(ArchiveError, match=r"exists; a recording starts a new file"):
        Recorder.start(ScriptedDoor(page), tmp_path / "a", RUN)
    assert (tmp_path / "a").read_bytes() == b"mine"
    with pytest.raises(ArchiveError, match="cannot record there"):
        Recorder.start(ScriptedDoor(page), tmp_path / "no" / "a", RUN)


def test_only_siblings_of_the_run_join(tmp_path: Path) -> None:
    Recorder.start(ScriptedDoor(page), tmp_path / "a", RUN)
    Recorder.join(ScriptedDoor(page), tmp_path / "a", RUN)
    with pytest.raises(ArchiveError, match="another run"):
        Recorder.join(ScriptedDoor(page), tmp_path / "a", replace(RUN, id="run-2"))
    with pytest.raises(ArchiveError, match="cannot open"):
        Recorder.join(ScriptedDoor(page), tmp_path / "b", RUN)


def test_what_is_no_archive_of_ours_is_one_clear_line(tmp_path: Path) -> None:
    foreign = io.BytesIO()
    writer = WARCWriter(foreign, gzip=True, warc_version="1.1")
    writer.write_record(writer.create_warcinfo_record("x.warc.gz", {"software": "another"}))
    newer = tmp_path / "newer"
    Recorder.start(ScriptedDoor(page), newer, replace(RUN, wire=99))
    for content, says in (
        (b"", "not a .warc.gz archive"),
        (b"some text", "not a .warc.gz archive"),
        (b"WARC/1.1\r\n", "holds no page"),
        (gzip.compress(b"some text"), "damaged at byte 0"),
        (foreign.getvalue()[:50], "cut off within its first record"),
        (foreign.getvalue(), "holds no page"),
        (newer.read_bytes(), "recorded by a newer cribble"),
        (newer.read_bytes()[:100], "cut off within its first record"),
    ):
        (tmp_path / "a").write_bytes(content)
        for opener in (read_run, Replayer):
            with pytest.raises(ArchiveError, match=says) as caught:
                opener(tmp_path / "a")
            assert "\n" not in str(caught.value)
    os.mkfifo(tmp_path / "pipe")
    for path, says in (
        (tmp_path / "missing", "No such file"),
        (tmp_path, "directory"),
        (tmp_path / "pipe", "a directory, pipe"),
        (Path("/dev/null"), "device"),
    ):
        with pytest.raises(ArchiveError, match=says):
            Replayer(path)


def test_four_processes_that_append_at_once_lose_nothing(tmp_path: Path) -> None:
    path, each = tmp_path / "a", 40
    recorder = Recorder.start(ScriptedDoor(page), path, RUN)
    code = """
import anyio, sys
from test_archive import *
async def main(path, name, each):
    recorder = Recorder.join(ScriptedDoor(lambda r: Reply(url="", status=200, body=r.url.encode() * 500)), path, RUN)
    for number in range(int(each)):
        await send(recorder, Request(url=f"https://{name}.example/{number}"))
        await send(recorder, Request(url=f"https://all.example/{number}", shared=True))
        recorder.record_cut("extract", f"{name}{number}", Cut("timeout", name))
    await recorder.aclose()
anyio.run(main, *sys.argv[1:])
"""
    children = [child(code, str(path), name, str(each)) for name in "pqrs"]
    for one in children:
        _, errors = one.communicate(timeout=60)
        assert one.returncode == 0, errors.decode()
    assert len(Replayer(path).recorded_cuts("extract")) == 4 * each
    urls = [f"https://{name}.example/{number}" for name in "pqrs" for number in range(each)]
    replies = anyio.run(replay, path, urls)
    assert all(reply.body == url.encode() * 500 for url, reply in replies.items())
    recorder.record_cut("extract", "last", Cut("timeout", ""))
    assert len(members(path)) == 1 + 4 * each * 3 + each * 2 + 1, "what all share is written once"


@pytest.mark.anyio
async def test_everything_before_a_torn_member_is_read_and_the_next_writer_cuts_it_off(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    recorded = await record(whole, URLS)
    content, places = whole.read_bytes(), members(whole)
    last = places[-2].offset  # the response of the last pair: its request may be lost without harm
    for cut in [*range(last, last + 30), last + places[-2].length - 1]:
        torn = tmp_path / "torn"
        torn.write_bytes(content[:cut])
        assert await replay(torn, URLS[:-1]) == {url: recorded[url] for url in URLS[:-1]}
        recorder = Recorder.join(ScriptedDoor(page), torn, RUN)
        await send(recorder, Request(url=URLS[-1]))
        await recorder.aclose()
        assert torn.read_bytes() == content


def test_a_killed_writer_leaves_an_archive_that_is_read_and_written_on(tmp_path: Path) -> None:
    path = tmp_path / "a"
    recorder = Recorder.start(ScriptedDoor(page), path, RUN)
    code = """
import anyio, itertools, os, sys
from test_archive import *
async def main(path):
    recorder = Recorder.join(ScriptedDoor(lambda r: Reply(url="", status=200, body=os.urandom(3_000_000))), path, RUN)
    for number in itertools.count():
        await send(recorder, Request(url=f"https://k.example/{number}"))
        print(number, flush=True)
anyio.run(main, sys.argv[1])
"""
    one = child(code, str(path))
    assert one.stdout is not None
    assert [one.stdout.readline() for _ in range(3)] == [b"0\n", b"1\n", b"2\n"]
    one.send_signal(signal.SIGKILL)
    one.communicate()
    recorder.record_cut("fetch", "after", Cut("timeout", "x"))
    assert Replayer(path).recorded_cuts("fetch") == {"after": Cut("timeout", "x")}
    with path.open("rb") as stream:
        assert sum(1 for _ in ArchiveIterator(stream, check_digests="raise")) == len(members(path))


@pytest.mark.anyio
async def test_a_damaged_body_is_met_by_who_asks_for_it_and_a_damaged_frame_by_all(tmp_path: Path) -> None:
    path, noise = tmp_path / "a", random.Random(1).randbytes(20_000)
    recorded = await record(path, URLS, lambda request: replace(page(request), body=noise))
    content, places = bytearray(path.read_bytes()), members(path)
    content[places[1].offset + places[1].length - 6] ^= 0xFF  # the checksum of the first response
    path.write_bytes(content)
    assert await replay(path, URLS[1:]) == {url: recorded[url] for url in URLS[1:]}
    with pytest.raises(ArchiveError, match=f"damaged at byte {places[1].offset}"):
        await replay(path, URLS[:1])
    content[places[3].offset] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(ArchiveError, match=f"damaged at byte {places[3].offset}"):
        Replayer(path)


@pytest.mark.anyio
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG, None])
async def test_a_full_disk_ends_the_recording_and_leaves_no_torn_member(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int | None
) -> None:
    path = tmp_path / "a"
    recorder = Recorder.start(ScriptedDoor(page), path, RUN)
    await send(recorder, Request(url=URLS[0]))
    before, write = path.read_bytes(), os.write

    def full(descriptor: int, data: bytes) -> int:
        written = write(descriptor, data[: len(data) // 2])
        if number is not None:
            raise OSError(number, os.strerror(number))
        return written

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(ArchiveError, match="no room left for the archive"):
        await send(recorder, Request(url=URLS[1]))
    with pytest.raises(ArchiveError, match="no room left for the archive"):
        recorder.record_cut("fetch", "r", Cut("timeout", ""))
    assert path.read_bytes() == before
    with pytest.raises(ArchiveError, match="no room left"):
        Recorder.start(ScriptedDoor(page), tmp_path / "b", RUN)
    assert not (tmp_path / "b").exists()
    monkeypatch.setattr(os, "write", write)
    await send(recorder, Request(url=URLS[2]))
    assert list(await replay(path, [URLS[0], URLS[2]])) == [URLS[0], URLS[2]]


def test_a_limit_on_the_size_of_files_is_a_full_disk(tmp_path: Path) -> None:
    code = """
import anyio, os, resource, sys
from test_archive import *
from stages.core.errors import ArchiveError
async def main(path):
    recorder = Recorder.start(ScriptedDoor(lambda r: Reply(url="", status=200, body=os.urandom(5000))), path, RUN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
    try:
        for number in range(10):
            await send(recorder, Request(url=f"https://k.example/{number}"))
    except ArchiveError as error:
        sys.exit(f"{number}: {error}")
anyio.run(main, sys.argv[1])
"""
    one = child(code, str(tmp_path / "a"))
    _, errors = one.communicate(timeout=30)
    assert (one.returncode, errors.decode().startswith("3: no room left for the archive")) == (1, True), errors.decode()
    assert len(members(tmp_path / "a")) == 1 + 3 * 2


@pytest.mark.anyio
async def test_other_readers_of_warc_files_read_every_record(tmp_path: Path) -> None:
    path = tmp_path / "a"
    await record(path, URLS)
    recorder = Recorder.join(ScriptedDoor(page), path, RUN)
    recorder.record_cut("fetch", "r", Cut("timeout", ""))
    kinds = ["warcinfo", *["response", "request"] * len(URLS), "metadata"]
    with path.open("rb") as stream:
        read = []
        for one in ArchiveIterator(stream, check_digests="raise"):
            block = one.content_stream().read()
            read.append((one.rec_type, one.rec_headers.get_header("WARC-Target-URI"), one.rec_headers.get_header("WARC-Date")))
            if one.rec_type == "response":
                assert (one.http_headers.get_statuscode(), block) == ("200", f"<p>{read[-1][1]}</p>".encode())
            if one.rec_type == "request":
                assert one.http_headers.get_header("host") == "a.example"
    assert [kind for kind, _, _ in read] == kinds
    assert {date for _, _, date in read} == {RUN.start}


@pytest.mark.anyio
async def test_a_body_that_came_compressed_and_in_chunks_is_read_decoded_by_other_tools(tmp_path: Path) -> None:
    coded = (("content-encoding", "gzip"), ("transfer-encoding", "chunked"), ("content-length", "7"), ("etag", "x"))
    recorded = await record(tmp_path / "a", URLS[:1], lambda request: replace(page(request), headers=coded))
    with (tmp_path / "a").open("rb") as stream:
        read = [(one.content_stream().read(), one.http_headers) for one in ArchiveIterator(stream, check_digests="raise")]
    body, headers = read[1]
    assert body == recorded[URLS[0]].body
    assert headers.headers == [(f"x-archive-orig-{name}", value) for name, value in coded[:3]] + [("etag", "x")]
    assert recorded[URLS[0]].headers == coded
    assert await replay(tmp_path / "a", URLS[:1]) == recorded
    assert b"WARC-Cribble-Reply" not in gzip.decompress((tmp_path / "a").read_bytes()), "the standard form says it all"


@pytest.mark.anyio
async def test_an_archive_compressed_anew_by_another_tool_replays(tmp_path: Path) -> None:
    path, anew = tmp_path / "a", tmp_path / "anew"
    recorded = await record(path, URLS)
    content = path.read_bytes()
    again = [gzip.compress(gzip.decompress(content[one.offset : one.offset + one.length])) for one in members(path)]
    anew.write_bytes(b"".join(again))
    assert await replay(anew, URLS) == recorded
    anew.write_bytes(b"".join(again)[: -len(again[-1]) - 1])
    assert await replay(anew, URLS[:-1]) == {url: recorded[url] for url in URLS[:-1]}


def test_a_replay_loads_neither_the_writer_nor_the_network(tmp_path: Path) -> None:
    Recorder.start(ScriptedDoor(page), tmp_path / "a", RUN)
    code = f"""
from stages.net.archive import Replayer
Replayer({str(tmp_path / "a")!r})
loaded = {{"warcio", "curl_cffi", "httpx", "protego", "anyio", "asyncio"}} & set(sys.modules)
sys.exit(f"loaded: {{loaded}}" if loaded else 0)
"""
    one = child(code)
    _, errors = one.communicate(timeout=30)
    assert one.returncode == 0, errors.decode()
