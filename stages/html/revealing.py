"""What the scripts inside a page show and hide while it loads, done to the parsed page before anything is judged.

Only what runs by itself counts: nothing is clicked, scrolled or hovered. A script that is not understood changes nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

MAX_SCRIPT, MAX_BESIDE = 20_000, 2_000
"""Characters of one script, and of one that shows nothing itself: what is larger is a program, or data."""
TYPES = frozenset({"", "text/javascript", "application/javascript", "text/ecmascript", "application/ecmascript", "module"})
_SHOWING = re.compile(
    r"classList|className|\.style\b|\.hidden\b|\.open\b|[tT]oggle|removeAttr|setAttribute|\.attr\(|\.show|\.hide\(|fade|slide[DU]|[a-z]Class"
    r"|\.css\(|cssText|\.animate\(|insertRule|[\"']style[\"']|dataset|\.click\(|\.write(?:ln)?\([^)]{0,20}<style"
)
"""What a script needs to say to show or hide anything."""
_LIBRARY = re.compile(r"jquery(?![-.]ui)|zepto|cash(?:-dom)?(?:\.min)?\.js", re.IGNORECASE)


def reveal(parser: Any) -> None:
    """Let the inline scripts of a page do to it what they do while it loads."""
    scripts = [script for script in parser.css("script") if _kind(script) in TYPES]
    inline = [(script, said) for script in scripts if "src" not in script.attributes and len(said := script.text()) <= MAX_SCRIPT]
    showing = {script.mem_id for script, said in inline if _shows(said)}
    body = parser.body
    handlers = [(body.attributes.get("onload") or "")] if body is not None else []
    if not (showing or any(map(_shows, handlers))):
        return
    from stages.html.script.loading import Loading

    loading = Loading(parser)
    sources = [script.attributes["src"] or "" for script in scripts if "src" in script.attributes]
    loading.running.known = not sources
    if any(_LIBRARY.search(source) for source in sources):
        loading.has_jquery()
    read = [(script, said) for script, said in inline if script.mem_id in showing or len(said) <= MAX_BESIDE]
    loading.load([(script, said, _kind(script) == "module") for script, said in read], handlers)


@lru_cache(maxsize=1024)
def _shows(said: str) -> bool:
    return _SHOWING.search(said) is not None


def _kind(script: Any) -> str:
    return (script.attributes.get("type") or "").strip().lower()
