"""A server with a worker, a browser, and its visitors."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.page.browsers import WAIT_MS, Visits, chromium
from tests.support.doors.doors import served
from tests.support.servers.patience import PATIENCE

POLICY: Final = (
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
)  # fmt: skip


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One a module: its loop must have ended before other tests start theirs."""
    path = chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, timeout=WAIT_MS,
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
        )  # fmt: skip
        yield browser
        browser.close()


@pytest.fixture
def visits(redis_url: str, browser: Browser) -> Iterator[Visits]:
    """Visitors of a server of this test's own.

    At the end no page may have complained of anything, under the strict policy.
    """
    with served(redis_url, rate=2000, reads=5000) as server:
        visits = Visits(browser, server)
        yield visits
        for context in browser.contexts:
            context.close()
    assert visits.faults == []
    for policy in visits.policies:
        assert all(part in policy for part in POLICY), policy


@pytest.fixture
def worker(redis_url: str) -> Iterator[None]:
    """A worker of that server, in processes of its own."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PARLEY_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "parley", "worker", "--minder", str(os.getpid())],
        env={**environment, "PARLEY_REDIS": redis_url},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
        assert process.poll() is None, "the worker ended by itself"
    finally:
        process.terminate()
        process.wait(PATIENCE)
