"""Where settings come from: flag > environment > file > default, and nothing unknown passes."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.config import configured, shown
from pipelines.env_file import read_env_file
from stages.core.errors import UsageError


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
    lines = {line.split()[0]: line.split()[1:] for line in shown(configured({})).partition("\n\n")[0].splitlines()}
    assert lines["proxy"] == ["http://file:1", str(file)]
    assert lines["engines"] == ["searxng", str(file)]
    assert lines["ca_bundle"] == ["-", "default"]


def test_it_says_which_file_is_the_user_s_and_whether_it_is_there(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(configured({})).endswith(f"\n\nread from {file}\n")
    monkeypatch.delenv("CRIBBLE_CONFIG")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(file.parent / "none"))
    assert shown(configured({})).endswith(f"\n\nnothing stands in {file.parent}/none/cribble/config.toml\n")


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
        ("proxy = [3]", "3\\] is not a text"),
        ("engines = [3]", "3\\] is not a list"),
        ("proxy = ", "not TOML"),
        ("proxy = " + "[" * 9000, "not TOML: nested too deep"),
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


@pytest.mark.parametrize("name", ["proxy", "resolver", "searxng_url"])
@pytest.mark.parametrize(
    "address",
    [
        "garbage",
        "http://",
        "ftp://x",
        "http://h:port",
        "http://[",
        "http://h:99999",
        "http://é",
        "h:1",
        "http://h\r\nX: y",
        "http://a b",
    ],
)
def test_an_address_that_can_never_be_reached_is_an_error_at_once(name: str, address: str) -> None:
    with pytest.raises(UsageError, match=f"--{name.replace('_', '-')}"):
        configured({name: address})


@pytest.mark.parametrize(
    "address", ["http://h", "HTTPS://h.example:8443/path?q=1", "http://[::1]:8888/search", "http://127.0.0.1:1/"]
)
def test_an_address_of_a_service_is_taken_as_it_is(address: str) -> None:
    assert configured({"searxng_url": address}).settings.searxng_url == address


def test_a_password_is_used_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRIBBLE_PROXY", "http://me:s3cret@proxy.example:8080")
    config = configured({})
    assert config.settings.proxy == "http://me:s3cret@proxy.example:8080"
    assert "http://me:***@proxy.example:8080" in shown(config)
    assert "s3cret" not in shown(config)
    monkeypatch.setenv("CRIBBLE_PROXY", "http://me:s3cret@proxy.example:port")
    with pytest.raises(UsageError) as caught:
        configured({})
    assert "s3cret" not in str(caught.value)
    with pytest.raises(UsageError, match="user name is not supported"):
        configured({"proxy": "", "searxng_url": "http://me:s3cret@search.example/"})


def test_a_bundle_of_certificates_must_exist(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--ca-bundle: there is no file"):
        configured({"ca_bundle": str(tmp_path / "none.pem")})


def test_a_file_that_windows_wrote_is_read(file: Path) -> None:
    file.write_bytes(b'\xef\xbb\xbfproxy = "http://windows:1"\r\n')
    assert configured({}).settings.proxy == "http://windows:1"


def test_a_user_without_a_home_has_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", "/dev/null")
    assert configured({}).settings.proxy == ""
    monkeypatch.setattr("pathlib.Path.home", _unknown)
    assert configured({}).settings.proxy == ""


def _unknown() -> Path:
    raise RuntimeError("Could not determine home directory.")


def test_what_is_not_utf_8_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRIBBLE_RECORD", "\udcff.warc.gz")
    with pytest.raises(UsageError, match=r"CRIBBLE_RECORD: .* is not text in UTF-8"):
        configured({})


@pytest.mark.parametrize(
    "address",
    ["socks5://h:1080", "socks5h://me:pw@h", "http://me-{session}:pw@h:8000", "https://h", "ambient"],
)
def test_a_proxy_may_be_of_several_kinds(address: str) -> None:
    assert configured({"proxy": address}).settings.proxy == address


@pytest.mark.parametrize("name", ["resolver", "searxng_url"])
def test_a_service_is_not_reached_by_socks(name: str) -> None:
    for address in ("socks5://h:1", "ambient"):
        with pytest.raises(UsageError, match=name.replace("_", "-")):
            configured({name: address})


def test_cache_and_pacing_are_on_unless_somebody_says_otherwise(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (configured({}).settings.cache, configured({}).settings.pace_secs) == (True, 1.0)
    file.write_text("cache = false\npace_secs = 3\n")
    assert (configured({}).settings.cache, configured({}).settings.pace_secs) == (False, 3.0)
    monkeypatch.setenv("CRIBBLE_CACHE", "true")
    monkeypatch.setenv("CRIBBLE_PACE_SECS", "0")
    assert (configured({}).settings.cache, configured({}).settings.pace_secs) == (True, 0.0)
    assert configured({"cache": False}).settings.cache is False
    lines = {line.split()[0]: line.split()[1:] for line in shown(configured({})).partition("\n\n")[0].splitlines()}
    assert (lines["cache"], lines["pace_secs"]) == (["yes", "CRIBBLE_CACHE"], ["0", "CRIBBLE_PACE_SECS"])
    monkeypatch.setenv("CRIBBLE_CACHE", "perhaps")
    with pytest.raises(UsageError, match="CRIBBLE_CACHE: 'perhaps' is not a switch"):
        configured({})


@pytest.mark.parametrize("agent", ["two words", "a/1.0", "a\r\nx: y", "a\n", "x" * 65])
def test_a_name_for_robots_txt_is_one_token(agent: str) -> None:
    with pytest.raises(UsageError, match="--agent"):
        configured({"agent": agent})


def test_an_env_file_stands_between_the_environment_and_the_users_file(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = tmp_path / "settings.env"
    named.write_bytes(
        b"\xef\xbb\xbf# a comment\n\nexport CRIBBLE_PROXY='http://env-file:1'  # more\r\nOTHER_KEY=whatever, even = this\n"
        b'  CRIBBLE_SEARXNG_URL = "http://sx:1/\\"q" # quoted\nCRIBBLE_ENGINES=searxng,duckduckgo # two\nnot a line\n'
        b"CRIBBLE_AGENT=first\nCRIBBLE_AGENT=last\nCRIBBLE_RESOLVER=\n"
    )
    config = configured({"env_file": str(named)})
    assert config.settings.proxy == "http://env-file:1"
    assert config.settings.searxng_url == 'http://sx:1/"q'
    assert (config.settings.engines, config.settings.agent, config.settings.resolver) == (("searxng", "duckduckgo"), "last", "")
    assert config.origins["proxy"] == f"CRIBBLE_PROXY in {named}"
    monkeypatch.setenv("CRIBBLE_PROXY", "http://environment:1")
    assert configured({"env_file": str(named)}).settings.proxy == "http://environment:1"


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"CRIBBLE_PROXI=x", "CRIBBLE_PROXI; did you mean CRIBBLE_PROXY"),
        (b"CRIBBLE_CONFIG=x", "unknown environment variable CRIBBLE_CONFIG"),
        (b"\nCRIBBLE_PROXY http://x", "line 2: not NAME=value"),
        (b"CRIBBLE_PACE_SECS=fast", "'fast' is not a number"),
        (b"\xff", "not text in UTF-8"),
        (None, "No such file"),
    ],
)
def test_an_env_file_that_is_wrong_is_an_error(tmp_path: Path, raw: bytes | None, says: str) -> None:
    named = tmp_path / "settings.env"
    if raw is not None:
        named.write_bytes(raw)
    with pytest.raises(UsageError, match=says):
        configured({"env_file": str(named)})


@given(st.text())
def test_no_env_file_breaks_the_reader(text: str) -> None:
    for name, value in _values(text).items():
        assert name.startswith("CRIBBLE_")
        assert isinstance(value, str)


def _values(text: str) -> dict[str, str]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.env"
        path.write_text(text, encoding="utf-8", errors="replace")
        try:
            return read_env_file(str(path))
        except UsageError:
            return {}
