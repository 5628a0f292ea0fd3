"""What the shell may complete: names of sessions, handles, acts, settings, personas, scenarios.

Someone who presses a key waits for it, so nothing is started, nothing is waited for long, and
nothing is printed: where there is nothing to be had in time there are no suggestions.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from parley.bus import Bus

SECONDS: Final = 2.0  # for a Redis that hangs, at most
_MOST: Final = 100  # sessions, those that were active last; handles, the newest


def complete_sessions(ctx: Any, incomplete: str) -> list[str]:
    """Sessions that there are, those that were active last first."""

    async def read(bus: Bus) -> list[str]:
        return [info.session for info in await bus.sessions(0, _MOST)]

    return _beginning(_ask(ctx, read), incomplete)


def complete_sources(ctx: Any, incomplete: str) -> list[str]:
    """Sessions, then files."""

    def files() -> Iterable[str]:
        paths = sorted(Path(incomplete).parent.glob("*"))
        return [f"{path}/" if path.is_dir() else str(path) for path in paths]

    return [*complete_sessions(ctx, incomplete), *_beginning(_try(files), incomplete)]


def complete_handles(ctx: Any, incomplete: str) -> list[str]:
    """Proposals, decisions and votes of the session that was typed, the newest first."""
    from parley.listeners.cache.memory_reader import MemoryReader
    from parley.listeners.sessions.shipped_packs import known_packs
    from parley.memory.ledger.ledger_view import ledger_of

    # Behind an option that waits for its value, what came before is not told apart yet.
    session = ctx.params.get("session") or next(iter(ctx.args), None)

    async def read(bus: Bus) -> list[str]:
        memory = await MemoryReader(bus, known_packs()).current(str(session))
        ledger = ledger_of(memory)
        items = (*ledger.proposals(), *ledger.decisions())
        known = [item for item in items if item.shelf != "denied"]
        standing = sorted(known, key=lambda item: -item.born)
        votes = [vote.handle for vote in memory.votes.by_ref.values()]
        return [*[item.handle for item in standing][:_MOST], *votes]

    return _beginning(_ask(ctx, read) if session else [], incomplete)


def complete_acts(ctx: Any, incomplete: str) -> list[str]:
    """What a message may do."""
    from parley.bus.entries import ACTS

    return _beginning(ACTS, incomplete)


def complete_settings(ctx: Any, incomplete: str) -> list[str]:
    """Settings of a session, each with the `=` behind which its value goes."""
    from parley.server.settings.setting import INHERITED
    from parley.server.settings.setting_table import SETTINGS

    of_sessions = (name for name, setting in SETTINGS.items() if setting.path[0] == INHERITED)
    return _beginning((f"{name}=" for name in of_sessions), incomplete)


def complete_personas(ctx: Any, incomplete: str) -> list[str]:
    """Whoever can be seated."""

    def read() -> Iterable[str]:
        from parley.personas.library import find_all
        from parley.server.settings.setting_sources import read_sources

        given = read_sources({}, os.environ).values.get("personas")
        folders = given.value if given is not None and isinstance(given.value, list) else []
        return find_all(folders).personas

    return _beginning(_try(read), incomplete)


def complete_scenarios(ctx: Any, incomplete: str) -> list[str]:
    """The scenarios that come with Parley, and files here that may be one."""
    from parley.server.scenarios.scenario_files import bundled

    def files() -> Iterable[str]:
        return [path.name for path in sorted(Path().glob("*.y*ml"))]

    return _beginning([*bundled(), *_try(files)], incomplete)


def _beginning(words: Iterable[str], incomplete: str) -> list[str]:
    return [word for word in words if word.startswith(incomplete)]


def _try(read: Callable[[], Iterable[str]]) -> Iterable[str]:
    """What `read` gives; nothing where it cannot: a shell shows no errors."""
    with suppress(Exception):
        return read()
    return ()


def _ask(ctx: Any, read: Callable[[Bus], Awaitable[list[str]]]) -> Iterable[str]:
    """What `read` gives of the Redis that the command would use, where that runs already."""
    return _try(lambda: _answer(ctx, read))


def _answer(ctx: Any, read: Callable[[Bus], Awaitable[list[str]]]) -> list[str]:
    import anyio

    from parley.bus import Bus
    from parley.server.settings.setting_sources import read_sources
    from parley.server.settings.startup_settings import read_startup

    flags = {name: ctx.find_root().params.get(f"setting_{name}") for name in ("redis", "data")}
    given = {name: value for name, value in flags.items() if value is not None}
    settings = read_startup(read_sources(given, os.environ))
    if settings is None:
        return []
    url = settings.redis
    if not url:
        socket = settings.data.expanduser() / "redis.sock"
        if not socket.exists():
            return []
        url = f"unix://{socket}"

    async def answer() -> list[str]:
        with anyio.move_on_after(SECONDS):
            async with await Bus.connect(url) as bus:
                return await read(bus)
        return []

    return anyio.run(answer)
