"""Memories are read in threads beside the loop: nothing about that may depend on who is first."""

from __future__ import annotations

import subprocess
import sys

from parley.memory.fold.canonical_bytes import dump
from tests.support.logs.logs import folded, talk

READ_AT_ONCE = """
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from parley.memory.fold.canonical_bytes import load
from tests.support.logs.logs import PACKS

data, gate = sys.stdin.buffer.read(), Barrier(8)
sys.setswitchinterval(1e-6)

def read(_):
    gate.wait()
    return load(data, PACKS).n

with ThreadPoolExecutor(8) as pool:
    print(set(pool.map(read, range(8))))
"""


def test_the_first_memories_of_a_process_can_be_read_at_once() -> None:
    """Eight threads, before any memory was read: what they share is there since the import."""
    memory, *_ = folded(talk(("ana", "I propose a light at the pier."), ("bo", "+1")))
    ran = subprocess.run(
        [sys.executable, "-c", READ_AT_ONCE], input=dump(memory), capture_output=True, timeout=60
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"{2}\n", b"")
