"""Reading on: what a reply cuts is kept, and its cursors lead to the last character; nothing is ranked again."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from cribble_process import ROOT, cribble
from host_tools import URL, web
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from mcp_host.archives import Archives
from mcp_host.calls import Calls
from mcp_host.gate import Gate
from mcp_host.http import application
from mcp_host.server import build
from pipelines import cursor, results
from pipelines.commands import loaded
from pipelines.config import configured
from pipelines.folds import read_url
from pipelines.run import NoDoor
from pipelines.story import Rejected, Story
from pipelines.tool import Tool, tool_of, tools
from stages.core.errors import FOUND
from stages.net.archive import Recorder
from stages.records import Document, Hit, Passage, Provenance, Run
from stages.store.database import Store
from stages.store.results import KEEP_SECS, find, held, pack, put
from stages.text.tokens import count

RUN = Run(wire=1, cribble="0", id="00ff00ff00ff00ff", start="2026-01-02T03:04:05.678Z")
ARCHIVE = str(ROOT / "fixtures/pipelines/default/read_url/reads-pages-whole-and-tells-why-not/run.warc.gz")
PAGE = "https://docs.tidewren.example/manual/4.2/surge-mode"
ADDRESS = "https://a.example/"
FAMILY = "\U0001f469\u200d\U0001f52c"
WORDS = ["tide", "gauge \u6f6e\u4f4d", "**b**", "`c`", "# h", "x" * 70, "\n\n", "\n", "  ", "e\u0301", FAMILY]


def story(document: Document, *passages: Passage) -> Story:
    return Story(run=RUN, fed=(Hit(url=ADDRESS),), records=(document, *passages), code=FOUND)


def document(text: str) -> Document:
    return Document(url=ADDRESS, title="A title", text=text, provenance=Provenance(asked=ADDRESS))


def read_through(told: Story, options: read_url.Options) -> list[read_url.Read]:
    """The pages of the first reply and of all that follow it."""
    reply = read_url.fold(told, options)
    kept = {one.name: one for one in read_url.kept(told, options, reply)}
    pages = [reply.pages[0]]
    after = Story(run=RUN, fed=(), records=(), code=FOUND)
    while pages[-1].cursor:
        found = kept[cursor.name_of(pages[-1].cursor)]
        place = found.place(pages[-1].cursor, "read_url")
        pages += read_url.resume(after, found, place, read_url.Options(max_tokens=options.max_tokens)).pages
    return pages


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=40).map(" ".join), st.sampled_from(["markdown", "text"]))
def test_the_texts_of_all_replies_are_the_whole_text(text: str, form: Any) -> None:
    told = story(document(text * 12))
    whole = read_url.fold(told, read_url.Options(max_tokens=200_000, format=form)).pages[0]
    pages = read_through(told, read_url.Options(max_tokens=200, format=form))
    assert "".join(page.text for page in pages) == whole.text
    assert all(page.tokens <= 200 for page in pages)
    assert [page.truncated for page in pages] == [True] * (len(pages) - 1) + [False]
    assert {page.total_tokens for page in pages} == {whole.total_tokens}


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_every_match_of_a_query_comes_once_and_the_best_first(sizes: list[int], chance: Any) -> None:
    text, parts = "", []
    for number, size in enumerate(sizes):
        piece, score = " ".join([f"part{number}"] * size), chance.random() + 0.1
        parts.append(Passage(id=str(number), url=ADDRESS, text=piece, start=len(text), end=len(text) + len(piece), score=score))
        text += piece + "\n\n"
    ranked = sorted(parts, key=lambda one: -(one.score or 0))
    pages = read_through(story(document(text), *ranked), read_url.Options(max_tokens=200, query="part"))
    shown = [match for page in pages for match in page.matches]
    assert {(match.start, match.end) for match in shown} == {(part.start, part.end) for part in parts}
    words = [word for page in pages for word in page.text.split()]
    assert [words.count(f"part{number}") for number in range(len(sizes))] == sizes
    best = [[match.score or 0 for match in page.matches] for page in pages if page.matches]
    assert max(best[0]) == max(map(max, best))
    assert all(min(before) >= max(after) for before, after in pairwise(best[1:]))


def test_a_character_that_costs_more_than_the_room_is_shown_all_the_same() -> None:
    assert read_url._cut(FAMILY * 9, 1)


def test_a_cursor_is_good_for_its_own_result_place_and_tool_only() -> None:
    kept = cursor.sealed(RUN, "read_url", b"held")
    good = kept.cursor(17)
    assert kept.place(good, "read_url") == 17
    name, place, sign = good.split(".")
    for wrong in (f"{name}.18.{sign}", f"{name}.{place}.{'0' * 16}", f"{'0' * 20}.{place}.{sign}", good + "0", "", "../etc"):
        with pytest.raises(Rejected, match="not one that was given out"):
            kept.place(wrong, "read_url")
    with pytest.raises(Rejected, match="is of read_url"):
        kept.place(good, "research")
    other = cursor.sealed(msgspec.structs.replace(RUN, id="11ff00ff00ff00ff"), "read_url", b"held")
    assert other.cursor(17) != good


def reply(*words: str, **more: str) -> dict[str, Any]:
    done = cribble("read_url", "--reply", "json", "--max-tokens", "200", *words, **more)
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_another_process_reads_on_to_the_last_character() -> None:
    whole = json.loads(cribble("read_url", "--reply", "json", PAGE, "--replay", ARCHIVE).stdout)["pages"][0]
    page = reply(PAGE, "--replay", ARCHIVE)["pages"][0]
    text = page["text"]
    while page["cursor"]:
        page = reply("--cursor", page["cursor"])["pages"][0]
        text += page["text"]
    assert (text, page["truncated"]) == (whole["text"], False)
    assert count(text) > 600


def test_the_text_says_how_to_read_on() -> None:
    shown = cribble("read_url", PAGE, "--max-tokens", "200", "--replay", ARCHIVE).stdout.decode()
    assert f"cursor = {reply(PAGE, '--replay', ARCHIVE)['pages'][0]['cursor']} alone" in shown


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--cursor", "00112233445566778899.5.0011223344556677"], "expired: "),
        (["--cursor", "nonsense"], "not one that was given out"),
        (["--cursor", "00112233445566778899.5.0011223344556677", "--query", "x", PAGE], "leave out urls, query"),
        ([], "give urls, or a cursor"),
    ],
)
def test_a_cursor_that_cannot_be_read_on_says_what_to_do(words: list[str], complaint: str) -> None:
    done = cribble("read_url", *words)
    assert done.returncode == 2
    assert complaint in done.stderr.decode()
    assert done.stdout == b""


def test_what_was_cleared_has_expired() -> None:
    asked = reply(PAGE, "--replay", ARCHIVE)["pages"][0]["cursor"]
    assert b"1 results" in cribble("cache", "stats").stdout
    assert cribble("cache", "clear").returncode == 0
    assert b"expired: " in cribble("read_url", "--cursor", asked).stderr


def test_where_nothing_can_be_kept_the_command_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = cribble("read_url", PAGE, "--max-tokens", "200", "--replay", ARCHIVE, XDG_CACHE_HOME=str(tmp_path / "file"))
    assert done.returncode == 0
    assert b"cannot be read on" in done.stderr


def test_results_are_kept_for_a_day_and_the_oldest_make_room() -> None:
    store, body = Store(None), bytes(range(256)) * 40
    now = 1000.0
    for number in range(4):
        store.transact(lambda sql, number=number: put(sql, f"r{number}", pack(body), now + number, quota=3 * len(pack(body))))
    assert store.transact(lambda sql: find(sql, "r0", now + 4)) is None
    assert store.transact(lambda sql: find(sql, "r3", now + 4)) == body
    assert store.transact(held).results == 3
    assert store.transact(lambda sql: find(sql, "r3", now + 3 + KEEP_SECS)) is None


async def call(tool: Tool, arguments: dict[str, Any], **flags: Any) -> Any:
    return await tool.call(arguments, config=configured(flags))


@pytest.mark.anyio
async def test_a_recorded_call_is_read_on_from_its_archive_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """First what the reply was cut from is put into the archive; then, on another machine, nothing else is there."""
    tool, archive = tool_of(loaded("read_url")), str(tmp_path / "run.warc.gz")
    first = await call(tool, {"urls": [PAGE], "max_tokens": 200}, replay=ARCHIVE)
    asked = {"cursor": first.structured["pages"][0]["cursor"], "max_tokens": 300}
    recorded = await call(tool, asked, record=archive)
    assert recorded.structured["pages"][0]["text"]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "elsewhere"))
    assert await call(tool, asked, replay=archive) == recorded
    assert (await call(tool, asked)).text == results.EXPIRED


@pytest.mark.anyio
async def test_a_recorded_run_holds_what_its_reply_was_cut_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = cursor.sealed(RUN, "read_url", msgspec.json.encode(read_url.Held(page=_page(), query="", pieces=())))
    archive = str(tmp_path / "run.warc.gz")
    run = msgspec.structs.replace(RUN, archive=archive)
    await Recorder.start(NoDoor(), archive, run).aclose()
    assert await results.keep(run, configured({}), (kept,))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "elsewhere"))
    _, found = await results.recall(configured({"replay": archive}), kept.cursor(0))
    assert found == kept


def _page() -> read_url.Read:
    return read_url.fold(story(document("A text.")), read_url.Options()).pages[0]


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_client_of_the_host_reads_on(mode: str) -> None:
    expected = (await call(tool_of(loaded("read_url")), {"urls": [PAGE]}, replay=ARCHIVE)).structured["pages"][0]["text"]
    server = build(tools().tools, Calls(Archives(configured({"replay": ARCHIVE}))))
    gate = Gate(application(server), names=("127.0.0.1",))
    with anyio.fail_after(60):
        async with (
            server.session_manager.run(),
            web(gate) as browser,
            Client(streamable_http_client(URL, http_client=browser), mode=mode) as client,
        ):
            asked: dict[str, Any] = {"urls": [PAGE]}
            text = ""
            while asked:
                page = (await client.call_tool("read_url", {**asked, "max_tokens": 300})).structured_content["pages"][0]
                text += page["text"]
                asked = {"cursor": page["cursor"]} if page["cursor"] else {}
    assert text == expected
