"""What help costs: `cribble dedupe --help` against a bare script that imports argparse and msgspec and shows help too.

`python bench/start_cost.py [--rounds N]`. Both run by turns in fresh interpreters; the ratio is of the medians.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BARE = """
import argparse, msgspec
class Options(msgspec.Struct, frozen=True):
    limit: int = 8
parser = argparse.ArgumentParser()
parser.add_argument("--limit", default=8, help="Hits that go on at most.")
parser.parse_args(["--help"])
"""
OURS = "from pipelines.cli import main; main()"


def seconds(*arguments: str) -> float:
    """One fresh interpreter, start to end."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", *arguments], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def main() -> None:
    """Print both medians in milliseconds and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    rounds = parser.parse_args().rounds
    times = [(seconds(BARE), seconds(OURS, "dedupe", "--help")) for _ in range(rounds + 2)][2:]
    bare, ours = (statistics.median(column) * 1000 for column in zip(*times, strict=True))
    print(json.dumps({"bare_ms": round(bare, 1), "cribble_ms": round(ours, 1), "ratio": round(ours / bare, 2)}))


if __name__ == "__main__":
    main()
