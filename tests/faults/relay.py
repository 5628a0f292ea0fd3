"""A publisher in a process of its own, started again where it was killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.processes.own_code import OWN_CODE

ROOT = Path(__file__).parents[2]


class Relay:
    """`options` are those of tests/faults/publisher.py, without the address and the file."""

    def __init__(self, folder: Path, options: Mapping[str, Any]) -> None:
        self._receipts, self._log = folder / "receipts", folder / "publisher.log"
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, url: str) -> None:
        options = {**self._options, "url": url, "receipts": str(self._receipts)}
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.faults.publisher", json.dumps(options)],
                cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**os.environ, "PYTHONPATH": OWN_CODE},
            )  # fmt: skip

    def is_up(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def signal(self, number: int) -> None:
        if self._process is not None:
            self._process.send_signal(number)

    def end(self) -> None:
        """As the operating system would: no word to anybody."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def receipts(self) -> tuple[dict[str, int], bool]:
        """What was acknowledged, the last word on each; and whether that is all."""
        if not self._receipts.exists():
            return {}, False
        *lines, _ = self._receipts.read_text().split("\n")  # the rest is being written
        places = dict(line.split() for line in lines if line)
        return {name: int(seq) for name, seq in places.items()}, "" in lines
