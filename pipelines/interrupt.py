"""Ctrl-C during a run: an exception while the run is there to be cancelled, a plain end of the process before and after.

Does nothing where the process was not entered by the console script, and so has a handler of its own.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

_SIGINT = {signal.SIGINT}


def plain() -> None:
    """Let the signal end the process, as it ends a program in C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def held() -> Iterator[None]:
    """Around the event loop: what arrives while the loop is made or closed waits. `heard` is for what runs inside."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_DFL:
        yield
        return
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # without it asyncio does not cancel
    try:
        yield
    finally:
        plain()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGINT)


@contextmanager
def heard() -> Iterator[None]:
    """Let the signal cancel the run."""
    before = signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGINT)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
