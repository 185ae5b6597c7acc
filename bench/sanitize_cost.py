"""What sanitising costs against one lexbor parse, in CPU time and by size, and which pages lose much.

Beside it the least that any sanitiser in Python costs that passes every element and every text once: it reads the tree, judges
nothing, writes it out, and has the parser read that.

`python -m bench.sanitize_cost [shared directory] [pages]`
"""

from __future__ import annotations

import gzip
import sys
import time
from collections.abc import Callable
from html import escape
from pathlib import Path
from statistics import median
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from stages.core.errors import StageError
from stages.records import Page
from stages.sanitize import Options, sanitize
from stages.text.charset import decode

UNSEEN = ["script", "style", "template", "noscript", "head", "iframe", "object", "video", "svg"]
MUCH = 0.2


def seconds(work: Callable[[], object]) -> float:
    """Of CPU time, the best of five: what else runs on the machine is not to count."""
    best = 1e9
    for _ in range(5):
        begun = time.process_time()
        work()
        best = min(best, time.process_time() - begun)
    return best


def characters(html: str) -> int:
    """Of text that is not blank and that a browser might show."""
    parser = LexborHTMLParser(html)
    parser.strip_tags(UNSEEN)
    return len("".join(parser.root.text(separator=" ").split())) if parser.root else 0


def least(text: str) -> bool:
    """Read a page's tree and write it out, element by element, with nothing in between."""
    out: list[str] = []
    stack: list[tuple[Any, str]] = []
    node: Any = LexborHTMLParser(text).root
    while True:
        while node is not None:
            tag = node.tag
            if tag == "-text":
                out.append(escape(node.text_content, quote=False))
            elif tag[0] != "-":
                out.append(f"<{tag}" + "".join([f' {name}="{value}"' for name, value in node.attributes.items()]) + ">")
                if node.first_child is not None:
                    stack.append((node.next, tag))
                    node = node.first_child
                    continue
                out.append(f"</{tag}>")
            node = node.next
        if not stack:
            break
        node, tag = stack.pop()
        out.append(f"</{tag}>")
    html = "".join(out)
    return LexborHTMLParser(html).html == html


def by_size(sized: list[tuple[int, float, float]]) -> None:
    """Print the cost of each quarter of the pages, the smallest first: (characters, times one parse, seconds) of each page."""
    for quarter in range(4):
        part = sized[len(sized) * quarter // 4 : len(sized) * (quarter + 1) // 4]
        if part:
            size, ratio = median(row[0] for row in part), median(row[1] for row in part)
            slope = median(row[2] / row[0] for row in part)
            print(f"{size / 1e3:.0f} thousand characters: {ratio:.1f} times one parse, {slope * 1e9:.0f} ns a character")


def main() -> None:
    """Print one line for the cost, one for every page that shrinks."""
    shared = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared")
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100  # noqa: PLR2004
    ratios, leasts, warm, cold, shrunk = [], [], [], [], []
    sized: list[tuple[int, float, float]] = []
    for path in sorted((shared / "bench" / "wcxb" / "dev" / "html").glob("*.gz"))[:count]:
        body = gzip.decompress(path.read_bytes())
        page = Page(url=f"https://page.example/{path.stem}", media_type="text/html", body=body)
        text = decode(body)[0]
        begun = time.process_time()
        try:
            result = sanitize.call(page, Options())
        except StageError as error:
            print(path.stem, "FAILED", error)
            continue
        cold.append(time.process_time() - begun)
        warm.append(seconds(lambda page=page: sanitize.call(page, Options())))  # type: ignore[misc]
        one_parse = seconds(lambda text=text: LexborHTMLParser(text))  # type: ignore[misc]
        ratios.append(warm[-1] / one_parse)
        leasts.append(seconds(lambda text=text: least(text)) / one_parse)  # type: ignore[misc]
        sized.append((len(text), ratios[-1], warm[-1]))
        before, after = characters(text), characters(result.body.decode())
        if after < before * (1 - MUCH):
            shrunk.append(
                (
                    path.stem,
                    before,
                    after,
                    [(threat.kind, threat.reason, threat.place, threat.count) for threat in result.threats[:6]],
                )
            )
    ratios.sort()
    warm.sort()
    cold.sort()
    last = int(len(ratios) * 0.99) - 1
    print(f"pages {len(ratios)}; times one parse: median {median(ratios):.1f}, p99 {ratios[last]:.1f}")
    print(f"reading and writing every element, without any judgement: median {median(leasts):.1f}")
    for name, times in (("warm", warm), ("cold", cold)):
        print(f"milliseconds {name}: median {median(times) * 1e3:.1f}, p99 {times[last] * 1e3:.1f}")
    by_size(sorted(sized))
    for row in shrunk:
        print(*row)


if __name__ == "__main__":
    main()
