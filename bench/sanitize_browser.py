"""The sanitiser's verdicts beside what headless Chromium paints, word by word, without scripts and external styles.

`python -m bench.sanitize_browser [shared directory] [pages] [--long] [--painted FOLDER]`: lost are words that Chromium paints and
sanitising drops, leaked are words that stay and have no box in Chromium. A box is one of two pixels or more on the page, not
hidden by `visibility`, nor by the product of opacities. Painted is what of it leaves a pixel otherwise once the letters are made
transparent; where no picture can tell, as in a list that is closed and a part that scrolls, the box does. Animations have ended,
and what a person opens without any script counts as well: every `details`, and the options of a `select` that is there. Leaks are
summed up apart where the report says that text waits for its script. FOLDER keeps what Chromium painted, for the next run to
compare with.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from bench.painting import Painter
from stages.records import Page
from stages.sanitize import Options, sanitize
from stages.text.charset import decode
from stages.text.unicode import clean

_IMPORT = re.compile(r"@import\s*(?!(?:url\()?[\"']?data:)[^;{}<]{1,500}(?:;|(?=<))")
_WORD = re.compile(r"\w+")


def prepared(text: str) -> str:
    """The page without what would load or run, as it is given to both sides."""
    parser = LexborHTMLParser(text)
    for node in parser.css("script, link, iframe, object, embed, meta[http-equiv], base, frame"):
        node.decompose()
    return _IMPORT.sub("", parser.html or "")


def words(text: str) -> Counter[str]:
    """In lower case, invisible characters cleaned away."""
    return Counter(_WORD.findall(clean(text).lower()))


def kept(page: str, name: str) -> tuple[Counter[str], str, bool]:
    """The words that stay of a page, what hid most, and whether the report says that something hidden is kept for its script."""
    result = sanitize.call(Page(url=f"https://page.example/{name}", media_type="text/html", body=page.encode()), Options())
    parser = LexborHTMLParser(result.body.decode())
    parser.strip_tags(["script", "head", "title"])
    reasons = sorted(result.threats, key=lambda threat: -threat.count)[:3]
    text = parser.root.text(separator=" ") if parser.root else ""
    said = any(threat.kind == "strip_incomplete" or "script" in threat.reason for threat in result.threats)
    return words(text), "; ".join(f"{threat.reason} {threat.place} x{threat.count}" for threat in reasons), said


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shared", nargs="?", type=Path, default=Path("../shared"))
    parser.add_argument("pages", nargs="?", type=int, default=60)
    parser.add_argument("--long", action="store_true", help="print the words of pages that differ")
    parser.add_argument("--painted", type=Path, help="folder that keeps what Chromium painted")
    return parser.parse_args()


def main() -> None:
    """Print one line a page that differs, and the sums."""
    asked = arguments()
    if asked.painted:
        asked.painted.mkdir(parents=True, exist_ok=True)
    every = sorted((asked.shared / "bench" / "wcxb" / "dev" / "html").glob("*.gz"))
    totals: Counter[str] = Counter()
    painter = Painter(asked.painted)
    for path in every[:: len(every) // asked.pages][: asked.pages]:
        page, name = prepared(decode(gzip.decompress(path.read_bytes()))[0]), path.name.partition(".")[0]
        found = painter.painted(page, name)
        if found is None:
            totals["unread"] += 1
            print(name, "Chromium gave up", flush=True)
            continue
        painted, boxed = words(found[0]), words(" ".join(found))
        ours, why, said = kept(page, name)
        lost, leaked = painted - ours, ours - boxed
        totals.update(pages=1, painted=painted.total(), kept=ours.total(), lost=lost.total())
        totals["leaked and said" if said else "leaked"] += leaked.total()
        if lost.total() > 0.01 * painted.total() or leaked.total() > 0.01 * ours.total():
            print(name, f"painted {painted.total()} lost {lost.total()} leaked {leaked.total()} | {why}", flush=True)
            if asked.long:
                print("   lost  ", *(word for word, _ in lost.most_common(25)))
                print("   leaked", *(word for word, _ in leaked.most_common(25)), flush=True)
    painter.close()
    print(json.dumps(totals))


if __name__ == "__main__":
    main()
