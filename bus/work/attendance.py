"""Who follows a session through any process just now, and who did and does no more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from parley.bus.connection.connections import Connections
from parley.bus.connection.server_connection import Argument
from parley.bus.contract.keys import Keys

_KEPT_SECONDS: Final = 3600  # a seat is given up long before that


class Attendance:
    """Kept beside the log: nobody's memory rests on it, and it expires by itself."""

    def __init__(self, connections: Connections, keys: Keys) -> None:
        self._connections = connections
        self._keys = keys

    async def attend(
        self, session: str, names: Iterable[str], *, now_ms: int, away_ms: int
    ) -> list[str]:
        """Notes that `names` follow `session`; who did once, and was not noted for `away_ms`.

        `now_ms` is Redis' own clock (`Bus.now_ms`). Raises `BusError` where nothing can be
        written: then nothing can be published either.
        """
        key = self._keys.of(session).here
        noted: list[Argument] = [word for name in sorted(names) for word in (now_ms, name)]
        commands: list[Sequence[Argument]] = [
            *([("ZADD", key, *noted)] if noted else []),
            ("EXPIRE", key, _KEPT_SECONDS),
            ("ZRANGEBYSCORE", key, "-inf", f"({now_ms - away_ms}"),
        ]
        *_, away = await self._connections.commands(commands)
        return sorted(str(name, "utf-8") for name in away)
