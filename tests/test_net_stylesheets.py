"""The stylesheets of a page come with it: which ones, within which bounds, and the same in a replay."""

from __future__ import annotations

import random
from pathlib import Path

import anyio
import pytest

from stages.core.env import Env, Net, Reply, Request, Settings
from stages.core.errors import ArchiveError, StageError
from stages.fetch import Options, fetch
from stages.net.archive import Recorder, Replayer
from stages.net.stylesheets import MAX_BYTES, MAX_SHEETS, attached, imports, links
from stages.records import Hit, Notice, Page, Run, Stylesheet
from stages.sanitize import Options as SanitizeOptions
from stages.sanitize import sanitize

PAGE = "https://www.example.co.uk/docs/lamp"
RUN = Run(wire=1, cribble="0.1.0", id="run-1", start="2026-03-04T05:06:07.089Z")


def css(text: str, media_type: str = "text/css") -> Reply:
    return Reply(url="", status=200, headers=(("content-type", media_type),), body=text.encode())


class Web:
    """Answers from a table; an address that is not in it never answers."""

    def __init__(self, table: dict[str, Reply]) -> None:
        self.table = table
        self.asked: list[Request] = []

    def bind(self, _stage: str, _record: str, _until: float, _notices: set[Notice]) -> Net:
        return self

    async def send(self, request: Request) -> Reply:
        self.asked.append(request)
        if request.url.endswith("/robots.txt"):
            return Reply(url=request.url, status=404)
        if request.url not in self.table:
            await anyio.sleep_forever()
        return self.table[request.url]

    async def read(self, request: Request, *, obey_robots: bool = True) -> Reply:
        return await self.send(request)

    async def aclose(self) -> None:
        pass


def head(*tags: str) -> bytes:
    return f"<html><head>{''.join(tags)}</head><body><p>A page about lamps, with words in it.</p></body></html>".encode()


def test_only_stylesheets_for_a_screen_on_the_same_site_are_named() -> None:
    body = head(
        '<link rel="stylesheet" href="a.css">',
        "<link href=//static.example.co.uk/b.css rel='preload stylesheet'>",
        '<link rel="stylesheet" href="https://cdn.example.com/c.css">',
        '<link rel="stylesheet" media="print" href="d.css">',
        '<link rel="stylesheet" media="print, screen" href="e.css">',
        '<link rel="alternate stylesheet" href="f.css">',
        '<link rel="stylesheet" disabled href="g.css">',
        '<link rel="icon" href="h.ico">',
        '<link rel="stylesheet" href="a.css">',
        '<link rel="stylesheet" href="http://www.example.co.uk/weak.css">',
        '<link rel="stylesheet" href="data:text/css,p{}">',
        '<!-- <link rel="stylesheet" href="i.css"> --><noscript><link rel="stylesheet" href="j.css"></noscript>',
        '<link rel="stylesheet" href="">',
    )
    assert links(body, "", PAGE) == [
        "https://www.example.co.uk/docs/a.css",
        "https://static.example.co.uk/b.css",
        "https://www.example.co.uk/docs/e.css",
    ]


def test_a_base_moves_what_is_relative() -> None:
    assert links(head('<base href="/assets/">', "<link rel=stylesheet href=a.css>"), "", PAGE) == [
        "https://www.example.co.uk/assets/a.css"
    ]


def test_imports_stand_before_all_rules() -> None:
    text = (
        '@charset "utf-8"; /* @import "no.css"; */ @import url(one.css); @import "two.css" screen; @import \'three.css\' print;'
        "@layer a, b; @import url('four.css') layer(x); p{} @import 'late.css';"
    )
    assert [one.rpartition("/")[2] for one in imports(Stylesheet(url=PAGE, text=text))] == ["one.css", "two.css", "four.css"]


@pytest.mark.anyio
async def test_imports_of_one_level_come_along_within_the_number_that_is_allowed() -> None:
    names = [f"https://www.example.co.uk/{number}.css" for number in range(MAX_SHEETS + 2)]
    web = Web(
        dict.fromkeys(names, css("p{}"))
        | {names[0]: css("@import '/deep.css';"), "https://www.example.co.uk/deep.css": css("@import '/deeper.css'; q{}")}
    )
    some = head(*(f'<link rel=stylesheet href="{name}">' for name in names[:2]))
    with anyio.fail_after(5):
        found = await attached(web.read, PAGE, some, "")
        every = await attached(web.read, PAGE, head(*(f'<link rel=stylesheet href="{name}">' for name in names)), "")
    assert [sheet.url.rpartition("/")[2] for sheet in found] == ["0.css", "1.css", "deep.css"]
    assert [sheet.url for sheet in every] == names[:MAX_SHEETS]
    assert all(request.part and request.within_secs <= 1 and request.max_bytes == MAX_BYTES for request in web.asked)


@pytest.mark.anyio
async def test_what_is_no_stylesheet_or_too_much_is_left_out() -> None:
    def answer(request: Request) -> Reply:
        if "gone" in request.url:
            raise StageError("too_large", "more than that")
        kinds = {
            "html": css("<p>not found</p>", "text/html"),
            "big": css("a" * (MAX_BYTES - 10)),
            "more": css("b" * 100),
            "small": css("p{}"),
        }
        return next((reply for name, reply in kinds.items() if name in request.url), Reply(url="", status=404))

    async def read(request: Request) -> Reply:
        return answer(request)

    names = ("html", "big", "more", "small", "gone", "missing")
    with anyio.fail_after(5):
        found = await attached(read, PAGE, head(*(f"<link rel=stylesheet href={name}.css>" for name in names)), "")
    assert [sheet.url.rpartition("/")[2] for sheet in found] == ["big.css", "small.css"]


@pytest.mark.anyio
async def test_a_failing_archive_is_not_passed_over() -> None:
    async def read(request: Request) -> Reply:
        raise ArchiveError("no room left")

    with anyio.fail_after(5), pytest.raises(ArchiveError):
        await attached(read, PAGE, head("<link rel=stylesheet href=a.css>"), "")


async def fetched(door: Recorder | Replayer) -> Page:
    env = Env(net=door.bind("fetch", "r", 0.0, set()), now=RUN.start, random=random.Random(0), settings=Settings(), notices=set())
    with anyio.fail_after(10):
        return await fetch.call(Hit(url=PAGE), Options(), env)


@pytest.mark.anyio
async def test_a_stylesheet_that_comes_late_is_left_out_in_the_replay_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stages.net.stylesheets.LINK_SECS", 0.1)
    body = head("<link rel=stylesheet href=a.css><link rel=stylesheet href=slow.css>") + b"<p class=x>words of the mill</p>"
    html = Reply(url=PAGE, status=200, headers=(("content-type", "text/html"),), body=body)
    web = Web({PAGE: html, "https://www.example.co.uk/docs/a.css": css(".x{display:none}")})
    recorder = Recorder.start(web, tmp_path / "run.warc.gz", RUN)
    recorded = await fetched(recorder)
    await recorder.aclose()
    web.table["https://www.example.co.uk/docs/slow.css"] = css(".y{}")
    replayer = Replayer(tmp_path / "run.warc.gz")
    replayed = await fetched(replayer)
    await replayer.aclose()
    assert [sheet.url for sheet in recorded.stylesheets] == ["https://www.example.co.uk/docs/a.css"]
    assert replayed == recorded
    clean = sanitize.call(recorded, SanitizeOptions())
    assert b"mill" not in clean.body
    assert "hidden_css" in {threat.kind for threat in clean.threats}
