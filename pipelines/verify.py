"""`cribble verify [FILE...]`: whether passages stand in the bytes that were recorded, worked out again without network.

Reads what a pipe wrote, from files or standard input, or the JSON reply of `research`. The archive is the one that the run names
that wrote the passages, or --replay; what was read from files is read from them again. On a terminal it says what does not
stand and sums up; elsewhere it writes one JSON object a passage. The exit code is 0 when every passage stands as it is quoted.
"""

from __future__ import annotations

import os
from typing import Annotated

import anyio
import msgspec
from msgspec import Meta, Struct

from pipelines.arguments import understood
from pipelines.config import configured
from pipelines.folds.research import Cited, Source
from pipelines.options import options_of
from pipelines.output import safe, write
from pipelines.proof import Verdict, prove
from pipelines.reading import whole
from stages.core.errors import FOUND, NOTHING, UsageError
from stages.core.wire import Line, parse_line
from stages.records import Passage, Run

USAGE = "cribble verify [options] [FILE...]"
MAX_BYTES = 256 << 20


class _Flags(Struct, frozen=True):
    replay: Annotated[str, Meta(description="The archive that holds what the network answered.")] = ""


class _Reply(Struct):
    """As much of the reply of `research` as tells what it quotes."""

    passages: list[Cited]
    sources: list[Source]


def verify(arguments: list[str]) -> int:
    """Carry out `cribble verify …`. Returns the exit code. Raises UsageError, ArchiveError, InputError."""
    given = understood(USAGE, __doc__ or "", {"options": options_of(_Flags)}, arguments)
    if not given.words and os.isatty(0):
        raise UsageError(f"nothing to do: give what a pipe wrote, from it or as a file: {USAGE}")
    passages: list[Passage] = []
    archive = str(given.values.get("replay", ""))
    for word in given.words or ("-",):
        found, named = claims(whole(None if word == "-" else word, MAX_BYTES))
        passages += found
        archive = archive or named
    if not passages:
        raise UsageError(
            "there is no passage in it: verify reads what rank, budget or chunk wrote, or a reply of research as JSON"
        )
    verdicts = anyio.run(prove, passages, archive, configured({"quiet": True}))
    if os.isatty(1):
        write(shown(verdicts, archive).encode())
    else:
        write(b"".join(msgspec.json.encode(verdict) + b"\n" for verdict in verdicts))
    return FOUND if all(verdict.verdict == "proved" for verdict in verdicts) else NOTHING


def claims(data: bytes) -> tuple[list[Passage], str]:
    """The passages of an output, and the archive that its run names. Raises InputError for a line that is no record."""
    try:
        reply = msgspec.json.decode(data, type=_Reply)
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass  # records, then, or what their reader says better what is wrong with
    else:
        return [_passage(cited, reply.sources) for cited in reply.passages], ""
    passages: list[Passage] = []
    archive = ""
    for number, raw in enumerate(data.splitlines(), 1):
        line = parse_line(raw, number, frozenset({"passage", "run"})) if raw.strip() else Line("", b"", None)
        if isinstance(line.record, Passage):
            passages.append(line.record)
        elif isinstance(line.record, Run):
            archive = archive or line.record.archive
    return passages, archive


def _passage(cited: Cited, sources: list[Source]) -> Passage:
    source = next((source for source in sources if source.number == cited.source), None)
    if source is None:
        raise UsageError(f"the reply quotes source {cited.source}, and has no such source")
    return Passage(id=cited.id, url=cited.url, text=cited.text, start=cited.start, end=cited.end, provenance=source.provenance)


def shown(verdicts: list[Verdict], archive: str) -> str:
    """For a person: what does not stand, and how much does."""
    lines = [
        f"{verdict.verdict}: {safe(verdict.url)} {verdict.start}-{verdict.end}\n  {safe(verdict.message)}"
        for verdict in verdicts
        if verdict.verdict != "proved"
    ]
    proved = len(verdicts) - len(lines)
    where = f"the bytes of {safe(archive)}" if archive else "the files they were read from"
    return "\n".join((*lines, f"{proved} of {len(verdicts)} passages stand, word for word, in {where}", ""))


__all__ = ["claims", "shown", "verify"]
