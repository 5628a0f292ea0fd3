"""How a command calls a verb that needs the bus alone: no pack is read and no fold imported."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from parley.bus import Bus
from parley.server.basics.errors import NotYet
from parley.server.runtime.connection import open_connection, run

if TYPE_CHECKING:
    from parley.server.settings import Settings
    from parley.server.settings.startup_settings import StartupSettings

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


def call_bus(
    settings: StartupSettings | Settings,
    verb: Callable[Concatenate[Bus, Given], Awaitable[Answer]],
    *args: Given.args,
    **kwargs: Given.kwargs,
) -> Answer:
    """What `verb` comes to on a bus of `settings`, with the other arguments.

    Raises as `verb` does, and the bus's `Unavailable`.
    """

    async def answer() -> Answer:
        async with open_connection(settings) as running:
            return await verb(running.bus, *args, **kwargs)

    try:
        return run(answer())
    except NotYet as early:
        raise early.as_option() from None
