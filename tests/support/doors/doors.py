"""The doors for tests: a real server on a port of its own, in the test's loop or in a thread.

async with doors(redis_url) as d:
    async with d.client(d.token("ana", session="harbour")) as ana:
        said = await ana.post("/v1/sessions/harbour/messages", json={"content": "Hello."})
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, Final

import httpx2

from parley.server.bootstrap.http_server import start_server
from parley.server.http.identity.credentials import KEY_HEADER
from parley.server.http.state.dependencies import Dependencies
from parley.server.http.tokens.bearer_tokens import EVERY_SESSION, Role, build_claims
from parley.server.settings import Settings
from parley.server.settings.serve_settings import ServeSettings
from tests.support.servers.patience import PATIENCE

SECRET: Final = "a secret that is only used by the tests"


@dataclass(frozen=True, slots=True)
class Standing:
    """A server that is up. `token` may be called from any thread."""

    deps: Dependencies
    url: str

    def token(
        self,
        name: str,
        *,
        role: Role = "person",
        session: str = EVERY_SESSION,
        may: Sequence[str] | None = None,
        seconds: float = 3600,
    ) -> str:
        """A token by the server's own keys and clock."""
        made = build_claims(name, role, session, self.deps.clock(), may=may, seconds=seconds)
        return self.deps.keyring.sign(made)

    def operator(self) -> str:
        return self.token("operator", role="operator")

    def client(self, token: str | None = None, **given: Any) -> httpx2.AsyncClient:
        """An HTTP client with that token; without one, nobody's, with a key for cookies."""
        headers = {KEY_HEADER: "a key of a browser"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        return httpx2.AsyncClient(
            base_url=self.url, headers=headers, timeout=PATIENCE, verify=False, **given
        )


class Hurrying:
    """A clock that goes on by half a minute at each look: no bucket is ever empty."""

    def __init__(self) -> None:
        self.now = time.time()

    def __call__(self) -> float:
        self.now += 30
        return self.now


@asynccontextmanager
async def doors(
    redis_url: str, *, clock: Callable[[], float] = time.time, **serve: Any
) -> AsyncIterator[Standing]:
    """A server on that Redis; `serve` are settings of the group of that name."""
    own = ServeSettings(**{"port": 0, "secret": SECRET, **serve})
    async with start_server(Settings(redis=redis_url, serve=own), clock) as served:
        yield Standing(served.deps, served.url)


@contextmanager
def served(redis_url: str, **serve: Any) -> Iterator[Standing]:
    """`doors` in a thread with a loop of its own, for clients that block."""
    up, stop = threading.Event(), asyncio.Event()
    ready: list[Standing] = []
    loops: list[asyncio.AbstractEventLoop] = []
    failed: list[BaseException] = []

    async def stand() -> None:
        loops.append(asyncio.get_running_loop())
        async with doors(redis_url, **serve) as standing:
            ready.append(standing)
            up.set()
            await stop.wait()

    def body() -> None:
        try:
            asyncio.run(stand())
        except BaseException as error:
            failed.append(error)
        finally:
            up.set()

    thread = threading.Thread(target=body, name="doors", daemon=True)
    thread.start()
    try:
        assert up.wait(PATIENCE), "the server did not start"
        if failed:
            raise failed[0]
        yield ready[0]
    finally:
        if ready and thread.is_alive():
            loops[0].call_soon_threadsafe(stop.set)
        thread.join(PATIENCE)
    if failed:
        raise failed[0]
