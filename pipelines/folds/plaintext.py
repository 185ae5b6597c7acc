"""Markdown as plain text: what a reader would hear, without the marks. Code stays as it is.

Pages are strangers' text: every pattern here is linear, or bounded.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Literal

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_LINK = re.compile(r"!?\[((?:[^\[\]\\]|\\.){0,2000})\]\((?:[^()\s]|\([^()\s]{0,500}\)){0,2000}(?:\s\"[^\"]{0,500}\")?\)")
_START = re.compile(r"^(\s*)(?:#{1,6}\s+|>\s?)+")
_EMPHASIS = re.compile(r"(?<!\\)(\*\*\*|\*\*|__|\*|~~)(?=\S)(.{1,500}?)(?<=[^\s\\])\1")
_CODE = re.compile(r"`([^`]+)`")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


def plain(text: str) -> str:
    """The text without headings', links', tables' and emphasis' marks. Link labels stay, addresses go."""
    return Plain(text).text


class Plain:
    """Markdown without its marks in `text`, and where in it each place of the markdown has come to (both in code points)."""

    def __init__(self, markdown: str) -> None:
        self._from: list[int] = []
        self._to: list[int] = []
        self._lines: list[str] = []
        read = written = 0
        for line, kind in _lines(markdown):
            self._from.append(read)
            self._to.append(written)
            read += len(line) + 1
            if kind == "code" or (kind == "text" and not _is_rule(line)):
                self._lines.append(line if kind == "code" else _unmarked(line))
                written += len(self._lines[-1]) + 1
        self._to.append(written)
        self.text = "\n".join(self._lines)

    def place(self, offset: int) -> int:
        """Exact at the start and the end of a line. Inside of one, as far as its marks allow."""
        line = bisect_right(self._from, offset) - 1
        end = max(self._to[line], self._to[line + 1] - 1)
        return min(self._to[line] + offset - self._from[line], end, len(self.text))


def without_links(text: str) -> str:
    """The markdown with its links replaced by their labels; code stays as it is."""
    return "\n".join(_LINK.sub(r"\1", line) if kind == "text" else line for line, kind in _lines(text))


def _lines(text: str) -> Iterator[tuple[str, Literal["text", "code", "fence"]]]:
    """Each line, and whether it is text, inside of a fence, or the fence itself."""
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            yield line, "fence"
            fence = "" if fence else mark[1]
        else:
            yield line, "code" if fence else "text"


def _is_rule(line: str) -> bool:
    """The line below a table's head, or between sections."""
    return "---" in line and not line.strip("|:- \t")


def _unmarked(line: str) -> str:
    line = _LINK.sub(r"\1", _START.sub(r"\1", line))
    if line.lstrip().startswith("|"):
        line = "\t".join(cell.strip() for cell in line.strip().strip("|").split("|"))
    return _ESCAPE.sub(r"\1", _CODE.sub(r"\1", _EMPHASIS.sub(r"\2", line)))


__all__ = ["Plain", "plain", "without_links"]
