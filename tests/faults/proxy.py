"""A proxy before Redis that forwards a request and drops its reply."""

from __future__ import annotations

import asyncio
import contextlib
import random
import shutil
import tempfile
from pathlib import Path
from typing import Self

from tests.support.servers.servers import RedisServer

LATE = 0.5  # seconds, at most


class LossyProxy:
    """Drops the reply to that share of the scripts that pass, with its connection.

    `delays` is the share of replies that come late.
    """

    def __init__(
        self, server: RedisServer, chance: float, seed: int = 0, delays: float = 0.0
    ) -> None:
        self._server = server
        self._chance, self._delays = chance, delays
        self._dice = random.Random(seed)
        self._folder = Path(tempfile.mkdtemp(prefix="parley-proxy-"))
        self._listener: asyncio.Server | None = None
        self._passing: set[asyncio.Task[None]] = set()
        self.url = f"unix://{self._folder / 's'}"
        self.dropped = 0

    async def __aenter__(self) -> Self:
        self._listener = await asyncio.start_unix_server(self._pass, self._folder / "s")
        return self

    async def __aexit__(self, *exc: object) -> None:
        assert self._listener
        self._listener.close()
        for task in self._passing:
            task.cancel()
        await asyncio.gather(*self._passing, return_exceptions=True)
        shutil.rmtree(self._folder)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._passing.add(task)
        task.add_done_callback(self._passing.discard)
        try:
            # the proxy's own end cancels; asyncio's streams would report that as an error
            with contextlib.suppress(OSError, asyncio.CancelledError):
                there = await asyncio.open_unix_connection(str(self._server.socket))
                try:
                    await self._relay(reader, writer, *there)
                finally:
                    there[1].close()
        finally:
            writer.close()

    async def _relay(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        server_reader: asyncio.StreamReader,
        server_writer: asyncio.StreamWriter,
    ) -> None:
        doomed = asyncio.Event()

        async def forth() -> None:
            while data := await reader.read(1 << 16):
                if b"EVAL" in data and self._dice.random() < self._chance:
                    doomed.set()
                server_writer.write(data)
                await server_writer.drain()

        async def back() -> None:
            while data := await server_reader.read(1 << 16):
                if doomed.is_set():  # the script ran; its caller will never know
                    self.dropped += 1
                    return
                if self._dice.random() < self._delays:
                    await asyncio.sleep(self._dice.uniform(0.0, LATE))
                writer.write(data)
                await writer.drain()

        pumps = [asyncio.ensure_future(forth()), asyncio.ensure_future(back())]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
