"""A file of `NAME=value` lines, as many tools share it. Only the `CRIBBLE_` lines are ours; nothing is expanded or executed."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from pathlib import Path

from stages.core.errors import UsageError

_LINE = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)")
_QUOTED = re.compile(r"""(["'])(.*?)(?<!\\)\1\s*(?:#.*)?""")
_ESCAPE = re.compile(r"\\(.)")
_MEANS = {"n": "\n", "t": "\t"}


def read_env_file(name: str) -> dict[str, str]:
    """The variables that are ours, the last of equal names; quotes are taken off, in double ones a backslash escapes.

    Raises UsageError for a file that cannot be read and for a `CRIBBLE_` line that says nothing.
    """
    try:
        lines = Path(name).read_bytes().removeprefix(BOM_UTF8).decode().splitlines()
    except UnicodeDecodeError:
        raise UsageError(f"--env-file: {name} is not text in UTF-8") from None
    except OSError as error:
        raise UsageError(f"--env-file: {name}: {error.strerror}") from None
    found: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        text = line.strip()
        match = _LINE.fullmatch(text)
        if match is not None and match[1].startswith("CRIBBLE_"):
            found[match[1]] = _value(match[2])
        elif match is None and re.match(r"(export\s+)?CRIBBLE_", text):
            raise UsageError(f"--env-file: {name}, line {number}: not NAME=value")
    return found


def _value(text: str) -> str:
    quoted = _QUOTED.fullmatch(text)
    if quoted is None:
        return re.sub(r"\s+#.*$", "", text).strip()
    if quoted[1] == "'":
        return quoted[2]
    return _ESCAPE.sub(lambda escape: _MEANS.get(escape[1], escape[1]), quoted[2])
