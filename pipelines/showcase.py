"""`cribble demo`: the recorded run that ships with cribble, replayed without network."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from pipelines.arguments import understood
from pipelines.options import options_of
from pipelines.session import session
from pipelines.steps import parse_steps
from stages.core.errors import UsageError


class Demo(Struct, frozen=True):
    """demo.toml: what was asked, and the stages that answered."""

    question: str
    stages: str


class _Flags(Struct, frozen=True):
    tee: Annotated[str, Meta(description="Also write what each stage puts out to files in this directory.")] = ""
    quiet: Annotated[bool, Meta(description="No progress on stderr.")] = False


def demo(arguments: list[str]) -> int:
    """Replay it: a reader's view on a terminal, NDJSON in a pipe. Returns the exit code."""
    about = "A recorded run, replayed without network."
    given = understood("cribble demo [options]", about, {"options": options_of(_Flags)}, arguments)
    if given.words:
        raise UsageError(f"{given.words[0]!r}: the demo has its own question")
    with as_file(files("pipelines") / "recorded") as folder:
        told = msgspec.toml.decode((Path(folder) / "demo.toml").read_bytes(), type=Demo)
        flags = {**given.values, "replay": str(Path(folder) / "demo.warc.gz")}
        return session(parse_steps(told.stages), (told.question,), flags)
