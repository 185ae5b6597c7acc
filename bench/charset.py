"""Share of recorded byte files that are read as the text that they are, with nothing but their bytes to go by.

    python bench/charset.py [SHARED]

Reads `bench/charset/INDEX.json` of the shared folder in place: files with the charset that each is in. Right is a decoding that
gives the same text as the true charset does; the few that Python itself cannot read by their true charset do not count.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path

import webencodings

from stages.text.charset import WIDER, decode

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("SHARED", ROOT.parent / "shared"))


def codec(label: str) -> str:
    """What a browser reads this charset with, where it knows the name."""
    found = None if label.lower().startswith("utf") else webencodings.lookup(label)  # Python heeds a mark of byte order
    return label if found is None else WIDER.get(found.name, found.codec_info.name)


def read(shared: Path) -> tuple[int, list[str]]:
    """How many files count, and those that are read wrongly."""
    folder = shared / "bench" / "charset"
    counted, wrong = 0, []
    for entry in json.loads((folder / "INDEX.json").read_text("utf-8")):
        body = gzip.decompress((folder / entry["file"]).read_bytes())
        try:
            text = body.decode(codec(entry["charset"]))
        except (LookupError, UnicodeDecodeError):
            continue
        counted += 1
        if decode(body)[0].lstrip("\ufeff") != text.lstrip("\ufeff"):
            wrong.append(entry["file"])
    return counted, wrong


def main() -> None:
    """Print the share, and each file that is read wrongly."""
    counted, wrong = read(Path(sys.argv[1]) if len(sys.argv) > 1 else SHARED)
    print(*wrong, sep="\n")
    print(f"{counted - len(wrong)} of {counted} files read rightly: {1 - len(wrong) / counted:.3f}")


if __name__ == "__main__":
    main()
