"""One headless Chromium for many pages, spoken to through a pipe in its DevTools protocol."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--blink-settings=imagesEnabled=false",
    "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe",
)  # fmt: skip
WIDTH, HEIGHT = 1280, 900
PATIENCE = 40.0
"""Seconds for one answer."""


class Chromium:
    """A browser without network, one tab at a time."""

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp()
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        command = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}'  # the browser reads descriptor 3 and writes descriptor 4
        self._process = subprocess.Popen(
            ["sh", "-c", command, "sh", "chromium", *FLAGS, f"--user-data-dir={self.folder}/profile"],
            pass_fds=(theirs_in, theirs_out),
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._number, self._rest = 0, b""

    def close(self) -> None:
        """End the process and take its folder away."""
        self._process.kill()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)
        shutil.rmtree(self.folder, ignore_errors=True)

    def tab(self) -> str:
        """The session of a new tab."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session: str = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable", session)
        return session

    def tall(self, session: str, height: int) -> None:
        """Make the window of a tab so high."""
        self.call("Emulation.setDeviceMetricsOverride", session, width=WIDTH, height=height, deviceScaleFactor=1, mobile=False)

    def open(self, session: str, page: str) -> None:
        """Show a page in a window of the usual size, and wait until it has loaded."""
        self.tall(session, HEIGHT)
        path = Path(self.folder) / "page.html"
        path.write_text(page, encoding="utf-8-sig", errors="replace")
        self.call("Page.navigate", session, url=path.as_uri())
        end = time.monotonic() + PATIENCE
        while self.run(session, "document.readyState") != "complete":
            if time.monotonic() > end:
                raise TimeoutError("the page does not load")
            time.sleep(0.05)

    def run(self, session: str, script: str) -> Any:
        """What a script comes to, as JSON."""
        done = self.call("Runtime.evaluate", session, expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in done:
            raise RuntimeError(json.dumps(done["exceptionDetails"]))
        return done["result"].get("value")

    def picture(self, session: str) -> str:
        """What the window shows, in base64."""
        data: str = self.call("Page.captureScreenshot", session, format="png")["data"]
        return data

    def call(self, method: str, session: str = "", **parameters: Any) -> dict[str, Any]:
        """One command and its result. Raises TimeoutError, EOFError when the browser is gone, RuntimeError when it refuses."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data) :]
        end = time.monotonic() + PATIENCE
        while (answer := self._message(end)).get("id") != self._number:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        result: dict[str, Any] = answer["result"]
        return result

    def _message(self, end: float) -> dict[str, Any]:
        while b"\0" not in self._rest:
            if not select.select([self._in], [], [], max(end - time.monotonic(), 0))[0]:
                raise TimeoutError("chromium does not answer")
            more = os.read(self._in, 1 << 20)
            if not more:
                raise EOFError("chromium is gone")
            self._rest += more
        first, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(first)
        return message
