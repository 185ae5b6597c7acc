"""The bounds that keep the code small: what is larger has a missing idea."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from stages import STAGES

ROOT = Path(__file__).parents[1]
SOURCES = sorted(path for top in ("stages", "pipelines", "mcp_host") for path in (ROOT / top).rglob("*.py"))


def functions(path: Path) -> list[tuple[str, int]]:
    """Each function with its lines, docstring left out."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            said = ast.get_docstring(node, clean=False)
            length = (node.end_lineno or 0) - node.lineno + 1 - (len(said.splitlines()) if said else 0)
            found.append((f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", length))
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_says_what_it_is_and_is_no_longer_than_its_bound(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(source)), f"{path.name} does not begin with a docstring"
    bound = 150 if path.parent == ROOT / "stages" and path.stem in STAGES else 300
    assert len(source.splitlines()) <= bound


def test_functions_are_short() -> None:
    lengths = sorted(length for path in SOURCES for _, length in functions(path))
    assert lengths[int(len(lengths) * 0.9)] <= 25
    assert [one for path in SOURCES for one in functions(path) if one[1] > 60] == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_the_command_and_the_call_handler_catch_everything(path: Path) -> None:
    allowed = {"pipelines/cli.py", "mcp_host/server.py"}
    broad = [
        node.lineno
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ExceptHandler) and (node.type is None or ast.unparse(node.type) in ("Exception", "BaseException"))
    ]
    assert not broad or str(path.relative_to(ROOT)) in allowed, f"lines {broad}"
