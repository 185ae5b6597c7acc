"""Ctrl-C during a run: the first cancels it, the second ends the process as if it were a program in C.

Not as asyncio has it: there the second is an exception in whatever callback runs, so that the end of a worker may go unheard,
and the run waits for it for ever.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def heard(cancel: Callable[[], None]) -> Iterator[None]:
    """Call `cancel` in the running loop at the first signal.

    Does nothing where the process was not entered by `pipelines.start`, and so has a handler of its own.
    """
    if signal.getsignal(signal.SIGINT) is not signal.SIG_DFL:
        yield
        return
    loop = asyncio.get_running_loop()

    def first(_number: int, _frame: object) -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        loop.call_soon_threadsafe(cancel)

    signal.signal(signal.SIGINT, first)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
