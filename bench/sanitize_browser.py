"""The sanitiser's verdicts beside what headless Chromium paints, word by word, without scripts and external styles.

`python -m bench.sanitize_browser [shared directory] [pages] [--long]`: lost are words that Chromium paints and sanitising drops,
leaked are words that stay and Chromium does not paint. Painted means a box of two pixels or more on the page, not hidden by
`visibility`, nor by the product of opacities; colours and covers are not looked at.
"""

from __future__ import annotations

import gzip
import html
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

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
    if (its.contentVisibility === 'hidden' || /inset\\((5\\d|100)%\\)/.test(its.clipPath)) gone = true;
    if (its.position === 'absolute' && /rect\\((0px,? ?){4}\\)|rect\\((1px,? ?){4}\\)/.test(its.clip)) gone = true;
    if (its.display !== 'inline' && its.display !== 'contents' && (
      (its.overflowY !== 'visible' && box.height <= 2) || (its.overflowX !== 'visible' && box.width <= 2)) &&
      getComputedStyle(parent).position !== 'fixed') gone = true;
  }
  if (gone || faded <= 0.05) continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  const shown = [...range.getClientRects()].some(box => box.width >= 2 && box.height >= 2 &&
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


def painted(page: str, folder: Path) -> str:
    """The text that Chromium paints; empty when it gave up."""
    from urllib.parse import unquote

    path = folder / "page.html"
    path.write_text(page.replace("</body>", PROBE + "</body>", 1), encoding="utf-8", errors="replace")
    flags = [*FLAGS, f"--user-data-dir={folder}/profile"]
    try:
        done = subprocess.run(["chromium", *flags, path.as_uri()], capture_output=True, timeout=40, check=False)
    except subprocess.TimeoutExpired:
        return ""
    found = re.search(r'id="cribble-probe">([^<]*)<', done.stdout.decode("utf-8", "replace"))
    return unquote(html.unescape(found[1])) if found else ""


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


def main() -> None:
    """Print one line a page that differs, and the sums."""
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    shared, count = Path(arguments[0] if arguments else "../shared"), int(arguments[1]) if len(arguments) > 1 else 60
    every = sorted((shared / "bench" / "wcxb" / "dev" / "html").glob("*.gz"))
    totals: Counter[str] = Counter()
    for path in every[:: len(every) // count][:count]:
        page = prepared(decode(gzip.decompress(path.read_bytes()))[0])
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            browser = words(painted(page, Path(folder)))
        if not browser:
            totals["unread"] += 1
            continue
        ours, why = kept(page, path.stem)
        lost, leaked = browser - ours, ours - browser
        totals.update(pages=1, painted=browser.total(), kept=ours.total(), lost=lost.total(), leaked=leaked.total())
        if lost.total() > 0.01 * browser.total() or leaked.total() > 0.01 * ours.total():
            print(path.name[:4], f"painted {browser.total()} lost {lost.total()} leaked {leaked.total()} | {why}", flush=True)
            if "--long" in sys.argv:
                print("   lost  ", *(word for word, _ in lost.most_common(25)))
                print("   leaked", *(word for word, _ in leaked.most_common(25)), flush=True)
    print(json.dumps(totals))


if __name__ == "__main__":
    main()
