"""The command: what it takes, what it refuses, and how it ends."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
import pytest
from cribble_process import COMMAND, PATIENCE_SECS, cribble, environment, kinds, lasting, records

from pipelines.options import options_of
from stages import STAGES, load
from stages.records import Run, encode
from stages.vocabulary import VERSION, WIRE

RUN = encode(Run(wire=WIRE, cribble="0.0.9", id="feed", start="2026-01-02T03:04:05.678Z", seed=7)) + b"\n"
QUESTION = b'{"type":"question","text":"When was the weir at Ostrow rebuilt?"}\n'
PASSAGE = b'{"type":"passage","id":"p1","url":"https://a.test/","text":"The weir was rebuilt in 1931.","start":0,"end":29}\n'
PAGE = "<!doctype html><html><head><title>The weir</title></head><body><article><h1>The weir</h1>" + "".join(
    f"<p>The weir at Ostrow was rebuilt in {year} after the flood had taken the old sluice away, and it held.</p>"
    for year in range(1931, 1939)
)


def complaint(done: subprocess.CompletedProcess[bytes]) -> str:
    """The one line on stderr."""
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 1, lines
    return lines[0]


def test_version_is_the_package_s() -> None:
    assert cribble("--version").stdout.decode() == f"cribble {VERSION}\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["rank", "--keeep", "3"], "unknown option --keeep; did you mean --keep?"),
        (["rank", "--kee", "3"], "unknown option --kee; did you mean --keep?"),
        (["rank", "--keep", "0"], "--keep: '0' is not a whole number, 1 to 200"),
        (["rank", "--keep", "many"], "--keep: 'many' is not a whole number, 1 to 200"),
        (["rank", "--deadline-secs", "nan"], "--deadline-secs: 'nan' is not a number, 0 to 86400"),
        (["rank", "--keep"], "--keep: expected one argument"),
        (["--keep", "3", "rank"], "unknown option --keep; cribble help says what there is"),
        (["rnak"], "no command rnak, and no cribble-rnak on PATH; did you mean rank?"),
        (["run"], "say which stages"),
        (["run", "expand | rnak", "x"], "no stage rnak; did you mean rank?"),
        (["run", "expand || rank", "x"], "a stage is missing"),
        (["run", "expand | rank --kep 3", "x"], "rank: unknown option --kep; did you mean --keep?"),
        (["run", "expand | rank stray", "x"], "rank: 'stray' is no option"),
        (["run", "expand 'open", "x"], "no closing quotation"),
        (["rank", "--record", "a", "--replay", "b"], "--record and --replay: a run is recorded or replayed, not both"),
        (["rank", "no-such-file.html"], "no-such-file.html: No such file or directory"),
        (["rank", ""], "a file's name is empty"),
        (["dedupe", "words"], "dedupe takes no words and no files"),
        (["fetch", "two words"], "holds a space"),
        (["fetch", f"{'x' * 300} y"], "holds a space"),
    ],
)
def test_a_mistake_is_one_line_that_says_what_would_help(arguments: list[str], says: str) -> None:
    done = cribble(*arguments)
    assert done.returncode == 2
    assert says in complaint(done)


def test_no_command_shows_what_there_is_and_fails() -> None:
    done = cribble()
    assert done.returncode == 2
    assert all(name in done.stdout.decode() for name in STAGES)
    listed = re.findall(
        r"^  ([a-z_-]+ +)\S", done.stdout.decode().partition("Tools,")[2].partition("Exit codes")[0], re.MULTILINE
    )
    assert len({len(name) for name in listed}) == 1  # one column


@pytest.mark.parametrize("name", STAGES)
def test_help_of_a_stage_shows_every_option_with_its_default(name: str) -> None:
    done = cribble("help", name)
    text = " ".join(done.stdout.decode().split())
    assert done.returncode == 0
    for option in options_of(load(name).options):
        assert option.flag in text
        assert " ".join(option.help.split()) in text.replace("- ", "-") or " ".join(option.help.split()) in text


def test_help_of_a_stage_inside_of_a_run_is_help_and_no_run() -> None:
    done = cribble("run", "search --help | rank", "x")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"usage: cribble search [options]")


@pytest.mark.parametrize("arguments", [("expand",), ("expand", " "), ("fetch", ""), ("rank",)])
def test_an_empty_input_is_said_and_nothing_is_found(arguments: tuple[str, ...]) -> None:
    done = cribble(*arguments)
    assert done.returncode == 1
    assert complaint(done) == "cribble: nothing found: the input is empty"


def test_words_are_one_question_and_the_run_line_comes_first() -> None:
    done = cribble("expand", "When was", "the weir", "rebuilt?")
    first, *rest = records(done.stdout)
    assert done.returncode == 0
    assert first["type"] == "run"
    assert first["cribble"] == VERSION
    assert rest[0] == {"type": "question", "text": "When was the weir rebuilt?"}
    assert "query" in kinds(done.stdout)
    assert kinds(done.stdout)[-1] == "tally"
    assert done.stderr == b""


def test_words_after_two_dashes_are_no_options() -> None:
    assert records(cribble("expand", "--", "--keep").stdout)[1]["text"] == "--keep"


def test_a_run_line_from_upstream_is_kept_and_stays_the_only_one() -> None:
    done = cribble("expand", given=RUN + QUESTION + RUN + QUESTION)
    assert done.stdout.startswith(RUN)
    assert kinds(done.stdout).count("run") == 1


def test_flags_override_the_run_line_from_upstream() -> None:
    before = time.time()
    run = records(cribble("expand", "--deadline-secs", "50", "--seed", "3", given=RUN + QUESTION).stdout)[0]
    assert run["seed"] == 3
    assert run["id"] == "feed"
    assert before + 49 < run["deadline"] < time.time() + 51


def test_a_run_line_of_a_newer_wire_is_refused() -> None:
    done = cribble("expand", given=RUN.replace(b'"wire":1', b'"wire":2'))
    assert done.returncode == 2
    assert "newer cribble" in complaint(done)


def test_a_line_of_text_is_a_question_to_expand() -> None:
    done = cribble("expand", given="When was the weir rebuilt?\n\n  and by whom?  \n")
    assert [record["text"] for record in records(done.stdout) if record["type"] == "question"] == [
        "When was the weir rebuilt?",
        "and by whom?",
    ]


def test_a_line_of_text_is_refused_with_what_would_help_where_records_are_read() -> None:
    done = cribble("rank", given=QUESTION + b"\nplain text\n")
    assert done.returncode == 2
    assert "line 3: not a record" in complaint(done)
    assert "--question" in complaint(done)
    assert "question" in kinds(done.stdout)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b'{"type":"passage","id":3}', "line 3: not a passage"),
        (b'{"no":"type"}', 'line 3: no "type"'),
        (b'{"type":', "line 3: not JSON"),
        (b"\xff\xfe", "line 3: neither a record nor text"),
    ],
)
def test_a_malformed_line_ends_the_input_and_what_came_before_is_still_written(line: bytes, says: str) -> None:
    done = cribble("rank", given=QUESTION + PASSAGE + line + b"\n" + PASSAGE.replace(b"p1", b"p2"))
    assert done.returncode == 2
    assert says in complaint(done)
    assert [record["id"] for record in records(done.stdout) if record["type"] == "passage"] == ["p1"]
    assert kinds(done.stdout)[-1] == "tally"


def test_records_that_nobody_reads_pass_byte_for_byte() -> None:
    foreign = b'{ "type" : "elsewhere", "x": [1.50, "\\u00e9"] }\n{"type":"link","url":"u","later_field":1}\n'
    assert foreign in cribble("rank", given=RUN + foreign).stdout


def test_an_empty_input_finds_nothing() -> None:
    done = cribble("rank", given=b"")
    assert done.returncode == 1
    assert kinds(done.stdout) == ["run", "tally"]


def test_a_closed_standard_input_is_no_crash() -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *COMMAND, "rank"],
        capture_output=True,
        env=environment(),
        timeout=PATIENCE_SECS,
        check=False,
    )
    assert done.returncode == 2
    assert "standard input" in complaint(done)


def test_one_process_and_a_shell_pipe_give_the_same_records(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    steps = ["chunk --tokens 40", "rank --question 'rebuilt in 1935' --keep 3", "budget --tokens 120"]
    together = cribble("run", " | ".join(steps), "page.html", folder=tmp_path)
    shell = " | ".join(f'"$@" {step}{" page.html" if number == 0 else ""}' for number, step in enumerate(steps))
    apart = subprocess.run(
        ["sh", "-c", shell, "sh", *COMMAND],
        capture_output=True,
        cwd=tmp_path,
        env=environment(),
        timeout=PATIENCE_SECS,
        check=False,
    )
    assert together.returncode == 0, together.stderr
    assert "passage" in kinds(together.stdout)
    assert lasting(together.stdout) == lasting(apart.stdout)


def test_a_file_is_a_page(tmp_path: Path) -> None:
    (tmp_path / "a page.html").write_text(PAGE)
    page = next(
        record for record in records(cribble("sanitize", "a page.html", folder=tmp_path).stdout) if record["type"] == "page"
    )
    assert page["url"] == "file:a%20page.html"
    assert page["tier"] == "file"
    assert page["media_type"] == "text/html"
    assert page["sanitizer"]


def test_tee_writes_what_leaves_each_stage(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>The weir was built in 1802 and holds the mill pond.</p>")
    done = cribble("run", "extract | rank", "--tee", str(tmp_path / "tee"), str(tmp_path / "page.html"))
    files = sorted((tmp_path / "tee").iterdir())
    assert [file.name.partition("-")[2] for file in files] == [
        f"{name}.ndjson" for name in ("sanitize", "extract", "chunk", "rank")
    ]
    assert lasting(files[-1].read_bytes()) == lasting(done.stdout)


@contextmanager
def running(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    pipe = subprocess.PIPE
    with subprocess.Popen([*COMMAND, *arguments], stdin=pipe, stdout=pipe, stderr=pipe, env=environment()) as process:
        yield process
        process.kill()


def test_a_reader_that_has_gone_ends_it_quietly() -> None:
    with running("rank") as process:
        process.stdout.close()
        with suppress(BrokenPipeError):
            process.stdin.write(RUN + b'{"type":"elsewhere"}\n' * 100_000)
            process.stdin.flush()
        assert process.wait(PATIENCE_SECS) == 141
        assert process.stderr.read() == b""


def test_an_interrupt_while_it_waits_for_input_leaves_no_traceback() -> None:
    with running("rank") as process:
        process.stdin.write(RUN)
        process.stdin.flush()
        assert process.stdout.readline() == RUN  # it is running now
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_SECS) == 130
        assert process.stderr.read() == b""


_STRIKE = """
import os, signal, sys
class Strike:
    def find_spec(self, name, *rest):
        if name == {name!r} and sys.meta_path.pop(0):
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Strike())
from pipelines.start import main
main()
"""


@pytest.mark.parametrize("name", ["pipelines.cli", "argparse", "pipelines.session", "asyncio", "pipelines.feed"])
def test_an_interrupt_while_it_starts_ends_it_without_a_word(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _STRIKE.format(name=name), "expand", "x"], capture_output=True, env=environment(),
        timeout=PATIENCE_SECS, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")


_LOOP = """
import asyncio, os, signal
class Loop(asyncio.SelectorEventLoop):
    def __init__(self):
        os.kill(os.getpid(), signal.SIGINT) if {when!r} == "made" else None
        super().__init__()
    def close(self):
        os.kill(os.getpid(), signal.SIGINT) if {when!r} == "closed" else None
        super().close()
asyncio.new_event_loop = asyncio.events.new_event_loop = Loop
from pipelines.start import main
main()
"""


@pytest.mark.parametrize("when", ["made", "closed"])
def test_an_interrupt_while_the_event_loop_is_made_or_closed_prints_nothing(when: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _LOOP.format(when=when), "expand", "x"], capture_output=True, env=environment(),
        timeout=PATIENCE_SECS, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (-signal.SIGINT, b"")
    assert (kinds(done.stdout) == []) is (when == "made")


@pytest.mark.parametrize("presses", [1, 2, 20])
def test_an_interrupt_while_a_page_is_under_way_ends_it_at_once(presses: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        address = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        with running("run", "fetch --robots ignore | chunk", "http://harbour.example/", "--proxy", address) as process:
            proxy.settimeout(PATIENCE_SECS)
            connection, _ = proxy.accept()  # a proxy that never answers
            with connection:
                for _ in range(presses):
                    process.send_signal(signal.SIGINT)
                assert process.wait(PATIENCE_SECS) in ((130,) if presses == 1 else (130, -signal.SIGINT))
                assert process.stderr.read() == b""
            assert kinds(process.stdout.read()) == ["run"]


def test_an_input_that_hangs_is_cut_at_the_deadline() -> None:
    with running("rank", "--deadline-secs", "1.5", "--reserve-secs", "1") as process:
        process.stdin.write(QUESTION + PASSAGE)
        process.stdin.flush()  # and never closed
        output = process.stdout.read()
        assert process.wait(PATIENCE_SECS) == 0
    run, *rest = records(output)
    assert time.time() < run["deadline"] + 1
    assert [record["kind"] for record in rest if record["type"] == "failure"] == ["deadline"]
    assert "passage" in kinds(output)


def test_a_silent_input_is_cut_at_the_deadline() -> None:
    with running("rank", "--deadline-secs", "1", "--reserve-secs", "0.5") as process:
        assert "passage" not in kinds(process.stdout.read())
        assert process.wait(PATIENCE_SECS) == 75


def test_a_recorded_refusal_replays_the_same_in_a_shell_pipe_and_in_one_process(tmp_path: Path) -> None:
    dead = environment(CRIBBLE_PROXY="http://127.0.0.1:9", CRIBBLE_ENGINES="duckduckgo")
    shell = '"$@" expand "a weir" --record run.warc.gz | "$@" search'
    recorded = subprocess.run(
        ["sh", "-c", shell, "sh", *COMMAND], capture_output=True, cwd=tmp_path, env=dead, timeout=PATIENCE_SECS, check=False
    )
    replayed = cribble("run", "expand | search", "a weir", "--replay", "run.warc.gz", folder=tmp_path)
    assert (recorded.returncode, replayed.returncode) == (69, 69), recorded.stderr + replayed.stderr
    assert lasting(recorded.stdout) == lasting(replayed.stdout)
    assert "attempt" in kinds(replayed.stdout)


def test_a_second_archive_in_one_pipe_is_refused(tmp_path: Path) -> None:
    done = cribble(
        "rank",
        "--record",
        "other.warc.gz",
        given=encode(Run(wire=WIRE, cribble="x", id="i", start="2026-01-02T03:04:05Z", archive="one.warc.gz")),
        folder=tmp_path,
    )
    assert done.returncode == 2
    assert "already uses the archive one.warc.gz" in complaint(done)


def _broken(*arguments: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    """The command with a bug in a stage."""
    bug = "import stages.rank as r\ndef f(records, options): return {}['missing']\nimport msgspec\n"
    bug += "r.rank = msgspec.structs.replace(r.rank, call=f)\nfrom pipelines.cli import main\nmain()"
    return subprocess.run(
        [sys.executable, "-c", bug, *arguments], input=RUN + QUESTION, capture_output=True, timeout=PATIENCE_SECS, check=False,
        env=environment(**more),
    )  # fmt: skip


def test_a_bug_is_one_line_and_its_own_exit_code() -> None:
    done = _broken("rank")
    assert done.returncode == 70
    assert "a bug" in complaint(done)
    assert "KeyError: 'missing'" in complaint(done)


def test_a_bug_shows_its_traceback_when_asked() -> None:
    assert b"Traceback" in _broken("rank", CRIBBLE_TRACEBACK="1").stderr


def test_a_full_disk_is_one_line() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, "expand", "x"], stdout=full, stderr=subprocess.PIPE, env=environment(), timeout=PATIENCE_SECS, check=False
        )
    assert done.returncode == 2
    assert done.stderr.decode().count("\n") == 1
    assert "No space left" in done.stderr.decode()


def test_another_command_runs_from_path_with_its_arguments(tmp_path: Path) -> None:
    script = tmp_path / "cribble-greet"
    script.write_text('#!/bin/sh\necho "$# $1"\nexit 7\n')
    script.chmod(0o755)
    done = cribble("greet", "two words", "--x", PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert (done.returncode, done.stdout) == (7, b"2 two words\n")


def test_machine_help_names_stages_options_records_and_exit_codes() -> None:
    listing = msgspec.json.decode(cribble("help", "--json").stdout)
    assert [stage["name"] for stage in listing["stages"]] == list(STAGES)
    keep = next(
        option
        for stage in listing["stages"]
        if stage["name"] == "rank"
        for option in stage["options"]
        if option["name"] == "keep"
    )
    assert (keep["type"], keep["minimum"], keep["maximum"]) == ("whole number", 1, 200)
    assert "Passage" in listing["records"]
    assert set(listing["exit_codes"]) == {"0", "1", "2", "69", "70", "75", "130", "141"}
    assert "CRIBBLE_REPLAY" in listing["environment"]


def test_the_demo_needs_no_network_and_finds_something() -> None:
    first, second = (cribble("demo", CRIBBLE_PROXY="http://127.0.0.1:9") for _ in range(2))
    assert first.returncode == 0, first.stderr
    assert {"passage", "failure", "attempt", "drop"} <= set(kinds(first.stdout))
    assert lasting(first.stdout) == lasting(second.stdout)


@pytest.mark.parametrize(
    ("stages", "lost"), [("rank | fetch", "fetch"), ("fetch | expand", "expand"), ("search | chunk | dedupe", "chunk")]
)
def test_stages_in_an_order_that_cannot_work_are_refused_before_anything_is_asked(stages: str, lost: str) -> None:
    done = cribble("run", stages, "https://example.org/")
    assert (done.returncode, done.stdout) == (2, b"")
    assert f"{lost} reads" in complaint(done)


def test_a_file_of_addresses_given_to_fetch_is_read_line_by_line(tmp_path: Path) -> None:
    (tmp_path / "urls.txt").write_bytes(b"\xef\xbb\xbfhttp://127.0.0.1:1/a\r\n\n127.0.0.1:2/b\n")
    done = cribble("fetch", "urls.txt", "http://127.0.0.1:3/c", folder=tmp_path)
    asked = [record["subject"] for record in records(done.stdout) if record["type"] == "failure"]
    assert asked == ["http://127.0.0.1:1/a", "https://127.0.0.1:2/b", "http://127.0.0.1:3/c"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'https://a.example/\n{"type":"hit"}\n', "list: line 2: not a URL; records go to standard input: cribble fetch < list"),
        (b"https://a.example/ and more\n", "list: line 1: neither a record nor a URL"),
        (b"\xff\xfe\n", "list: not text in UTF-8"),
    ],
)
def test_a_file_that_is_no_list_of_addresses_is_told(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "list").write_bytes(content)
    done = cribble("fetch", "list", folder=tmp_path)
    assert done.returncode == 2
    assert says in complaint(done)
