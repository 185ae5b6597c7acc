"""Keys of services that want one, from the environment alone: no flag, file of settings, record or archive holds one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from stages.core.env import Secret
from stages.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

KEYS: dict[str, tuple[str, str]] = {
    f"{name}_api_key": (f"CRIBBLE_{name.upper()}_API_KEY", f"{name.upper()}_API_KEY")
    for name in ("brave", "tavily", "exa", "serper")
}
"""By the field of Settings: our own variable, and the one that the service's other clients read. Ours is the nearer one."""

VARIABLES = {own: f"Key for {usual.partition('_')[0].capitalize()}; {usual} does as well." for own, usual in KEYS.values()}
_KEY = re.compile(r"[!-~]{1,500}")
REPLAYED = Secret("replayed")
"""Stands for the key that a recorded run had."""


def keys_in(environment: Mapping[str, str]) -> dict[str, tuple[Secret, str]]:
    """Every key that there is, with the name of its variable, by the field of Settings. Raises UsageError for what is no key."""
    found: dict[str, tuple[Secret, str]] = {}
    for setting, variables in KEYS.items():
        name = next((name for name in variables if environment.get(name)), "")
        if name and not _KEY.fullmatch(environment[name]):
            raise UsageError(f"{name}: a key is one word of plain letters, digits and signs")
        if name:
            found[setting] = (Secret(environment[name]), name)
    return found


__all__ = ["KEYS", "REPLAYED", "VARIABLES", "keys_in"]
