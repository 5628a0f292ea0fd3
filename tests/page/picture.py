"""The picture of the page in the README: a scenario played to its end, as the page shows it now.

python -m tests.page.picture docs/page.webp

The play is that of a seed, so the picture changes only where the page does.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from base64 import b64decode
from pathlib import Path
from typing import Final

from playwright.sync_api import Page, expect, sync_playwright

from tests.page.browsers import Visits, chromium
from tests.support.doors.doors import served
from tests.support.servers.servers import RedisServer, every_flavour

SCENARIO: Final = "architecture"
SIZE: Final = (1440, 900)
MOST: Final = 250_000  # bytes, so that a checkout stays small


def played() -> bytes:
    """The session file of the scenario, in virtual time."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "played.json"
        command = [sys.executable, "-m", "parley", "run", SCENARIO, "--seed", "1", "--fast"]
        subprocess.run([*command, "--out", str(file)], check=True, capture_output=True)
        return file.read_bytes()


def posed(page: Page) -> None:
    """What was decided, and the words that its dissent rests on."""
    expect(page.locator(".wire")).to_contain_text("ended")
    expect(page.locator(".brief .dissent q").first).to_be_visible()
    expect(page.locator(".nudging q").first).to_be_visible()
    page.locator(".brief .dissent .cite").first.hover()
    expect(page.locator("#evidence mark")).to_be_visible()


def taken(page: Page) -> bytes:
    """As WebP, which of text on even ground is half of what PNG is."""
    asked = {"format": "webp", "quality": 90}
    shot = page.context.new_cdp_session(page).send("Page.captureScreenshot", asked)
    return b64decode(shot["data"])


def main(file: Path) -> None:
    """Write the picture to `file`."""
    with (
        RedisServer(every_flavour()[0]) as redis,
        served(redis.url) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        visits = Visits(browser, server)
        visits.ask("PUT", f"/v1/sessions/{SCENARIO}/import", content=played())
        page = visits.arrive(visits.link(f"/s/{SCENARIO}", "Ana", "operator", "*"), size=SIZE)
        posed(page)
        made = taken(page)
        browser.close()
    if visits.faults or len(made) > MOST:
        raise SystemExit(f"{len(made):,} bytes of {MOST:,}; the page complains: {visits.faults}")
    file.write_bytes(made)
    print(f"{file}: {len(made):,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/page.webp"))
