"""Pseudo-classes and pseudo-elements: which there are, and what they come to on a page at rest."""

from __future__ import annotations

import re

NEVER = frozenset({
    "hover", "focus", "active", "visited", "focus-within", "focus-visible", "target", "target-within", "fullscreen",
    "popover-open", "modal", "playing", "user-invalid", "user-valid", "autofill", "-webkit-autofill", "host-context",
    "picture-in-picture", "current", "past", "-moz-focusring", "seeking", "stalled", "buffering", "invalid", "out-of-range",
    "blank", "indeterminate", "has-slotted",
})  # fmt: skip
"""Pseudo-classes that hold for nothing on a page at rest, or that the page cannot be known to be in."""
_CONTROLS = ":is(button,input,select,textarea,optgroup,option,fieldset)"
_FIELDS = ":is(input,select,textarea)"
ALWAYS = {
    "defined": "", "enabled": f"{_CONTROLS}:not([disabled])", "disabled": f"{_CONTROLS}[disabled]", "read-write":
    ":is(input,textarea,[contenteditable]):not([readonly],[disabled])", "read-only":
    ":not(:is(input,textarea,[contenteditable]):not([readonly],[disabled]))", "valid": ":is(form,fieldset,input,select,textarea)",
    "in-range": "input[type=number]", "paused": ":is(audio,video)", "scope": ":root", "link": ":is(a,area)[href]", "any-link":
    ":is(a,area)[href]", "open": ":is(details,dialog)[open]", "-webkit-any-link": ":is(a,area)[href]", "optional":
    f"{_FIELDS}:not([required])", "required": f"{_FIELDS}[required]", "checked": ":is(input[checked],option[selected])",
    "placeholder-shown": "[placeholder]:not([value])", "default": ":is(input[checked],option[selected])", "muted": "[muted]",
}  # fmt: skip

_KNOWN = frozenset({
    "root", "empty", "first-child", "last-child", "only-child", "first-of-type", "last-of-type", "only-of-type", "nth-child",
    "nth-last-child", "nth-of-type", "nth-last-of-type", "lang", "dir", "is", "not", "where", "has", "host", "slotted", "part",
    "before", "after", "first-line", "first-letter", "marker", "placeholder", "selection", "backdrop", "file-selector-button",
    "cue", "highlight", "state", "details-content", "view-transition", "target-text", "spelling-error", "grammar-error", "picker",
    "checkmark",
})  # fmt: skip

_BARE_LIST = re.compile(r"(?:\A|(?<=[\s>+~,(]))(?=:(?:is|where|not|has|nth-[a-z-]+)\()")


def typed(selector: str) -> str:
    """A type before every list of selectors that has none: without one the matcher looks one level up and no further."""
    return _BARE_LIST.sub("*", selector)


def is_known(name: str) -> bool:
    """Whether browsers know a pseudo-class or pseudo-element: a rule with one that they do not know is none."""
    return name in _KNOWN or name in NEVER or name in ALWAYS or name.startswith("-webkit-")
