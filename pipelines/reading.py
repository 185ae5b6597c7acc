"""Whole inputs, files and standard input alike: what is larger than it may be is an error, and is not read on; and TOML."""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from stages.core.errors import UsageError


def whole(name: str | None, most_bytes: int) -> bytes:
    """All that a file holds; None is standard input. Raises UsageError for what cannot be read, or is larger."""
    if name == "":
        raise UsageError("a file's name is empty")
    told = "standard input" if name is None else name
    try:
        with _opened(name) as file:
            data = file.read(most_bytes + 1)
    except OSError as error:
        raise UsageError(f"{told}: {error.strerror}") from None
    if len(data) > most_bytes:
        raise UsageError(f"{told}: larger than {most_bytes >> 20} MB")
    return data


def toml(text: bytes) -> dict[str, Any]:
    """A TOML file's table. Raises UsageError."""
    try:
        found: dict[str, Any] = msgspec.toml.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"not TOML: {error}") from None
    except RecursionError:
        raise UsageError("not TOML: nested too deep") from None
    return found


def _opened(name: str | None) -> BinaryIO:
    if name is None:
        return open(0, "rb", closefd=False)  # sys.stdin is None where it is closed
    return Path(name).open("rb")


__all__ = ["toml", "whole"]
