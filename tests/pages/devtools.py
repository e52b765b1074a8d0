"""A browser driven through its DevTools protocol, over a pipe: no port, no driver, nothing but the browser itself."""

import json
import os
import select
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_browser = pytest.mark.skipif(
    BROWSER is None, reason="no chromium is installed; `.ci/setup browser` installs Debian's"
)
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-quic", "--remote-debugging-pipe"),
)
PATIENCE_S = 60


@dataclass
class Tab:
    """One tab of the browser: what it asked the network for, and what it logged."""

    commands: int
    answers: int
    session: str = ""
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    sent: int = 0
    loads: int = 0
    unread: bytes = b""

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """The answer to one command; what happens meanwhile is noted."""
        self.sent += 1
        message = {"id": self.sent, "method": method, "params": params}
        session = {"sessionId": self.session} if self.session else {}
        os.write(self.commands, json.dumps(message | session).encode() + b"\0")
        while (told := self._next()).get("id") != self.sent:
            pass
        assert "error" not in told, told
        answer: dict[str, Any] = told["result"]
        return answer

    def open(self, page: Path) -> None:
        """Opens a page and waits until it is loaded."""
        before = self.loads
        self.ask("Page.navigate", url=page.as_uri())
        while self.loads == before:
            self._next()

    def evaluate(self, expression: str) -> Any:
        """The value of an expression, as JSON holds it."""
        answer = self.ask("Runtime.evaluate", expression=f"({expression})", returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def show(self, width: int = 1000, scheme: str = "light", media: str = "screen") -> None:
        """Shows the page so wide, in light or dark, on a screen or on paper."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.ask("Emulation.setEmulatedMedia", media=media, features=features)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self.unread:
            assert select.select([self.answers], [], [], PATIENCE_S)[0], "the browser does not answer"
            piece = os.read(self.answers, 65536)
            assert piece, "the browser ended"
            self.unread += piece
        message, _, self.unread = self.unread.partition(b"\0")
        told: dict[str, Any] = json.loads(message)
        match told.get("method"):
            case "Network.requestWillBeSent":
                self.requests.append(told["params"]["request"]["url"])
            case "Page.loadEventFired":
                self.loads += 1
            case "Log.entryAdded":
                self.complaints.append(told["params"]["entry"]["text"])
        return told


@contextmanager
def browser_tab(profile: Path) -> Iterator[Tab]:
    """A tab of a browser that has just been started, with a profile of its own, and ends afterwards."""
    assert BROWSER is not None
    their_input, our_output = os.pipe()
    our_input, their_output = os.pipe()
    words = [BROWSER, *FLAGS, f"--user-data-dir={profile}"]
    piped = f'exec "$@" 3<&{their_input} 4>&{their_output}'
    with subprocess.Popen(
        ["bash", "-c", piped, "bash", *words], pass_fds=(their_input, their_output), stderr=subprocess.DEVNULL
    ) as browser:
        os.close(their_input)
        os.close(their_output)
        try:
            yield _attached(Tab(our_output, our_input))
        finally:
            browser.terminate()
            os.close(our_output)
            os.close(our_input)


def _attached(tab: Tab) -> Tab:
    target = tab.ask("Target.createTarget", url="about:blank")["targetId"]
    tab.session = tab.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    for domain in ("Page", "Network", "Runtime", "Log"):
        tab.ask(f"{domain}.enable")
    return tab
