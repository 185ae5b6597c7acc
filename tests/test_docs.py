"""Documents say what the code does: the README's tables are generated, and its commands exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cribble_process import on_terminal

from mcp_host import clients
from pipelines import catalogue
from pipelines.commands import commands
from pipelines.config import ENVIRONMENT
from stages import STAGES, load

ROOT = Path(__file__).resolve().parent.parent
CLIENTS = f"""#### MCP clients

Where each of them wants the server; `cribble mcp --check` prints the same with the whole path of your `cribble`.

{clients.shown(clients.over_stdio("cribble", ["mcp"]))}
One that runs already (`cribble mcp --http`); in place of TOKEN stands what is in the file.

{clients.shown(clients.over_http("http://127.0.0.1:8642/mcp", token=True))}
"""
BEGIN, END = "<!-- generated: pytest tests/test_docs.py --accept -->\n", "<!-- end of generated -->\n"


def test_the_tables_of_the_readme_are_the_code_s(accept: bool) -> None:
    readme = ROOT / "README.md"
    before, _, rest = readme.read_text().partition(BEGIN)
    table, end, after = rest.partition(END)
    assert end
    expected = f"\n{catalogue.markdown()}\n{CLIENTS}"
    if accept:
        readme.write_text(before + BEGIN + expected + END + after)
        return
    assert table == expected


def test_every_cribble_command_in_the_readme_exists() -> None:
    text = (ROOT / "README.md").read_text()
    named = set(re.findall(r"(?:^|[|&] |`)cribble ([a-z][a-z_-]+)", text, re.MULTILINE))
    assert named
    assert named <= {*STAGES, *catalogue.COMMANDS, *commands()}


def test_what_the_readme_shows_of_the_demo_is_what_it_shows() -> None:
    """In pieces: a line of the README may leave out the end of one."""
    part = (ROOT / "README.md").read_text().partition("`cribble demo`, a part:\n\n")[2].partition("\n\n`cribble run`")[0]
    lines = [line.strip() for line in part.splitlines() if line.strip()]
    assert len(lines) > 5
    code, shown, _ = on_terminal("demo", NO_COLOR="1")
    assert code == 0
    assert [line for line in lines if line not in shown] == []


def test_every_variable_in_the_documents_exists() -> None:
    for path in (ROOT / "README.md", ROOT / "SECURITY.md", ROOT / ".github/CONTRIBUTING.md"):
        assert set(re.findall(r"CRIBBLE_[A-Z_]+", path.read_text())) <= set(ENVIRONMENT)


def test_every_file_that_the_documents_name_exists() -> None:
    text = (ROOT / "README.md").read_text() + (ROOT / ".github/CONTRIBUTING.md").read_text()
    for name in re.findall(r"`((?:stages|pipelines|fixtures|tests|bench|\.ci)/[a-z_./]+)`", text):
        assert (ROOT / name).exists(), name


@pytest.mark.parametrize("name", STAGES)
def test_a_stage_s_documentation_says_what_it_reads_and_writes(name: str) -> None:
    stage = load(name)
    assert re.search(r"Reads? .*writes? ", stage.doc, re.DOTALL)
    for kind in (*stage.reads, *stage.writes):
        assert kind.__name__ in stage.doc
