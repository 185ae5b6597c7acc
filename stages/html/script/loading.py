"""A page while it loads: its scripts in the order in which a browser runs them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from stages.html.script.dom import Document
from stages.html.script.elements import Element
from stages.html.script.evaluating import Scope
from stages.html.script.expressions import Node
from stages.html.script.jquery import JQuery
from stages.html.script.running import Running
from stages.html.script.syntax import Reader
from stages.html.script.tokens import Tokens, UnreadError
from stages.html.script.values import MISUSED, ThrownError
from stages.html.script.window import Window

MAX_SCRIPTS, MAX_HANDLER = 60_000, 2_000
"""Characters of all scripts of a page, and of an attribute that says what to do."""


class Loading:
    """A page while it loads."""

    def __init__(self, parser: Any) -> None:
        self.document = Document(parser)
        self.document.kind = Element
        self.document.handle = self._handle
        self.running = Running(lambda running: Window(self.document, running))
        self.window = self.running.window

    def has_jquery(self) -> None:
        """Let the page have loaded it."""
        self.window.table |= dict.fromkeys(("$", "jQuery"), JQuery(self.window))

    def load(self, scripts: list[tuple[Any, str, bool]], handlers: list[str]) -> None:
        """Run the scripts in order, then what waits for the page to be there, then what waits longer.

        Each comes with its element, and whether it is a module.
        """
        page, left = self.window.page, MAX_SCRIPTS
        modules = []
        for script, said, is_module in scripts:
            left -= len(said)
            if left < 0:
                break
            if is_module:
                modules.append(said)
                continue
            self.document.limit = script
            page.own["currentScript"] = self.document.node(script)
            self._do(lambda said=said: self._run(said, self.running.top))
        self.document.limit, page.own["currentScript"] = None, None
        page.own["readyState"] = "interactive"
        for said in modules:
            self._do(lambda said=said: self._run(said, Scope(self.running.top, True)))
        self._happens(page, "readystatechange")
        for target in (page, self.window):
            self._happens(target, "DOMContentLoaded")
        page.own["readyState"] = "complete"
        self._happens(page, "readystatechange")
        for said in handlers:
            self._do(lambda said=said: self._run(said, Scope(self.running.top, True)))
        for kind in ("load", "pageshow"):
            self._happens(self.window, kind)
        while (task := self.document.clock.next()) is not None:
            function, given = task
            self._do(lambda function=function, given=given: function(*given))

    def _happens(self, target: Any, kind: str) -> None:
        for call in target.heard(kind):
            self._do(call)

    def _run(self, said: str, scope: Scope) -> None:
        program = program_of(said)
        if isinstance(program, UnreadError):
            raise program
        self.running.all(program, scope)

    def _handle(self, node: Any, name: str) -> None:
        """Run the attribute of an element that says what to do about an event."""
        said = node.attribute(name)
        if said and len(said) <= MAX_HANDLER:
            scope = Scope(self.running.top, True)
            scope.names |= {"this": node, "event": {"target": node, "currentTarget": node, "preventDefault": lambda *_: None}}
            self._run(said, scope)

    def _do(self, what: Any) -> None:
        """One thing after the other; what a script does that is not understood to its end is taken back."""
        self.document.undo.clear()
        self.running.depth = 0
        try:
            what()
        except ThrownError:
            pass  # the browser goes on with the next one too
        except (UnreadError, RecursionError, *MISUSED):
            for undo in reversed(self.document.undo):
                undo()


@lru_cache(maxsize=512)
def program_of(said: str) -> list[Node] | UnreadError:
    """The statements of a script, or what is wrong with it. Read once, since the pages of a site have their scripts in common."""
    try:
        return Reader(Tokens.read(said)).program()
    except UnreadError as error:
        return error
