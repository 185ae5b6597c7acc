"""A recording for each call: where it is written, and which one a call is replayed from."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from pipelines.config import Config
from stages.core.errors import UsageError


class NoRecordingError(Exception):
    """The folder to replay from has no recording of this call."""


class Archives:
    """Gives each call its own configuration.

    `record` is a folder that gets one archive a call, named by tool and arguments. `replay` is such a folder, or one archive
    that every call is replayed from. Raises UsageError for a path that cannot serve.
    """

    def __init__(self, config: Config) -> None:
        self._config = config
        self._record = Path(config.flags.record).absolute() if config.flags.record else None
        self._replay = Path(config.flags.replay).absolute() if config.flags.replay else None
        self._given: set[Path] = set()
        if self._record is not None:
            _make(self._record)
        if self._replay is not None and not self._replay.exists():
            raise UsageError(f"--replay: there is no {self._replay}; it takes an archive, or a folder that --record has filled")

    def config(self, tool: str, arguments: dict[str, Any]) -> Config:
        """The configuration of this call. Raises NoRecordingError."""
        record = replay = ""
        if self._record is not None:
            record = str(self._free(self._record, _name(tool, arguments)))
        if self._replay is not None:
            replay = str(self._recorded(self._replay, tool, arguments))
        return replace(self._config, flags=replace(self._config.flags, record=record, replay=replay))

    def _free(self, folder: Path, name: str) -> Path:
        """The same call again gets a number: `-2`, `-3`."""
        path, number = folder / f"{name}.warc.gz", 1
        while path in self._given or path.exists():
            number += 1
            path = folder / f"{name}-{number}.warc.gz"
        self._given.add(path)
        return path

    @staticmethod
    def _recorded(replay: Path, tool: str, arguments: dict[str, Any]) -> Path:
        if not replay.is_dir():
            return replay
        path = replay / f"{_name(tool, arguments)}.warc.gz"
        if not path.is_file():
            raise NoRecordingError
        return path


def _name(tool: str, arguments: dict[str, Any]) -> str:
    """Equal calls have equal names."""
    return f"{tool}-{sha256(msgspec.json.encode(arguments, order='deterministic')).hexdigest()[:12]}"


def _make(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--record: {folder}: {error.strerror}; the host records into a folder, one archive a call") from None
