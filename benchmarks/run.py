"""Every benchmark, in turn, with what it ran on.

make bench
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys

PARTS = ("benchmarks.fold", "benchmarks.reduction", "benchmarks.drain", "benchmarks.live")


def main() -> None:
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    ).stdout.strip()
    print(
        f"commit {commit or 'unknown'}, Python {platform.python_version()}, {os.cpu_count()} cores"
    )
    for part in PARTS:
        print(f"\n{part}", flush=True)
        subprocess.run([sys.executable, "-m", part], check=True)


if __name__ == "__main__":
    main()
