"""The wheel holds what an installed cribble needs, and the lock names no index."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import metadata, packages_distributions, requires
from pathlib import Path

import pytest
from cribble_process import ROOT
from packaging.requirements import Requirement

from stages.vocabulary import VERSION

DISTRIBUTIONS = packages_distributions()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Names in a wheel that was built from the files that git knows."""
    pytest.importorskip("setuptools", minversion="77", reason="the wheel is built without a network")
    clone, built = tmp_path_factory.mktemp("clone"), tmp_path_factory.mktemp("built")
    listed = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True)
    for name in filter(None, listed.stdout.decode().split("\0")):
        source, target = ROOT / name, clone / name
        if not name.startswith(("stages/", "pipelines/", "mcp_host/", "fixtures/demo/")) and "/" in name:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink():
            target.symlink_to(source.readlink())
        elif source.exists():
            target.write_bytes(source.read_bytes())
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        str(built),
        str(clone),
    ]
    done = subprocess.run(command, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr.decode()
    (path,) = built.iterdir()
    assert path.name == f"cribble-{VERSION}-py3-none-any.whl"
    return set(zipfile.ZipFile(path).namelist())


def test_every_module_and_marker_is_in_the_wheel(wheel: set[str]) -> None:
    for package in ("stages", "pipelines", "mcp_host"):
        for path in (ROOT / package).rglob("*"):
            if path.suffix == ".py" or path.name == "py.typed":
                assert path.relative_to(ROOT).as_posix() in wheel


def test_every_tool_is_in_the_wheel(wheel: set[str]) -> None:
    found = (path for kind in ("*.toml", "*.json", "prompts/*.toml") for path in (ROOT / "pipelines").glob(f"*/{kind}"))
    files = {path.relative_to(ROOT).as_posix() for path in found}
    assert {name for name in files if not name.startswith("pipelines/recorded/")} <= wheel


def test_the_demo_is_in_the_wheel(wheel: set[str]) -> None:
    assert {"pipelines/recorded/demo.toml", "pipelines/recorded/demo.warc.gz"} <= wheel


def test_nothing_else_is_in_the_wheel(wheel: set[str]) -> None:
    assert {name.partition("/")[0] for name in wheel} <= {"stages", "pipelines", "mcp_host", f"cribble-{VERSION}.dist-info"}


def test_the_lock_has_hashes_and_no_address() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    assert "://" not in lock
    assert not re.search(r"^--(extra-)?index|^--find-links|^-i ", lock, re.MULTILINE)
    pins = re.findall(r"^[a-z0-9-]+(?:\[.*?\])?==\S+.*\\$", lock, re.MULTILINE)
    assert len(pins) == len(re.findall(r"^[a-z]", lock, re.MULTILINE))
    assert lock.count("--hash=sha256:") >= len(pins)


def test_the_lock_has_every_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *(name for extra in project["optional-dependencies"].values() for name in extra)]
    locked = {name for name, _ in re.findall(r"^([a-z0-9-]+)==(\S+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE)}
    names = {re.match(r"[A-Za-z0-9_-]+", entry)[0].lower().replace("_", "-") for entry in wanted}
    assert names <= locked


def test_what_is_imported_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    own = {
        "stages",
        "pipelines",
        "mcp_host",
        *(path.stem for folder in ("tests", "bench") for path in (ROOT / folder).glob("*.py")),
    }
    dev, host = project["optional-dependencies"]["dev"], project["optional-dependencies"]["mcp"]
    undeclared: set[str] = set()
    for folder, more in (("stages", []), ("pipelines", []), ("mcp_host", host), ("tests", [*dev, *host])):
        names = {re.match(r"[A-Za-z0-9_-]+", entry)[0].lower().replace("_", "-") for entry in (*project["dependencies"], *more)}
        for path in (ROOT / folder).rglob("*.py"):
            for module in imported(path) - set(sys.stdlib_module_names) - own:
                owners = {owner.lower().replace("_", "-") for owner in DISTRIBUTIONS.get(module, [module])}
                if not owners & names:
                    undeclared.add(f"{module} in {path.name}")
    assert undeclared == set()


def test_what_an_old_pip_would_not_find_is_declared() -> None:
    """Before 23.3 pip takes an extra as it is spelled; it warns, and leaves out what the extra would have brought."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {Requirement(entry).name.replace("_", "-") for entry in project["dependencies"]}
    waiting, seen, missing = sorted(declared), set(declared), set()
    while waiting:
        for wanted in map(Requirement, requires(waiting.pop()) or ()):
            if wanted.marker is not None and not wanted.marker.evaluate({"extra": ""}):
                continue
            offered = metadata(wanted.name).get_all("Provides-Extra") or ()
            for extra in wanted.extras - set(offered):
                brought = (Requirement(entry) for entry in requires(wanted.name) or ())
                marked = (one for one in brought if one.marker is not None and not one.marker.evaluate({"extra": ""}))
                same = re.sub(r"[-_.]+", "-", extra)
                missing |= {one.name.replace("_", "-") for one in marked if one.marker.evaluate({"extra": same})}
            waiting += [] if wanted.name in seen else [wanted.name]
            seen.add(wanted.name)
    assert missing <= declared


def imported(path: Path) -> set[str]:
    """Top-level names of all imports of a file."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    plain = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    return {
        name.partition(".")[0]
        for name in (*plain, *(node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module))
    }


def test_packages_are_all_listed() -> None:
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    found = {
        str(path.parent.relative_to(ROOT)).replace("/", ".")
        for package in ("stages", "pipelines", "mcp_host")
        for path in Path(ROOT / package).rglob("__init__.py")
    }
    assert found == listed
