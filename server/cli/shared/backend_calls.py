"""How a command calls a verb of `services`: on a backend that is open for as long as it takes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Concatenate, ParamSpec, TypeVar

from parley.server.basics.errors import NotYet
from parley.server.cli.shared.bus_calls import follow_published
from parley.server.cli.shared.progress_lines import ProgressLines
from parley.server.runtime.backend import Backend, open_backend
from parley.server.runtime.connection import run
from parley.server.settings import Settings

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


def call_service(
    settings: Settings,
    verb: Callable[Concatenate[Backend, Given], Awaitable[Answer]],
    *args: Given.args,
    **kwargs: Given.kwargs,
) -> Answer:
    """What `verb` comes to on a backend of `settings`, with the other arguments.

    Where it reads for long, stderr says how far it has come.

    Raises as `verb` does, and as `open_backend` does.
    """

    async def answer() -> Answer:
        async with open_backend(settings, ProgressLines()) as backend:
            return await verb(backend, *args, **kwargs)

    try:
        return run(answer())
    except NotYet as early:
        raise early.as_option() from None


def publish_by_service(
    settings: Settings,
    verb: Callable[Concatenate[Backend, Given], Awaitable[Answer]],
    *args: Given.args,
    **kwargs: Given.kwargs,
) -> Answer:
    """`call_service` for a verb that publishes: followed where `telemetry.url` is set."""
    return call_service(settings, follow_published(settings, verb), *args, **kwargs)
