"""The longest recorded session stays smooth: it scrolls, and any moment of it is there at once."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import quantiles
from typing import Final

import httpx2
import pytest
from playwright.sync_api import Page, expect

from tests.page.browsers import Visits

pytestmark = pytest.mark.long

SERVER_MS: Final = 50  # of a past view, at the 95th percentile
PAINT_MS: Final = 150  # until it is on the screen
STEPS: Final = 30


@pytest.fixture
def longest() -> Path:
    """The recorded session of 30,050 messages; skips where it is absent."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "corpora"
    folder = Path(os.environ.get("PARLEY_CORPORA", beside))
    found = (
        sorted(folder.rglob("*.jsonl"), key=lambda one: one.stat().st_size)
        if folder.is_dir()
        else []
    )
    if not found:
        pytest.skip(f"the corpora are not at {folder}")
    return found[-1]


@pytest.fixture
def long_session(redis_url: str, longest: Path) -> str:
    """It, published; its name."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PARLEY_")}
    command = [sys.executable, "-m", "server", "replay", str(longest), "--session", "long"]
    done = subprocess.run(
        [*command, "--skip-bad", "--no-wait"],
        env={**environment, "PARLEY_REDIS": redis_url},
        capture_output=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return "long"


def built(visits: Visits, session: str) -> int:
    """How many entries it has, once its checkpoints are made."""
    path = f"/v1/sessions/{session}/timeline"
    for _ in range(600):
        found = visits.ask("GET", path)
        if found.get("ready", True):
            return int(found["n"])
        time.sleep(0.2)
    raise AssertionError("the timeline was not made")


def percentile(found: list[float], of: int) -> float:
    return quantiles(found, n=100)[of - 1]


def test_any_moment_of_a_long_session_is_there_at_once(visits: Visits, long_session: str) -> None:
    """The server's answer, and the time until the page shows it, over thirty steps."""
    n = built(visits, long_session)
    token = visits.server.operator()
    took = []
    with httpx2.Client(headers={"Authorization": f"Bearer {token}"}, timeout=30) as client:
        for k in range(STEPS * 2):
            at = 1 + (k * 7919) % n
            begun = time.perf_counter()
            url = f"{visits.server.url}/v1/sessions/{long_session}/view?at={at}"
            assert client.get(url).is_success
            took.append((time.perf_counter() - begun) * 1000)
    page = visits.person("Ana", long_session)
    expect(page.locator(".wire")).to_contain_text("live")
    painted = [shown_in(page, 2 + (k * 6007) % (n - 2)) for k in range(STEPS)]
    told = f"view p95 {percentile(took, 95):.0f} ms, painted p95 {percentile(painted, 95):.0f} ms"
    print(told)
    assert percentile(took, 95) <= SERVER_MS, told
    assert percentile(painted, 95) <= PAINT_MS, told


def shown_in(page: Page, n: int) -> float:
    """How long after the slider was put at `n` its board is painted, in milliseconds."""
    milliseconds: float = page.evaluate(
        """(n) => new Promise((done) => {
            const range = document.querySelector('.slider input[type=range]');
            const panel = document.getElementById('panel');
            const begun = performance.now();
            const end = () => requestAnimationFrame(() => done(performance.now() - begun));
            const seen = new MutationObserver(() => { seen.disconnect(); end(); });
            seen.observe(panel, {subtree: true, childList: true, characterData: true});
            setTimeout(() => { seen.disconnect(); done(performance.now() - begun); }, 1000);
            range.value = String(n);
            range.dispatchEvent(new Event('input', {bubbles: true}));
        })""",
        n,
    )
    return milliseconds


def test_a_long_talk_scrolls_with_few_rows_in_the_page(visits: Visits, long_session: str) -> None:
    """From the end to the beginning and back; rows come, and do not pile up."""
    page = visits.person("Ana", long_session)
    expect(page.locator("article.msg").last).to_be_visible()
    for share in (0.9, 0.5, 0.1, 0.0, 1.0):
        page.evaluate(
            """(share) => {
                const box = document.querySelector('#pane-talk .scroller');
                box.scrollTop = share * box.scrollHeight;
            }""",
            share,
        )
        expect(page.locator("#pane-talk .msg.waiting")).to_have_count(0)
        expect(page.locator("#pane-talk article.msg").nth(3)).to_be_attached()
        assert page.evaluate("document.querySelectorAll('.msg').length") <= 200
