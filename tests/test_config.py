"""Where settings come from: flag > environment > file > default, and nothing unknown passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.config import configured, shown
from stages.core.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "config.toml"
    path.write_text('proxy = "http://file:1"\nengines = ["searxng"]\n')
    monkeypatch.setenv("CRIBBLE_CONFIG", str(path))
    return path


def test_the_nearer_origin_wins(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert configured({}).settings.proxy == "http://file:1"
    monkeypatch.setenv("CRIBBLE_PROXY", "http://environment:1")
    assert configured({}).settings.proxy == "http://environment:1"
    config = configured({"proxy": "http://flag:1"})
    assert config.settings.proxy == "http://flag:1"
    assert (config.origins["proxy"], config.origins["engines"], config.origins["resolver"]) == ("--proxy", str(file), "default")


def test_every_value_is_shown_with_its_origin(file: Path) -> None:
    lines = {line.split()[0]: line.split()[1:] for line in shown(configured({})).splitlines()}
    assert lines["proxy"] == ["http://file:1", str(file)]
    assert lines["engines"] == ["searxng", str(file)]
    assert lines["ca_bundle"] == ["-", "default"]


def test_the_platform_s_folder_is_read_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "cribble").mkdir()
    (tmp_path / "cribble/config.toml").write_text('resolver = "http://127.0.0.1:8053/dns"')
    assert configured({}).settings.resolver == "http://127.0.0.1:8053/dns"


def test_an_unknown_variable_is_an_error_with_a_suggestion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRIBBLE_PROXI", "x")
    with pytest.raises(UsageError, match="CRIBBLE_PROXI; did you mean CRIBBLE_PROXY"):
        configured({})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('prox = "x"', "unknown setting prox; did you mean proxy"),
        ("proxy = 3", "3 is not a text"),
        ('deadline_secs = "3"', "unknown setting deadline_secs"),
        ("proxy = ", "not TOML"),
    ],
)
def test_a_wrong_file_is_an_error_that_names_it(file: Path, text: str, says: str) -> None:
    file.write_text(text)
    with pytest.raises(UsageError, match=says) as caught:
        configured({})
    assert str(file) in str(caught.value)


def test_a_named_file_must_exist(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CRIBBLE_CONFIG", str(tmp_path / "none.toml"))
    with pytest.raises(UsageError, match="there is no file"):
        configured({})


def test_engines_come_as_a_list_from_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRIBBLE_ENGINES", "searxng,duckduckgo")
    assert configured({}).settings.engines == ("searxng", "duckduckgo")
    assert configured({"engines": ["marginalia"]}).settings.engines == ("marginalia",)


def test_a_replay_asked_for_here_overrides_a_recording_asked_for_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRIBBLE_RECORD", "everything.warc.gz")
    flags = configured({"replay": "old.warc.gz"}).flags
    assert (flags.replay, flags.record) == ("old.warc.gz", "")


def test_a_run_is_recorded_or_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRIBBLE_RECORD", "a.warc.gz")
    monkeypatch.setenv("CRIBBLE_REPLAY", "b.warc.gz")
    with pytest.raises(UsageError, match="not both"):
        configured({})
