"""Which tokens count no more: such as were revoked, and those of a session's log that is gone.

Redis has the list, for every server on it. A process reads it at most once in `STALE_SECONDS`,
whatever it is asked, so a token that is revoked is refused that much later everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

import anyio

from parley.bus.connection.event_log import EventLog
from parley.bus.contract.errors import BusError, SessionNotFound, WrongType
from parley.bus.contract.keys import REVOKED
from parley.bus.contract.session_info import SessionInfo
from parley.server.http.problems.problem_details import Problem
from parley.server.http.tokens.callers import Caller

STALE_SECONDS: Final = 1.0  # how old the list may be by which a token is let in
LOGS_KEPT: Final = 1_024  # sessions whose log is remembered for that long
_REVOKED: Final = "This token was revoked; ask an operator for another."
_OTHER_LOG: Final = (
    "The token is for a session of this name that was removed or replaced; "
    "ask an operator for another."
)

_logger = EventLog(__name__)


class RevokedTokens(Protocol):
    """Who has the list: the `Bus`."""

    async def revoked_tokens(self) -> dict[str, int]:
        """Until when (seconds of Unix) a token would have held, by its id."""
        ...

    async def info(self, session: str) -> SessionInfo: ...


class Revocations:
    """`refresh`, then `check`; between two reads of Redis neither waits."""

    def __init__(
        self, kept: RevokedTokens, clock: Callable[[], float] = anyio.current_time
    ) -> None:
        self._kept, self._clock = kept, clock
        self._revoked: dict[str, int] = {}
        self._read_at = float("-inf")
        self._reading = anyio.Lock()
        self._logs: dict[str, tuple[str, float]] = {}  # the log of a session, and when it was read

    async def refresh(self, *, at_once: bool = False) -> None:
        """Read the list, unless it is fresh and not to be read `at_once`.

        Raises `Unavailable` where it was never read; later the last one counts while Redis does
        not answer.
        """
        if self._is_fresh(self._read_at) and not at_once:
            return
        async with self._reading:
            if self._is_fresh(self._read_at) and not at_once:
                return
            try:
                self._revoked = await self._kept.revoked_tokens()
            except WrongType:  # to refuse everybody would cost more than what was on the list
                _logger.error("revocations_damaged", key=REVOKED, cure="DEL it and revoke again")
            except BusError:
                if self._read_at == float("-inf"):
                    raise
                _logger.debug("revocations_not_read")
            self._read_at = self._clock()

    def check(self, token_id: str) -> None:
        """Raises `Problem` `token-invalid` for a token on the list that was read last."""
        if token_id in self._revoked:
            raise Problem("token-invalid", detail=_REVOKED)

    def is_revoked(self, token_id: str) -> bool:
        """Whether the list that was read last has it."""
        return token_id in self._revoked

    async def check_log(self, caller: Caller) -> None:
        """Raises `Problem` `other-session` where the token's session has another log by now."""
        if caller.log is None:
            return
        log, read_at = self._logs.get(caller.session, ("", float("-inf")))
        if not self._is_fresh(read_at):
            try:
                log = (await self._kept.info(caller.session)).lineage
            except SessionNotFound:
                return  # there is nothing that the token opens
            if len(self._logs) >= LOGS_KEPT:
                self._logs.clear()
            self._logs[caller.session] = log, self._clock()
        if log != caller.log:
            raise Problem("other-session", detail=_OTHER_LOG)

    def _is_fresh(self, read_at: float) -> bool:
        return self._clock() - read_at < STALE_SECONDS
