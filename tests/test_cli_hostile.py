"""The command among careless users and hostile lines: one clear ending, nothing written where it does not belong."""

from __future__ import annotations

import gzip
import subprocess
from pathlib import Path

import pytest
from cribble_process import COMMAND, PATIENCE_SECS, cribble, environment, lasting, records

from stages.records import Run, encode
from stages.vocabulary import WIRE

RUN = encode(Run(wire=WIRE, cribble="0.0.9", id="feed", start="2026-01-02T03:04:05.678Z", seed=7)) + b"\n"
QUESTION = b'{"type":"question","text":"When was the weir at Ostrow rebuilt?"}\n'


@pytest.mark.parametrize(
    "arguments",
    [("expand", "\udcff"), ("fetch", "http://\udcff/"), ("rank", "--question", "\udcff"), ("run", "rank --question \udcff")],
)
def test_words_that_are_not_utf_8_are_an_error(arguments: tuple[str, ...]) -> None:
    done = cribble(*arguments)
    assert done.returncode == 2
    assert "is not text in UTF-8" in done.stderr.decode()


def test_a_file_name_that_is_not_utf_8_is_read(tmp_path: Path) -> None:
    (tmp_path / "\udcff.html").write_text("<!doctype html><title>Weir</title><p>The weir was rebuilt in 1931.</p>")
    done = cribble("sanitize", "\udcff.html", folder=tmp_path)
    page = next(record for record in records(done.stdout) if record["type"] == "page")
    assert (done.returncode, page["url"], page["asked"]) == (0, "file:%FF.html", "\N{REPLACEMENT CHARACTER}.html")


def test_a_byte_order_mark_before_a_line_says_nothing() -> None:
    plain, marked = (
        cribble("expand", given=mark + RUN + mark + QUESTION + mark + b"where\r\n") for mark in (b"", b"\xef\xbb\xbf")
    )
    assert plain.returncode == 0
    assert lasting(plain.stdout) == lasting(marked.stdout)


@pytest.mark.parametrize(
    "arguments", [("config", "proxy"), ("help", "fetch", "rank"), ("help", "--json", "x"), ("--version", "x")]
)
def test_words_that_say_nothing_are_an_error(arguments: tuple[str, ...]) -> None:
    done = cribble(*arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert "says nothing here" in done.stderr.decode()


def test_a_tee_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "01-expand.ndjson").mkdir()
    done = cribble("expand", "why", "--tee", str(tmp_path))
    assert done.returncode == 2
    assert "01-expand.ndjson: Is a directory" in done.stderr.decode()


@pytest.mark.parametrize(
    ("closed", "code", "says"),
    [("<&-", 2, b"standard input: Bad file"), (">&-", 2, b"standard output: Bad file"), ("2>&-", 0, b"")],
)
def test_a_closed_standard_stream_is_not_mistaken_for_another_file(tmp_path: Path, closed: str, code: int, says: bytes) -> None:
    words = "" if closed == "<&-" else "http://127.0.0.1/"
    shell = f'"$@" fetch {words} --record run.warc.gz {closed}; echo $? >code'
    done = subprocess.run(
        ["sh", "-c", shell, "sh", *COMMAND],
        capture_output=True,
        cwd=tmp_path,
        env=environment(),
        timeout=PATIENCE_SECS,
        check=False,
    )
    assert says in done.stderr
    assert int((tmp_path / "code").read_text()) == (code or 69)
    assert b"tally" not in gzip.decompress((tmp_path / "run.warc.gz").read_bytes())


def test_a_private_searxng_that_only_a_run_line_names_is_not_asked() -> None:
    run = Run(
        wire=WIRE,
        cribble="x",
        id="i",
        start="2026-01-02T03:04:05.678Z",
        searxng_url="http://127.0.0.1:8080",
        engines=("searxng",),
    )
    done = cribble("search", given=encode(run) + b'\n{"type":"query","text":"why"}\n')
    attempts = [record for record in records(done.stdout) if record["type"] == "attempt"]
    assert [(attempt["who"], attempt["outcome"]) for attempt in attempts] == [("searxng", "refused")]


@pytest.mark.parametrize("arguments", [("call", "research"), ("verify",), ("read-url",)])
def test_a_closed_standard_input_is_an_error_where_it_would_be_read_whole(arguments: tuple[str, ...]) -> None:
    line = ["sh", "-c", 'exec "$@" <&-', "sh", *COMMAND, *arguments]
    done = subprocess.run(line, capture_output=True, env=environment(), timeout=PATIENCE_SECS, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.endswith(b": standard input: Bad file descriptor\n")


def test_a_question_from_standard_input_is_text_and_bounded() -> None:
    binary, endless = (cribble("call", "research", given=given) for given in (b"what\xff", b"x" * (1 << 20) + b"x"))
    assert (binary.returncode, endless.returncode) == (2, 2)
    assert binary.stderr == b"cribble call: standard input: not text in UTF-8\n"
    assert endless.stderr == b"cribble call: standard input: larger than 1 MB\n"


def test_an_audit_of_nothing_but_refused_addresses_ends_as_refused() -> None:
    done = cribble("audit", "http://127.0.0.1:9/")
    assert (done.returncode, done.stdout) == (69, b"")
    assert len(done.stderr.splitlines()) == 1
