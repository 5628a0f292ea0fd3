"""A gateway in a process of its own, killed and started again at the same place."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import subprocess
import sys
import time
import weakref
from dataclasses import dataclass, field
from pathlib import Path

from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus, WebSocketException

from parley.server.http.tokens.bearer_tokens import EVERY_SESSION, Keyring, build_claims
from tests.support.processes.own_code import OWN_CODE
from tests.support.servers.patience import PATIENCE, wait_until
from tests.support.servers.ports import reserved

ROOT = Path(__file__).parents[2]
SECRET = "a secret that only outlives its processes"


@dataclass
class Gateway:
    """`parley serve` on `redis`, always on the same port."""

    redis: str
    folder: Path
    port: int = 0
    kills: int = 0
    files: int = 0  # that it may have open; 0: as many as this process
    _process: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        own = reserved()  # nobody else is given it while the gateway is down
        weakref.finalize(self, own.close)
        self.port = own.getsockname()[1]

    async def start(self) -> None:
        ready = self.folder / "ready"
        ready.unlink(missing_ok=True)
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "parley", "serve", "--redis", self.redis,
                 "--port", str(self.port), "--ready", str(ready)],
                cwd=ROOT, stderr=log, preexec_fn=self._limit_files,
                env={**os.environ, "PARLEY_SERVE_SECRET": SECRET, "PYTHONPATH": OWN_CODE},
            )  # fmt: skip

        def stands() -> bool:
            assert self._process is not None
            log = (self.folder / "log").read_text(errors="replace")
            assert self._process.poll() is None, log
            return ready.exists() and json.loads(ready.read_text())["pid"] == self._process.pid

        await wait_until(stands)

    def _limit_files(self) -> None:
        if self.files:
            resource.setrlimit(resource.RLIMIT_NOFILE, (self.files, self.files))

    @property
    def pid(self) -> int:
        """Of the process that stands now."""
        assert self._process is not None
        return self._process.pid

    def busy_ms(self) -> float:
        """How long its threads have run on a processor; waiting for one does not count."""
        assert self._process is not None
        threads = Path(f"/proc/{self._process.pid}/task").iterdir()
        return sum(int((path / "schedstat").read_text().split()[0]) for path in threads) / 1e6

    def kill(self) -> None:
        """As the operating system would: no word to anybody."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        self.kills += 1

    def signal(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def stop(self) -> int:
        assert self._process is not None
        self._process.terminate()
        return self._process.wait(PATIENCE)

    def token(self, name: str) -> str:
        return Keyring([SECRET]).sign(build_claims(name, "person", EVERY_SESSION, time.time()))


@dataclass
class Follower:
    """A client that hears a session over a WebSocket, and comes back with the cursor it has."""

    gateway: Gateway
    name: str
    heard: list[int] = field(default_factory=list)
    connections: int = 0

    async def follow(self) -> None:
        """Until it is cancelled."""
        token = self.gateway.token(self.name)
        url = f"ws://127.0.0.1:{self.gateway.port}/v1/sessions/s/ws"
        while True:
            try:
                async with connect(
                    url, additional_headers={"Authorization": f"Bearer {token}"}, compression=None
                ) as socket:
                    self.connections += 1
                    after = self.heard[-1] if self.heard else 0
                    await socket.send(json.dumps({"type": "subscribe", "after": after}))
                    async for text in socket:
                        frame = json.loads(text)
                        assert frame["type"] in ("hello", "subscribed", "entry"), frame
                        if frame["type"] == "entry":
                            self.heard.append(frame["seq"])
            except InvalidStatus:
                raise
            except (OSError, EOFError, WebSocketException):
                pass  # it was killed: come back
            await asyncio.sleep(0.05)
