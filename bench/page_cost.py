"""What sanitize + extract + chunk cost a page, beside what their libraries alone cost for it.

    python bench/page_cost.py --pages 100

The libraries alone: one lexbor parse and serialisation, one trafilatura extraction to markdown with metadata over a ready tree,
one count of tokens. `as_called` is the same with trafilatura called as `extract` calls it (fast, metadata within the one call).
All are timed page by page, in turn, best of three, in one process; prints the ratio of the sums and of the median page.
"""

from __future__ import annotations

import argparse
import datetime
import gzip
import hashlib
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from lab_web import CORPUS

from stages import load
from stages.core.errors import StageError
from stages.records import Page
from stages.text.tokens import count


def libraries(body: bytes) -> None:
    """What cannot be had for less with these libraries."""
    import lxml.html
    import trafilatura
    from selectolax.lexbor import LexborHTMLParser

    html = LexborHTMLParser(body.decode("utf-8", "replace")).html or ""
    tree = lxml.html.document_fromstring(html.encode(), parser=lxml.html.HTMLParser(encoding="utf-8", huge_tree=True))
    text = trafilatura.extract(tree, output_format="markdown", include_tables=True, include_formatting=True, with_metadata=False)
    trafilatura.extract_metadata(tree)
    count(text or "")


def as_called(body: bytes) -> None:
    """The least that the stages' own calls of their libraries cost."""
    import lxml.html
    import trafilatura
    from selectolax.lexbor import LexborHTMLParser

    html = LexborHTMLParser(body.decode("utf-8", "replace")).html or ""
    LexborHTMLParser(html)
    tree = lxml.html.document_fromstring(html.encode(), parser=lxml.html.HTMLParser(encoding="utf-8", huge_tree=True))
    dates = {"original_date": True, "extensive_search": False, "max_date": "2100-01-01"}
    found = trafilatura.bare_extraction(tree, fast=True, include_comments=False, with_metadata=True, date_extraction_params=dates)
    count((found.text if found is not None else "") or "")


def stages(body: bytes, options: list[object]) -> None:
    """The three stages as a worker runs them."""
    page = Page(url="https://example.org/", media_type="text/html", body=body, sha256=hashlib.sha256(body).hexdigest())
    sanitize, extract, chunk = (load(name) for name in ("sanitize", "extract", "chunk"))
    try:
        chunk.call(extract.call(sanitize.call(page, options[0]), options[1]), options[2])
    except StageError:
        pass  # a page without text: both sides did the work that shows it


def best(call: Callable[[], None]) -> float:
    """Seconds, best of three."""
    times = []
    for _ in range(3):
        began = time.process_time()
        call()
        times.append(time.process_time() - began)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=100)
    options = parser.parse_args()
    every = sorted(Path(CORPUS / "html").glob("*.html.gz"))
    chosen = every[:: max(1, len(every) // options.pages)][: options.pages]
    defaults = [load(name).options() for name in ("sanitize", "extract", "chunk")]
    alone, called, whole = [], [], []
    for path in chosen:
        body = gzip.decompress(path.read_bytes())
        try:
            times = best(lambda body=body: libraries(body)), best(lambda body=body: as_called(body))
        except (ValueError, AssertionError):  # a page that the libraries cannot read at all
            continue
        alone.append(times[0])
        called.append(times[1])
        whole.append(best(lambda body=body: stages(body, defaults)))
    ratios = sorted(one / two for one, two in zip(whole, alone, strict=True))
    print(
        json.dumps(
            {
                "date": str(datetime.datetime.now(tz=datetime.UTC).date()),
                "pages": len(alone),
                "ratio_of_sums": round(sum(whole) / sum(alone), 3),
                "ratio_median_page": round(statistics.median(ratios), 3),
                "as_called": {
                    "ratio_of_sums": round(sum(whole) / sum(called), 3),
                    "ratio_median_page": round(statistics.median(one / two for one, two in zip(whole, called, strict=True)), 3),
                },
                "ratio_p95_page": round(ratios[int(len(ratios) * 0.95)], 3),
                "milliseconds_a_page": {
                    "libraries": round(1000 * sum(alone) / len(alone), 2),
                    "stages": round(1000 * sum(whole) / len(alone), 2),
                },
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
