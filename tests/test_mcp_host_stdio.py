"""The host as a client starts it: over pipes, from any folder, without PATH, and gone when it is left."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cribble_process import environment
from host_tools import ROOT

from mcp_host.inbound import MAX_BYTES
from stages.core.errors import USAGE

PATIENCE_SECS = 60
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class Pipes:
    """A server process and its three streams."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self.stdin, self.stdout, self.stderr = process.stdin, process.stdout, process.stderr

    def send(self, message: Any) -> None:
        self.stdin.write((message if isinstance(message, bytes) else msgspec.json.encode(message)) + b"\n")
        self.stdin.flush()

    def receive(self) -> dict[str, Any]:
        return msgspec.json.decode(self.stdout.readline())

    def ask(self, number: int, name: str, text: str = "") -> None:
        params = {"name": name, "arguments": {"text": text}}
        self.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})

    def end(self) -> tuple[int, bytes, bytes]:
        """Leave it as clients do. Its exit code, and what else it wrote."""
        out, err = self.process.communicate(timeout=PATIENCE_SECS)
        return self.process.returncode, out, err


@contextmanager
def started(*arguments: str, folder: Path | str = "/", stdin: Any = subprocess.PIPE) -> Iterator[Pipes]:
    command = [sys.executable, "-c", "from host_tools import main; main()", "mcp", *arguments]
    variables = {**environment(), "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}", "PATH": ""}
    process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, env=variables)
    try:
        if stdin == subprocess.PIPE:
            pipes = Pipes(process)
            pipes.send(INITIALIZE)
            assert pipes.receive()["result"]["serverInfo"]["name"] == "cribble"
            pipes.send(READY)
            yield pipes
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None and not stream.closed:
                with suppress(BrokenPipeError):
                    stream.close()


def children(process: int) -> list[str]:
    return Path(f"/proc/{process}/task/{process}/children").read_text().split()


def test_nothing_but_protocol_reaches_standard_output(tmp_path: Path) -> None:
    (tmp_path / "msgspec.py").write_text("raise SystemExit('a file of the working directory was imported')")
    with started(folder="/") as pipes:
        pipes.ask(2, "loud")
        assert pipes.receive()["result"]["structuredContent"] == {"said": "quiet"}
        code, out, err = pipes.end()
    assert (code, out) == (0, b"")
    assert err.count(b"noise\n") == 3
    assert b"left in the buffer\n" in err


def test_what_is_wrong_with_the_tools_is_one_line_each_on_stderr() -> None:
    with started() as pipes:
        _, out, err = pipes.end()
    assert out == b""
    assert b"cribble mcp: left_out.toml: no such stage or other\n" in err


def test_what_cannot_be_taken_is_answered_and_the_next_message_still_is() -> None:
    deep = b'{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":' + b"[" * 5000 + b"]" * 5000 + b"}"
    long = b'{"jsonrpc":"2.0","id":9,"method":"' + b"x" * (3 * MAX_BYTES) + b'"}'
    with started() as pipes:
        answers = []
        for message in (deep, long, b"not json", b"\xff", b'{"jsonrpc":"2.0","id":4}'):
            pipes.send(message)
            answers.append(pipes.receive())
        pipes.send(b"   \r")
        pipes.ask(5, "echo", "still\there\u2028")
        assert pipes.receive()["result"]["structuredContent"] == {"said": "still\there\u2028"}
    assert [answer["id"] for answer in answers] == ["deep", None, None, None, 4]
    assert all(set(answer["error"]) <= {"code", "message", "data"} for answer in answers)
    assert "64 levels" in answers[0]["error"]["message"]
    assert "1 MiB" in answers[1]["error"]["message"]


def test_a_cancelled_call_is_stopped_and_not_answered(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    with started() as pipes:
        pipes.ask(2, "slow", str(trace))
        pipes.ask(3, "echo", "meanwhile")
        assert pipes.receive()["id"] == 3
        pipes.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}})
        pipes.ask(4, "echo", "after")
        assert pipes.receive()["id"] == 4
        assert trace.read_text() == "cancelled"


@pytest.mark.parametrize("how", ["closed", signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_host_that_is_left_stops_its_calls_and_ends(how: Any, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    with started() as pipes:
        pipes.ask(2, "slow", str(trace))
        pipes.ask(3, "echo")
        assert pipes.receive()["id"] == 3
        began = time.monotonic()
        if how != "closed":
            pipes.process.send_signal(how)
            assert pipes.process.wait(PATIENCE_SECS) == 0
        code, _, err = pipes.end()
        assert time.monotonic() - began < 5
    assert code == 0
    assert trace.read_text() == "cancelled"
    assert b"Traceback" not in err


@pytest.mark.parametrize("how", ["closed", signal.SIGTERM])
def test_a_thread_that_waits_for_a_name_server_does_not_hold_it_up(how: Any) -> None:
    with started() as pipes:
        pipes.ask(2, "stuck")
        pipes.ask(3, "echo")
        assert pipes.receive()["id"] == 3
        began = time.monotonic()
        if how != "closed":
            pipes.process.send_signal(how)
        assert pipes.end()[0] == 0
        assert time.monotonic() - began < 10


def test_a_client_that_has_closed_our_stderr_is_answered() -> None:
    with started() as pipes:
        pipes.stderr.close()
        pipes.ask(2, "broken")
        assert "incident" in pipes.receive()["result"]["content"][0]["text"]
        pipes.ask(3, "echo", "on")
        assert pipes.receive()["result"]["structuredContent"] == {"said": "on"}
        pipes.stdin.close()
        assert pipes.process.wait(PATIENCE_SECS) == 0


@pytest.mark.parametrize("stream", ["0<&-", "1>&-"])
def test_where_no_client_can_be_it_says_so(stream: str) -> None:
    command = f'exec "$0" -c "from pipelines.start import main; main()" mcp {stream}'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable], capture_output=True, timeout=PATIENCE_SECS, check=False, env=environment()
    )
    assert done.returncode == USAGE
    assert b"no client is there" in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_a_client_that_reads_no_more_ends_the_host(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    with started() as pipes:
        pipes.ask(2, "slow", str(trace))
        pipes.stdout.close()
        pipes.ask(3, "echo", "x" * 100_000)
        assert pipes.process.wait(PATIENCE_SECS) == 0
    assert trace.read_text() == "cancelled"


def test_a_client_that_reads_slowly_gets_all_of_it() -> None:
    with started() as pipes:
        for number in range(2, 34):
            pipes.ask(number, "echo", str(number) * 20_000)
        time.sleep(0.3)  # the pipe is full by now
        answers = {answer["id"]: answer for answer in (pipes.receive() for _ in range(32))}
    assert all(answers[number]["result"]["structuredContent"]["said"] == str(number) * 20_000 for number in range(2, 34))


def test_requests_may_come_from_a_file(tmp_path: Path) -> None:
    lines = [INITIALIZE, READY, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}]
    asked = tmp_path / "requests"
    asked.write_bytes(b"\n".join(msgspec.json.encode(line) for line in lines))
    with asked.open("rb") as source:
        command = [sys.executable, "-c", "from host_tools import main; main()", "mcp"]
        variables = {**environment(), "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"}
        done = subprocess.run(command, stdin=source, capture_output=True, env=variables, timeout=PATIENCE_SECS, check=True)
    assert [msgspec.json.decode(line)["id"] for line in done.stdout.splitlines()][:1] == [1]


def test_no_process_is_left_when_a_call_that_parses_is_cancelled(tmp_path: Path) -> None:
    """The real tools, replaying the demo: workers are under way when the client leaves."""
    archive = ROOT / "pipelines/recorded/demo.warc.gz"
    command = [sys.executable, "-c", "from pipelines.cli import main; main()", "mcp", "--replay", str(archive)]
    question = "Which Tidewren release made storm-surge sampling automatic, and how often does the gauge measure then?"
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/", env={**environment(), "PATH": ""}
    )
    try:
        pipes = Pipes(process)
        pipes.send(INITIALIZE)
        pipes.receive()
        pipes.send(READY)
        params = {"name": "research", "arguments": {"query": question}, "_meta": {"progressToken": "p"}}
        pipes.send({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})
        assert pipes.receive()["method"] == "notifications/progress"
        limit = time.monotonic() + PATIENCE_SECS
        while not (workers := children(process.pid)) and time.monotonic() < limit:
            time.sleep(0.01)
        assert workers
        pipes.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}})
        while children(process.pid) and time.monotonic() < limit:
            time.sleep(0.01)
        assert not any(Path(f"/proc/{worker}").exists() for worker in workers)
        assert pipes.end()[0] == 0
    finally:
        process.kill()
        process.communicate()
