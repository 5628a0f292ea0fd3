"""A lane is compiled before its watchdog begins to count."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.support.servers.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = """
import os, signal, sys
from parley.listeners.workers import worker
from parley.memory.extraction.patterns.regular_expressions import compile_pattern
from parley.server.runtime.packs import compile_packs, read_packs
from parley.server.runtime.worker import run_worker
from parley.server.settings import Settings

watch_loop = worker.watch_loop

def watch_and_tell(seconds):
    before = compile_pattern.cache_info().misses
    compile_packs(read_packs())
    print(before, compile_pattern.cache_info().misses - before, flush=True)
    os.kill(os.getpid(), signal.SIGTERM)
    return watch_loop(seconds)

worker.watch_loop = watch_and_tell
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
run_worker(Settings(redis=sys.argv[1]), "fold")
"""


def test_nothing_is_left_to_compile_when_the_watchdog_begins(redis_url: str) -> None:
    """Patterns were compiled by then, and a message of a new session needs no other."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, redis_url],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.stdout, done.stderr
    compiled, missing = map(int, done.stdout.split())
    assert compiled > 0
    assert missing == 0
