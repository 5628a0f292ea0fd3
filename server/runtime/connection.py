"""What commands run on: a bus, embedded where no address is given, and workers if need be."""

from __future__ import annotations

import faulthandler
import sys
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

import anyio
from msgspec import Struct

from parley.bus import Bus
from parley.bus.contract.errors import SessionNotFound
from parley.server.basics.collector import wake_collector

if TYPE_CHECKING:
    from parley.server.settings import Settings
    from parley.server.settings.startup_settings import StartupSettings

Result = TypeVar("Result")

_COMPARED: Final = 200  # sessions, the newest, whose names are held against one that is none


class Connection(Struct, frozen=True):
    """A bus and the address that other processes reach it by."""

    bus: Bus
    url: str
    kind: str  # "given", or which server is embedded
    durable: bool


def run(main: Coroutine[Any, Any, Result]) -> Result:
    """What `main` comes to, on a fresh event loop. A crash below Python tells where it was."""
    if not faulthandler.is_enabled():
        faulthandler.enable(sys.__stderr__ or 2)
    wake_collector()
    return anyio.run(_result_of, main, backend="asyncio")


async def _result_of(main: Coroutine[Any, Any, Result]) -> Result:
    return await main


@asynccontextmanager
async def open_connection(
    settings: StartupSettings | Settings, *, scratch: bool = False
) -> AsyncIterator[Connection]:
    """A bus on the Redis of the settings, or on the embedded one under `data`.

    `scratch` embeds a server of its own that is gone afterwards. Raises the
    bus's `Unavailable` where neither can be had.
    """
    if settings.redis and not scratch:
        async with (
            await Bus.connect(settings.redis, require_durable=settings.require_durable) as bus,
            _near_names(bus),
        ):
            yield Connection(bus, settings.redis, "given", durable=True)
        return
    from parley.bus import embedded

    data = None if scratch or settings.embedded == "fake" else settings.data.expanduser()
    async with (
        embedded.serve(settings.embedded, data, lasting=True) as server,
        await Bus.connect(
            server.url, require_durable=settings.require_durable and not scratch
        ) as bus,
        _near_names(bus),
    ):
        yield Connection(bus, server.url, server.kind, server.durable)


@asynccontextmanager
async def _near_names(bus: Bus) -> AsyncIterator[None]:
    """Has a `SessionNotFound` that ends the block name the sessions that may have been meant."""
    try:
        yield
    except SessionNotFound as missing:
        if missing.near:
            raise
        from difflib import get_close_matches  # few calls have a misspelling

        names = [info.session for info in await bus.sessions(0, _COMPARED)]
        raise SessionNotFound(
            missing.session, get_close_matches(missing.session, names, n=2)
        ) from None
