"""Do what is due by the clock: the loop of the lane `votes`. Votes end, quiet talk pauses.

A vote ends when nothing more is waited for, and when its time is over, also where no
door has its session open. The fold owes each that runs a look; whether it is due by
then the log says, and one that is not is left in its lane until its time comes. So a
vote that runs costs two looks, a session without one none, and the lane is no more
than a reminder: it is scheduled anew whenever such a session is folded.

The end of a talk that a model reads is looked at in the same way: once it was quiet for
`extract.quiet`, an entry says that it paused, and the open stretch is owed a reading.

Others may count at the same time. A result is a function of the log under an id that
everybody gives it, and so is a pause: the first one lands.
"""

from __future__ import annotations

import contextlib
import re
from typing import Final

import anyio

from parley.bus import Bus, Claim, Draft, SessionInfo
from parley.bus.connection.event_log import EventLog
from parley.bus.connection.task_groups import open_task_group
from parley.bus.contract.errors import BusError, Conflict, SessionNotFound, Unavailable
from parley.bus.entries import TalkPaused
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.cache.ranges import RangeGone
from parley.listeners.votes.vote_results import end_vote
from parley.listeners.votes.vote_times import read_end_ms
from parley.listeners.workers.backoff import backoff_ms, bound_idle_seconds, serve_rounds
from parley.listeners.workers.projector import ProjectorTally
from parley.memory.errors import DomainError
from parley.memory.extraction.model_claims.reading_ranges import find_quiet_look
from parley.memory.state.memory import Packs
from parley.memory.voting.turnout import find_open_vote, is_complete, vote_seconds

LANE: Final = "votes"
AT_ONCE: Final = 8
LEASE_MS: Final = 10_000
IDLE_SECONDS: Final = 10.0  # between two looks into an empty lane: hints tell of what comes
_MOVED_MS: Final = 50  # before a vote is looked at again whose session moved on meanwhile
_MEMBER: Final = re.compile(r"\S+ vote:([1-9]\d*):(in|[1-9]\d*)")
_QUIET: Final = re.compile(r"\S+ (pause:[1-9]\d*:[1-9]\d*)")

log = EventLog("parley.votes")


class UnknownReminder(Exception):
    """A reminder that this version does not know: one that a newer worker wrote."""


class VoteCounter:
    """Counts what is due until told to stop; `tally.votes` says how often."""

    def __init__(
        self, bus: Bus, packs: Packs, owner: str, tally: ProjectorTally | None = None
    ) -> None:
        self._bus, self._owner = bus, owner
        self._reader = MemoryReader(bus, packs)
        self._failures: dict[str, int] = {}  # members that could not be looked at, and how often
        self._stranded: list[Claim] = []  # held when Redis went away; given back later
        self.tally = tally or ProjectorTally()

    async def run(self, stop: anyio.Event) -> None:
        """Serve the lane until `stop` is set; what is in hand then is finished."""
        await serve_rounds(stop, self.round, self._wait)

    async def round(self) -> float:
        """Look at what is due now; the seconds to wait when nothing was, else 0."""
        while self._stranded:
            await self._bus.release(self._stranded[-1])
            self._stranded.pop()
        taken = await self._bus.take(LANE, self._owner, count=AT_ONCE, lease_ms=LEASE_MS)
        if not taken.claims:
            return bound_idle_seconds(taken.next_ms, IDLE_SECONDS)
        async with open_task_group() as group:
            for claim in taken.claims:
                group.start_soon(self._handle, claim)
        return 0.0

    async def _wait(self, seconds: float) -> None:
        """Until a hint comes, or for so long: without a question to Redis."""
        until = anyio.current_time() + seconds
        while (left := until - anyio.current_time()) > 0:
            if await self._bus.wait_due([LANE], self._owner, left):
                return

    async def _handle(self, claim: Claim) -> None:
        """Look at one vote, or quiet, so that what stops it stops no other."""
        try:
            await self._attempt(claim)
        except Unavailable as error:
            self._stranded.append(claim)
            log.warning("redis_unavailable", session=claim.session, reason=str(error))

    async def _attempt(self, claim: Claim) -> None:
        """Look; where that fails the vote waits, or leaves its lane with its session."""
        try:
            await self._look(claim)
            self._failures.pop(claim.member, None)
        except Unavailable:
            raise
        except SessionNotFound:
            await self._bus.drop(claim)
            self._failures.pop(claim.member, None)
        except (BusError, DomainError, RangeGone, UnknownReminder) as error:
            log.warning("vote_waits", vote=claim.member, reason=str(error))
            await self._back_off(claim)
        except Exception:  # a defect: this vote waits, the others go on
            log.exception("vote_failed", vote=claim.member)
            await self._back_off(claim)

    async def _back_off(self, claim: Claim) -> None:
        failures = self._failures[claim.member] = self._failures.get(claim.member, 0) + 1
        await self._bus.fail(claim, backoff_ms(failures))

    async def _look(self, claim: Claim) -> None:
        """Have the vote end where it is due, be looked at later, or leave the lane."""
        quiet = _QUIET.fullmatch(claim.member)
        if quiet is not None:
            await self._look_for_quiet(claim, quiet[1])
            return
        match = _MEMBER.fullmatch(claim.member)
        if match is None:
            raise UnknownReminder("this version does not know it; run the one that owes it")
        n, cause = int(match[1]), match[2]
        # Asked before anything is read: a result of a log that is replaced lands nowhere.
        info = await self._bus.info(claim.session)
        memory = await self._reader.current(claim.session)
        vote, head = find_open_vote(memory, n), memory.seq
        if vote is None:
            await self._bus.drop(claim)
            return
        seconds = vote_seconds(memory, vote)
        if is_complete(memory, vote):
            await self._end(claim, info, n)
        elif cause != str(seconds):  # somebody came back, or it has another time by now
            if not await self._bus.drop(claim, head):
                await self._bus.fail(claim, _MOVED_MS)
        elif (left := await self._left_ms(info, n, seconds)) > 0:
            await self._bus.fail(claim, left)
        else:
            await self._end(claim, info, n, seconds)

    async def _look_for_quiet(self, claim: Claim, id: str) -> None:
        """Publish that the talk paused, look later, or leave the lane if nothing waits for it."""
        info = await self._bus.info(claim.session)
        memory = await self._reader.current(claim.session)
        look = find_quiet_look(memory)
        if look is None or look.id != id:
            await self._bus.drop(claim)
        elif (left := await self._left_ms(info, look.last, look.seconds)) > 0:
            await self._bus.fail(claim, left)
        else:
            for name in (f"pause:{look.last}", f"pause:{look.last}:{look.begun}"):
                draft = Draft(name, TalkPaused(paused=look.last))
                with contextlib.suppress(Conflict):  # somebody else's entry has that id
                    await self._bus.publish(claim.session, [draft], incarnation=info.incarnation)
                    break
            await self._bus.drop(claim)

    async def _end(self, claim: Claim, info: SessionInfo, n: int, seconds: int = 0) -> None:
        """Have it end, while nothing more is waited for or `seconds`, which are over, are its time.

        Who gave it more time just now is not passed by.
        """
        memory = await end_vote(
            self._bus, self._reader, info.session, n,
            lambda memory, vote: vote_seconds(memory, vote) == seconds or is_complete(memory, vote),
            incarnation=info.incarnation,
        )  # fmt: skip
        ended = find_open_vote(memory, n) is None
        self.tally.votes += ended
        if ended:
            await self._bus.drop(claim)
        else:
            await self._bus.fail(claim, _MOVED_MS)

    async def _left_ms(self, info: SessionInfo, n: int, seconds: int) -> int:
        """How long it is until `seconds` after entry `n`, by the clock of the log."""
        return await read_end_ms(self._bus, info, n, seconds) - await self._bus.now_ms()
