"""A fingerprint of what sanitising gives, page by page: dump before a change and after it, then compare.

`python -m bench.sanitize_same dump FILE [shared directory] [every nth page]`
`python -m bench.sanitize_same compare FILE FILE`
"""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from stages.core.errors import StageError
from stages.records import Page, Stylesheet
from stages.sanitize import Options, sanitize


def pages(shared: Path, step: int) -> Iterator[tuple[str, Page]]:
    """Every public case, and every so manieth page of the corpus."""
    cases = shared / "cases" / "hidden_text"
    for path in sorted(cases.rglob("*.html")):
        sheets = tuple(
            Stylesheet(url=f"https://case.example/{sheet.relative_to(cases)}", text=sheet.read_text())
            for sheet in sorted(cases.rglob("*.css"))
        )
        name = str(path.relative_to(cases))
        yield name, Page(url=f"https://case.example/{name}", media_type="text/html", body=path.read_bytes(), stylesheets=sheets)
    for path in sorted((shared / "bench" / "wcxb" / "dev" / "html").glob("*.gz"))[::step]:
        body = gzip.decompress(path.read_bytes())
        yield path.name, Page(url=f"https://page.example/{path.stem}", media_type="text/html", body=body)


def dump(target: Path, shared: Path, step: int) -> None:
    """Write `name -> [hash of the body, hash of the threats]`."""
    found = {}
    for name, page in pages(shared, step):
        try:
            result = sanitize.call(page, Options())
        except StageError as error:
            found[name] = ["failed", str(error)]
            continue
        threats = msgspec.json.encode((result.threats, result.threats_total))
        found[name] = [hashlib.sha256(part).hexdigest()[:16] for part in (result.body, threats)]
    target.write_text(json.dumps(found, indent=0))


def compare(first: Path, second: Path) -> int:
    """Print what differs; the exit status."""
    before, after = json.loads(first.read_text()), json.loads(second.read_text())
    changed = [
        (name, "body" if before[name][0] != after[name][0] else "threats")
        for name in before
        if name in after and before[name] != after[name]
    ]
    for name, what in changed:
        print(name, what)
    print(f"{len(before.keys() & after.keys())} pages, {len(changed)} differ")
    return 1 if changed else 0


def main() -> None:
    """Dump or compare."""
    if len(sys.argv) > 3 and sys.argv[1] == "compare":  # noqa: PLR2004 - two files
        sys.exit(compare(Path(sys.argv[2]), Path(sys.argv[3])))
    shared = Path(sys.argv[3] if len(sys.argv) > 3 else "../shared")  # noqa: PLR2004
    dump(Path(sys.argv[2]), shared, int(sys.argv[4]) if len(sys.argv) > 4 else 4)  # noqa: PLR2004


if __name__ == "__main__":
    main()
