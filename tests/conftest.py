"""For every test: asyncio only, no network but loopback, and `--accept` to write expected files anew."""

from __future__ import annotations

import itertools
import os
import socket
from ipaddress import ip_address
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("busy machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy machine")  # how long an example takes says what else runs

_NUMBERS = itertools.count()

ROOT = Path(__file__).resolve().parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="Write what is compared with a file into that file.")


@pytest.fixture
def anyio_backend() -> str:
    """curl_cffi needs asyncio, so nothing else is promised."""
    return "asyncio"


@pytest.fixture
def accept(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--accept"))


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """What the developer has set up for himself must not decide a test."""
    for name in [name for name in os.environ if name.startswith("CRIBBLE_") or name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.getbasetemp() / "no-config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / f"cache-{next(_NUMBERS)}"))


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that would leave this machine fails instead."""
    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, _guarded(getattr(socket.socket, name)))
    monkeypatch.setattr(socket, "getaddrinfo", _guarded_lookup(socket.getaddrinfo))


def _guarded(connect):
    def guarded(self, address):
        if self.family in (socket.AF_INET, socket.AF_INET6) and not ip_address(address[0]).is_loopback:
            raise PermissionError(f"a test wanted to reach {address[0]}")
        return connect(self, address)

    return guarded


def _guarded_lookup(getaddrinfo):
    def guarded(host, *rest, **options):
        name = host.decode() if isinstance(host, bytes) else host
        if name not in (None, "", "localhost") and not _is_address(name):
            raise PermissionError(f"a test wanted to look up {name}")
        return getaddrinfo(host, *rest, **options)

    return guarded


def _is_address(name: str) -> bool:
    try:
        ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True
