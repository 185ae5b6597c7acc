"""What scripts have the browser call later, in the order in which it does."""

from __future__ import annotations

import heapq
from typing import Any

from stages.html.script.values import UNKNOWN, Host

MAX_DELAY, SLOW = 5000.0, 1000.0
"""Milliseconds that a person waits for a page, and from which on what comes again is a show that goes round."""
MAX_TASKS = 500
FRAME = 16.0


class Clock:
    """The functions that wait."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waiting: list[tuple[float, int, Any, list[Any]]] = []
        self.number = 0
        self.forgotten: set[float] = set()

    def later(self, delay: float, function: Any, given: list[Any]) -> float:
        """Call a function some milliseconds later; the number by which that is called off."""
        self.number += 1
        again = delay >= SLOW and getattr(function, "ran", False)
        if callable(function) and self.number <= MAX_TASKS and self.now + delay <= MAX_DELAY and not again:
            heapq.heappush(self.waiting, (self.now + max(delay, 0.0), self.number, function, given))
        return float(self.number)

    def forget(self, number: Any = None, *_: Any) -> None:
        """Call one off."""
        if isinstance(number, float):
            self.forgotten.add(number)

    def next(self) -> tuple[Any, list[Any]] | None:
        """The function whose turn it is, and what it is called with."""
        while self.waiting:
            self.now, number, function, given = heapq.heappop(self.waiting)
            if number not in self.forgotten:
                return function, given
        return None


class Maker(Host):
    """A constructor that browsers have."""

    def __init__(self, made: Any, **own: Any) -> None:
        super().__init__(own)
        self.made = made

    def __call__(self, *given: Any) -> Any:
        return self.made(*given)


class Promise(Host):
    """What will be known later."""

    def __init__(self, clock: Clock, run: Any = None) -> None:
        super().__init__()
        self.clock, self.kept = clock, False
        self.waiting: list[Any] = []
        self.result: Any = None
        if callable(run):
            run(self.keep, lambda *_: None)

    def keep(self, value: Any = None) -> None:
        """Let what waits for it go on."""
        if not self.kept:
            self.kept, self.result = True, value
            for function in self.waiting:
                self.clock.later(0.0, function, [value])

    def js_then(self, function: Any = None, *_: Any) -> Promise:
        after = Promise(self.clock)

        def going_on(value: Any = None) -> None:
            after.keep(function(value) if callable(function) else value)

        if self.kept:
            self.clock.later(0.0, going_on, [self.result])
        else:
            self.waiting.append(going_on)
        return after

    js_finally = js_then

    def js_catch(self, *_: Any) -> Promise:
        return self


class Watcher(Host):
    """An IntersectionObserver: whatever it watches comes into sight."""

    def __init__(self, clock: Clock, function: Any, *_: Any) -> None:
        super().__init__()
        self.clock, self.function = clock, function

    def js_observe(self, target: Any = None) -> None:
        entry = {
            "isIntersecting": True, "intersectionRatio": 1.0, "target": target, "boundingClientRect": UNKNOWN,
        }  # fmt: skip
        self.clock.later(FRAME, self.function, [[entry], self])

    def js_unobserve(self, *_: Any) -> None:
        """Nothing comes into sight twice."""

    js_disconnect = js_unobserve
