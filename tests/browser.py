"""A headless Chromium that shows a page, by software graphics, and asks nobody but this machine.

It is steered by the DevTools protocol over pipes: https://chromedevtools.github.io/devtools-protocol
"""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--hide-scrollbars", "--window-size=1000,620", "--remote-debugging-pipe", "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--disable-dev-shm-usage",
)  # fmt: skip

# Chromium listens at 3 and answers at 4.
START = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


def path_of_browser() -> str | None:
    """Return where a Chromium is; None without one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Page:
    """A page that is shown."""

    def __init__(self, send: int, receive: int) -> None:
        """Take the two ends of pipes."""
        self._send, self._receive, self._rest, self._count = send, receive, b"", 0
        (target,) = (
            each
            for each in self.call("Target.getTargets")["targetInfos"]
            if each["type"] == "page"
        )
        attached = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]

    def show(self, address: str) -> None:
        """Go somewhere."""
        self._of_page("Page.navigate", url=address)

    def value(self, script: str) -> Any:
        """Return what a script gives."""
        found = self._of_page("Runtime.evaluate", expression=script, returnByValue=True)
        return found["result"].get("value")

    def wait(self, script: str, seconds: float = 60) -> Any:
        """Wait until a script gives something that is true, and return it."""
        end = time.monotonic() + seconds
        while not (found := self.value(script)):
            assert time.monotonic() < end, self.value("document.body.innerText")
            time.sleep(0.1)
        return found

    def picture(self) -> bytes:
        """Return what is shown, as PNG."""
        return base64.b64decode(self._of_page("Page.captureScreenshot")["data"])

    def _of_page(self, method: str, **options: Any) -> dict[str, Any]:
        return self.call(method, self._session, **options)

    def call(self, method: str, session: str = "", **options: Any) -> dict[str, Any]:
        self._count += 1
        message = {"id": self._count, "method": method, "params": options}
        if session:
            message["sessionId"] = session
        os.write(self._send, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._count:
            pass
        assert "error" not in answer, answer
        return answer["result"]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            more = os.read(self._receive, 1 << 16)
            assert more, "the browser has ended"
            self._rest += more
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)


@contextmanager
def browser() -> Iterator[Page]:
    """Start a browser, and end it."""
    path = path_of_browser()
    assert path is not None
    (theirs_in, send), (receive, theirs_out) = os.pipe(), os.pipe()

    start = [sys.executable, "-c", START, str(theirs_in), str(theirs_out)]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process = subprocess.Popen(
            [*start, path, *FLAGS, f"--user-data-dir={folder}", "about:blank"],
            pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        try:
            yield Page(send, receive)
        finally:
            process.terminate()
            process.wait()
            os.close(send)
            os.close(receive)
