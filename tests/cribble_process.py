"""Runs the command as a process, as a shell would."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec

ROOT = Path(__file__).resolve().parent.parent
COMMAND = [sys.executable, "-c", "from pipelines.start import main; main()"]
PATIENCE_SECS = 180


def environment(**more: str) -> dict[str, str]:
    """The test's own, with the project importable from anywhere."""
    return {**os.environ, "PYTHONPATH": str(ROOT), **more}


def cribble(
    *arguments: str, given: bytes | str = b"", folder: Path | None = None, **more: str
) -> subprocess.CompletedProcess[bytes]:
    """Run to the end; `given` is standard input, `more` goes into the environment."""
    return subprocess.run(
        [*COMMAND, *arguments],
        input=given.encode() if isinstance(given, str) else given,
        capture_output=True,
        timeout=PATIENCE_SECS,
        check=False,
        cwd=folder,
        env=environment(**more),
    )


def records(output: bytes) -> list[dict[str, Any]]:
    return [msgspec.json.decode(line) for line in output.splitlines()]


def kinds(output: bytes) -> list[str]:
    return [record["type"] for record in records(output)]


def lasting(output: bytes) -> list[dict[str, Any]]:
    """What must be equal between two runs: all but the Run line and milliseconds."""
    kept = [record for record in records(output) if record["type"] != "run"]
    return [{key: value for key, value in record.items() if key != "milliseconds"} for record in kept]


def on_terminal(*arguments: str, given: bytes | None = None, **more: str) -> tuple[int, str, bytes]:
    """Run with standard output, and without `given` standard input too, on a terminal. Exit code, what it showed, stderr."""
    mine, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=theirs if given is None else subprocess.PIPE,
        stdout=theirs,
        stderr=subprocess.PIPE,
        env=environment(**more),
    )
    os.close(theirs)
    if process.stdin is not None:
        process.stdin.write(given or b"")
        process.stdin.close()
    shown = b"".join(iter(lambda: _terminal(mine), b""))
    os.close(mine)
    assert process.stderr
    with process.stderr:
        complaint = process.stderr.read()
    return process.wait(PATIENCE_SECS), shown.decode().replace("\r\n", "\n"), complaint


def _terminal(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # Linux says EIO when the last writer has gone
        return b""
