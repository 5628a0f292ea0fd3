"""`parley mcp`: the door for agents on standard input and output.

It is a process of whoever runs it, which has the bus itself: what its caller may do
is limited by the name that it was given, and by its token where it was given one.
"""

from __future__ import annotations

import secrets
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Final

import anyio

from parley.bus.connection.task_groups import run_beside
from parley.server.basics.errors import Misuse
from parley.server.basics.interrupts import Interrupted, handle_signals
from parley.server.basics.output import print_notice
from parley.server.bootstrap.http_server import open_dependencies
from parley.server.bootstrap.serve import start_worker_beside
from parley.server.http.problems.problem_details import Problem
from parley.server.http.state.dependencies import Dependencies
from parley.server.http.tokens.bearer_tokens import EVERY_SESSION, Keyring, is_valid_name
from parley.server.http.tokens.callers import Caller, caller_from_claims
from parley.server.mcp.mcp_server import build_mcp_server
from parley.server.mcp.stdio_transport import serve_stdio as talk
from parley.server.mcp.tools.pending_waits import PendingWaits
from parley.server.mcp.tools.tool_call import BY_NAME, McpDependencies
from parley.server.mcp.tools.tool_offer import ToolOffer, Tools
from parley.server.runtime import signing_secret
from parley.server.runtime.connection import run
from parley.server.runtime.signing_secret import SigningKeys
from parley.server.settings import Settings

ENDS: Final = (0, 1)  # standard input and output
_FOR_EVER: Final = 2**53 - 1  # when the caller by name expires
MAY: Final = ("vote",)  # beside every act: whoever runs this could call one by 'parley vote' too


@dataclass(frozen=True, slots=True)
class StdioOptions:
    """Who calls (`name`, if no token says it), the one session, and which tools are listed."""

    name: str | None
    session: str | None
    tools: Tools = "core"
    output_schemas: bool = False


def serve_stdio(settings: Settings, given: StdioOptions) -> int:
    """Serve until the end of input; the exit code."""
    caller = identify_caller(settings, given.name, given.session)
    return int(run(_serve(settings, caller, ToolOffer(given.tools, given.output_schemas))))


def identify_caller(settings: Settings, name: str | None, session: str | None) -> Caller:
    """Who calls, by the token, else by name. Raises `Misuse`."""
    if token := settings.token.get_secret_value():
        caller = _by_token(settings, token)
        if name is not None and name != caller.name:
            raise Misuse("--as names another than the token does; leave it out")
        if session is None or session == caller.session:
            return caller
        if not caller.may_enter(session):
            raise Misuse("--session names another than the token is for")
        return replace(caller, session=session)
    if name is None:
        raise Misuse("say who it is: --as NAME, or set PARLEY_TOKEN ('parley token' makes one)")
    if not is_valid_name(name):
        raise Misuse("--as: a name has 1 to 128 characters, and is not the server's own")
    return Caller(
        name, "agent", session or EVERY_SESSION, MAY, operator=False, jti=BY_NAME,
        expires=_FOR_EVER,
    )  # fmt: skip


def _by_token(settings: Settings, token: str) -> Caller:
    try:
        return caller_from_claims(Keyring(signing_secret.load(settings)).verify(token, time.time()))
    except Problem as problem:
        raise Misuse(f"--token: {problem.detail}") from None


async def _serve(settings: Settings, who: Caller, offer: ToolOffer) -> int:
    passing = SigningKeys(
        (secrets.token_urlsafe(signing_secret.BYTES),), "passing"
    )  # nobody asks for tokens
    async with (
        handle_signals(lambda: print_notice("closing; once more ends it at once")) as wish,
        AsyncExitStack() as stack,
    ):
        deps = await stack.enter_async_context(open_dependencies(settings, passing, 0))
        deps.seats.outlast = True  # a client may start a process for each call
        if (worker := await start_worker_beside(deps)) is not None:
            await stack.enter_async_context(worker)
        served = build_mcp_server(McpDependencies(deps, PendingWaits()), who, offer)
        longest = settings.serve.body_bytes
        # Once the input is over nobody waits for what others will say.
        with anyio.CancelScope() as talking:
            try:
                async with run_beside(_stop_talking, wish, deps, talking):
                    await talk(served, ENDS, longest, deps.closing.set)
            finally:
                deps.closing.set()
            return 0
    return wish.exit_code


async def _stop_talking(wish: Interrupted, deps: Dependencies, talking: anyio.CancelScope) -> None:
    """Cuts off what is under way, once a signal asks for it."""
    await wish.stop.wait()
    deps.closing.set()
    talking.cancel()
