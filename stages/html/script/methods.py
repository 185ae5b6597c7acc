"""Properties and methods of strings, lists and records."""

from __future__ import annotations

from typing import Any

from stages.html.script.patterns import Pattern
from stages.html.script.values import MAX_LIST, MAX_STRING, UNKNOWN, Host, ThrownError, amount, binary, text, truth, whole


def listed(value: Any) -> list[Any] | None:
    """What can be gone through, as a list; None where that is not known."""
    if isinstance(value, list):
        return value
    if isinstance(value, str):
        return list(value)
    items = getattr(value, "items", None)
    return items if isinstance(items, list) else None


def get(holder: Any, name: Any) -> Any:  # noqa: PLR0911 - one kind after the other
    """A property of any value."""
    if holder is None:
        raise ThrownError
    if holder is UNKNOWN or name is UNKNOWN:
        return UNKNOWN
    name = text(name)
    if isinstance(holder, Host):
        return holder.get(name)
    if isinstance(holder, dict):
        return holder[name] if name in holder else _RECORD.get(name, lambda _: None)(holder)
    if isinstance(holder, list | str):
        table: dict[str, Any]
        if name == "length":
            return float(len(holder))
        if name.isdigit():
            return holder[int(name)] if int(name) < len(holder) else None
        table = _LIST if isinstance(holder, list) else _STRING
        return (lambda *given: table[name](holder, *given)) if name in table else None
    return UNKNOWN


_RECORD: dict[str, Any] = {
    "hasOwnProperty": lambda holder: lambda name=None: text(name) in holder,
    "toString": lambda _: UNKNOWN,
}


def put(holder: list[Any], name: Any, value: Any) -> None:
    """Set an item of a list."""
    if isinstance(name, str) and name.isdigit() and int(name) <= len(holder) < MAX_LIST:
        holder[int(name) : int(name) + 1] = [value]
    elif name == "length":
        del holder[whole(value) :]


def holds(holder: Any, name: Any) -> Any:
    """`in`."""
    if holder is None:
        raise ThrownError
    if isinstance(holder, dict):
        return name in holder
    return holder.has(name) if hasattr(holder, "has") else UNKNOWN


def _sure(value: Any) -> bool:
    return truth(value) is True


def _each(items: list[Any], function: Any, *_: Any) -> None:
    if not callable(function):
        raise ThrownError
    for at, item in enumerate(list(items)):
        function(item, float(at), items)


def _map(items: list[Any], function: Any, *_: Any) -> list[Any]:
    return [function(item, float(at), items) for at, item in enumerate(list(items))]


def _filter(items: list[Any], function: Any, *_: Any) -> list[Any]:
    return [item for at, item in enumerate(list(items)) if _sure(function(item, float(at), items))]


def _find(items: list[Any], function: Any, *_: Any) -> Any:
    return next(iter(_filter(items, function)), None)


def _reduce(items: list[Any], function: Any, *start: Any) -> Any:
    value, rest = (start[0], items) if start else (items[0], items[1:])
    for item in rest:
        value = function(value, item)
    return value


def _push(items: list[Any], *more: Any) -> float:
    if len(items) + len(more) <= MAX_LIST:
        items.extend(more)
    return float(len(items))


def _joined(items: list[Any], by: Any = ",") -> Any:
    made: Any = ""
    for at, item in enumerate(items):
        made = (
            binary("+", made, (by if at else "") + ("" if item is None else text(item))) if text(item) is not UNKNOWN else UNKNOWN
        )
    return made


def _slice(items: Any, start: Any = 0.0, end: Any = None) -> Any:
    return items[whole(start) : None if end is None else whole(end)]


def _index(items: list[Any], wanted: Any) -> float:
    return float(items.index(wanted) if wanted in items else -1)


_LIST: dict[str, Any] = {
    "forEach": _each,
    "map": _map,
    "filter": _filter,
    "find": _find,
    "some": lambda items, function: bool(_filter(items, function)),
    "every": lambda items, function: len(_filter(items, function)) == len(items),
    "reduce": _reduce,
    "push": _push,
    "pop": lambda items: items.pop() if items else None,
    "shift": lambda items: items.pop(0) if items else None,
    "unshift": lambda items, *more: items.__setitem__(slice(0, 0), list(more)),
    "concat": lambda items, *more: items + [each for one in more for each in (one if isinstance(one, list) else [one])],
    "slice": _slice,
    "reverse": lambda items: items.reverse() or items,
    "indexOf": _index,
    "includes": lambda items, wanted: _index(items, wanted) >= 0,
    "join": _joined,
    "item": lambda items, at=0.0: items[whole(at)] if 0 <= whole(at) < len(items) else None,
    "at": lambda items, at=0.0: items[whole(at)] if -len(items) <= whole(at) < len(items) else None,
    "entries": lambda items: [[float(at), item] for at, item in enumerate(items)],
    "values": list,
    "keys": lambda items: [float(at) for at in range(len(items))],
    "flat": lambda items: [each for one in items for each in (one if isinstance(one, list) else [one])],
}


def _replace(string: str, what: Any, by: Any = "", count: int = 1) -> Any:
    if isinstance(what, Pattern):
        return what.replaced(string, by)
    if not isinstance(by, str) or text(what) is UNKNOWN:
        return UNKNOWN
    made = string.replace(text(what), by, count)
    return made if len(made) <= MAX_STRING else UNKNOWN


def _split(string: str, at: Any = None, *_: Any) -> Any:
    if isinstance(at, Pattern):
        known = at.found_in(string) is not UNKNOWN and at.compiled is not None
        return at.compiled.split(string) if known and at.compiled else UNKNOWN
    return [string] if at is None else list(string) if at == "" else string.split(text(at))[:MAX_LIST]


def _match(string: str, pattern: Any) -> Any:
    if not isinstance(pattern, Pattern):
        return UNKNOWN
    found = pattern.found_in(string)
    if found is UNKNOWN or found is None:
        return found
    return pattern.compiled.findall(string) if pattern.everywhere and pattern.compiled else [found[0], *found.groups()]


_STRING: dict[str, Any] = {
    "replace": _replace,
    "replaceAll": lambda string, what, by="": _replace(string, what, by, -1),
    "split": _split,
    "match": _match,
    "trim": str.strip,
    "trimStart": str.lstrip,
    "trimEnd": str.rstrip,
    "toLowerCase": str.lower,
    "toUpperCase": str.upper,
    "toString": str,
    "indexOf": lambda string, wanted="", *_: float(string.find(text(wanted))),
    "includes": lambda string, wanted="", *_: text(wanted) in string,
    "startsWith": lambda string, wanted="", *_: string.startswith(text(wanted)),
    "endsWith": lambda string, wanted="", *_: string.endswith(text(wanted)),
    "slice": _slice,
    "substring": lambda string, start=0.0, end=None: string[max(whole(start), 0) : None if end is None else max(whole(end), 0)],
    "substr": lambda string, start=0.0, size=None: string[whole(start) :][: None if size is None else whole(size)],
    "charAt": lambda string, at=0.0: string[whole(at) : whole(at) + 1],
    "concat": lambda string, *more: _joined([string, *more], ""),
    "repeat": lambda string, times=0.0: string * whole(times) if len(string) * whole(times) <= MAX_STRING else UNKNOWN,
    "localeCompare": lambda *_: UNKNOWN,
    "charCodeAt": lambda string, at=0.0: float(ord(string[whole(at)])) if whole(at) < len(string) else amount(None),
}
