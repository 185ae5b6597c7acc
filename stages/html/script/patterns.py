"""Regular expressions of scripts, those that take no time: without repeated groups, and with few repetitions."""

from __future__ import annotations

import re
import warnings
from typing import Any

from stages.html.script.values import UNKNOWN, Host

MAX_PATTERN = 100
MAX_SUBJECT = (5000, 1000, 120)
"""Characters that a pattern of no, one or two repetitions is held against: each multiplies the time."""
_REPEAT = re.compile(r"[*+]|(?<!\()\?|\{\d*,\d*\}")
_SLOW = re.compile(r"\)[*+{]|\\[1-9pPku]|\(\?[<=!]")
_CALLED = re.compile(r"\$(\d)")


class Pattern(Host):
    """A regular expression; one that could take long matches nobody knows what."""

    def __init__(self, source: Any, flags: str = "") -> None:
        super().__init__()
        self.everywhere = "g" in flags
        self.compiled: re.Pattern[str] | None = None
        self.most = 0
        if isinstance(source, Pattern):
            self.compiled, self.most = source.compiled, source.most
        elif source is not UNKNOWN and len(source) <= MAX_PATTERN and not _SLOW.search(source):
            repeats = len(_REPEAT.findall(source))
            self.most = MAX_SUBJECT[repeats] if repeats < len(MAX_SUBJECT) else 0
            try:
                with warnings.catch_warnings(action="error", category=FutureWarning):
                    self.compiled = re.compile(source.replace("[^]", r"[\s\S]"), re.IGNORECASE if "i" in flags else 0)
            except (re.error, FutureWarning):
                pass  # a pattern in a way of writing that only browsers know, or that may come to mean something else here

    def found_in(self, subject: Any) -> Any:
        """The first match; UNKNOWN where that cannot be told."""
        if self.compiled is None or not isinstance(subject, str) or len(subject) > self.most:
            return UNKNOWN
        return self.compiled.search(subject)

    def js_test(self, subject: Any = None) -> Any:
        """Whether it matches."""
        found = self.found_in(subject)
        return UNKNOWN if found is UNKNOWN else found is not None

    def js_exec(self, subject: Any = None) -> Any:
        """The match with its groups."""
        found = self.found_in(subject)
        return found if found is UNKNOWN or found is None else [found[0], *found.groups()]

    def replaced(self, subject: str, by: Any) -> Any:
        """The subject with matches replaced."""
        if self.found_in(subject) is UNKNOWN or not isinstance(by, str) or self.compiled is None:
            return UNKNOWN
        filler = _CALLED.sub(r"\\g<\1>", by.replace("\\", r"\\").replace("$&", r"\g<0>"))
        try:
            return self.compiled.sub(filler, subject, count=0 if self.everywhere else 1)
        except (re.error, IndexError):
            return UNKNOWN
