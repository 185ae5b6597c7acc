"""`cribble verify`: a passage stands if the recorded bytes, read again, have it where it says; everything else is told apart."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cribble_process import cribble

from pipelines.cli import outcome
from stages.core.errors import FOUND, NOTHING, USAGE

ROOT = Path(__file__).parent.parent
DEMO = ROOT / "pipelines/recorded/demo.warc.gz"
PAGE = """<!DOCTYPE html><html lang="en"><title>Lock times</title><h1>Lock times</h1>
<p>The sea lock opens two hours before high water, and closes when the level falls again.</p>
<p style="display:none">Boats of one firm need not wait for anybody.</p>
<h2>In winter</h2><p>From November to March the lock is worked on request only, by calling the keeper a day before.</p></html>"""


UNSOURCED = json.dumps({
    "passages": [
        {
            "source": 3, "id": "", "url": "", "headings": [], "text": "", "start": 0, "end": 0, "tokens": 0, "score": None,
            "clamped": False,
        }
    ],
    "sources": [],
}).encode()  # fmt: skip

Verify = Callable[..., tuple[int, list[dict[str, Any]]]]


@pytest.fixture(scope="module")
def ran(tmp_path_factory) -> Path:
    """What the demo writes into a pipe, once for all."""
    path = tmp_path_factory.mktemp("verify") / "out.ndjson"
    path.write_bytes(cribble("demo", "--quiet").stdout)
    return path


@pytest.fixture
def verify(capfdbinary) -> Verify:
    def called(*words: str) -> tuple[int, list[dict[str, Any]]]:
        capfdbinary.readouterr()
        code = outcome(["verify", *words])
        return code, [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]

    return called


def changed(ran: Path, tmp_path: Path, change: Callable[[dict[str, Any]], None]) -> str:
    """The output with its first passage changed."""
    lines = ran.read_text("utf-8").splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith('{"type":"passage"'))
    record = json.loads(lines[at])
    change(record)
    lines[at] = json.dumps(record)
    path = tmp_path / "changed.ndjson"
    path.write_text("\n".join(lines), "utf-8")
    return str(path)


def test_every_passage_of_a_run_stands_in_the_archive_that_the_run_names(ran: Path, verify: Verify) -> None:
    code, verdicts = verify(str(ran))
    assert code == FOUND
    passages = [json.loads(line) for line in ran.read_bytes().splitlines() if line.startswith(b'{"type":"passage"')]
    assert [(one["id"], one["verdict"]) for one in verdicts] == [(one["id"], "proved") for one in passages]
    assert verdicts


def test_an_archive_of_another_run_proves_nothing(ran: Path, verify: Verify) -> None:
    other = next((ROOT / "fixtures/pipelines").rglob("run.warc.gz"))
    code, verdicts = verify(str(ran), "--replay", str(other))
    assert code == NOTHING
    assert {one["verdict"] for one in verdicts} == {"missing"}


@pytest.mark.parametrize(
    ("change_to", "verdict"),
    [
        (("text", "The gauge measures every two seconds."), "text_differs"),
        (("start", 1), "text_differs"),
        (("exchange", "00000000000000000000"), "missing"),
        (("sha256", "0" * 64), "bytes_differ"),
        (("document_sha256", "0" * 64), "proved"),
    ],
)
def test_what_was_changed_is_found(ran: Path, verify: Verify, tmp_path: Path, change_to: tuple[str, Any], verdict: str) -> None:
    field, value = change_to

    def change(record: dict[str, Any]) -> None:
        (record if field in record else record["provenance"])[field] = value

    code, verdicts = verify(changed(ran, tmp_path, change))
    assert verdicts[0]["verdict"] == verdict
    assert {one["verdict"] for one in verdicts[1:]} == {"proved"}
    assert code == (FOUND if verdict == "proved" else NOTHING)


def test_a_text_that_is_read_otherwise_by_now_is_told_from_one_that_was_changed(
    ran: Path, verify: Verify, tmp_path: Path
) -> None:
    def change(record: dict[str, Any]) -> None:
        record["text"] += " And more."
        record["provenance"] |= {"document_sha256": "1" * 64, "sanitizer": "cribble-sanitize/0"}

    first = verify(changed(ran, tmp_path, change))[1][0]
    assert first["verdict"] == "document_differs"
    assert "cribble-sanitize/0" in first["message"]


def test_a_reply_of_research_is_verified_like_a_pipe(verify: Verify, tmp_path: Path) -> None:
    question = "Which Tidewren release made storm-surge sampling automatic, and how often does the gauge measure then?"
    reply = tmp_path / "reply.json"
    reply.write_bytes(cribble("research", question, "--reply", "json", "--replay", str(DEMO)).stdout)
    code, verdicts = verify(str(reply), "--replay", str(DEMO))
    assert code == FOUND
    assert len(verdicts) == len(json.loads(reply.read_text("utf-8"))["passages"]) > 0
    assert verify(str(reply))[0] == USAGE  # it does not say which archive


def test_files_are_read_again(verify: Verify, tmp_path: Path) -> None:
    page, out = tmp_path / "lock.html", tmp_path / "out.ndjson"
    page.write_text(PAGE, "utf-8")
    out.write_bytes(cribble("chunk", "--tokens", "20", str(page)).stdout)
    code, verdicts = verify(str(out))
    assert (code, {one["verdict"] for one in verdicts}) == (FOUND, {"proved"})
    page.write_text(PAGE.replace("two hours", "three hours"), "utf-8")
    assert {one["verdict"] for one in verify(str(out))[1]} == {"bytes_differ"}
    page.unlink()
    assert {one["verdict"] for one in verify(str(out))[1]} == {"missing"}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "no passage"),
        (b'{"type":"question","text":"why?"}\n', "no passage"),
        (b"the tide\n", "line 1"),
        (b'{"type":"passage","id":"a"}\n', "line 1"),
        (UNSOURCED, "source 3"),
    ],
)
def test_what_is_no_output_is_one_line(tmp_path: Path, capfdbinary, data: bytes, says: str) -> None:
    path = tmp_path / "in"
    path.write_bytes(data)
    assert outcome(["verify", str(path)]) == USAGE
    told = capfdbinary.readouterr().err.decode()
    assert says in told
    assert told.count("\n") == 1


def test_an_archive_that_is_none_is_one_line(ran: Path, tmp_path: Path, capfdbinary) -> None:
    for path in (tmp_path / "none.warc.gz", ran):
        assert outcome(["verify", str(ran), "--replay", str(path)]) == USAGE
        assert capfdbinary.readouterr().err.count(b"\n") == 1


def test_a_person_reads_what_does_not_stand_and_how_much_does() -> None:
    from pipelines.proof import Verdict
    from pipelines.verify import shown

    good = Verdict(id="a", url="https://a.example/", start=0, end=9, verdict="proved")
    bad = Verdict(id="b", url="https://b.example/\x1b[2J", start=3, end=9, verdict="missing", message="run holds no exchange 12")
    told = shown([good, bad], "run.warc.gz")
    assert "missing: https://b.example/" in told
    assert "1 of 2 passages stand" in told
    assert "\x1b" not in told
