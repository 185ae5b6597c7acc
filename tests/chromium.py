"""Headless Chromium asked, over a pipe, what of a page it paints: no port, no script in the page, no network.

A text is painted when other letters in its place change a pixel. With `Chromium(folder)` as a context; `installed()` says
whether there is one.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync",
    "--disable-component-update", "--disable-extensions", "--hide-scrollbars", "--remote-debugging-pipe",
    "--window-size=1280,900", "--blink-settings=imagesEnabled=false", "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-color-profile=srgb", "--force-device-scale-factor=1",
)  # fmt: skip
MAX_SECONDS = 20
CLIP = {"x": 0, "y": 0, "width": 1280, "height": 400, "scale": 1}
"""What is looked at of a page: its upper part."""

_SWAP = """(text => {
  const roots = [document.documentElement];
  const walk = root => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = root; node; node = walker.nextNode()) {
      if (node.shadowRoot) walk(node.shadowRoot);
      if (node.nodeType === 3 && node.data.includes(text)) {
        node.data = node.data.split(text).join(text.replace(/[A-Z]/g, letter => letter === 'W' ? 'I' : 'W'));
        found = true;
      }
    }
  };
  let found = false;
  walk(document.documentElement);
  return found;
})"""


def installed() -> str:
    """The program; empty when there is none."""
    return next((found for name in PROGRAMS if (found := shutil.which(name))), "")


class Chromium:
    """One browser with one page. Raises OSError when it goes away, KeyError for a call that it refuses."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._number = 0
        self._waiting = b""

    def __enter__(self) -> Self:
        there, self._out = os.pipe()
        self._in, back = os.pipe()
        # The browser reads from descriptor 3 and writes to 4.
        command = f'exec "$@" 3<&{there} 4>&{back}'
        flags = [*FLAGS, f"--user-data-dir={self.folder}/profile", "about:blank"]
        self._process = subprocess.Popen(
            ["bash", "-c", command, "browser", installed(), *flags],
            pass_fds=(there, back),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(there)
        os.close(back)
        self._session = ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=1280, height=900, deviceScaleFactor=1, mobile=False)
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._out)
        os.close(self._in)
        self._process.kill()
        self._process.wait(MAX_SECONDS)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """What a DevTools method returns."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise KeyError(f"{method}: {answer['error']}")
                return dict(answer["result"])

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._waiting:
            if not select.select([self._in], [], [], MAX_SECONDS)[0]:
                raise OSError("the browser does not answer")
            got = os.read(self._in, 1 << 20)
            if not got:
                raise OSError("the browser went away")
            self._waiting += got
        raw, _, self._waiting = self._waiting.partition(b"\0")
        return dict(json.loads(raw))

    def show(self, html: str, settle_ms: int = 0) -> None:
        """Load a page, and wait until it is laid out and its animations have ended, and what its scripts do soon after."""
        path = self.folder / "page.html"
        path.write_text(html, encoding="utf-8")
        self.call("Page.navigate", url=path.as_uri())
        self.value(
            "new Promise(done => { const end = () => { for (const each of document.getAnimations())"
            " { try { each.finish() } catch { each.pause() } } requestAnimationFrame(() => requestAnimationFrame(done)) };"
            f" const later = () => setTimeout(end, {settle_ms});"
            " document.readyState === 'complete' ? later() : addEventListener('load', later) })"
        )

    def value(self, script: str) -> Any:
        """What an expression comes to."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        return result["result"].get("value")

    def pixels(self) -> bytes:
        """A picture of the page: equal bytes are equal pixels."""
        shot = self.call("Page.captureScreenshot", format="png", optimizeForSpeed=True, clip=CLIP)
        return base64.b64decode(shot["data"])

    def painted(self, html: str, markers: Iterable[str], settle_ms: int = 0) -> set[str]:
        """Which of some texts in capital letters are painted. The page is to use a font of equal widths."""
        self.show(html, settle_ms)
        before, seen = self.pixels(), set()
        for marker in markers:
            if not self.value(f"{_SWAP}({json.dumps(marker)})"):
                continue
            after = self.pixels()
            if after != before:
                seen.add(marker)
            before = after
        return seen
