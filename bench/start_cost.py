"""What `cribble dedupe --help` costs beside a bare argparse + msgspec script, as whole processes in turn.

python bench/start_cost.py --runs 20
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lab_web import cribble

BARE = """import argparse, msgspec
class Options(msgspec.Struct, frozen=True):
    limit: int = 8
parser = argparse.ArgumentParser(description="Keep one hit a page.")
parser.add_argument("--limit", type=int, default=8, help="hits to keep")
parser.parse_args(["--help"])
"""


def seconds(command: list[str]) -> float:
    """CPU seconds of one run, from the system's own account."""
    before = os.times()
    subprocess.run(command, check=True, capture_output=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "bare.py"
        script.write_text(BARE, encoding="utf-8")
        commands = {"bare": [sys.executable, str(script)], "cribble": [cribble(), "dedupe", "--help"]}
        wall: dict[str, list[float]] = {name: [] for name in commands}
        cpu: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(options.runs + 1):
            for name, command in commands.items():
                began = time.perf_counter()
                cpu[name].append(seconds(command))
                wall[name].append(time.perf_counter() - began)
    found = {
        "date": str(datetime.datetime.now(tz=datetime.UTC).date()),
        "wall_ms": {name: round(1000 * statistics.median(times[1:]), 1) for name, times in wall.items()},
        "ratio_wall": round(statistics.median(a / b for a, b in zip(wall["cribble"][1:], wall["bare"][1:], strict=True)), 2),
        "ratio_best": round(min(wall["cribble"][1:]) / min(wall["bare"][1:]), 2),
        "ratio_cpu": round(statistics.median(cpu["cribble"][1:]) / statistics.median(cpu["bare"][1:]), 2),
    }
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
