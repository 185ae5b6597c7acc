"""What the scripts inside a page show and hide while it loads, done to the parsed page before anything is judged.

Only what runs by itself counts: nothing is clicked, scrolled or hovered. A script that is not understood changes nothing.
"""

from __future__ import annotations

import re
from typing import Any

from stages.html.script.dom import Document
from stages.html.script.elements import Element
from stages.html.script.evaluating import Scope
from stages.html.script.jquery import JQuery
from stages.html.script.running import Running
from stages.html.script.syntax import Reader
from stages.html.script.tokens import Tokens, UnreadError
from stages.html.script.values import MISUSED, ThrownError
from stages.html.script.window import Window

MAX_SCRIPT, MAX_SCRIPTS, MAX_BESIDE = 20_000, 60_000, 2_000
"""Characters of one script, of all of a page, and of one that shows nothing itself: what is larger is a program, or data."""
TYPES = frozenset({"", "text/javascript", "application/javascript", "text/ecmascript", "application/ecmascript", "module"})
_SHOWING = re.compile(
    r"classList|className|\.style\b|\.hidden\b|\.open\b|[tT]oggle|removeAttr|setAttribute|\.attr\(|\.show|\.hide\(|fade|slide[DU]|[a-z]Class"
    r"|\.css\(|cssText|\.animate\(|insertRule|[\"']style[\"']|dataset|\.click\("
)
"""What a script needs to say to show or hide anything."""
_LIBRARY = re.compile(r"jquery(?![-.]ui)|zepto|cash(?:-dom)?(?:\.min)?\.js", re.IGNORECASE)


def reveal(parser: Any) -> None:
    """Let the inline scripts of a page do to it what they do while it loads."""
    scripts = [script for script in parser.css("script") if _kind(script) in TYPES]
    inline = [(script, said) for script in scripts if "src" not in script.attributes and len(said := script.text()) <= MAX_SCRIPT]
    showing = {script.mem_id for script, said in inline if _SHOWING.search(said)}
    body = parser.body
    handlers = [(body.attributes.get("onload") or "")] if body is not None else []
    if not (showing or _SHOWING.search(handlers[0] if handlers else "")):
        return
    loading = _Loading(parser)
    sources = [script.attributes["src"] or "" for script in scripts if "src" in script.attributes]
    loading.running.known = not sources
    if any(_LIBRARY.search(source) for source in sources):
        loading.window.table |= dict.fromkeys(("$", "jQuery"), JQuery(loading.window))
    loading.load([one for one in inline if one[0].mem_id in showing or len(one[1]) <= MAX_BESIDE], handlers)


def _kind(script: Any) -> str:
    return (script.attributes.get("type") or "").strip().lower()


class _Loading:
    """A page while it loads."""

    def __init__(self, parser: Any) -> None:
        self.document = Document(parser)
        self.document.kind = Element
        self.document.handle = self._handle
        self.running = Running(lambda running: Window(self.document, running))
        self.window = self.running.window

    def load(self, scripts: list[tuple[Any, str]], handlers: list[str]) -> None:
        """Run the scripts in order, then what waits for the page to be there, then what waits longer."""
        page, left = self.window.page, MAX_SCRIPTS
        modules = []
        for script, said in scripts:
            left -= len(said)
            if left < 0:
                break
            if _kind(script) == "module":
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
        self.running.all(Reader(Tokens.read(said)).program(), scope)

    def _handle(self, node: Any, name: str) -> None:
        """Run the attribute of an element that says what to do about an event."""
        said = node.attribute(name)
        if said and len(said) <= MAX_SCRIPT:
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
