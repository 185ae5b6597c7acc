"""Where the console script enters: Ctrl-C ends the command quietly from its first line to its last.

Python turns the signal into an exception wherever it stands, also while it imports or tidies up, and prints a traceback there.
So the signal has its plain effect (the process ends) while there is nothing to clean up, and cancels a run while there is one:
`pipelines.interrupt`. A signal that is ignored, as under nohup, stays ignored.
"""

from __future__ import annotations

import signal

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def main() -> None:
    """The console script."""
    from pipelines import cli

    cli.main()
