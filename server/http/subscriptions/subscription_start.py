"""Where a live stream of a session begins, and the first thing it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import anyio

from parley.bus.contract.session_info import SessionInfo
from parley.listeners.rooms.room import Room
from parley.server.http.identity.authorization import Caller
from parley.server.http.live.cursors import StreamCursor
from parley.server.http.live.frames import Frame, Group, notice_frame
from parley.server.http.live.session_channel import Subscription
from parley.server.http.problems.problem_details import Problem
from parley.server.http.state.dependencies import Dependencies

CATCH_UP_SECONDS: Final = 5.0
LAST_WORDS: Final = ("shutdown", "expired", "gone", "slow")  # ends that are told
_GROUPS: Final[tuple[Group, ...]] = ("messages", "floor", "other")


@dataclass(frozen=True, slots=True)
class SubscriptionRequest:
    """What a client asks to hear.

    `after` None is from now on. `incarnation` is that of the log it heard last; of another
    one nothing can be resumed, nor behind a mark that is not that of the entry there.
    `resumed`: it says so itself, and is told to begin anew where the log went back, since it
    could not do otherwise; so is one who brings a mark. `is_unreadable`: what it heard last is
    not the id of an event, which has a mark: a bare number may be of another past.
    """

    after: StreamCursor | None = None
    show: frozenset[Group] | None = None
    facts: bool = True
    incarnation: str | None = None
    resumed: bool = False
    is_unreadable: bool = False
    beats: bool = False  # be told every few seconds that all goes on


@dataclass(frozen=True, slots=True)
class SubscriptionStart:
    """`after` None is from now on; `anew`: what was heard before does not stand."""

    info: SessionInfo
    after: StreamCursor | None
    anew: bool


async def find_start(
    deps: Dependencies, room: Room, wish: SubscriptionRequest
) -> SubscriptionStart:
    """Where to begin. Raises `Problem` `not-yet` for a cursor beyond the log."""
    info = await deps.backend.bus.info(room.session)
    if wish.is_unreadable or wish.incarnation not in (None, info.incarnation):
        return SubscriptionStart(info, None, anew=True)
    after = wish.after
    if after is not None and after.seq > info.head:
        if not wish.resumed and not after.mark:
            raise Problem("not-yet", limit=info.head)
        return SubscriptionStart(info, None, anew=True)
    if after is not None and after.seq > 0:
        mark = await _mark_at(deps, room.session, after.seq)
        if after.mark not in ("", mark):
            return SubscriptionStart(info, None, anew=True)
        after = after._replace(mark=mark)  # what is told of this place can be checked later
    with anyio.fail_after(CATCH_UP_SECONDS):  # who saw an entry acknowledged is behind it
        await room.wait_until_folded(info.head if after is None else after.seq)
    return SubscriptionStart(info, after, anew=False)


async def _mark_at(deps: Dependencies, session: str, seq: int) -> str:
    """The mark of entry `seq`, since a log that went back may grow again; "" if it is gone."""
    records = await deps.backend.bus.read(session, seq - 1, to=seq, count=1)
    return records[0].mark if records else ""


def hello_frame(
    room: Room, caller: Caller, begun: SubscriptionStart, listener: Subscription | None = None
) -> Frame:
    """The first word of a stream: what the session is, and behind which entry it begins."""
    place = {} if listener is None else place_of(listener)
    return notice_frame("hello", **_about(room, caller, begun), **place)


def place_of(listener: Subscription) -> dict[str, Any]:
    """Behind which entry it begins, as clients are told."""
    return {"after": listener.after, "cursor": str(listener.cursor)}


def closing_frame(why: str, sent: int) -> Frame:
    """What is said before a stream ends because of `why`; `sent` is the seq told last."""
    match why:
        case "slow":
            return notice_frame("dropped", reason="slow", after=sent)
        case "expired":
            return notice_frame("expired", reason="token")
        case _:
            return notice_frame("bye", reason=why)


def parse_groups(words: Sequence[str]) -> frozenset[Group] | None:
    """The groups that `words` name; None is all of them."""
    return None if "all" in words else frozenset(group for group in _GROUPS if group in words)


def _about(room: Room, caller: Caller, begun: SubscriptionStart) -> dict[str, Any]:
    status = "closed" if room.memory.closed is not None else begun.info.status
    return {
        "session": room.session, "seq": room.seq, "n": room.memory.n, "status": status,
        "incarnation": begun.info.incarnation, "you": {"name": caller.name, "role": caller.role},
    }  # fmt: skip
