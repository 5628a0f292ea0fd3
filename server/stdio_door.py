"""`parley mcp`: the door for agents on standard input and output.

It is a process of whoever runs it, which has the bus itself: what its caller may do
is limited by the name that it was given, and by its token where it was given one.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import threading
import time
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any, Final, Self, cast

from anyio import AsyncFile
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from bus.tasks import end
from server import secret
from server.errors import Misuse
from server.gateway.callers import Caller, caller_of
from server.gateway.keys import EVERY_SESSION, Keyring, is_name
from server.gateway.problems import Problem
from server.interrupts import interruptible
from server.mcp.door import server
from server.mcp.tool import Door
from server.mcp.waits import Waits
from server.output import tell
from server.running import run
from server.secret import Signing
from server.serving import worker_beside
from server.settings import Settings
from server.standing import opened_doors

STDIN: Final = 0
CHUNK: Final = 65_536
FOR_EVER: Final = 2**53 - 1  # when the caller by name expires
MAY: Final = ("vote",)  # beside every act: whoever runs this could call one by 'parley vote' too


def mcp(settings: Settings, name: str | None, session: str | None) -> int:
    """Serve until the end of input; the exit code. Without `token`, `name` says who calls."""
    return int(run(_serve(settings, caller(settings, name, session))))


def caller(settings: Settings, name: str | None, session: str | None) -> Caller:
    """Who calls, by the token, else by name. Raises `Misuse`."""
    if token := settings.token.get_secret_value():
        found = _by_token(settings, token)
        if name is not None and name != found.name:
            raise Misuse("--as names another than the token does; leave it out")
        if session is None or session == found.session:
            return found
        if not found.may_enter(session):
            raise Misuse("--session names another than the token is for")
        return replace(found, session=session)
    if name is None:
        raise Misuse("say who it is: --as NAME, or set PARLEY_TOKEN ('parley token' makes one)")
    if not is_name(name):
        raise Misuse("--as: a name has 1 to 128 characters, and is not the server's own")
    return Caller(
        name, "agent", session or EVERY_SESSION, MAY, operator=False, jti="stdio",
        expires=FOR_EVER,
    )  # fmt: skip


def _by_token(settings: Settings, token: str) -> Caller:
    try:
        return caller_of(Keyring(secret.as_kept(settings)).verify(token, time.time()))
    except Problem as problem:
        raise Misuse(f"--token: {problem.detail}") from None


async def _serve(settings: Settings, who: Caller) -> int:
    passing = Signing((secrets.token_urlsafe(secret.BYTES),), "passing")  # nobody asks for tokens
    with interruptible(lambda: tell("closing; once more ends it at once")) as wish:
        async with AsyncExitStack() as stack:
            doors = await stack.enter_async_context(opened_doors(settings, passing, 0))
            if (worker := await worker_beside(doors)) is not None:
                await stack.enter_async_context(worker)
            talking = asyncio.create_task(talk(server(Door(doors, Waits(), local=True), who)))
            stopping = asyncio.create_task(wish.stop.wait())
            try:
                await asyncio.wait({talking, stopping}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                doors.closing.set()
                await end(stopping, talking)
            if talking.done() and not talking.cancelled():
                talking.result()
                return 0
    return wish.exit_code


async def talk(served: Server[Any]) -> None:
    """Answer until the end of input, or until nobody reads the answers."""
    lines = cast("AsyncFile[str]", Lines())
    try:
        async with stdio_server(stdin=lines) as (read, write):
            await served.run(read, write, served.create_initialization_options())
    except* BrokenPipeError:
        pass  # whoever asked is gone


class Lines:
    """The lines of standard input, read in a thread that nobody has to wait for.

    A thread that is in the middle of a read cannot be told to stop: this one may be left.
    """

    def __init__(self) -> None:
        self._lines: asyncio.Queue[bytes] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, name="parley-stdin", daemon=True).start()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        line = await self._lines.get()
        if not line:
            raise StopAsyncIteration
        return line.decode("utf-8", "replace")

    def _read(self) -> None:
        """Past `sys.stdin`, whose lock would be held while the process ends."""
        begun: list[bytes] = []
        with contextlib.suppress(RuntimeError, OSError):  # the loop is closed, or the input is
            while chunk := os.read(STDIN, CHUNK):
                *lines, rest = chunk.split(b"\n")
                for line in lines:
                    self._put(b"".join([*begun, line, b"\n"]))
                    begun = []
                begun.append(rest)
        with contextlib.suppress(RuntimeError):
            self._put(b"")

    def _put(self, line: bytes) -> None:
        self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
