"""Where a live stream of a session begins, and the first thing it says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import anyio

from parley.bus.contract.session_info import SessionInfo
from parley.listeners.rooms.room import Room
from parley.server.http.identity.authorization import Caller
from parley.server.http.live.frames import Frame, Group, notice_frame
from parley.server.http.live.session_channel import Subscription
from parley.server.http.problems.problem_details import Problem
from parley.server.http.state.dependencies import MAX_INTEGER, Dependencies

CATCH_UP_SECONDS: Final = 5.0
LAST_WORDS: Final = ("shutdown", "expired", "gone", "slow")  # ends that are told
_CURSOR: Final = re.compile(r"([0-9]{1,16})(?:-([0-9a-f]{8}))?")
GROUPS: Final[tuple[Group, ...]] = ("messages", "floor", "other")


@dataclass(frozen=True, slots=True)
class SubscriptionRequest:
    """What a client asks to hear.

    `after` None is from now on. `incarnation` is that of the log it heard last; of another
    one nothing can be resumed. `resumed`: it says so itself, and is told to begin anew
    where the log went back, since it could not do otherwise. `mark`, where given, is that of
    the entry at `after` as the client heard it: where another stands there, nothing is resumed.
    """

    after: int | None = None
    show: frozenset[Group] | None = None
    facts: bool = True
    incarnation: str | None = None
    resumed: bool = False
    mark: str = ""


@dataclass(frozen=True, slots=True)
class SubscriptionStart:
    """`after` None is from now on; `anew`: what was heard before does not stand."""

    info: SessionInfo
    after: int | None
    anew: bool


def parse_last_event_id(last: str | None) -> tuple[int, str] | None:
    """The seq and the mark in `Last-Event-ID`, "" for no mark; None for what is no cursor."""
    match = _CURSOR.fullmatch(last or "")
    return None if match is None else (min(int(match[1]), MAX_INTEGER), match[2] or "")


async def find_start(
    deps: Dependencies, room: Room, wish: SubscriptionRequest
) -> SubscriptionStart:
    """Where to begin. Raises `Problem` `not-yet` for a cursor beyond the log."""
    info = await deps.backend.bus.info(room.session)
    if wish.incarnation not in (None, info.incarnation):
        return SubscriptionStart(info, None, anew=True)
    if wish.after is not None and wish.after > info.head:
        if not wish.resumed:
            raise Problem("not-yet", limit=info.head)
        return SubscriptionStart(info, None, anew=True)
    if wish.mark and wish.after and not await _stands(deps, room.session, wish.after, wish.mark):
        return SubscriptionStart(info, None, anew=True)
    with anyio.fail_after(CATCH_UP_SECONDS):  # who saw an entry acknowledged is behind it
        await room.wait_until_folded(info.head if wish.after is None else wish.after)
    return SubscriptionStart(info, wish.after, anew=False)


async def _stands(deps: Dependencies, session: str, seq: int, mark: str) -> bool:
    """Whether entry `seq` is the one of that mark: a log that went back may have grown again."""
    records = await deps.backend.bus.read(session, seq - 1, to=seq, count=1)
    return bool(records) and records[0].mark == mark


def hello_frame(
    room: Room, caller: Caller, begun: SubscriptionStart, listener: Subscription | None = None
) -> Frame:
    """The first word of a stream: what the session is, and behind which entry it begins."""
    return notice_frame("hello", **_about(room, caller, begun), **_after(listener))


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
    return None if "all" in words else frozenset(group for group in GROUPS if group in words)


def _about(room: Room, caller: Caller, begun: SubscriptionStart) -> dict[str, Any]:
    status = "closed" if room.memory.closed is not None else begun.info.status
    return {
        "session": room.session, "seq": room.seq, "n": room.memory.n, "status": status,
        "incarnation": begun.info.incarnation, "you": {"name": caller.name, "role": caller.role},
    }  # fmt: skip


def _after(listener: Subscription | None) -> dict[str, int]:
    return {} if listener is None else {"after": listener.after}
