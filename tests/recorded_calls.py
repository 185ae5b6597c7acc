"""The recorded runs of fixtures/pipelines as calls to a host that replays a folder of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from cribble_process import ROOT

from mcp_host.archives import _name

DEMO = ROOT / "pipelines/recorded/demo.warc.gz"


@dataclass(frozen=True)
class RecordedCall:
    """What one case asks of which tool, and the archive that answers."""

    tool: str
    arguments: dict[str, Any]
    archive: Path

    @property
    def name(self) -> str:
        """Of the archive, where a host looks for it. It stands in messages too."""
        return f"{_name(self.tool, self.arguments)}.warc.gz"


def recorded_calls(profile: str) -> list[RecordedCall]:
    """Every case of a profile; one without an archive of its own replays the demo."""
    cases = sorted(path.parent for path in (ROOT / "fixtures/pipelines" / profile).glob("*/*/arguments.json"))
    return [
        RecordedCall(
            tool=case.parent.name,
            arguments=msgspec.json.decode((case / "arguments.json").read_bytes()),
            archive=own if (own := case / "run.warc.gz").exists() else DEMO,
        )
        for case in cases
    ]


def replay_folder(calls: list[RecordedCall], folder: Path) -> str:
    """Fills the folder for `cribble mcp --replay FOLDER`."""
    for call in calls:
        (folder / call.name).symlink_to(call.archive)
    return str(folder)
