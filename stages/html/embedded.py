"""What a page holds for its scripts: JSON-LD, and the sentences in the data that Next.js, Nuxt, Apollo and others draw it from.

None of it is text that a reader sees, so it is kept apart, and stands for the text only of a page that has next to none itself.
Every string passes the Unicode policy. What is no JSON is passed over: no script is run.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec

from stages.html.parsing import parsed
from stages.text.unicode import clean

JSON_LD = "json_ld"
EXTRACTOR = "embedded/1"
MAX_SCRIPT = 4_000_000
MAX_JSON_LD = 200_000
"""Bytes of all JSON-LD together: what a page says about itself is short."""
MAX_TEXT = 20_000
MAX_DEPTH = 40
MAX_ASSIGNED = 20
"""Of a script: to say where JSON is broken costs the length of all that stands before."""
BARE, LEAST = 500, 200
"""A page of so many characters is bare; sentences of fewer are none to read in its place."""
_LEAST_SENTENCE, _LEAST_WORDS = 40, 5

_BLOCKS = {"__NEXT_DATA__": "__NEXT_DATA__", "__NUXT_DATA__": "__NUXT__"}
"""Id of a script that holds JSON: what it is called."""
_ASSIGNED = {"__NUXT__": "__NUXT__", "__APOLLO_STATE__": "apollo_state", "__INITIAL_STATE__": "initial_state"}
_ASSIGNMENT = re.compile(rf"\bwindow\.({'|'.join(_ASSIGNED)})\s{{0,20}}=\s{{0,20}}(?=\{{)")
_FLIGHT = re.compile(r'self\.__next_f\.push\(\s{0,20}\[\s{0,20}\d{1,3}\s{0,20},\s{0,20}(?=")')
_FLIGHT_ROW = re.compile(r"[0-9a-f]{1,6}:(?=[\[{\"])")
_TAG = re.compile(r"<[^<>]{0,500}>")
_NO_SENTENCE = re.compile(r"\s*(?:https?:|data:|[/#{\[])")
_BLANK = re.compile(r"\s*")
_decoder = json.JSONDecoder()
_WIDE = "\u2e80"
"""From here on letters are of scripts that put no blank between words."""


def embedded(text: str) -> dict[str, str]:
    """Of an HTML page: JSON-LD as a list of JSON, and for each kind of data there is, its sentences, blank lines between them."""
    scripts = [(node.attributes, node.text(deep=True)) for node in parsed(text).css("script")]
    short = [(attributes, inside) for attributes, inside in scripts if len(inside) <= MAX_SCRIPT]
    found: dict[str, str] = {}
    if entities := list(_entities([inside for attributes, inside in short if _type(attributes) == "application/ld+json"])):
        found[JSON_LD] = msgspec.json.encode(entities).decode()
    for name, data in _data(short):
        found[name] = "\n\n".join(filter(None, (found.get(name, ""), "\n\n".join(sentences(data)))))[:MAX_TEXT].rstrip()
    return found


def read_from(page: dict[str, str], own: str) -> str:
    """The text to read in place of the page's own: empty unless that is bare, and what the page brings along says more."""
    if len(own) > BARE or not page:
        return ""
    parts = [text for name, text in page.items() if name != JSON_LD and text]
    if JSON_LD in page:
        parts.append("\n\n".join(sentences(msgspec.json.decode(page[JSON_LD]))))
    text = "\n\n".join(dict.fromkeys(line for part in parts for line in part.split("\n\n") if line))[:MAX_TEXT].rstrip()
    return text if len(text) > max(LEAST, len(own)) else ""


def sentences(data: Any) -> list[str]:
    """The strings in JSON that are sentences, in order, each once, without the tags in them; at most MAX_TEXT characters."""
    found: dict[str, None] = {}
    room = MAX_TEXT
    for string in _strings(data, 0):
        line = " ".join(html.unescape(_TAG.sub(" ", string)).split()) if len(string) >= _LEAST_SENTENCE // 2 else ""
        if _is_sentence(line) and line not in found:
            if len(line) > room:
                break
            room -= len(line)
            found[line] = None
    return list(found)


def _is_sentence(line: str) -> bool:
    """Blanks between words, or letters of a script without them, each of which says as much as two."""
    if _NO_SENTENCE.match(line):
        return False
    wide = sum(letter >= _WIDE for letter in line)
    return len(line) + wide >= _LEAST_SENTENCE and (len(line.split()) >= _LEAST_WORDS or wide * 2 > len(line))


def _strings(data: Any, depth: int) -> Iterator[str]:
    if isinstance(data, str):
        yield clean(data)
    elif isinstance(data, (dict, list)) and depth < MAX_DEPTH:
        for inner in data.values() if isinstance(data, dict) else data:
            yield from _strings(inner, depth + 1)


def _entities(blocks: list[str]) -> Iterator[Any]:
    """Every entity, the members of a graph one by one, as far as there is room."""
    room = MAX_JSON_LD
    for block in blocks:
        data = _cleaned(_document(block), 0)
        graph = data.get("@graph") if isinstance(data, dict) else None
        for entity in graph if isinstance(graph, list) else data if isinstance(data, list) else [data]:
            room -= len(msgspec.json.encode(entity))
            if isinstance(entity, dict) and room >= 0:
                yield entity


def _document(block: str) -> Any:
    """A whole block of JSON; None where it is none."""
    try:
        return msgspec.json.decode(block.strip(" \t\r\n;\ufeff"))
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None


def _cleaned(data: Any, depth: int) -> Any:
    """The data, its strings cleaned: an escape may hide what the source does not show. What is too deep is cut off."""
    if isinstance(data, str):
        return clean(data)
    if isinstance(data, list):
        return [_cleaned(one, depth + 1) for one in data] if depth < MAX_DEPTH else None
    if isinstance(data, dict):
        return {clean(key): _cleaned(one, depth + 1) for key, one in data.items()} if depth < MAX_DEPTH else None
    return data


def _data(scripts: list[tuple[dict[str, str | None], str]]) -> Iterator[tuple[str, Any]]:
    """What each piece of data is called, and the data."""
    flight: list[str] = []
    for attributes, inside in scripts:
        named = _BLOCKS.get(attributes.get("id") or "")
        if named and (data := _json(inside)) is not None:
            yield named, data
        for match in islice(_ASSIGNMENT.finditer(inside), MAX_ASSIGNED):
            if (data := _json(inside, match.end())) is not None:
                yield _ASSIGNED[match[1]], data
        for match in _FLIGHT.finditer(inside):
            chunk = _json(inside, match.end())
            if not isinstance(chunk, str):
                break
            flight.append(chunk)
    if flight:
        rows = ((row, _FLIGHT_ROW.match(row)) for row in "".join(flight).split("\n"))
        yield "next_flight", [_json(row, begin.end()) for row, begin in rows if begin]


def _json(text: str, start: int = 0) -> Any:
    """The JSON that begins there; None where there is none."""
    try:
        return _decoder.raw_decode(text, _BLANK.match(text, start).end())[0]  # type: ignore[union-attr]  # it matches nothing, too
    except (ValueError, RecursionError):
        return None


def _type(attributes: dict[str, str | None]) -> str:
    return (attributes.get("type") or "").strip().lower()
