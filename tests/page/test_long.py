"""The longest recorded session stays smooth: it scrolls, and any moment of it is there at once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import Final

import httpx2
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.faults.gateway import Gateway
from tests.page.browsers import Apart, Visits
from tests.support.servers.patience import apart, wait_until

pytestmark = pytest.mark.long

SERVER_MS: Final = 50  # of a past view, at the 95th percentile
PAINT_MS: Final = 150  # until it is on the screen, as a rule: the clock runs for others too
STEPS: Final = 30


@pytest.fixture
def longest() -> Path:
    """The recorded session of 30,050 messages; skips where it is absent."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "corpora"
    folder = Path(os.environ.get("PARLEY_CORPORA", beside))
    paths = (
        sorted(folder.rglob("*.jsonl"), key=lambda path: path.stat().st_size)
        if folder.is_dir()
        else []
    )
    if not paths:
        pytest.skip(f"the corpora are not at {folder}")
    return paths[-1]


@pytest.fixture
def long_session(redis_url: str, longest: Path) -> str:
    """It, published; its name."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PARLEY_")}
    command = [sys.executable, "-m", "parley", "replay", str(longest), "--session", "long"]
    done = subprocess.run(
        [*command, "--skip-bad", "--no-wait"],
        env={**environment, "PARLEY_REDIS": redis_url},
        capture_output=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return "long"


@pytest.fixture
def gateway(redis_url: str, tmp_path: Path) -> Iterator[Gateway]:
    gateway = Gateway(redis_url, tmp_path)
    apart(gateway.start())
    yield gateway
    gateway.stop()


@pytest.fixture
def visits(gateway: Gateway, browser: Browser) -> Iterator[Visits]:
    """Visitors of that server, in whose consoles nothing may stand at the end."""
    visits = Visits(browser, Apart(gateway))
    yield visits
    for context in browser.contexts:
        context.close()
    assert visits.faults == []


def built(visits: Visits, session: str) -> int:
    """How many entries it has, once its checkpoints are made."""
    timelines: list[dict[str, int]] = []

    def made() -> bool:
        timelines[:] = [visits.ask("GET", f"/v1/sessions/{session}/timeline")]
        return bool(timelines[0].get("ready", True))

    apart(wait_until(made, 120, every=0.2))
    return timelines[0]["n"]


def percentile(times: list[float], of: int) -> float:
    return quantiles(times, n=100)[of - 1]


def answered_in(gateway: Gateway, session: str, numbers: list[int]) -> list[float]:
    """How long the server works for the view at each of `numbers`, in milliseconds.

    Its own time on a processor: how long others keep it from one is not its doing.
    """
    took = []
    url = f"http://127.0.0.1:{gateway.port}"
    headers = {"Authorization": f"Bearer {gateway.token('eve')}"}
    with httpx2.Client(base_url=url, headers=headers, timeout=30) as client:
        for n in numbers:
            begun = gateway.busy_ms()
            assert client.get(f"/v1/sessions/{session}/view", params={"at": n}).is_success
            took.append(gateway.busy_ms() - begun)
    return took


def test_any_moment_of_a_long_session_is_there_at_once(
    visits: Visits, gateway: Gateway, long_session: str
) -> None:
    """The server's answer, and the time until the page shows it, over thirty steps."""
    n = built(visits, long_session)
    took = answered_in(gateway, long_session, [1 + (k * 7919) % n for k in range(STEPS * 2)])
    page = visits.person("Ana", long_session)
    expect(page.locator(".wire")).to_contain_text("live")
    for warming in (n // 2, n // 3):  # what a browser compiles when it first does it
        shown_in(page, warming)
    painted = [shown_in(page, 2 + (k * 6007) % (n - 2)) for k in range(STEPS)]
    figures = (
        f"view p50 {median(took):.0f} and p95 {percentile(took, 95):.0f} ms of processor, "
        f"painted p50 {median(painted):.0f} and p95 {percentile(painted, 95):.0f} ms"
    )
    print(figures)
    assert percentile(took, 95) <= SERVER_MS, figures
    assert median(painted) <= PAINT_MS, figures


def shown_in(page: Page, n: int) -> float:
    """How long after the slider was put at `n` its Brief is painted, in milliseconds.

    What is drawn before the moment's answer came does not count.
    """
    milliseconds: float = page.evaluate(
        """(n) => new Promise((done) => {
            const range = document.querySelector('.slider input[type=range]');
            const panel = document.getElementById('panel');
            performance.clearResourceTimings();
            const begun = performance.now();
            const came = () => performance.getEntriesByType('resource')
                .some(({name, responseEnd}) => name.endsWith(`/view?at=${n}`) && responseEnd);
            const end = () => requestAnimationFrame(() => done(performance.now() - begun));
            const seen = new MutationObserver(() => { if (came()) { seen.disconnect(); end(); } });
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
    built(visits, long_session)
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


def test_a_tab_that_is_open_for_long_holds_what_is_near(visits: Visits) -> None:
    """Of what was heard the newest stays, and what stands about the screen; the rest is fetched."""
    page = visits.operator()
    held = page.evaluate(
        """async () => {
          const { Messages } = await import("/static/messages.js");
          const messages = new Messages("none");
          messages.seen(410, 420);
          for (let n = 1; n <= 9000; n++) {
            const facts = [{ kind: "proposal.made", ref: "P1", n }];
            messages.heard({ n, id: `${n}`, entry: { kind: "message", content: "" }, facts });
          }
          const knows = [1, 300, 415, 700, 7000, 8999].map((n) => messages.knows(n));
          return [messages.size, messages.facts.size, knows];
        }"""
    )
    assert max(held[:2]) <= 2_400
    assert held[2] == [False, True, True, True, False, True]
