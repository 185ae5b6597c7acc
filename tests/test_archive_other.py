"""WARCs of other tools replay by URL."""
# ruff: noqa: E501 - a case a line

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import anyio
import pytest
from cribble_process import cribble
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from stages.core.env import Reply, Request
from stages.core.errors import ArchiveError, StageError
from stages.net.archive import Replayer, read_run

PAGE = b"<html><head><title>Weir</title></head><body><h1>The weir</h1><p>The keeper writes every level of the river down.</p></body></html>"


def response(writer: WARCWriter, url: str, body: bytes, *headers: tuple[str, str], status: str = "200 OK") -> None:
    http = StatusAndHeaders(status, list(headers) or [("Content-Type", "text/html; charset=utf-8")], protocol="HTTP/1.1")
    writer.write_record(writer.create_warc_record(url, "response", payload=io.BytesIO(body), length=len(body), http_headers=http))


def chunked(body: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:40], body[40:])) + b"0\r\n\r\n"


def warc(path: Path, *, packed: bool) -> Path:
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=packed)
        writer.write_record(writer.create_warcinfo_record(path.name, {"software": "another"}))
        coded = (("Content-Type", "text/html"), ("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked"))
        response(writer, "http://weir.example/coded", chunked(gzip.compress(PAGE)), *coded)
        response(writer, "http://weir.example", PAGE)
        response(writer, "http://weir.example/", b"a later visit")
        response(writer, "http://weir.example/moved", b"", ("Location", "/"), status="301 Moved Permanently")
        response(writer, "https://closed.example/robots.txt", b"User-agent: *\nDisallow: /", ("Content-Type", "text/plain"))
        response(writer, "https://closed.example/page", PAGE)
        response(writer, "http://weir.example/odd", b"\x00\x01", ("Content-Type", "text/html"), ("Content-Encoding", "compress"))
        writer.write_record(writer.create_warc_record("urn:note", "metadata", payload=io.BytesIO(b"x"), length=1))
        writer.write_record(
            writer.create_warc_record(
                "http://weir.example/notes.txt", "resource", payload=io.BytesIO(b"low"), length=3, warc_content_type="text/plain"
            )
        )
    return path


async def read(replayer: Replayer, url: str) -> Reply:
    with anyio.fail_after(5):
        return await replayer.bind("fetch", "r", 0.0, set()).read(Request(url=url), obey_robots=True)


@pytest.mark.anyio
@pytest.mark.parametrize("packed", [True, False])
async def test_pages_are_found_by_their_address_whoever_asks(tmp_path: Path, *, packed: bool) -> None:
    replayer = Replayer(warc(tmp_path / "w", packed=packed))
    assert (await read(replayer, "http://weir.example/coded")).body == PAGE
    assert (await read(replayer, "http://WEIR.example/#top")).body == PAGE
    moved = await read(replayer, "http://weir.example/moved")
    assert (moved.body, moved.url, moved.asked) == (PAGE, "http://weir.example/", "http://weir.example/moved")
    assert (await read(replayer, "http://weir.example/notes.txt")).header("content-type") == "text/plain"
    assert [notice.code for notice in replayer.recorded_notices("fetch")] == ["degraded"]
    assert replayer.recorded_notices("extract") == ()
    await replayer.aclose()


@pytest.mark.anyio
async def test_what_the_file_lacks_is_a_miss_and_its_robots_txt_counts(tmp_path: Path) -> None:
    replayer = Replayer(warc(tmp_path / "w", packed=True))
    for url, kind in (
        ("http://weir.example/other", "replay_miss"),
        ("https://closed.example/page", "robots"),
        ("http://weir.example/odd", "unsupported_content"),
    ):
        with pytest.raises(StageError) as caught:
            await read(replayer, url)
        assert caught.value.kind == kind
    with pytest.raises(StageError) as caught:
        await replayer.bind("search", "r", 0.0, set()).send(Request(url="http://weir.example/", method="POST", body=b"q=1"))
    assert caught.value.kind == "replay_miss"


@pytest.mark.parametrize("packed", [True, False])
def test_the_command_replays_it_twice_to_the_same_bytes(tmp_path: Path, *, packed: bool) -> None:
    warc(tmp_path / "crawl.warc", packed=packed)
    runs = [
        cribble("run", "fetch | extract", "http://weir.example/coded", "--replay", "crawl.warc", folder=tmp_path)
        for _ in range(2)
    ]
    lines = [[line for line in map(json.loads, done.stdout.splitlines()) if line["type"] != "tally"] for done in runs]
    assert lines[0] == lines[1]
    (document,) = [line for line in lines[0] if line["type"] == "document"]
    assert "every level of the river" in document["text"]
    assert any(line.get("code") == "degraded" and "not recorded by cribble" in line["message"] for line in lines[0])
    assert read_run(tmp_path / "crawl.warc").start == document["provenance"]["fetched_at"]


@pytest.mark.anyio
async def test_a_cut_off_file_replays_up_to_its_last_whole_record(tmp_path: Path) -> None:
    whole = warc(tmp_path / "w", packed=False).read_bytes()
    (tmp_path / "w").write_bytes(whole[: whole.index(b"a later visit")])
    assert (await read(Replayer(tmp_path / "w"), "http://weir.example/")).body == PAGE


@pytest.mark.parametrize(
    "content",
    [b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: x\r\n\r\n", b"WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\njunk"],
)
def test_a_damaged_file_is_one_clear_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "w").write_bytes(content)
    with pytest.raises(ArchiveError, match="damaged at byte"):
        Replayer(tmp_path / "w")
