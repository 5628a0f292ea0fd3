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


def follow_published(
    settings: StartupSettings | Settings, verb: Callable[Given, Awaitable[Answer]]
) -> Callable[Given, Awaitable[Answer]]:
    """`verb`, with what it publishes traced where `telemetry.url` is set; else `verb` itself.

    Only verbs that publish are worth the packages that this loads, and the export at the end.
    """
    telemetry = getattr(settings, "telemetry", None)  # startup settings have none: it is not set
    if telemetry is None or not telemetry.url:
        return verb
    from parley.server.telemetry.otlp_export import open_telemetry

    async def followed(*args: Given.args, **kwargs: Given.kwargs) -> Answer:
        async with open_telemetry(telemetry, "parley-cli"):
            return await verb(*args, **kwargs)

    return followed


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
