"""Workbooks (.xlsx): a table a sheet, values as they are shown; hidden sheets, rows and columns are left out and reported."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from msgspec import Struct

from stages.core.errors import StageError
from stages.formats.markup import Converted, Hidden, document, escaped, heading, table
from stages.formats.xlsx_looks import Format, formats
from stages.formats.zipped import Parts, attribute, number

if TYPE_CHECKING:
    from lxml.etree import _Element

READER = "xlsx/1"
MAIN = "xl/workbook.xml"
MAX_CELLS = 100_000
"""What the stages after this one read in seconds."""
MAX_COLUMNS = 1000
_LEAST_SIZE = 0.2
"""Of a row in points, of a column in letters."""

_CELL = re.compile(r"([A-Z]{1,3})\d+")
_EPOCH, _OLD_EPOCH = datetime(1899, 12, 30), datetime(1904, 1, 1)  # noqa: DTZ001 - sheets know no time zones
_LAST_SERIAL = 2_958_465
"""31 December 9999."""


class _Book(Struct):
    strings: list[str]
    formats: list[Format]
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
        formats(parts.xml("xl/styles.xml"), parts.xml("xl/theme/theme1.xml")),
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
    low, place = _hidden_by_default(grid), sheet[:80]
    coloured = next(grid.iter("{*}conditionalFormatting", "{*}tablePart"), None) is not None
    for row in grid.iterfind("{*}sheetData/{*}row"):
        book.cells += len(row)
        if book.cells > MAX_CELLS:
            raise StageError("too_large", f"the workbook has more than {MAX_CELLS} cells")
        cells = _cells(row, book, place, coloured=coloured)
        if row.get("hidden", low) in ("1", "true") or _is_nothing(row.get("ht", "")):
            book.hidden.add("a hidden row", " ".join(cells.values()), place)
            continue
        for column in gone & cells.keys():
            book.hidden.add("a hidden column", cells.pop(column), place)
        yield [cells.get(column, "") for column in range(max(cells, default=-1) + 1)]


def _hidden_by_default(grid: _Element) -> str:
    """Whether rows are hidden that do not say so, as `hidden` has it."""
    looks = grid.find("{*}sheetFormatPr")
    return looks.get("zeroHeight", "0") if looks is not None else "0"


def _is_nothing(size: str) -> bool:
    """Whether a height or a width leaves no room for a letter."""
    try:
        return 0 <= float(size) < _LEAST_SIZE
    except ValueError:
        return False


def _hidden_columns(grid: _Element) -> set[int]:
    found: set[int] = set()
    for one in grid.iterfind("{*}cols/{*}col"):
        first, last = number(one.get("min", "")), number(one.get("max", ""))
        if (one.get("hidden") in ("1", "true") or _is_nothing(one.get("width", ""))) and first > 0:
            found |= set(range(first - 1, min(last, MAX_COLUMNS)))
    return found


def _cells(row: _Element, book: _Book, place: str, *, coloured: bool) -> dict[int, str]:
    """Values by column, from 0."""
    found: dict[int, str] = {}
    for cell in row.iterchildren("{*}c"):
        at = _CELL.fullmatch(cell.get("r", ""))
        column = _number(at[1]) if at else max(found, default=-1) + 1
        value = _value(cell, book)
        text = cell.get("t", "n") in ("s", "inlineStr", "str")
        reason = _format(cell, book).unseen(text=text, coloured=coloured) if value else ""
        if reason:
            book.hidden.add(reason, value, place)
        elif value and column < MAX_COLUMNS:
            found[column] = value
    return found


def _format(cell: _Element, book: _Book) -> Format:
    style = number(cell.get("s", "0"))
    return book.formats[style] if 0 <= style < len(book.formats) else Format()


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
        return book.strings[number(raw)] if 0 <= number(raw) < len(book.strings) else ""
    if kind == "b":
        return {"1": "TRUE", "0": "FALSE"}.get(raw, raw)
    if kind != "n" or not raw:
        return raw
    return _shown(raw, _format(cell, book).kind, book.epoch)


def _shown(raw: str, kind: str, epoch: datetime) -> str:
    try:
        value = float(raw)
    except ValueError:
        return raw
    if kind == "percent":
        return f"{value * 100:.6g} %"
    if kind and 0 <= value <= _LAST_SERIAL - 1:
        when = epoch + timedelta(seconds=round(value * 86400))
        form = {"date": "%Y-%m-%d", "time": "%H:%M:%S"}.get(kind, "%Y-%m-%d %H:%M:%S")
        return when.strftime(form) if kind != "datetime" or value % 1 else when.strftime("%Y-%m-%d")
    return f"{value:.15g}"


__all__ = ["MAX_CELLS", "READER", "read_xlsx"]
