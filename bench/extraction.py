"""Text of pages against snippets that people marked, ours beside trafilatura, on pages that no model here was trained on.

`python -m bench.extraction [shared directory] [pages]`: of each page, snippets that its text must have and others that it must
not; precision, recall and F1 over all snippets, and the CPU seconds that each took.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from stages.core.errors import StageError
from stages.extract import Options as ExtractOptions
from stages.extract import extract
from stages.records import Page
from stages.sanitize import Options as SanitizeOptions
from stages.sanitize import sanitize

_space = re.compile(r"\s+")
_link = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def pages(shared: Path) -> Iterator[tuple[str, bytes, list[str], list[str]]]:
    """Address, bytes, snippets that must be there, and snippets that must not."""
    folder = shared / "bench" / "trafilatura_eval"
    for url, told in json.loads((folder / "evaldata.json").read_text("utf-8")).items():
        path = folder / "html" / f"{told['file']}.gz"
        yield url, gzip.decompress(path.read_bytes()), told["with"], told["without"]


def ours(url: str, body: bytes) -> str:
    """What sanitize and extract make of a page."""
    page = Page(url=url, media_type="text/html", body=body)
    try:
        return extract.call(sanitize.call(page, SanitizeOptions()), ExtractOptions()).text
    except StageError:
        return ""


def theirs(url: str, body: bytes) -> str:
    """What trafilatura makes of it, without comments."""
    import trafilatura

    return trafilatura.extract(body, url=url, include_comments=False) or ""


def main() -> None:
    """Print a line for each."""
    shared = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared")
    given = list(pages(shared))[: int(sys.argv[2]) if len(sys.argv) > 2 else None]  # noqa: PLR2004
    readers: tuple[tuple[str, Callable[[str, bytes], str]], ...] = (("cribble", ours), ("trafilatura", theirs))
    for name, read in readers:
        hit = missed = wrong = 0
        begun = time.process_time()
        for url, body, wanted, unwanted in given:
            text = _space.sub(" ", _link.sub(r"\1", read(url, body)))
            there = sum(_space.sub(" ", snippet) in text for snippet in wanted)
            hit, missed = hit + there, missed + len(wanted) - there
            wrong += sum(_space.sub(" ", snippet) in text for snippet in unwanted)
        seconds = time.process_time() - begun
        precision, recall = hit / max(1, hit + wrong), hit / max(1, hit + missed)
        f1 = 2 * precision * recall / max(1e-9, precision + recall)
        print(f"{name:12} {len(given)} pages: precision {precision:.3f}, recall {recall:.3f}, F1 {f1:.3f}, {seconds:.0f} s")


if __name__ == "__main__":
    main()
