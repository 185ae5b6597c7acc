"""Record the runs in fixtures/pipelines anew: start the demo's web, call every tool with its case's arguments, keep the archive.

`python bench/record_tools.py [PROFILE/TOOL/CASE ...]`. A case is a folder with `arguments.json`; its run goes to `run.warc.gz`,
and is then replayed once without network: an archive whose replay differs is not kept. Cases that have no `run.warc.gz` and are
not named replay the demo's archive, and are left alone. `pytest tests/test_pipeline_cases.py --accept` then writes the replies.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import anyio
from record_demo import environment, isolated

from pipelines.commands import loaded
from pipelines.config import configured
from pipelines.tool import ToolReply, tool_of

HERE = Path(__file__).resolve().parent
CASES = HERE.parent / "fixtures" / "pipelines"
ENGINES = "searxng,duckduckgo,bing_images,duckduckgo_images,openverse,google_news,bing_news"
"""Those that the demo's web has."""


def chosen(names: list[str]) -> list[Path]:
    """The cases named, or all that have an archive of their own."""
    if names:
        return [CASES / name for name in names]
    return sorted(path.parent for path in CASES.glob("*/*/*/run.warc.gz"))


def call(case: Path, flags: dict[str, str]) -> ToolReply:
    """One call of the case's tool with the case's arguments."""
    profile, tool = case.relative_to(CASES).parts[:2]
    arguments = json.loads((case / "arguments.json").read_text("utf-8"))

    async def run() -> ToolReply:
        return await tool_of(loaded(f"{profile}/{tool}")).call(arguments, config=configured(flags))

    return anyio.run(run)


def without_times(reply: ToolReply) -> str:
    """The reply but for milliseconds."""
    whole = json.loads(
        json.dumps(reply.structured), object_hook=lambda table: {k: v for k, v in table.items() if not k.endswith("_ms")}
    )
    return json.dumps([whole, reply.is_error, reply.code])


def record(case: Path, web: dict[str, str]) -> None:
    """Record, replay, keep. Exits where a replay differs."""
    with tempfile.TemporaryDirectory(prefix="cribble-record-") as home:
        fresh = Path(home) / "run.warc.gz"
        os.environ.update(environment(web, home) | {"CRIBBLE_ENGINES": ENGINES})
        recorded = call(case, {"record": str(fresh)})
        for name in [name for name in os.environ if name.startswith("CRIBBLE_")]:
            del os.environ[name]
        os.environ.update(isolated(home))
        if without_times(call(case, {"replay": str(fresh)})) != without_times(recorded):
            raise SystemExit(f"{case}: the replay differs from the run: the archive is not kept")
        (case / "run.warc.gz").write_bytes(fresh.read_bytes())
    print(f"{case.relative_to(CASES)}: code {recorded.code}, {len(recorded.text)} characters of text")


def main() -> None:
    """Every case chosen."""
    server = subprocess.Popen([sys.executable, str(HERE / "demo_web.py")], stdout=subprocess.PIPE)
    try:
        assert server.stdout is not None
        web = json.loads(server.stdout.readline())
        for case in chosen(sys.argv[1:]):
            record(case, web)
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(timeout=10)


if __name__ == "__main__":
    main()
