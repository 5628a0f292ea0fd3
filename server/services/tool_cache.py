"""Results of tools, for commands and doors: keep one, look one up, list what is kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import anyio

from parley.bus.contract.drafts import Receipt
from parley.listeners.tools.assistant import PrefetchedResult
from parley.listeners.tools.toolbox import ToolResult
from parley.memory.errors import NothingOpen
from parley.memory.state.lookup import open_work
from parley.server.basics.errors import Failure, Misuse
from parley.server.rows.layer_rows import kept_result_rows
from parley.server.runtime.backend import Backend
from parley.server.services.goals import episode_handle


def parse_arguments(text: str) -> dict[str, Any]:
    """The arguments as typed. Raises `Misuse` for what is no JSON object."""
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Misuse(f"--args is no JSON: {error}") from None
    if not isinstance(tree, dict):
        raise Misuse('--args: give a JSON object, such as \'{"city": "Oslo"}\'')
    return tree


async def keep_result(
    backend: Backend, session: str, tool: str, arguments: dict[str, Any], result: str, by: str,
    /, *, of: str | None = None, id: str = "", **given: Any,
) -> Receipt:  # fmt: skip
    """Publishes what a tool returned to `by`. Raises `Misuse`, `NothingOpen`."""
    episode = of and episode_handle(of)
    if episode is not None and not await _is_published(backend, session, id):
        memory = await backend.reader.current(session)
        if not open_work(memory, episode, by):
            raise NothingOpen(f"{episode} is not open")
    tools = backend.session(session, by).tools
    return await tools.put(tool, arguments, result, of=episode, id=id, **given)


async def _is_published(backend: Backend, session: str, id: str) -> bool:
    """True when the log has an entry `id` already, which is not published again."""
    return bool(id) and await backend.bus.find(session, id) is not None


async def require_result(
    backend: Backend, session: str, tool: str, arguments: dict[str, Any], by: str, version: str = ""
) -> ToolResult:
    """The kept result, in full; a hit. Raises `Failure` on a miss."""
    result = await look_up_result(backend, session, tool, arguments, by, version)
    if result is None:
        raise Failure(
            f"no result of {tool!r} for these arguments is kept in {session!r}; "
            f"'parley tool ls {session}' lists what is"
        )
    return result


async def look_up_result(
    backend: Backend, session: str, tool: str, arguments: dict[str, Any], by: str, version: str = ""
) -> ToolResult | None:
    """The kept result, a hit of `by`; None on a miss."""
    return await backend.session(session, by).tools.lookup(tool, arguments, version)


async def begin_call(
    backend: Backend, session: str, tool: str, arguments: dict[str, Any], by: str, version: str,
    wait_seconds: float,
) -> ToolResult | str:  # fmt: skip
    """`Toolbox.begin`, waiting so long for another's call under way."""
    toolbox = backend.session(session, by).toolbox(wait_seconds)
    return await toolbox.begin(tool, arguments, version=version)


async def call_command(
    backend: Backend, session: str, tool: str, arguments: dict[str, Any], by: str,
    command: Sequence[str], /, *, read_only: bool, ttl: int | None, version: str,
) -> ToolResult:  # fmt: skip
    """The kept result, or what `command` prints; a command that fails is a failed run.

    Raises `Failure` with its last words.
    """

    async def run() -> str:
        try:
            done = await anyio.run_process(list(command), check=False)
        except OSError as error:
            raise Failure(f"{command[0]!r} cannot be run: {error.strerror}") from None
        if done.returncode != 0:
            words = done.stderr.decode(errors="replace").strip() or "it printed no reason"
            raise Failure(f"{command[0]!r} ended with {done.returncode}: {words}")
        return done.stdout.decode(errors="replace").removesuffix("\n")

    tools = backend.session(session, by).tools
    return await tools.call(tool, arguments, run, read_only=read_only, ttl=ttl, version=version)


async def show_screen(
    backend: Backend, session: str, screen: str, content: str, by: str,
    results: Sequence[PrefetchedResult] = (),
) -> list[dict[str, Any]]:  # fmt: skip
    """`Assistant.inject_screen_context`: the messages to show; none where they were shown."""
    assistant = backend.session(session, by).assistant
    return await assistant.inject_screen_context(screen, content, results)


async def list_results(backend: Backend, session: str) -> list[dict[str, Any]]:
    """What is kept, oldest first."""
    return list(kept_result_rows(await backend.reader.current(session)))
