"""fixtures/pipelines: each tool's contract, and a recorded run of it that is replayed without network.

`tool.json` pins what clients see; a change of it needs a line in CHANGELOG.md. A case is a folder with `arguments.json`, the
recorded `run.warc.gz` (without one, the demo's), and what came of it: `reply.json` and `reply.md`. `--accept` writes them anew.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from cribble_process import PATIENCE_SECS

from pipelines.commands import loaded
from pipelines.config import configured
from pipelines.loader import paths, profiles
from pipelines.tool import ToolReply, tool_of

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "fixtures" / "pipelines"
TOOLS = [f"{profile}/{path.stem}" for profile in profiles() for path in paths(profile)]
CASES = sorted(path.parent for path in FIXTURES.glob("*/*/*/arguments.json"))


def pretty(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=1).decode() + "\n"


def compare(path: Path, found: str, *, accept: bool) -> None:
    if accept:
        path.write_text(found, "utf-8")
    assert path.read_text("utf-8") == found


@pytest.mark.parametrize("name", TOOLS)
def test_what_clients_see_of_a_tool_is_pinned(name: str, accept: bool) -> None:
    tool = tool_of(loaded(name))
    seen = {
        key: getattr(tool, key)
        for key in ("name", "title", "description", "read_only", "open_world", "input_schema", "output_schema")
    }
    compare(FIXTURES / name / "tool.json", pretty(seen), accept=accept)


def test_every_tool_has_a_recorded_run_and_no_other_has() -> None:
    assert sorted({"/".join(case.relative_to(FIXTURES).parts[:2]) for case in CASES}) == sorted(TOOLS)


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_times(inner) for key, inner in value.items() if not key.endswith("_ms")}
    return [without_times(inner) for inner in value] if isinstance(value, list) else value


REPLIES: dict[Path, ToolReply] = {}
"""What each case gave: it is replayed once, and looked at from several sides."""


async def replay(case: Path) -> ToolReply:
    if case not in REPLIES:
        own = case / "run.warc.gz"
        archive = own if own.exists() else ROOT / "fixtures/demo/demo.warc.gz"
        tool = tool_of(loaded("/".join(case.relative_to(FIXTURES).parts[:2])))
        arguments = msgspec.json.decode((case / "arguments.json").read_bytes())
        with anyio.fail_after(PATIENCE_SECS):
            REPLIES[case] = await tool.call(arguments, config=configured({"replay": str(archive)}))
    return REPLIES[case]


@pytest.mark.anyio
@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.relative_to(FIXTURES)))
async def test_a_recorded_run_gives_the_same_reply(case: Path, accept: bool) -> None:
    reply = await replay(case)
    assert not reply.is_error
    told = without_times(reply.structured)
    assert "replay_miss" not in str(told)
    compare(case / "reply.json", pretty(told), accept=accept)
    if not reply.text.startswith("{"):  # JSON as text would hold times
        compare(case / "reply.md", reply.text + "\n", accept=accept)


@pytest.mark.anyio
@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.relative_to(FIXTURES)))
async def test_a_reply_is_of_the_tool_s_output_schema(case: Path) -> None:
    reply = await replay(case)
    fold = loaded("/".join(case.relative_to(FIXTURES).parts[:2])).fold
    msgspec.convert(reply.structured, fold.reply)
    fields = msgspec.structs.fields(fold.reply)
    optional = {field.encode_name for field in fields if field.default is msgspec.UNSET}
    assert {field.encode_name for field in fields} - optional <= set(reply.structured) <= {field.encode_name for field in fields}


@pytest.mark.anyio
async def test_every_hit_of_groundhog_s_research_is_accounted_for_once() -> None:
    (case,) = (case for case in CASES if case.parent == FIXTURES / "groundhog/research")
    told = (await replay(case)).structured
    receipt = told["receipt"]
    ways = ("excluded", "outside_domains", "before_date", "same_domain", "unread")
    assert receipt["hits"] == sum(receipt[f"hits_{way}"] for way in ways) + len(told["sources"])
    assert len(told["sources"]) == sum(receipt[way] for way in ("failed", "not_content", "filtered", "usable"))
    assert receipt["hits"] == sum(receipt["hits_by_domain"].values())
    assert receipt["filtered"] > 0
    shown = {source["url"] for source in told["sources"] if source["filtered"] is None and source["page_status"] == "ok"}
    assert {passage["source_url"] for passage in told["passages"]} <= shown
