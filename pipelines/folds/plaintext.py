"""Markdown as plain text: what a reader would hear, without the marks. Code stays as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_LINK = re.compile(r"!?\[((?:[^\[\]\\]|\\.)*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+\"[^\"]*\")?\)")
_START = re.compile(r"^(\s*)(?:#{1,6}\s+|>\s?)+")
_RULE = re.compile(r"^\s*\|?(?:\s*:?-{3,}:?\s*\|?)+\s*$")
_EMPHASIS = re.compile(r"(\*\*\*|\*\*|__|\*|~~)(?=\S)(.+?)(?<=\S)\1")
_CODE = re.compile(r"`([^`]+)`")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


def plain(text: str) -> str:
    """The text without headings', links', tables' and emphasis' marks. Link labels stay, addresses go."""
    lines = []
    for line, code in _lines(text):
        if code and _FENCE.match(line):
            continue
        if code:
            lines.append(line)
        elif not _RULE.match(line):
            lines.append(_unmarked(line))
    return "\n".join(lines)


def without_links(text: str) -> str:
    """The markdown with its links replaced by their labels; code stays as it is."""
    return "\n".join(line if code else _LINK.sub(r"\1", line) for line, code in _lines(text))


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it belongs to a fence."""
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            yield line, True
            fence = "" if fence else mark[1]
        else:
            yield line, bool(fence)


def _unmarked(line: str) -> str:
    line = _LINK.sub(r"\1", _START.sub(r"\1", line))
    if line.lstrip().startswith("|"):
        line = "\t".join(cell.strip() for cell in line.strip().strip("|").split("|"))
    return _ESCAPE.sub(r"\1", _CODE.sub(r"\1", _EMPHASIS.sub(r"\2", line)))


__all__ = ["plain", "without_links"]
