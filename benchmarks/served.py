"""`parley serve` in a process of its own, for measuring."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from parley.server.http.tokens.bearer_tokens import EVERY_SESSION, Keyring, build_claims

SECRET: Final = "a secret of the benchmark that nobody needs to guess"
ROOT: Final = Path(__file__).parent.parent
QUICK: Final = {"PARLEY_SERVE_RATE": "100000", "PARLEY_SERVE_READS": "100000"}


@dataclass(frozen=True, slots=True)
class Served:
    """A server in a process of its own."""

    host: str
    port: int
    pid: int
    redis: str

    def token(self, name: str = "ana") -> str:
        who = build_claims(name, "person", EVERY_SESSION, time.time())
        return Keyring([SECRET]).sign(who)

    def rss_kib(self) -> int:
        words = Path(f"/proc/{self.pid}/statm").read_text().split()
        return int(words[1]) * resource.getpagesize() // 1024

    def cpu_seconds(self) -> float:
        words = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


@asynccontextmanager
async def served(redis_url: str) -> AsyncIterator[Served]:
    """`parley serve` on that Redis, until the body is over."""
    with tempfile.TemporaryDirectory() as folder:
        ready = Path(folder) / "ready"
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "parley", "serve", "--redis", redis_url, "--port", "0",
            "--ready", str(ready), cwd=ROOT, stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, **QUICK, "PARLEY_SERVE_SECRET": SECRET, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        try:
            async with asyncio.timeout(60):
                while not ready.exists():
                    if process.returncode is not None:
                        raise RuntimeError("the server did not start")
                    await asyncio.sleep(0.05)
            tree = json.loads(ready.read_text())
            host, _, port = tree["url"].removeprefix("http://").rpartition(":")
            yield Served(host, int(port), tree["pid"], redis_url)
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()
