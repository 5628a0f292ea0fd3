"""A thread with an event loop of its own, for frameworks that call from any loop or from none."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import TypeVar

import anyio
import anyio.to_thread
from anyio.from_thread import BlockingPortal

from parley.server.integrations.talk_hosts import TalkHost

T = TypeVar("T")


class TalkThread:
    """A host that is opened in a thread at its first use, and closed by `close` or at exit."""

    def __init__(self, opening: Callable[[], AbstractAsyncContextManager[TalkHost]]) -> None:
        self._opening = opening
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._ready = threading.Event()
        self._portal: BlockingPortal | None = None
        self._host: TalkHost | None = None
        self._error: BaseException | None = None

    def call(self, ask: Callable[[TalkHost], Awaitable[T]]) -> T:
        """What `ask` gives, waited for by this thread. Raises what it or the opening raises."""
        self._start()
        if self._portal is None or self._host is None:
            raise self._error or RuntimeError("the session is closed")
        return self._portal.call(partial(_await, ask, self._host))

    async def run(self, ask: Callable[[TalkHost], Awaitable[T]]) -> T:
        """`call`, without keeping the caller's loop."""
        return await anyio.to_thread.run_sync(partial(self.call, ask))

    def close(self) -> None:
        """Close the host. A later use opens it again."""
        with self._lock:
            thread, portal = self._thread, self._portal
            if thread is None:
                return
            if portal is not None:
                portal.start_task_soon(portal.stop)
            thread.join()
            self._thread, self._portal, self._host, self._error = None, None, None, None
            self._ready.clear()
            atexit.unregister(self.close)

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._body, name="parley-team", daemon=True)
                self._thread.start()
                atexit.register(self.close)
        self._ready.wait()

    def _body(self) -> None:
        try:
            anyio.run(self._serve)
        except BaseException as error:
            self._error = error
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        async with self._opening() as host, BlockingPortal() as portal:
            self._host, self._portal = host, portal
            self._ready.set()
            await portal.sleep_until_stopped()


async def _await(ask: Callable[[TalkHost], Awaitable[T]], host: TalkHost) -> T:
    return await ask(host)
