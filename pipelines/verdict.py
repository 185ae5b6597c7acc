"""The exit code and the reason: a fold over what left the process, so both say the same in a shell pipe and in one process."""

from __future__ import annotations

from collections import Counter

from stages.core.errors import CUT, FOUND, NOTHING, UNAVAILABLE
from stages.core.stage import Stage
from stages.core.wire import Item, decoded, item_tag
from stages.records import Attempt, Failure
from stages.vocabulary import Outcome

REFUSALS: frozenset[Outcome] = frozenset({
    "challenge", "blocked", "login", "consent", "rate_limited", "robots", "refused", "needs_browser", "server_error", "network",
    "timeout", "replay_miss",
})  # fmt: skip
"""Somebody did not let us, or could not answer: asking elsewhere or later may help."""

ANSWERS: frozenset[Outcome] = frozenset({"ok", "empty", "irrelevant"})

_ACCOUNTS = frozenset({"run", "attempt", "drop", "failure", "notice", "tally"})


class Verdict:
    """Fold every item that leaves the process, then ask for the code. `own` are the stages of this process."""

    def __init__(self, last: Stage, own: frozenset[str] = frozenset()) -> None:
        self._own = own
        self._reasons: Counter[tuple[Outcome, str]] = Counter()
        made = set(last.writes) - set(last.keeps)  # what it keeps was there before, also where it writes more of the kind
        self._results = frozenset(kind.__name__.lower() for kind in made) - _ACCOUNTS
        self._found = False
        self._cut = False
        self._answered: dict[str, bool] = {}
        self._failures: list[Outcome] = []

    def add(self, items: list[Item]) -> None:
        """Fold one batch."""
        for item in items:
            tag = item_tag(item)
            if tag in self._results:
                self._found = True
            elif tag in ("attempt", "failure"):
                self._account(decoded(item))

    def _account(self, record: object) -> None:
        if isinstance(record, Attempt):
            self._cut |= record.outcome == "deadline"
            told = record.message or record.who
            self._note(record.stage, record.outcome, told if told.startswith(record.who) else f"{record.who}: {told}")
            self._answered[record.stage] = self._answered.get(record.stage, False) or record.outcome in ANSWERS
        elif isinstance(record, Failure):
            self._cut |= record.kind == "deadline"
            self._note(record.stage, record.kind, record.message)
            self._failures.append(record.kind)

    def _note(self, stage: str, kind: Outcome, message: str) -> None:
        if stage in self._own and kind not in ANSWERS:
            self._reasons[kind, message] += 1

    @property
    def reason(self) -> str:
        """Why there is nothing, in one line, if it was this process that lost it; empty otherwise.

        Every kind with its number, the most frequent first, and of that one what was said most often.
        """
        if self.code == FOUND or not self._reasons:
            return ""
        kinds: Counter[Outcome] = Counter()
        for (kind, _), times in self._reasons.items():
            kinds[kind] += times
        counted = kinds.most_common()
        said = next(message for (kind, message), _ in self._reasons.most_common() if kind == counted[0][0])
        if kinds.total() == 1:
            return f"nothing found: {counted[0][0]}: {said}"
        told = ", ".join(f"{kind} ({times} times)" if times > 1 else kind for kind, times in counted)
        return f"nothing found: {told}; {'for example' if len(self._reasons) > 1 else 'each time'} {said}"

    @property
    def code(self) -> int:
        """0 found, 75 cut by the deadline, 69 refused by everybody, 1 nothing."""
        if self._found:
            return FOUND
        if self._cut:
            return CUT
        refused = bool(self._failures) and all(kind in REFUSALS for kind in self._failures)
        return UNAVAILABLE if refused or not all(self._answered.values()) else NOTHING
