"""How many words of the reference text sanitising loses, page by page, on pages without their external stylesheets.

`python -m bench.sanitize_loss [shared directory] [every nth page]`: a word counts when it is in the reference and in the text of
the page as it came. Prints every page that loses more than 1 %, with what the report says hid most.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections import Counter
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from stages.core.errors import StageError
from stages.records import Page
from stages.sanitize import Options, sanitize
from stages.text.charset import decode
from stages.text.unicode import clean

_WORD = re.compile(r"\w+")
SHOWN = 0.01


def words(html: str) -> Counter[str]:
    """Of all text but code, noscript included."""
    parser = LexborHTMLParser(html)
    parser.strip_tags(["script", "style", "template", "head", "svg", "iframe"])
    return Counter(_WORD.findall(clean(parser.root.text(separator=" ")).lower())) if parser.root else Counter()


def lost(path: Path, truth: Path) -> tuple[float, str] | None:
    """The share of a page's reference words that goes, and why."""
    reference = Counter(_WORD.findall(clean(json.loads(truth.read_text())["ground_truth"].get("main_content", "")).lower()))
    body = gzip.decompress(path.read_bytes())
    before = reference & words(decode(body)[0])
    if not before:
        return None
    try:
        result = sanitize.call(Page(url=f"https://page.example/{path.stem}", media_type="text/html", body=body), Options())
    except StageError as error:
        return 1.0, str(error)
    after = before & words(result.body.decode())
    threats = sorted(result.threats, key=lambda threat: -threat.count)
    why = "; ".join(f"{threat.reason} {threat.place} x{threat.count}" for threat in threats[:4])
    return 1 - after.total() / before.total(), why


def main() -> None:
    """Print the pages that lose, and the mean."""
    shared = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared") / "bench" / "wcxb" / "dev"
    step = int(sys.argv[2]) if len(sys.argv) > 2 else 1  # noqa: PLR2004
    losses = []
    for path in sorted((shared / "html").glob("*.gz"))[::step]:
        name = path.name.split(".")[0]
        found = lost(path, shared / "ground-truth" / f"{name}.json")
        if found is None:
            continue
        losses.append(found[0])
        if found[0] > SHOWN:
            print(f"{name} {found[0]:.3f} {found[1]}")
    over = [sum(loss > bound for loss in losses) for bound in (0.01, 0.4)]
    print(f"pages {len(losses)}; mean loss {sum(losses) / len(losses):.4f}; above 1 %: {over[0]}, above 40 %: {over[1]}")


if __name__ == "__main__":
    main()
