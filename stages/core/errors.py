"""Every error that cribble raises on purpose, grouped by what happens next.

    CribbleError
    ├── StageError      this record is lost and the stream goes on: the runner writes a Failure
    └── UsageError      the caller must change something: one line on stderr, exit 2
        ├── InputError      a line of the input, with its number
        └── ArchiveError    an archive that cannot be read or written

Anything else is a bug: the pipe stops, exit 70. One inside a worker process comes out as `Bug`.
Foreign exceptions are mapped where they enter (net/, text/, store/), never later.
"""

from __future__ import annotations

from stages.vocabulary import Outcome

FOUND, NOTHING, USAGE, UNAVAILABLE, BUG, CUT, INTERRUPTED, CLOSED = 0, 1, 2, 69, 70, 75, 130, 141
"""Exit codes: found; nothing; usage; everybody refused; a bug; cut by the deadline; Ctrl-C; the reader closed the pipe."""

RETRYABLE: frozenset[Outcome] = frozenset({"rate_limited", "server_error", "network", "timeout", "deadline", "challenge"})


class CribbleError(Exception):
    """Base of the tree."""


class StageError(CribbleError):
    """One record cannot be handled. `kind` is from the one vocabulary of outcomes; the message names no address inside."""

    def __init__(self, kind: Outcome, message: str, *, http_status: int = 0) -> None:
        super().__init__(message)
        self.kind: Outcome = kind
        self.http_status = http_status

    @property
    def retryable(self) -> bool:
        """Whether asking again may help."""
        return self.kind in RETRYABLE


class UsageError(CribbleError):
    """The caller asked for something that cannot be; the message says what would help."""


class InputError(UsageError):
    """A line of the input that is no record."""

    def __init__(self, number: int, message: str) -> None:
        super().__init__(f"line {number}: {message}")
        self.number = number


class ArchiveError(UsageError):
    """An archive that is missing, damaged, taken, or out of room."""


class Bug(Exception):  # noqa: N818  it is none of the caller's errors
    """A stage raised what it should not, in a worker: `str()` says the stage and the error, `details` holds the traceback."""

    def __init__(self, stage: str, error: str, details: str = "") -> None:
        super().__init__(f"a bug in {stage}: {error}")
        self.stage = stage
        self.details = details
