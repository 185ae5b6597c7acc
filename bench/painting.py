"""Which text of a page headless Chromium paints: it has a box, and other pixels there once the letters are transparent."""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from chromium import FLAGS, Chromium

WIDTH, HEIGHT = 1280, 900
TILE, MOST, WIDEST = 6000, 80_000, 4000
"""Pixels of page in one picture, and in all of them, down and across."""
LOOK = """(() => {
for (const animation of document.getAnimations()) {
  try { animation.finish(); } catch { /* one without an end */ }
}
const comments = document.createTreeWalker(document, NodeFilter.SHOW_COMMENT), between = [];
while (comments.nextNode()) between.push(comments.currentNode);
for (const comment of between) comment.remove();
document.documentElement.normalize();
for (const details of document.querySelectorAll('details')) {
  details.removeAttribute('name');
  details.open = true;
}
const above = (node) => node.assignedSlot || node.parentElement || node.parentNode?.host;
const seen = [], texts = (root) => {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let node; (node = walker.nextNode());) {
    if (node.shadowRoot) texts(node.shadowRoot);
    if (node.data) look(node);
  }
}, look = (node) => {
  const parent = above(node);
  if (!node.data.trim() || parent.closest('script,style,noscript,title,template,head,iframe,object,video,audio,canvas')) return;
  const style = getComputedStyle(parent);
  if (style.visibility !== 'visible' || parseFloat(style.fontSize) < 4) return;
  const control = parent.closest('select,textarea');
  let faded = 1, gone = false, sure = !control;
  for (let at = parent; at; at = above(at)) {
    const its = getComputedStyle(at), box = at.getBoundingClientRect();
    faded *= parseFloat(its.opacity);
    if (its.display === 'none' || its.contentVisibility === 'hidden' || /inset\\((5\\d|100)%\\)/.test(its.clipPath)) gone = true;
    if (its.position === 'absolute' && /rect\\((0px,? ?){4}\\)|rect\\((1px,? ?){4}\\)/.test(its.clip)) gone = true;
    if (its.display !== 'inline' && its.display !== 'contents' && (
      (its.overflowY !== 'visible' && box.height <= 2) || (its.overflowX !== 'visible' && box.width <= 2)) &&
      style.position !== 'fixed') gone = true;
    const scrolls = /auto|scroll/.test(its.overflow) && (at.scrollWidth > at.clientWidth || at.scrollHeight > at.clientHeight);
    if (its.backgroundClip.includes('text') || (scrolls && at !== document.body && at !== document.documentElement)) sure = false;
  }
  if (gone || faded <= 0.05) return;
  const range = document.createRange();
  range.selectNodeContents(node);
  const boxes = [...(control || range).getClientRects()].filter(box => box.width >= 2 && box.height >= 2);
  const shown = boxes.filter(box => box.right + scrollX > 0 && box.bottom + scrollY > 0);
  if (shown.length) seen.push([node.data, sure ? range : null]);
};
texts(document.documentElement);
globalThis.cribbleRanges = seen.map(([, range]) => range);
const all = [document.documentElement, document.body];
return [seen.map(([text]) => text), ...['scrollHeight', 'scrollWidth'].map(side => Math.max(...all.map(each => each[side])))];
})()"""
SETTLED = "await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));"
PLACES = f"""(async (top, left) => {{
scrollTo({{ top, left, behavior: 'instant' }});
{SETTLED}
return globalThis.cribbleRanges.flatMap((range, at) => range ? [...range.getClientRects()].slice(0, 50).map(box =>
  [at, Math.floor(box.left) + 1, Math.floor(box.top) + 1, Math.floor(box.right), Math.floor(box.bottom)]) : [])
  .filter(([, left, up, right, down]) => left >= 0 && right <= innerWidth && up >= 0 && down <= innerHeight);
}})"""
"""Where lines are in the window, without the edge that neighbours touch."""
CLEAR = f"""(async (clear) => {{
const style = globalThis.cribbleStyle ||= document.documentElement.appendChild(document.createElement('style'));
style.textContent = '* {{ transition: none !important; text-decoration: none !important }}' + (clear ? `
  * {{ -webkit-text-fill-color: transparent !important; text-shadow: none !important; -webkit-text-stroke: 0 !important }}
  text, tspan, textPath {{ fill: transparent !important; stroke: none !important }}` : '');
{SETTLED}
}})"""
"""Letters without their lines, and without their colour."""
COMPARE = """(async (one, other, places) => {
const pixels = async (data) => {
  const image = await createImageBitmap(await (await fetch('data:image/png;base64,' + data)).blob());
  const pen = new OffscreenCanvas(image.width, image.height).getContext('2d');
  pen.drawImage(image, 0, 0);
  return pen.getImageData(0, 0, image.width, image.height);
};
const first = await pixels(one), second = await pixels(other);
const differs = ([, left, top, right, bottom]) => {
  const width = first.width, start = Math.max(left, 0), end = Math.min(right, width);
  for (let y = Math.max(top, 0); y < Math.min(bottom, first.height); y++)
    for (let at = (y * width + start) * 4; at < (y * width + end) * 4; at++)
      if (Math.abs(first.data[at] - second.data[at]) > 16) return true;
  return false;
};
return places.filter(differs).map(([number]) => number);
})"""


class Painter:
    """What Chromium paints, looked up where an earlier run kept it for these very bytes, scripts and flags."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.start()

    def start(self) -> None:
        """A browser of its own folder."""
        self.stack = ExitStack()
        folder = self.stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        self.browser = self.stack.enter_context(Chromium(Path(folder)))

    def close(self) -> None:
        """End the browser."""
        self.stack.close()

    def painted(self, page: str, name: str) -> tuple[str, str] | None:
        """The text that is painted, and that which has a box all the same; None when Chromium gave up."""
        given = hashlib.sha256("\0".join((*FLAGS, LOOK, PLACES, CLEAR, COMPARE, page)).encode("utf-8", "replace")).hexdigest()
        path = self.folder / f"{name}-{given[:16]}.json" if self.folder else None
        if path and path.exists():
            known = json.loads(path.read_text())
            return known["painted"], known["unseen"]
        try:
            painted, unseen = self._look(page)
        except (OSError, KeyError, TypeError):  # gone, refused, and a script that came to nothing
            self.close()
            self.start()
            return None
        if path:
            path.write_text(json.dumps({"painted": painted, "unseen": unseen}))
        return painted, unseen

    def _look(self, page: str) -> tuple[str, str]:
        self._tall(HEIGHT)
        self.browser.show("\ufeff" + page.encode("utf-8", "replace").decode())
        texts, height, width = self.browser.value(LOOK)
        self._tall(TILE)
        asked: set[int] = set()
        told: set[int] = set()
        for top, left in product(range(0, min(height + HEIGHT, MOST), TILE), range(0, min(width, WIDEST), WIDTH)):
            self._run(CLEAR, False)
            places = self._run(PLACES, top, left)
            one = self._picture()
            self._run(CLEAR, True)
            other = self._picture()
            asked.update(place[0] for place in places)
            told.update(self._run(COMPARE, one, other, places))
        unseen = asked - told
        return (
            " ".join(text for at, text in enumerate(texts) if at not in unseen),
            " ".join(text for at, text in enumerate(texts) if at in unseen),
        )

    def _tall(self, height: int) -> None:
        self.browser.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=height, deviceScaleFactor=1, mobile=False)

    def _run(self, script: str, *given: Any) -> Any:
        return self.browser.value(f"{script}({', '.join(map(json.dumps, given))})")

    def _picture(self) -> str:
        data: str = self.browser.call("Page.captureScreenshot", format="png", optimizeForSpeed=True)["data"]
        return data
