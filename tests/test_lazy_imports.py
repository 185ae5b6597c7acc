"""Help is quick: a stage's command imports that stage, and nothing heavy."""

from __future__ import annotations

import subprocess
import sys

import pytest
from cribble_process import PATIENCE_SECS, environment

from stages import STAGES

HEAVY = (
    "asyncio", "anyio", "httpx", "curl_cffi", "selectolax", "lxml", "trafilatura", "protego", "toktok", "warcio", "can_ada",
    "pypdfium2", "zipfile", "numpy",
    "snowballstemmer", "publicsuffixlist", "difflib", "tomllib", "importlib.metadata", "logging", "email", "ssl",
)  # fmt: skip

SCRIPT = """
import sys
from pipelines.cli import outcome
code = outcome(sys.argv[1:])
sys.stderr.write(" ".join(sys.modules))
sys.exit(code)
"""


def loaded(*arguments: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments], capture_output=True, env=environment(), timeout=PATIENCE_SECS, check=True
    )
    return set(done.stderr.decode().split())


@pytest.mark.parametrize("name", STAGES)
def test_help_of_a_stage_imports_that_stage_and_nothing_heavy(name: str) -> None:
    modules = loaded(name, "--help")
    assert f"stages.{name}" in modules
    assert modules & set(HEAVY) == set()
    assert modules & {f"stages.{other}" for other in STAGES if other != name} == set()


def test_help_of_everything_imports_nothing_heavy() -> None:
    assert loaded("help", "--json") & set(HEAVY) == set()


def test_the_names_are_those_that_are_loaded_when_it_runs() -> None:
    assert {"asyncio", "anyio"} <= loaded("expand", "a question")
