"""Standard output and standard error, written without Python's buffers: what is written has left the process."""

from __future__ import annotations

import os
import sys

from stages.core.errors import UsageError


class ClosedOutput(Exception):  # noqa: N818 - nobody did anything wrong
    """The reader of our standard output has gone."""


class Helped(Exception):  # noqa: N818 - it is what was asked for
    """Help was wanted instead of the command; its text."""


def write(data: bytes, descriptor: int = 1) -> None:
    """Write all of it. Raises ClosedOutput when nobody reads, UsageError when there is no room."""
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    except BrokenPipeError:
        raise ClosedOutput from None
    except OSError as error:
        raise UsageError(f"standard output: {error.strerror}") from None


def complain(message: str) -> None:
    """One line on stderr, whatever the message holds."""
    sys.stderr.write(safe(message).replace("\n", " ") + "\n")


def safe(text: str) -> str:
    """Text that cannot steer a terminal: control characters and direction overrides become replacement characters.

    Newlines and tabs stay.
    """
    return text.translate(_UNSAFE)


_UNSAFE = {
    code: "\N{REPLACEMENT CHARACTER}"
    for codes in (
        range(0x20),
        range(0x7F, 0xA0),
        range(0x200E, 0x2010),
        range(0x202A, 0x202F),
        range(0x2066, 0x206A),
        [0x2028, 0x2029],
    )
    for code in codes
    if code not in (0x09, 0x0A)
}
