"""A process whose event loop stands still is ended; one that is busy is not."""

from __future__ import annotations

import subprocess
import sys

from tests.support.servers.patience import PATIENCE

WEDGED = """
import asyncio, re
from parley.listeners.workers.watchdog import watch_loop

async def main():
    async with watch_loop(2.0):
        await asyncio.sleep(2.5)
        print("alive", flush=True)
        re.match("(a+)+$", "a" * 40 + "b")  # holds the interpreter for hours

asyncio.run(main())
"""

BUSY = """
import asyncio, time
from parley.listeners.workers.watchdog import watch_loop

async def main():
    async with watch_loop(2.0):
        until = time.monotonic() + 2.5
        while time.monotonic() < until:
            for _ in range(100_000):
                pass
            await asyncio.sleep(0)
    await asyncio.sleep(2.2)
    print("done", flush=True)

asyncio.run(main())
"""


def test_a_wedged_process_is_ended_with_its_stacks() -> None:
    """A pattern that never returns ends the process, which says where it hung."""
    done = subprocess.run(
        [sys.executable, "-c", WEDGED],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.stdout == "alive\n"
    assert done.returncode == 1
    assert "Timeout" in done.stderr
    assert "main" in done.stderr


def test_a_process_may_do_without() -> None:
    """A deadline of 0 is none."""
    program = BUSY.replace("watch_loop(2.0)", "watch_loop(0)").replace("2.5", "0.1")
    done = subprocess.run(
        [sys.executable, "-c", program.replace("2.2", "0")],
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert (done.stdout, done.returncode) == ("done\n", 0), done.stderr


def test_a_busy_process_goes_on() -> None:
    """Work that gives the loop its turn is left alone, and leaving disarms the timer."""
    done = subprocess.run(
        [sys.executable, "-c", BUSY], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.stdout, done.returncode) == ("done\n", 0)
