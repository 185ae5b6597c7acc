"""Mutated pages and documents through the sanitiser, for as long as one likes: nothing may hang, crash or change twice.

`python -m bench.sanitize_mutations DIRECTORY... [--seconds N] [--seed N] [--state FILE]`: every file below is a seed (`.gz` is
unpacked). What comes of mutation number N depends on the seed and N alone; the state file holds the next number, so that a run
that was stopped goes on. Prints every finding and ends with status 1 when there was one.
"""

# ruff: noqa: E501 - lists of what is tried

from __future__ import annotations

import argparse
import gzip
import json
import random
import signal
import sys
import time
from pathlib import Path

from stages.core.errors import StageError
from stages.records import Page
from stages.sanitize import Options, sanitize

MAX_BYTES = 300_000
SLOW_SECONDS = 20
HTML = (
    b"<template shadowrootmode=open>", b"<svg>", b"<math>", b"<table>", b"<div hidden>", b"</", b"<!--", b"-->", b"<script>", b"<style>*{",
    b"}", b"<style>.x{display:none!important}</style>", b"<div style='opacity:calc(1 - ", b'<p style="color:rgb(from white r g b)">', b"\x00",
    b"<select>", b"<plaintext>", b"<details>", b"&#x200b;", b"<foreignObject>", b"\xff\xfe", b"<div class='x'>" * 300, b"@layer a{", b"@scope(",
    b"<style>@import url(data:text/css,", b":has(:is(", b"var(--a,var(--b", b"<a><table><a>", b"<frameset>", b"]]>", b"<annotation-xml>",
)  # fmt: skip
PDF = (
    b"<<", b">>", b"endobj", b"stream\n", b"endstream", b"0 Tr", b"3 Tr", b"BT", b"ET", b"q", b"Q", b"/OC /x BDC", b"EMC", b"1e9", b"-1", b"[", b"]",
    b"/Type /Page", b"/Kids [1 0 R]", b"/Filter /FlateDecode", b"cm", b"W n", b"65536 0 R",
)  # fmt: skip


def mutated(data: bytes, others: list[bytes], chance: random.Random) -> bytes:
    """A seed with a few parts cut out, doubled, swapped, or put in from elsewhere."""
    words = PDF if data[:5] == b"%PDF-" else HTML
    for _ in range(chance.randint(1, 8)):
        at = chance.randrange(len(data) + 1)
        end = min(len(data), at + chance.choice((1, 8, 60, 500, 5000)))
        kind = chance.choice(("cut", "double", "word", "noise", "other", "case"))
        if kind == "cut":
            data = data[:at] + data[end:]
        elif kind == "double":
            data = data[:end] + data[at:end] * chance.choice((1, 2, 20)) + data[end:]
        elif kind == "word":
            data = data[:at] + chance.choice(words) * chance.choice((1, 1, 3, 50)) + data[at:]
        elif kind == "noise":
            data = data[:at] + bytes(chance.randrange(256) for _ in range(chance.randint(1, 8))) + data[at:]
        elif kind == "other":
            other = chance.choice(others)
            start = chance.randrange(len(other) + 1)
            data = data[:at] + other[start : start + chance.choice((20, 400, 4000))] + data[at:]
        else:
            data = data[:at] + data[at:end].swapcase() + data[end:]
        data = data[:MAX_BYTES] or b"<p>"
    return data


class _Hang(BaseException):
    """Past every handler of the sanitiser."""


def _hung(*_: object) -> None:
    raise _Hang


def tried(data: bytes) -> str:
    """What is wrong with how one page is sanitised; empty when nothing is."""
    media_type = "application/pdf" if data[:5] == b"%PDF-" else "text/html"
    page = Page(url="https://page.example/", media_type=media_type, body=data)
    signal.setitimer(signal.ITIMER_PROF, SLOW_SECONDS)
    try:
        once = sanitize.call(page, Options())
        if sanitize.call(once, Options()) != once:
            return "twice is not once"
    except StageError:
        return ""
    except _Hang:
        return f"more than {SLOW_SECONDS} seconds of computing"
    except Exception as error:  # noqa: BLE001 - what it looks for
        return f"{type(error).__name__}: {error}"[:200]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return ""


def main() -> None:
    """Go on from the state file until the time is over."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state", type=Path)
    asked = parser.parse_args()
    paths = sorted(path for folder in asked.folders for path in folder.rglob("*") if path.suffix in (".gz", ".html", ".pdf"))
    state = asked.state
    number = json.loads(state.read_text())["next"] if state and state.exists() else 0
    first, end, findings = number, time.monotonic() + asked.seconds, 0
    signal.signal(signal.SIGPROF, _hung)
    while time.monotonic() < end:
        chance = random.Random(f"{asked.seed}.{number}")
        seeds = [path.read_bytes() for path in chance.sample(paths, 2)]
        seeds = [(gzip.decompress(seed) if seed[:2] == b"\x1f\x8b" else seed)[:MAX_BYTES] for seed in seeds]
        wrong = tried(mutated(seeds[0], seeds, chance))
        if wrong:
            findings += 1
            print(f"{asked.seed}.{number}: {wrong}", flush=True)
        number += 1
        if state:
            state.write_text(json.dumps({"next": number}))
    print(f"{number - first} mutations of {len(paths)} seeds, {findings} findings")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
