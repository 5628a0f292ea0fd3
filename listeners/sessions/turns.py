"""Having the floor, as a program asks for it: bid, wait, commit or give back.

An agent that Parley does not run is held to the same rules as those it does: it
speaks in the epoch that it was granted, or not at all.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final

import anyio

from parley.bus import Draft, Receipt
from parley.bus.connection.event_log import EventLog
from parley.bus.connection.tasks import Child, TaskHost
from parley.bus.contract.errors import SessionClosed, StaleEpoch
from parley.bus.entries import Entry, FloorBid, FloorPassed, FloorReleased, Intent, Release
from parley.listeners.rooms.participant import Participant
from parley.memory.arbitration.obstacles import Obstacle, find_obstacle
from parley.memory.floor.seats import lease_ms

_WAIT_TURNS: Final = 2  # for a grant: the one that runs, and one that goes first

log = EventLog("parley.turns")


class FloorLost(Exception):
    """The floor was granted and is another's by now: nothing was published.

    A lease ran out, a moderator took it, or a vote or a phase began. Hear what
    came, and ask again.
    """

    def __init__(self, participant: str, epoch: int, current: int) -> None:
        super().__init__(
            f"{participant!r} had the floor in epoch {epoch}, and it is {current} now; "
            "nothing was published: hear what came, and ask for it again"
        )
        self.participant, self.epoch, self.current = participant, epoch, current


class NotGranted(Exception):
    """The floor was asked for, and not granted in the time that the caller would wait."""

    def __init__(self, participant: str, seconds: float, obstacle: Obstacle) -> None:
        left = "" if obstacle.left is None else f" for {math.ceil(obstacle.left / 1000)} s more"
        super().__init__(
            f"{participant!r} was not given the floor within {seconds:g} s: {obstacle.what}{left}"
        )
        self.participant, self.obstacle = participant, obstacle


class Muted(NotGranted):
    """Somebody muted it: it is not heard until it is unmuted, under any policy."""

    def __init__(self, participant: str, seconds: float = 0) -> None:
        super().__init__(participant, seconds, Obstacle("muted", "it is muted"))


@dataclass(frozen=True, slots=True)
class FloorRequest:
    """What the floor is wanted for, as the auction weighs it."""

    urgency: int = 1  # 0 to 3
    intent: Intent = "answer"
    re: int | str | None = None
    novelty: str = ""
    reason: str = ""


class FloorTurns:
    """The turns of `me`: one at a time."""

    def __init__(self, me: Participant) -> None:
        self._me = me
        self.epoch: int | None = None  # of the turn that was taken and not ended
        self._asks = False  # for a turn that is waited for: the newest bid was not made by `bid`
        self._host = TaskHost("parley-turns")
        self._leaving: Child | None = None  # from what was given up

    async def take(self, wish: FloorRequest, seconds: float | None = None) -> int:
        """The epoch in which the floor is ours, once it is.

        Bids, and bids again whenever the bid is gone. Raises `NotGranted` after
        `seconds`, or after two of the longest turns that anybody here may take, and
        `SessionClosed`. Whoever gives up waiting leaves no bid behind, and no grant; a bid that was
        made before, with `bid`, stands.
        """
        seconds = self._longest_wait() if seconds is None else seconds
        try:
            with anyio.fail_after(seconds):
                await self.left()
                self.epoch = await self._granted(wish)
        except TimeoutError:
            refused = self._refused(seconds)
            await self._leave("waited in vain")
            raise refused from None
        except anyio.get_cancelled_exc_class():  # it may come again at every await from here on
            self._leave_behind(partial(self._leave, "asked no more"))
            raise
        return self.epoch

    async def commit(self, entries: Sequence[Entry], id: str = "") -> list[Receipt]:
        """Publish `entries` in the turn that was taken, and end it: both or neither.

        The first goes under `id`, where one is given. Raises `FloorLost` where the floor
        moved on. Whatever else it raises, cancelled or not, the floor is given back.
        """
        epoch = self._ended()
        drafts = [self._me.draft("say", entry) for entry in entries]
        if id:
            drafts[0] = Draft(id, drafts[0].entry)
        released = self._me.draft("release", self._release(epoch, "spoke"))
        try:
            with self._in_any_case_ended(epoch):
                receipts = await self._me.room.publish([*drafts, released], epoch=epoch)
        except StaleEpoch as stale:
            await self._hear(stale.current)
            raise FloorLost(self._me.name, epoch, stale.current) from None
        return receipts[: len(drafts)]

    async def give_back(self, reason: Release = "silent") -> None:
        """End the turn without a word; nothing where it is over."""
        epoch = self._ended()
        if self._me.memory.closed is None:
            released = self._me.draft("release", self._release(epoch, reason))
            with self._in_any_case_ended(epoch):
                await self._me.publish_in_epoch(epoch, released)

    async def bid(self, wish: FloorRequest) -> None:
        """Ask for the floor, having heard all that is folded here."""
        self._asks = False
        await self._bid(wish)

    async def _bid(self, wish: FloorRequest) -> None:
        me = self._me
        entry = FloorBid(
            participant=me.name, epoch=me.floor.epoch, heard=me.memory.n, urgency=wish.urgency,
            intent=wish.intent, re=wish.re, novelty=wish.novelty, reason=wish.reason,
        )  # fmt: skip
        await me.publish(me.draft("bid", entry))

    async def pass_(self, *, ready: bool = False, reason: str = "") -> None:
        """Have nothing to add now; `ready`: nothing until something new is said.

        Who has the floor, and is not at its turn here, gives it back with that.
        """
        me = self._me
        if self.epoch is None and me.floor.holder == me.canonical:
            epoch = me.floor.epoch
            released = me.draft("release", self._release(epoch, "silent"))
            if await me.publish_in_epoch(epoch, released) and not ready:
                return
            await self._hear(epoch + 1)
        entry = FloorPassed(
            participant=me.name, epoch=me.floor.epoch, heard=me.memory.n, ready=ready,
            reason=reason,
        )  # fmt: skip
        await me.publish(me.draft("pass", entry))

    async def withdraw(self, reason: str = "") -> None:
        """Take the bid back, and have passed nothing."""
        me = self._me
        entry = FloorPassed(
            participant=me.name, epoch=me.floor.epoch, heard=me.memory.n, withdrawn=True,
            reason=reason,
        )  # fmt: skip
        await me.publish(me.draft("withdraw", entry))

    async def _granted(self, wish: FloorRequest) -> int:
        me, tried = self._me, None
        while True:
            seq, floor = me.room.seq, me.floor
            if me.memory.closed is not None:
                raise SessionClosed(me.room.session)
            if floor.holder == me.canonical:
                return floor.epoch
            # A bid may be void: once for each state of the floor is enough.
            state = (floor.epoch, floor.stirred, me.muted)
            if me.canonical not in floor.bids and tried != state:
                tried, self._asks = state, True
                await self._bid(wish)
                continue
            await me.room.wait_past(seq)

    async def left(self) -> None:
        """Return once nothing is left of a turn, or of a wait for one, that was given up."""
        if self._leaving is not None:
            await self._leaving.wait()

    async def aclose(self) -> None:
        """`left`, even in a cancelled scope; there are no turns after it."""
        with anyio.CancelScope(shield=True):
            await self.left()
        await self._host.aclose()

    async def _leave(self, reason: str) -> None:
        """Take the bid of this wait back, and the floor where it was granted for it meanwhile."""
        me = self._me
        if not self._asks:
            return
        if me.floor.holder != me.canonical:
            await self.withdraw(reason)
        epoch = me.floor.epoch
        if me.floor.holder == me.canonical:
            await me.publish_in_epoch(epoch, me.draft("release", self._release(epoch, "silent")))

    @contextmanager
    def _in_any_case_ended(self, epoch: int) -> Iterator[None]:
        """Where what ends that turn fails, or is cancelled, the floor is given back without it.

        Whether it landed nobody knows then. A release of the same epoch is right either
        way: it lands where the other did not, and keeps it from landing late.
        """
        try:
            yield
        except StaleEpoch:
            raise
        except BaseException:
            released = self._me.draft("release", self._release(epoch, "interrupted"))
            self._leave_behind(partial(self._me.publish_in_epoch, epoch, released))
            raise

    def _leave_behind(self, leave: Callable[[], Awaitable[object]]) -> None:
        """Have that done, whatever becomes of the caller; `left` waits for it."""
        self._leaving = self._host.start("parley-turn", self._left_behind, leave)

    async def _left_behind(self, leave: Callable[[], Awaitable[object]]) -> None:
        try:
            await leave()
        except Exception as error:  # the session is over, or out of reach: so is the turn
            log.info("turn_not_left", session=self._me.room.session, reason=str(error))

    async def _hear(self, epoch: int) -> None:
        """Return once the floor here is in `epoch`, so that what is done next goes by it."""
        me = self._me
        while me.floor.epoch < epoch and me.memory.closed is None:
            await me.room.wait_past(me.room.seq)

    def _longest_wait(self) -> float:
        """Seconds of so many turns, as long as the patience of whoever is slowest here makes them.

        A seat says in the log how long its model is waited for.
        """
        memory = self._me.memory
        present = [name for name, seat in memory.floor.seats.items() if seat.present]
        longest = max((lease_ms(memory, name) for name in present), default=0)
        return _WAIT_TURNS * max(longest, memory.settings.floor.lease_ms) / 1000

    def _refused(self, seconds: float) -> NotGranted:
        me = self._me
        if me.muted and not me.floor.paused:
            return Muted(me.name, seconds)
        obstacle = find_obstacle(me.memory, me.name, me.room.waited())
        return NotGranted(me.name, seconds, obstacle)

    def _ended(self) -> int:
        """The epoch of the turn that ends now."""
        if self.epoch is None:
            raise RuntimeError("the floor was not taken; use take_floor or floor() first")
        epoch, self.epoch = self.epoch, None
        return epoch

    def _release(self, epoch: int, reason: Release) -> FloorReleased:
        return FloorReleased(participant=self._me.name, epoch=epoch + 1, reason=reason)
