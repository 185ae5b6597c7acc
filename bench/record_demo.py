"""Record fixtures/demo/demo.warc.gz anew: start the demo's web, run the demo's question through it, keep the archive.

`python bench/record_demo.py [--cribble COMMAND]`. The run is cribble's own, with its real client, proxy and certificates; state
folders are empty and thrown away, so that no cache answers in place of the web. The archive is replaced only when the run found
something, and is then replayed once without network: a demo that does not replay is not kept.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
DEMO = HERE.parent / "fixtures" / "demo"
RUN_SECS = 120


def environment(web: dict[str, str], home: str) -> dict[str, str]:
    """The environment of a run that reaches the demo's web and nothing else; `home` is an empty folder."""
    names = {
        "CRIBBLE_PROXY": web["proxy"],
        "CRIBBLE_CA_BUNDLE": web["ca"],
        "CRIBBLE_RESOLVER": web["resolver"],
        "CRIBBLE_SEARXNG_URL": web["searxng"],
        "CRIBBLE_ENGINES": "searxng,duckduckgo",
    }
    return isolated(home) | names


def isolated(home: str) -> dict[str, str]:
    """The environment without any setting of cribble's and with fresh state folders."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CRIBBLE_")}
    folders = {
        name: f"{home}/{name.lower()}" for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
    }
    return kept | folders | {"HOME": home, "PYTHONHASHSEED": "0"}


def run(command: list[str], env: dict[str, str]) -> bytes:
    """What a run printed. Exits with its code when it found nothing."""
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, timeout=RUN_SECS, check=False)
    if done.returncode:
        raise SystemExit(f"{shlex.join(command)}: exit {done.returncode}")
    return done.stdout


def without_milliseconds(lines: bytes) -> list[dict[str, object]]:
    """The records of a run but for the time that stages took."""
    return [{name: value for name, value in json.loads(line).items() if name != "milliseconds"} for line in lines.splitlines()]


def main() -> None:
    """Record, replay, keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cribble", default="cribble", help="the command to record with")
    cribble = shlex.split(parser.parse_args().cribble)
    demo = tomllib.loads((DEMO / "demo.toml").read_text("utf-8"))
    command = [*cribble, "run", demo["stages"], demo["question"]]
    server = subprocess.Popen([sys.executable, str(HERE / "demo_web.py")], stdout=subprocess.PIPE)
    try:
        assert server.stdout is not None
        web = json.loads(server.stdout.readline())
        with tempfile.TemporaryDirectory(prefix="cribble-record-") as home:
            fresh = Path(home) / "demo.warc.gz"
            recorded = run([*command, "--record", str(fresh)], environment(web, home))
            server.send_signal(signal.SIGINT)
            server.wait(timeout=10)
            replays = [run([*command, "--replay", str(fresh)], isolated(f"{home}/replay{turn}")) for turn in (1, 2)]
            if without_milliseconds(replays[0]) != without_milliseconds(replays[1]):
                raise SystemExit("two replays differ: the archive is not kept")
            (DEMO / "demo.warc.gz").write_bytes(fresh.read_bytes())
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(timeout=10)
    kinds = [str(record["type"]) for record in without_milliseconds(recorded)]
    print(json.dumps({kind: kinds.count(kind) for kind in sorted(set(kinds))}))


if __name__ == "__main__":
    main()
