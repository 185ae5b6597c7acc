"""Imports point down: mcp_host > pipelines > stages > engines, net, html, formats > store > core > records > text."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
OURS = ("stages", "pipelines", "mcp_host")
LEVELS = {
    "mcp_host": 8,
    "pipelines": 7,
    "stages": 6,
    "stages.engines": 5,
    "stages.formats": 5.5,  # stands on html
    "stages.net": 5,
    "stages.html": 5,
    "stages.store": 4,
    "stages.core": 3,
    "stages.records": 2,
    "stages.text": 1,
    "stages.vocabulary": 0,
}


COMMAND = ("pipelines.cli", "mcp_host.command")
"""The command line starts everything, the host too: the one import that points up, and only when `cribble mcp` runs."""


def home(module: str) -> str:
    """The layer that a module belongs to: `stages.core.plan` to `stages.core`, `stages.rank` to `stages`."""
    top, _, rest = module.partition(".")
    inner = f"{top}.{rest.partition('.')[0]}"
    return inner if inner in LEVELS else top


def may_import(module: str, other: str) -> bool:
    """Down, or within one package. Records know the vocabulary alone, and no stage another one."""
    mine, theirs = home(module), home(other)
    if (module, other) == COMMAND:
        return True
    if mine == theirs:
        return mine not in ("stages", "stages.records") or module == "stages"
    return theirs == "stages.vocabulary" or (LEVELS[theirs] < LEVELS[mine] and mine != "stages.records")


def imports(path: Path) -> list[str]:
    """Every module of ours that a file imports, also inside functions."""
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [whole if is_module(whole := f"{node.module}.{name.name}") else node.module for name in node.names]
    return [name for name in found if name.partition(".")[0] in OURS]


def is_module(name: str) -> bool:
    path = ROOT / name.replace(".", "/")
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


FILES = sorted(path for package in OURS for path in (ROOT / package).rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path: Path) -> None:
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    assert [other for other in imports(path) if not may_import(module, other)] == []


@pytest.mark.parametrize(
    ("module", "other", "allowed"),
    [
        ("stages.text.urls", "stages.records", False),
        ("stages.records", "stages.text.urls", False),
        ("stages.core.plan", "stages", False),
        ("stages.net.client", "stages.engines.searxng", False),
        ("stages.net.client", "stages.net.guard", True),
        ("stages.rank", "stages.chunk", False),
        ("stages.rank", "stages.text.words", True),
        ("stages", "stages.core.stage", True),
        ("pipelines.cli", "stages", True),
        ("pipelines.cli", "mcp_host.command", True),
        ("pipelines.cli", "mcp_host.server", False),
        ("pipelines.run", "mcp_host.command", False),
        ("mcp_host.server", "pipelines.tool", True),
    ],
)
def test_the_rule_itself(module: str, other: str, *, allowed: bool) -> None:
    assert may_import(module, other) is allowed
