"""Hidden-text cases through the sanitiser: `python -m bench.sanitize_cases [shared directory] [--fails]`.

Prints what score.py of the cases prints, over all text of the sanitised page.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from stages.records import Page, Stylesheet
from stages.sanitize import Options, sanitize


def page_text(body: bytes) -> str:
    """The title and all text of a page but its scripts."""
    parser = LexborHTMLParser(body.decode())
    parser.strip_tags(["script"])
    return parser.root.text(deep=True, separator="") if parser.root else ""


def run(cases: Path, name: str) -> dict[str, object]:
    """One case, with the stylesheets that lie beside it."""
    path = cases / name
    sheets = tuple(
        Stylesheet(url=f"https://case.example/{sheet.relative_to(cases)}", text=sheet.read_text())
        for sheet in sorted(cases.rglob("*.css"))
    )
    page = Page(url=f"https://case.example/{name}", media_type="text/html", body=path.read_bytes(), stylesheets=sheets)
    result = sanitize.call(page, Options())
    again = sanitize.call(result, Options())
    if again != result:
        print("not stable:", name)
    return {"file": name, "text": page_text(result.body), "threats": sorted({threat.kind for threat in result.threats})}


def main() -> None:
    """Score every case."""
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    shared = Path(arguments[0] if arguments else "../shared")
    cases = shared / "cases" / "hidden_text"
    names = [json.loads(line)["file"] for line in (cases / "cases.jsonl").read_text().splitlines()]
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        for name in names:
            file.write(json.dumps(run(cases, name)) + "\n")
        file.flush()
        subprocess.run([sys.executable, str(cases / "score.py"), file.name, *sys.argv[1 + len(arguments) :]], check=True)


if __name__ == "__main__":
    main()
