"""What a person reads on a terminal: a fold over the records that leave the process.

The question, the passages with what cites them, then the sources and what became of each, what was hidden in them, how
the engines answered, what was cut and why, and the tallies. Web text is made safe for the terminal first.
"""

from __future__ import annotations

import os
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable
from shutil import get_terminal_size
from typing import Any

from pipelines.output import safe
from stages.core.wire import Item, Line, decoded
from stages.records import (
    BY_TAG,
    Attempt,
    Document,
    Drop,
    Failure,
    Hit,
    Notice,
    Page,
    Passage,
    Query,
    Question,
    Record,
    Tally,
    Threat,
)
from stages.text.words import content_words

_WIDEST = 100
_NARROWEST = 40
_SHOWN = 5
"""Of records that were left out for the same reason."""
_VERBATIM = ("|", "    ", "\t", "```", "#", "-", "*")


class View:
    """Fold every item that leaves the process, then ask for the text."""

    def __init__(self, *, columns: int | None = None, colour: bool | None = None) -> None:
        self._columns = max(_NARROWEST, min(_WIDEST, columns or get_terminal_size((_WIDEST, 24)).columns))
        self._colour = "NO_COLOR" not in os.environ if colour is None else colour
        self._kept: dict[type[Record], list[Any]] = {}
        self._read: dict[str, tuple[str, int]] = {}
        self._threats: dict[str, tuple[tuple[Threat, ...], int]] = {}
        self._unknown = 0

    def add(self, items: Iterable[Item]) -> None:
        """Fold one batch."""
        for item in items:
            if isinstance(item, Line) and item.tag not in BY_TAG:
                self._unknown += 1
                continue
            record = decoded(item)
            if isinstance(record, (Page, Document)):
                self._source(record)
            else:
                self._kept.setdefault(type(record), []).append(record)

    def _source(self, record: Page | Document) -> None:
        """Only what is shown of it: a body is not kept."""
        size = len(record.text) if isinstance(record, Document) else len(record.body)
        self._read[record.url] = (record.title, size)
        if record.threats_total or record.threats:
            self._threats[record.url] = (record.threats, max(record.threats_total, len(record.threats)))

    def text(self) -> str:
        """Everything, ready for the terminal."""
        sections = (
            self._questions(), self._passages(), self._hits(), self._sources(), self._hidden(), self._engines(), self._cut(),
            self._notices(), self._tallies(),
        )  # fmt: skip
        return "\n".join(section for section in sections if section)

    def _of(self, kind: type[Record]) -> list[Any]:
        return self._kept.get(kind, [])

    def _questions(self) -> str:
        asked = [self._strong(self._line(question.text)) for question in self._of(Question)]
        ways = [f"  asked as ({self._line(query.derived)}): {self._line(query.text)}" for query in self._of(Query)]
        return _block("", [*asked, *ways])

    def _passages(self) -> str:
        terms = {term for asked in (*self._of(Question), *self._of(Query)) for term in content_words(asked.text)}
        mark = self._marker(terms)
        parts: list[str] = []
        for number, passage in enumerate(self._of(Passage), 1):
            score = "" if passage.score is None else f"  {passage.score:.3f}"
            place = " > ".join(self._line(heading) for heading in passage.headings)
            cut = " (cut to fit)" if passage.clamped else ""
            parts.append(f"{self._strong(f'[{number}] {self._line(passage.title) or self._line(passage.url)}')}{score}")
            parts += [f"    {place}"] if place not in ("", self._line(passage.title)) else []
            parts.append(f"    {self._line(passage.url)}  {passage.tokens} tokens{cut}\n")
            parts += [mark(line) for line in self._wrapped(safe(passage.text))]
            parts.append("")
        return _block("", parts)

    def _hits(self) -> str:
        """Only when nobody has read them: else they stand among the sources."""
        if self._of(Passage) or self._read:
            return ""
        lines: list[str] = []
        for hit in self._of(Hit):
            engines = ", ".join(dict.fromkeys(found.engine for found in hit.found))
            lines += [
                self._strong(self._line(hit.title) or self._line(hit.url)),
                f"    {self._line(hit.url)}  {self._line(engines)}".rstrip(),
            ]
            lines += self._wrapped(self._line(hit.snippet)) if hit.snippet else []
        return _block("Hits", lines)

    def _sources(self) -> str:
        cited = Counter(passage.url for passage in self._of(Passage))
        titles = {passage.url: passage.title for passage in self._of(Passage)}
        read = dict.fromkeys((*titles, *self._read))
        lines = [
            self._row(
                "read",
                f"{cited[url]} passage{'s' * (cited[url] > 1)}" if cited[url] else f"{self._read[url][1]:,} characters",
                url,
            )
            for url in read
        ]
        failures = [failure for failure in self._of(Failure) if failure.subject not in read]
        for failure in failures:
            told = failure.message if failure.subject in failure.message else f"{failure.subject}  {failure.message}"
            lines.append(self._row(failure.kind, failure.stage, told))
        return _block("Sources", lines)

    def _hidden(self) -> str:
        lines: list[str] = []
        for url, (threats, total) in self._threats.items():
            kinds = Counter(threat.kind for threat in threats)
            listed = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
            lines.append(f"  {self._line(url)}  {total} removed ({listed})")
            lines += [f"      {self._line(threat.excerpt)[:120]!r}" for threat in threats[:2] if threat.excerpt]
        return _block("Hidden text, removed before anybody read it", lines)

    def _engines(self) -> str:
        lines: list[str] = []
        for attempt in self._of(Attempt):
            message = f"  {attempt.message}" if attempt.message else ""
            lines.append(self._row(attempt.outcome, f"{attempt.who}, {attempt.results} results", f"{attempt.subject}{message}"))
        return _block("Attempts", lines)

    def _cut(self) -> str:
        groups: dict[tuple[str, str], Counter[str]] = {}
        for drop in self._of(Drop):
            groups.setdefault((drop.reason, drop.stage), Counter())[drop.subject] += 1
        lines: list[str] = []
        for (reason, stage), subjects in groups.items():
            listed = [f"{subject} ({count})" if count > 1 else subject for subject, count in subjects.items()]
            more = [f"and {len(listed) - _SHOWN} more"] if len(listed) > _SHOWN else []
            lines += [self._row(reason, stage, what) for what in (*listed[:_SHOWN], *more)]
        return _block("Left out", lines)

    def _notices(self) -> str:
        added = [notice.stage for notice in self._of(Notice) if notice.code == "lifted"]
        rows = [self._row(one.code, one.stage, one.message) for one in self._of(Notice) if one.code != "lifted"]
        return _block(
            "Notices", [*([f"  stages put in by themselves: {safe(', '.join(dict.fromkeys(added)))}"] if added else []), *rows]
        )

    def _tallies(self) -> str:
        parts: list[str] = []
        for tally in self._of(Tally):
            lost = [f"{count} {what}" for what, count in (*tally.dropped.items(), *tally.failed.items())]
            parts.append(f"{tally.stage} {tally.read}→{tally.wrote}" + (f" ({', '.join(lost)})" if lost else ""))
        return self._line(" · ".join(parts)) + ("\n" if parts else "")

    def _row(self, outcome: str, who: str, what: str) -> str:
        return f"  {self._line(outcome):13} {self._line(who):24} {self._line(what)[:300]}"

    @staticmethod
    def _line(text: str) -> str:
        """Safe, and one line."""
        return " ".join(safe(text).split())

    def _strong(self, text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if self._colour else text

    def _marker(self, terms: set[str]) -> Callable[[str], str]:
        if not terms or not self._colour:
            return lambda line: line
        longest_first = sorted(terms, key=lambda term: (-len(term), term))
        found = re.compile("|".join(_as_pattern(term) for term in longest_first), re.IGNORECASE)
        return lambda line: found.sub(lambda match: self._strong(match[0]), line)

    def _wrapped(self, text: str) -> list[str]:
        """Indented; prose is wrapped, tables, lists and code stay as they are."""
        lines: list[str] = []
        code = False
        for line in text.split("\n"):
            code ^= line.startswith("```")
            if code or line.startswith(_VERBATIM):
                lines.append(f"    {line}")
            else:
                lines += textwrap.wrap(line, self._columns - 4, initial_indent="    ", subsequent_indent="    ") or [""]
        return lines


def _as_pattern(term: str) -> str:
    """Whole words; scripts without spaces have no edges to ask for."""
    return rf"\b{re.escape(term)}\b" if term.isascii() else re.escape(term)


def _block(title: str, lines: list[str]) -> str:
    """A titled section; nothing when it has no lines."""
    head = [title] if title and lines else []
    return "".join(f"{line}\n" for line in (*head, *lines))


__all__ = ["View"]
