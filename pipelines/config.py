"""How one run behaves: flags > `CRIBBLE_*` > `--env-file` > the user's file > defaults, each value with its origin.

An unknown name is an error with a suggestion, never ignored.
"""

from __future__ import annotations

import os
import re
import sys
from codecs import BOM_UTF8
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta, Struct

from pipelines.keys import KEYS, VARIABLES, keys_in
from pipelines.options import checked, options_of, suggestion
from stages.core.env import Settings
from stages.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from stages.core.env import Secret


class Flags(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every stage command takes besides the stage's own options."""

    record: Annotated[str, Meta(description="Write what the network answered to this WARC (a new file, .warc.gz).")] = ""
    replay: Annotated[str, Meta(description="Use this WARC instead of the network.")] = ""
    deadline_secs: Annotated[float, Meta(ge=0, le=86400, description="Seconds until the run must be over; 0 for no end.")] = 0.0
    reserve_secs: Annotated[
        float, Meta(ge=0, le=3600, description="Seconds of them kept back for the stages that use no network.")
    ] = 2.0
    seed: Annotated[int, Meta(ge=0, le=2**31 - 1, description="Seed of everything random in the run.")] = 0
    tee: Annotated[str, Meta(description="Also write what each stage puts out to files in this directory.")] = ""
    quiet: Annotated[bool, Meta(description="No progress on stderr.")] = False
    proxy: Annotated[
        str,
        Meta(
            description="Proxy for every request: http://, https://, socks5:// socks5h://; ambient: HTTPS_PROXY and its like. "
            "{session} in its login is a new name for each host."
        ),
    ] = ""
    ca_bundle: Annotated[str, Meta(description="File of certificates to trust instead of the built-in ones.")] = ""
    resolver: Annotated[str, Meta(description="Address that answers ?name= with addresses in JSON, instead of the system.")] = ""
    searxng_url: Annotated[str, Meta(description="Address of a SearXNG instance that answers in JSON.")] = ""
    engines: Annotated[tuple[str, ...], Meta(description="Search engines to ask; none for the built-in choice.")] = ()
    agent: Annotated[
        str, Meta(pattern=r"^[A-Za-z_-]{0,64}(?![\s\S])", description="Name that robots.txt knows us by, when it is not cribble.")
    ] = ""
    contact: Annotated[
        str,
        Meta(
            pattern=r"^[!-~]{0,200}(?![\s\S])",
            description="Mail or web address that JSON services may write to; it is sent to them.",
        ),
    ] = ""
    cache: Annotated[bool, Meta(description="Use pages again for as long as their servers allow (RFC 9111).")] = True
    pace_secs: Annotated[
        float, Meta(ge=0, le=60, description="Seconds between two pages of one host, for all processes together; 0 for none.")
    ] = 1.0
    env_file: Annotated[str, Meta(description="File of NAME=value lines to take CRIBBLE_ variables from.")] = ""


CONFIGURABLE = (
    "proxy", "ca_bundle", "resolver", "searxng_url", "engines", "agent", "contact", "cache", "pace_secs", "record", "replay",
)  # fmt: skip
"""What the environment and the user's file may say; the rest belongs to one run."""

ENVIRONMENT: dict[str, str] = {
    **{f"CRIBBLE_{option.name.upper()}": option.description for option in options_of(Flags) if option.name in CONFIGURABLE},
    **VARIABLES,
    "CRIBBLE_CONFIG": "The user's file, instead of config.toml in the platform's folder.",
    "CRIBBLE_TOKEN": "Bearer token that clients of `cribble mcp --http` must send, instead of `--token-file`.",
    "CRIBBLE_TRACEBACK": "Set to 1 to see the traceback of a bug.",
}


class Value(Struct, frozen=True):
    """A setting and where it comes from."""

    value: Any
    origin: str


class Config(Struct, frozen=True, kw_only=True):
    """Every value of one run with its origin."""

    flags: Flags
    origins: dict[str, str]
    keys: dict[str, Secret] = {}
    """Those that there are, by the field of Settings."""

    @property
    def settings(self) -> Settings:
        """The part that the stages see."""
        named: dict[str, Any] = {name: getattr(self.flags, name) for name in Settings.__struct_fields__ if name not in KEYS}
        return Settings(**named | self.keys)


def user_file() -> Path:
    """Where the user's file is looked for: `CRIBBLE_CONFIG`, or the platform's configuration folder."""
    from pathlib import Path  # five milliseconds that help does not need

    if named := os.environ.get("CRIBBLE_CONFIG"):
        return Path(named)
    if sys.platform == "darwin":
        return _home() / "Library/Application Support/cribble/config.toml"
    return Path(os.environ.get("XDG_CONFIG_HOME") or _home() / ".config") / "cribble/config.toml"


def _home() -> Path:
    """The user's folder; the root for a user whom the system does not know, as in a container."""
    from pathlib import Path

    try:
        return Path.home()
    except RuntimeError:
        return Path("/")


def configured(given: dict[str, Any]) -> Config:
    """The values of this run. `given` are the flags as typed. Raises UsageError."""
    values: dict[str, Value] = {}
    keys: dict[str, tuple[Secret, str]] = {}
    for name, value in _from_file().items():
        values[name] = Value(value, f"{user_file()}")
    if named := given.get("env_file"):
        from pipelines.env_file import read_env_file

        lines = read_env_file(named)
        keys |= {name: (key, f"{variable} in {named}") for name, (key, variable) in keys_in(lines).items()}
        for name, text in _variables(lines, (*(f"CRIBBLE_{one.upper()}" for one in CONFIGURABLE), *VARIABLES)).items():
            values[name] = Value(text, f"CRIBBLE_{name.upper()} in {named}")
    for name, text in _variables(os.environ, tuple(ENVIRONMENT)).items():
        values[name] = Value(text, f"CRIBBLE_{name.upper()}")
    keys |= keys_in(os.environ)
    for name, value in given.items():
        values[name] = Value(value, f"--{name.replace('_', '-')}")
    _one_archive(values)
    for name, value in values.items():
        checked(Flags, {name: value.value}, value.origin)
        _check_reachable(name, value)
    return Config(
        flags=checked(Flags, {name: value.value for name, value in values.items()}),
        origins={name: values[name].origin if name in values else "default" for name in Flags.__struct_fields__}
        | {name: origin for name, (_, origin) in keys.items()},
        keys={name: key for name, (key, _) in keys.items()},
    )


_ADDRESS = re.compile(
    r"(?i)(?P<scheme>https?|socks5h?)://(?P<user>[^\s/?#@]+@)?(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::(?P<port>\d{1,5}))?(?:[/?#][!-~]*)?"
)
_MAX_PORT = 65535


def _check_reachable(name: str, given: Value) -> None:
    """Raise UsageError for an address or file that can never work: every page would fail for a reason that nobody understands."""
    if not given.value:
        return
    if name in ("proxy", "resolver", "searxng_url") and (name, given.value) != ("proxy", "ambient"):
        match = _ADDRESS.fullmatch(given.value)
        web = match is not None and match["scheme"].lower().startswith("http")
        if match is None or int(match["port"] or 0) > _MAX_PORT or not (web or name == "proxy"):
            raise UsageError(f"{given.origin}: {_without_password(given.value)!r} is not an address such as http://host:port")
        if match["user"] and name != "proxy":
            raise UsageError(f"{given.origin}: an address with a user name is not supported here")
    if name == "ca_bundle" and not _is_file(given.value):
        raise UsageError(f"{given.origin}: there is no file {given.value}")


def _is_file(name: str) -> bool:
    from pathlib import Path

    return Path(name).is_file()


def _one_archive(values: dict[str, Value]) -> None:
    """A run is recorded or replayed. The nearer origin wins; side by side they contradict each other."""
    if not all(name in values and values[name].value for name in ("record", "replay")):
        return
    ranks = {name: 2 if values[name].origin.startswith("--") else values[name].origin.startswith("CRIBBLE_") for name in values}
    if ranks["record"] == ranks["replay"]:
        raise UsageError(f"{values['record'].origin} and {values['replay'].origin}: a run is recorded or replayed, not both")
    del values["replay" if ranks["record"] > ranks["replay"] else "record"]


def _variables(environment: Mapping[str, str], known: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, text in sorted(environment.items()):
        if not name.startswith("CRIBBLE_"):
            continue
        if name not in known:
            raise UsageError(f"unknown environment variable {name}{suggestion(name, known)}")
        option = name.removeprefix("CRIBBLE_").lower()
        if option in CONFIGURABLE and text:
            found[option] = [part for part in text.split(",") if part] if option == "engines" else text
    return found


def _from_file() -> dict[str, Any]:
    path = user_file()
    try:
        text = path.read_bytes().removeprefix(BOM_UTF8)
    except (FileNotFoundError, NotADirectoryError):  # a daemon's home may be /dev/null
        if os.environ.get("CRIBBLE_CONFIG"):
            raise UsageError(f"CRIBBLE_CONFIG: there is no file {path}") from None
        return {}
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    from pipelines.reading import toml

    try:
        found = toml(text)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None
    for name in found:
        if name not in CONFIGURABLE:
            raise UsageError(f"{path}: unknown setting {name}{suggestion(name, CONFIGURABLE)}")
    return found


def _without_password(address: str) -> str:
    return re.sub(r"^([^/?#]*://[^/?#:@]*):[^/?#]*@", r"\1:***@", address)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    return ",".join(value) if isinstance(value, tuple) else _without_password(value)


def shown(config: Config) -> str:
    """One line a value: name, value, origin. A password in an address is not shown: this goes into bug reports."""
    rows = [(option.name, getattr(config.flags, option.name)) for option in options_of(Flags) if option.name in CONFIGURABLE]
    texts = [(name, _text(value) or "-") for name, value in rows] + [(name, "(set)") for name in config.keys]
    width = max(len(name) for name, _ in texts)
    wide = max(len(text) for _, text in texts)
    lines = [f"{name:{width}}  {text:{wide}}  {config.origins[name]}\n" for name, text in texts]
    path = user_file()
    return "".join([*lines, f"\n{'read from' if path.is_file() else 'nothing stands in'} {path}\n"])
