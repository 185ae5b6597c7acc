"""Starts the lab (`../shared/lab`, a web in a box) for the scripts beside this file, and points cribble at it.

The variable SHARED names another place for `../shared`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

ROOT = Path(__file__).parents[1]
SHARED = Path(os.environ.get("SHARED", ROOT.parent / "shared"))
QUESTIONS = SHARED / "bench" / "questions" / "dev.jsonl"
DEAD = "http://127.0.0.1:9"
CORPUS = SHARED / "bench" / "wcxb" / "dev"


class Lab:
    """A running lab: its proxy, its certificate authority, its log."""

    def __init__(self, proxy: str, authority: str, log: Path) -> None:
        self.proxy = proxy
        self.authority = authority
        self.log = log

    def environment(self, **more: str) -> dict[str, str]:
        """The environment that sends cribble there, and lets nothing else in. Nothing is remembered from run to run."""
        own = {name: value for name, value in os.environ.items() if not name.startswith("CRIBBLE_")}
        return own | {
            "CRIBBLE_PROXY": self.proxy,
            "CRIBBLE_CA_BUNDLE": self.authority,
            "CRIBBLE_RESOLVER": f"{self.proxy}/dns",
            "CRIBBLE_SEARXNG_URL": "http://searxng.lab",
            "CRIBBLE_CACHE": "false",
            "XDG_CACHE_HOME": str(self.log.parent / "cache"),
            **more,
        }

    def control(self, path: str) -> dict[str, object]:
        """Ask the lab's control host."""
        with build_opener(ProxyHandler({})).open(f"{self.proxy}/{path}") as answer:
            found: dict[str, object] = json.load(answer)
            return found

    def requests(self) -> list[dict[str, object]]:
        """What was asked since it started, from its log."""
        return [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines()]


@contextmanager
def lab(*options: str, corpus: Path = CORPUS) -> Iterator[Lab]:
    """The lab with these options, ended on leaving."""
    with tempfile.TemporaryDirectory(prefix="cribble-bench-") as scratch:
        folder = Path(scratch)
        command = [sys.executable, str(SHARED / "lab" / "lab.py"), "--corpus", str(corpus), "--port", "0"]
        command += ["--log", str(folder / "log.ndjson"), "--ca-dir", str(folder / "ca"), *options]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, cwd=SHARED / "lab", env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
        ) as process:
            assert process.stdout is not None
            ready = json.loads(process.stdout.readline())
            try:
                yield Lab(ready["proxy"], ready["ca"], folder / "log.ndjson")
            finally:
                process.terminate()


def offline(**more: str) -> dict[str, str]:
    """The environment of a run that reaches nothing: its proxy is a port where nobody listens."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("CRIBBLE_")}
    return own | {"CRIBBLE_PROXY": DEAD, **more}


def cribble() -> str:
    """The command beside this interpreter."""
    return str(Path(sys.executable).with_name("cribble"))


def questions(limit: int = 0) -> list[dict[str, object]]:
    """The development questions."""
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    return rows[: limit or None]
