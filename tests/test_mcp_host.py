"""The host answers alike in both protocol eras and on every transport, and lets nothing out."""

from __future__ import annotations

import re
import warnings
from typing import Any

import anyio
import jsonschema
import pytest
from host_tools import MODES, PRIVATE, RUNNING, TOOLS, WAYS, Fake, calls, in_process, over_http
from mcp import Client
from mcp.shared.exceptions import MCPError

from mcp_host import calls as limits
from mcp_host.progress import EVERY_SECS, Progress
from mcp_host.server import build
from pipelines.tool import ToolReply

every_way = pytest.mark.parametrize("way", WAYS)
both_eras = pytest.mark.parametrize("mode", MODES)
pytestmark = pytest.mark.anyio
PATIENCE_SECS = 60


async def until(condition: Any) -> None:
    while not condition():
        await anyio.sleep(0.01)


@every_way
@both_eras
async def test_every_tool_is_listed_with_its_schemas_and_hints(way: str, mode: str) -> None:
    with anyio.fail_after(PATIENCE_SECS):
        async with WAYS[way](mode) as client:
            listed = (await client.list_tools()).tools
    assert [tool.name for tool in listed] == [tool.name for tool in TOOLS]
    for told, tool in zip(listed, TOOLS, strict=True):
        assert (told.title, told.description) == (tool.title, tool.description)
        assert (told.input_schema, told.output_schema) == (tool.input_schema, tool.output_schema)
        assert told.annotations is not None
        assert (told.annotations.read_only_hint, told.annotations.open_world_hint) == (True, True)


@every_way
@both_eras
async def test_a_reply_is_structured_and_text_and_keeps_to_its_schema(way: str, mode: str) -> None:
    with anyio.fail_after(PATIENCE_SECS):
        async with WAYS[way](mode) as client:
            listed = (await client.list_tools()).tools
            reply = await client.call_tool("echo", {"text": "Füße \u2028 日本"})
    assert reply.structured_content == {"said": "Füße \u2028 日本"}
    assert reply.content[0].text == "Füße \u2028 日本"
    assert not reply.is_error
    jsonschema.validate(reply.structured_content, listed[0].output_schema)


@every_way
@both_eras
async def test_wrong_arguments_are_a_tool_error_that_says_what_to_do(way: str, mode: str) -> None:
    with anyio.fail_after(PATIENCE_SECS):
        async with WAYS[way](mode) as client:
            reply = await client.call_tool("echo", {"txet": "x"})
            assert reply.is_error
            assert "txet" in reply.content[0].text
            assert reply.structured_content is None
            assert (await client.call_tool("echo", {})).structured_content == {"said": ""}


@every_way
@both_eras
async def test_a_tool_that_is_not_there_is_a_protocol_error_that_names_those_that_are(way: str, mode: str) -> None:
    with anyio.fail_after(PATIENCE_SECS):
        async with WAYS[way](mode) as client:
            with pytest.raises(MCPError, match="echo, slow"):
                await client.call_tool("ehco", {})


@both_eras
@pytest.mark.parametrize("text", ["bug", "usage"])
async def test_no_text_of_an_exception_reaches_the_client(mode: str, text: str, capfd: pytest.CaptureFixture[str]) -> None:
    for way in (in_process, over_http):
        with anyio.fail_after(PATIENCE_SECS):
            async with way(mode) as client:
                reply = await client.call_tool("broken", {"text": text})
        assert reply.is_error
        assert PRIVATE not in reply.content[0].text
        number = re.search(r"incident ([0-9a-f]{8})", reply.content[0].text)
        assert number
        said = capfd.readouterr().err
        assert f"incident {number[1]} in broken" in said
        assert PRIVATE in said
        assert ("Traceback" in said) is (text == "bug")


@every_way
@both_eras
async def test_progress_says_what_is_happening_and_only_grows(way: str, mode: str) -> None:
    told: list[tuple[float, str | None]] = []

    async def note(progress: float, _total: float | None, message: str | None) -> None:
        told.append((progress, message))

    with anyio.fail_after(PATIENCE_SECS):
        async with WAYS[way](mode) as client:
            assert not (await client.call_tool("busy", {}, progress_callback=note)).is_error
            await until(lambda: len(told) == 3)
    assert told == [(1, "fetch: page 1 of 8"), (2, "fetch: page 2 of 8"), (3, "fetch: page 3 of 8")]


@pytest.mark.parametrize("way", ["in process", "HTTP"])
@both_eras
async def test_a_cancelled_call_stops_at_once_and_leaves_nothing(way: str, mode: str) -> None:
    with anyio.fail_after(PATIENCE_SECS):
        async with WAYS[way](mode) as client:
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "slow", {"text": "one"})
                await until(lambda: RUNNING == ["one"])
                group.cancel_scope.cancel()
            if way == "HTTP" and mode == "auto":
                # Closing the response is the cancellation; ASGITransport runs the application inside the request.
                pass
            await until(lambda: not RUNNING)
            assert (await client.call_tool("echo", {"text": "still here"})).structured_content == {"said": "still here"}


@pytest.mark.parametrize("way", ["in process", "HTTP"])
@both_eras
async def test_a_client_that_leaves_takes_its_calls_with_it(way: str, mode: str) -> None:
    with anyio.fail_after(PATIENCE_SECS):
        async with WAYS[way](mode) as client, anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "slow", {"text": "two"})
            await until(lambda: RUNNING == ["two"])
            group.cancel_scope.cancel()
    assert RUNNING == []


@every_way
@both_eras
async def test_a_reply_that_is_too_large_says_so_instead(way: str, mode: str) -> None:
    with anyio.fail_after(PATIENCE_SECS):
        async with WAYS[way](mode) as client:
            reply = await client.call_tool("large", {})
            assert reply.is_error
            assert "fewer" in reply.content[0].text
            assert (await client.call_tool("large", {"text": "half"})).is_error
            assert not (await client.call_tool("echo", {})).is_error


@both_eras
async def test_a_call_that_never_ends_is_stopped(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LONGEST_SECS", 0.05)
    with anyio.fail_after(PATIENCE_SECS):
        async with in_process(mode) as client:
            reply = await client.call_tool("slow", {"text": "three"})
    assert reply.is_error
    assert "stopped" in reply.content[0].text
    assert RUNNING == []


@both_eras
async def test_thirty_two_clients_at_once_all_get_their_own_answer(mode: str) -> None:
    answers: dict[int, Any] = {}
    server = build(TOOLS, calls())

    async def ask(number: int) -> None:
        async with Client(server, mode=mode) as client:
            answers[number] = (await client.call_tool("echo", {"text": str(number)})).structured_content

    with anyio.fail_after(PATIENCE_SECS):
        async with anyio.create_task_group() as group:
            for number in range(32):
                group.start_soon(ask, number)
    assert answers == {number: {"said": str(number)} for number in range(32)}


class Gauge(Fake, frozen=True, kw_only=True):
    """Counts how many calls run together."""

    seen: list[int]
    now: list[int]
    go: anyio.Event

    async def call(self, arguments: Any, *, config: Any, progress: Any = None) -> ToolReply:
        self.now.append(1)
        self.seen.append(len(self.now))
        await self.go.wait()
        self.now.pop()
        return ToolReply(structured={"said": ""}, text="")


async def test_only_so_many_calls_run_and_wait() -> None:
    tool = Gauge(**{name: getattr(TOOLS[0], name) for name in Fake.__struct_fields__}, seen=[], now=[], go=anyio.Event())
    replies: list[bool] = []
    host = calls()
    many = limits.AT_ONCE + limits.WAITING + 5

    async def ask() -> None:
        replies.append((await host.call(tool, {}, lambda *_: None)).is_error)

    with anyio.fail_after(PATIENCE_SECS):
        async with anyio.create_task_group() as group:
            for _ in range(many):
                group.start_soon(ask)
            await until(lambda: len(replies) == 5)
            assert host.under_way == many - 5
            tool.go.set()
        await host.finished()
    assert replies.count(True) == 5
    assert max(tool.seen) == limits.AT_ONCE


async def test_each_call_is_recorded_by_itself_and_replayed_from_its_own(tmp_path: Any) -> None:
    with anyio.fail_after(PATIENCE_SECS):
        async with in_process("auto", record=str(tmp_path / "calls")) as client:
            paths = [(await client.call_tool("archive", {"text": text})).content[0].text for text in ("a", "b", "a")]
        assert len(set(paths)) == 3
        assert paths[2] == paths[0].replace(".warc.gz", "-2.warc.gz")
        async with in_process("auto", replay=str(tmp_path / "calls")) as client:
            assert (await client.call_tool("archive", {"text": "b"})).content[0].text == paths[1]
            missing = await client.call_tool("archive", {"text": "c"})
            assert missing.is_error
            assert "not recorded" in missing.content[0].text
        async with in_process("auto", replay=paths[0]) as client:
            assert (await client.call_tool("archive", {"text": "c"})).content[0].text == paths[0]


def test_nothing_is_deprecated() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        build(TOOLS, calls())


async def test_progress_leaves_out_what_is_no_news_and_what_the_client_has_not_kept_up_with() -> None:
    told: list[tuple[float, str | None]] = []

    async def report(progress: float, _total: float | None, message: str | None) -> None:
        told.append((progress, message))

    progress = Progress(report)
    with anyio.fail_after(PATIENCE_SECS):
        async with anyio.create_task_group() as group:
            group.start_soon(progress.pump)
            progress("search", 4, 0)
            await anyio.wait_all_tasks_blocked()
            assert told == []
            for done in range(1, 5):
                progress("search", 4, done)
            await until(lambda: told)
            progress("search", 4, 4)
            progress("fetch", 3, 0)
            await anyio.sleep(2 * EVERY_SECS)
            progress("other_stage", 2, 1)
            await until(lambda: len(told) == 2)
            group.cancel_scope.cancel()
    assert told == [(4, "search: query 4 of 4"), (5, "other_stage: record 1 of 2")]
