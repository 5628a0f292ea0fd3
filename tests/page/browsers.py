"""A real browser on the page of a real server: who comes in, what they see, what went wrong."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, Final, Protocol

import httpx2
import pytest
from playwright.sync_api import Browser, Page, expect

from parley.server.http.tokens.bearer_tokens import EVERY_SESSION, Keyring, build_claims
from tests.faults.gateway import SECRET, Gateway
from tests.support.processes.machine import browser
from tests.support.servers.patience import PATIENCE

DESKTOP: Final = (1360, 860)
PHONE: Final = (390, 844)
WAIT_MS: Final = int(PATIENCE * 1000)

expect.set_options(timeout=WAIT_MS)


def chromium() -> str:
    """The browser of this machine; skips where there is none."""
    path = browser()
    if path is None:
        pytest.skip("no chromium is installed; name one in TEST_CHROMIUM")
    return path


class Server(Protocol):
    """What a visit needs of a server: where it is, and a way in."""

    @property
    def url(self) -> str: ...

    def operator(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Apart:
    """A server in a process of its own: what this one collects does not hold it up."""

    gateway: Gateway

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.gateway.port}"

    def operator(self) -> str:
        made = build_claims("operator", "operator", EVERY_SESSION, time.time())
        return Keyring([SECRET]).sign(made)


@dataclass(slots=True)
class Visits:
    """The visitors of one test. Whatever a page complains of is kept for its end."""

    browser: Browser
    server: Server
    faults: list[str] = field(default_factory=list)
    policies: set[str] = field(default_factory=set)

    def arrive(self, link: str, *, size: tuple[int, int] = DESKTOP, dark: bool = False) -> Page:
        """Somebody with a browser of their own who follows `link`, and is in where it lets in."""
        context = self.browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
        )
        context.set_default_timeout(WAIT_MS)
        page = context.new_page()
        self._watch(page)
        page.goto(link)
        if "#ticket=" in link:  # good once: whoever goes on sooner has lost it
            page.locator("#main:not([aria-busy])").wait_for()
        return page

    def operator(self, path: str = "/", **given: Any) -> Page:
        return self.arrive(self.link(path, "operator", "operator", "*"), **given)

    def person(self, name: str, session: str, **given: Any) -> Page:
        return self.arrive(self.link(f"/s/{session}", name, "person", session), **given)

    def link(self, path: str, name: str, role: str, session: str) -> str:
        """An address that lets in once."""
        wish = {"name": name, "role": role, "session": session, "force": True}
        made = self.ask("POST", "/v1/tickets", json=wish)
        return f"{self.server.url}{path}#ticket={made['ticket']}"

    def ask(self, method: str, path: str, **given: Any) -> Any:
        """An operator's request; its answer as JSON."""
        return self._asked(method, path, **given).json()

    def fetch(self, path: str) -> str:
        """What an operator gets there, as text."""
        return str(self._asked("GET", path).text)

    def _asked(self, method: str, path: str, **given: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.server.operator()}"}
        if "content" in given:
            headers["Content-Type"] = "application/json"
        url = f"{self.server.url}{path}"
        answer = httpx2.request(method, url, headers=headers, timeout=PATIENCE, **given)
        assert answer.is_success, answer.text
        return answer

    def shown(self, text: str, *, dark: bool = False) -> Page:
        """A page of HTML by itself, as somebody would open it that it was sent to."""
        context = self.browser.new_context(color_scheme="dark" if dark else "light")
        page = context.new_page()
        self._watch(page)
        page.set_content(text)
        return page

    def _watch(self, page: Page) -> None:
        page.on(
            "console",
            lambda console_message: self._console(console_message.type, console_message.text),
        )
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("response", lambda answer: self._answered(answer))

    def _console(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.faults.append(f"{kind}: {text}")

    def _answered(self, answer: Any) -> None:
        if answer.request.resource_type == "document":
            self.policies.add(answer.headers.get("content-security-policy", "none"))
        if answer.status >= 500:
            self.faults.append(f"{answer.status} {answer.url}")

    def shot(self, page: Page, name: str) -> None:
        """A picture to look at, where `TEST_SHOTS` names a directory for them."""
        if folder := os.environ.get("TEST_SHOTS"):
            Path(folder).mkdir(parents=True, exist_ok=True)
            page.screenshot(path=str(Path(folder) / f"{name}.png"))


def violations(page: Page, *, only: tuple[str, ...] = ()) -> list[str]:
    """What axe-core finds that is serious or worse, each with the first place of it."""
    if not page.evaluate("'axe' in window"):
        axe = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
        page.evaluate(axe)
    asked: dict[str, Any] = {"resultTypes": ["violations"]}
    if only:
        asked["runOnly"] = list(only)
    report = page.evaluate("(asked) => axe.run(document, asked)", asked)
    return [
        f"{violation['id']} ({violation['impact']}): {violation['help']} "
        f"at {violation['nodes'][0]['html'][:300]}"
        for violation in report["violations"]
        if violation["impact"] in ("serious", "critical")
    ]
