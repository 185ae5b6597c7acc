"""The sanitiser's verdicts beside what headless Chromium paints, word by word, without scripts and external styles.

`python -m bench.sanitize_browser [shared directory] [pages] [--long] [--painted FOLDER]`: lost are words that Chromium paints and
sanitising drops, leaked are words that stay and Chromium does not paint. Painted means a box of two pixels or more on the page,
not hidden by `visibility`, nor by the product of opacities; colours and covers are not looked at. What a person opens without
any script counts as well: every `details`, and the options of a `select` that is there. FOLDER keeps what Chromium painted, so
that the next run only compares.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import html
import json
import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser

from stages.records import Page
from stages.sanitize import Options, sanitize
from stages.text.charset import decode
from stages.text.unicode import clean

_WORD = re.compile(r"\w+")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--window-size=1280,900", "--blink-settings=imagesEnabled=false",
    "--virtual-time-budget=3000", "--host-resolver-rules=MAP * ~NOTFOUND", "--dump-dom",
)  # fmt: skip
PROBE = """<script>addEventListener('load', () => setTimeout(() => {
const comments = document.createTreeWalker(document, NodeFilter.SHOW_COMMENT), between = [];
while (comments.nextNode()) between.push(comments.currentNode);
for (const comment of between) comment.remove();
document.documentElement.normalize();
for (const details of document.querySelectorAll('details')) {
  details.removeAttribute('name');
  details.open = true;
}
const seen = [], walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
for (let node; (node = walker.nextNode());) {
  const parent = node.parentElement;
  if (!node.data.trim() || parent.closest('script,style,noscript,title,template,head,iframe,object,video,audio,canvas')) continue;
  const style = getComputedStyle(parent);
  if (style.visibility !== 'visible' || parseFloat(style.fontSize) < 4) continue;
  let faded = 1, gone = false;
  for (let at = parent; at; at = at.parentElement) {
    const its = getComputedStyle(at), box = at.getBoundingClientRect();
    faded *= parseFloat(its.opacity);
    if (its.display === 'none' || its.contentVisibility === 'hidden' || /inset\\((5\\d|100)%\\)/.test(its.clipPath)) gone = true;
    if (its.position === 'absolute' && /rect\\((0px,? ?){4}\\)|rect\\((1px,? ?){4}\\)/.test(its.clip)) gone = true;
    if (its.display !== 'inline' && its.display !== 'contents' && (
      (its.overflowY !== 'visible' && box.height <= 2) || (its.overflowX !== 'visible' && box.width <= 2)) &&
      getComputedStyle(parent).position !== 'fixed') gone = true;
  }
  if (gone || faded <= 0.05) continue;
  const range = document.createRange(), control = parent.closest('select,textarea');
  range.selectNodeContents(node);
  const shown = [...(control || range).getClientRects()].some(box => box.width >= 2 && box.height >= 2 &&
    box.right > 0 && box.bottom + scrollY > 0);
  if (shown) seen.push(node.data);
}
const out = document.createElement('pre');
out.id = 'cribble-probe';
out.textContent = encodeURIComponent(seen.join(' '));
document.body.replaceChildren(out);
}, 2000));</script>"""


def prepared(text: str) -> str:
    """The page without what would load or run, as it is given to both sides."""
    parser = LexborHTMLParser(text)
    for node in parser.css("script, link, iframe, object, embed, meta[http-equiv], base, frame"):
        node.decompose()
    return parser.html or ""


def painted(page: str) -> str | None:
    """The text that Chromium paints; None when it gave up."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "page.html"
        path.write_text(page, encoding="utf-8", errors="replace")
        flags = [*FLAGS, f"--user-data-dir={folder}/profile"]
        try:
            done = subprocess.run(["chromium", *flags, path.as_uri()], capture_output=True, timeout=40, check=False)
        except subprocess.TimeoutExpired:
            return None
    found = re.search(r'id="cribble-probe">([^<]*)<', done.stdout.decode("utf-8", "replace"))
    return unquote(html.unescape(found[1])) if found else None


def painted_once(page: str, name: str, folder: Path | None) -> str | None:
    """The same, looked up where an earlier run kept it for these very bytes and flags."""
    before, end, after = page.rpartition("</body>")
    page = f"{before}{PROBE}{end}{after}"
    if folder is None:
        return painted(page)
    given = hashlib.sha256("\0".join((*FLAGS, page)).encode("utf-8", "replace")).hexdigest()
    path = folder / f"{name}-{given[:16]}.json"
    if path.exists():
        return str(json.loads(path.read_text())["painted"])
    text = painted(page)
    if text is not None:
        path.write_text(json.dumps({"painted": text}))
    return text


def words(text: str) -> Counter[str]:
    """In lower case, invisible characters cleaned away."""
    return Counter(_WORD.findall(clean(text).lower()))


def kept(page: str, name: str) -> tuple[Counter[str], str]:
    """The words that stay of a page, and what hid most."""
    result = sanitize.call(Page(url=f"https://page.example/{name}", media_type="text/html", body=page.encode()), Options())
    parser = LexborHTMLParser(result.body.decode())
    parser.strip_tags(["script", "head"])
    reasons = sorted(result.threats, key=lambda threat: -threat.count)[:3]
    text = parser.root.text(separator=" ") if parser.root else ""
    return words(text), "; ".join(f"{threat.reason} {threat.place} x{threat.count}" for threat in reasons)


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
    for path in every[:: len(every) // asked.pages][: asked.pages]:
        page, name = prepared(decode(gzip.decompress(path.read_bytes()))[0]), path.name.partition(".")[0]
        text = painted_once(page, name, asked.painted)
        if text is None:
            totals["unread"] += 1
            print(name, "Chromium gave up", flush=True)
            continue
        browser, (ours, why) = words(text), kept(page, name)
        lost, leaked = browser - ours, ours - browser
        totals.update(pages=1, painted=browser.total(), kept=ours.total(), lost=lost.total(), leaked=leaked.total())
        if lost.total() > 0.01 * browser.total() or leaked.total() > 0.01 * ours.total():
            print(name, f"painted {browser.total()} lost {lost.total()} leaked {leaked.total()} | {why}", flush=True)
            if asked.long:
                print("   lost  ", *(word for word, _ in lost.most_common(25)))
                print("   leaked", *(word for word, _ in leaked.most_common(25)), flush=True)
    print(json.dumps(totals))


if __name__ == "__main__":
    main()
