"""Workbooks (.xlsx): a table a sheet, values as they are shown; hidden sheets, rows and columns are left out and reported."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from msgspec import Struct

from stages.core.errors import StageError
from stages.formats.markup import Converted, Hidden, document, escaped, heading, table
from stages.formats.zipped import Parts, attribute

if TYPE_CHECKING:
    from lxml.etree import _Element

READER = "xlsx/1"
MAIN = "xl/workbook.xml"
MAX_CELLS = 150_000
"""What a clean page may hold."""
MAX_COLUMNS = 1000

_DATE_FORMATS = frozenset({*range(14, 18), 22, *range(27, 37), *range(50, 59)})
_TIME_FORMATS = frozenset({18, 19, 20, 21, 45, 46, 47})
_PERCENT_FORMATS = frozenset({9, 10})
_QUOTED = re.compile(r'"[^"]*"|\\.|\[(?!h|m|s)[^\]]*\]', re.IGNORECASE)
_CELL = re.compile(r"([A-Z]{1,3})\d+")
_EPOCH, _OLD_EPOCH = datetime(1899, 12, 30), datetime(1904, 1, 1)  # noqa: DTZ001 - sheets know no time zones
_LAST_SERIAL = 2_958_465
"""31 December 9999."""


class _Book(Struct):
    strings: list[str]
    kinds: list[str]
    """Of each cell format: `date`, `time`, `datetime`, `percent` or nothing."""
    epoch: datetime
    hidden: Hidden
    cells: int = 0


def read_xlsx(body: bytes) -> Converted:
    """The workbook as HTML. Raises StageError: `too_large` for more than MAX_CELLS cells."""
    parts = Parts(body)
    root, targets = parts.xml(MAIN), parts.relations(MAIN)
    looks = root.find("{*}workbookPr") if root is not None else None
    old = looks is not None and looks.get("date1904") in ("1", "true")
    book = _Book(
        _strings(parts),
        _kinds(parts.xml("xl/styles.xml")),
        _OLD_EPOCH if old else _EPOCH,
        Hidden("hidden_attribute"),
    )
    made: list[str] = []
    for sheet in root.iterfind("{*}sheets/{*}sheet") if root is not None else ():
        name, path = sheet.get("name", ""), targets.get(attribute(sheet, "id"), "")
        grid = parts.xml(path)
        if grid is None:
            continue
        if sheet.get("state", "visible") != "visible":
            book.hidden.add("a hidden sheet", " ".join(cell for row in _rows(grid, book, "") for cell in row), name[:80])
            continue
        rows = table(map(escaped, row) for row in _rows(grid, book, name))
        made.append(f'<section id="sheet-{len(made) + 1}">{heading(escaped(name), 2)}{rows}</section>' if rows else "")
    return Converted(document("", made), READER, book.hidden.threats())


def _strings(parts: Parts) -> list[str]:
    root = parts.xml("xl/sharedStrings.xml")
    return [_rich(item) for item in root.iterchildren("{*}si")] if root is not None else []


def _rich(item: _Element) -> str:
    """Text of all runs, without how it is read aloud."""
    return "".join(one.text or "" for one in item.iter("{*}t") if not any(True for _ in one.iterancestors("{*}rPh")))


def _rows(grid: _Element, book: _Book, sheet: str) -> Iterator[list[str]]:
    """The rows that are shown; of hidden ones the texts are reported."""
    gone = _hidden_columns(grid)
    for row in grid.iterfind("{*}sheetData/{*}row"):
        book.cells += len(row)
        if book.cells > MAX_CELLS:
            raise StageError("too_large", f"the workbook has more than {MAX_CELLS} cells")
        cells = _cells(row, book)
        if row.get("hidden") in ("1", "true"):
            book.hidden.add("a hidden row", " ".join(cells.values()), sheet[:80])
            continue
        for column in gone & cells.keys():
            book.hidden.add("a hidden column", cells.pop(column), sheet[:80])
        yield [cells.get(column, "") for column in range(max(cells, default=-1) + 1)]


def _hidden_columns(grid: _Element) -> set[int]:
    found: set[int] = set()
    for one in grid.iterfind("{*}cols/{*}col"):
        first, last = one.get("min", ""), one.get("max", "")
        if one.get("hidden") in ("1", "true") and first.isdecimal() and last.isdecimal():
            found |= set(range(int(first) - 1, min(int(last), MAX_COLUMNS)))
    return found


def _cells(row: _Element, book: _Book) -> dict[int, str]:
    """Values by column, from 0."""
    found: dict[int, str] = {}
    for cell in row.iterchildren("{*}c"):
        place = _CELL.fullmatch(cell.get("r", ""))
        column = _number(place[1]) if place else max(found, default=-1) + 1
        value = _value(cell, book)
        if value and column < MAX_COLUMNS:
            found[column] = value
    return found


def _number(letters: str) -> int:
    total = 0
    for letter in letters:
        total = total * 26 + ord(letter) - 64
    return total - 1


def _value(cell: _Element, book: _Book) -> str:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return _rich(cell)
    raw = next((one.text or "" for one in cell.iterchildren("{*}v")), "")
    if kind == "s":
        return book.strings[int(raw)] if raw.isdecimal() and int(raw) < len(book.strings) else ""
    if kind == "b":
        return {"1": "TRUE", "0": "FALSE"}.get(raw, raw)
    if kind != "n" or not raw:
        return raw
    style = cell.get("s", "")
    return _shown(raw, book.kinds[int(style)] if style.isdecimal() and int(style) < len(book.kinds) else "", book.epoch)


def _shown(raw: str, kind: str, epoch: datetime) -> str:
    try:
        number = float(raw)
    except ValueError:
        return raw
    if kind == "percent":
        return f"{number * 100:.6g} %"
    if kind and 0 <= number <= _LAST_SERIAL - 1:
        when = epoch + timedelta(seconds=round(number * 86400))
        form = {"date": "%Y-%m-%d", "time": "%H:%M:%S"}.get(kind, "%Y-%m-%d %H:%M:%S")
        return when.strftime(form) if kind != "datetime" or number % 1 else when.strftime("%Y-%m-%d")
    return f"{number:.15g}"


def _kinds(root: _Element | None) -> list[str]:
    """What each cell format makes of a number."""
    if root is None:
        return []
    own = {one.get("numFmtId", ""): one.get("formatCode", "") for one in root.iterfind("{*}numFmts/{*}numFmt")}
    formats = [one.get("numFmtId", "0") for one in root.iterfind("{*}cellXfs/{*}xf")]
    return [_kind(int(one), own.get(one, "")) if one.isdecimal() else "" for one in formats]


def _kind(number: int, code: str) -> str:
    if number in _DATE_FORMATS:
        return "datetime"
    if number in _TIME_FORMATS:
        return "time"
    if number in _PERCENT_FORMATS:
        return "percent"
    bare = _QUOTED.sub("", code).partition(";")[0].lower()
    if "%" in bare:
        return "percent"
    day, hour = any(letter in bare for letter in "yd"), any(letter in bare for letter in "hs")
    return {(True, True): "datetime", (True, False): "date", (False, True): "time"}.get((day, hour), "")


__all__ = ["MAX_CELLS", "READER", "read_xlsx"]
