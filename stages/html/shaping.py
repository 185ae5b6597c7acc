"""`clip-path: shape()`: the points that its commands go through, as far as that says whether it has an area."""

from __future__ import annotations

from stages.html.values import Scale, length, pieces

Point = tuple[float, float]


def points(arguments: str, scale: Scale) -> list[Point] | None:
    """The corners of a shape of straight lines; None for one with curves, or that is not understood."""
    found: list[Point] = []
    for command in pieces(arguments, ","):
        words = [word for word in pieces(command) if word not in ("evenodd", "nonzero")]
        name, numbers = words[0] if words else "", [length(word, scale) for word in words[1:] if word not in ("to", "by")]
        at = found[-1] if found and "by" in words else (0.0, 0.0)
        if name == "close":
            continue
        if name not in ("from", "move", "line", "hline", "vline") or None in numbers or not numbers:
            return None
        x, y = numbers[0] or 0.0, numbers[-1] or 0.0
        stay = found[-1] if found else (0.0, 0.0)
        if name == "hline":
            found.append((at[0] + x, stay[1]))
        elif name == "vline":
            found.append((stay[0], at[1] + y))
        else:
            found.append((at[0] + x, at[1] + y))
    return found
