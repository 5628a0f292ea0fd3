"""The tools that take part: join, speak, vote, ask for the floor, leave.

Everything goes through the seat, which knows its floor; no tool speaks past it.
"""

from __future__ import annotations

from typing import Any, Final

import anyio
import orjson

from parley.bus import Draft
from parley.bus.contract.drafts import is_handle, validate_entry
from parley.bus.entries import Act, Message
from parley.listeners.sessions.session import Session
from parley.memory.ledger.outcome_rows import outcome_row
from parley.server.basics.entry_drafts import normalize_handle
from parley.server.http.identity.token_grants import check_message_authors
from parley.server.http.live.cursors import StreamCursor
from parley.server.http.problems.problem_details import Problem
from parley.server.http.requests import floor_requests
from parley.server.http.requests.message_requests import (
    ITEMS,
    check_act,
    check_target,
    entry_id,
    speak_in_turn,
)
from parley.server.mcp.tools.result_rows import current_goal, fact_row, floor_as_seen
from parley.server.mcp.tools.tool_call import ToolCall
from parley.server.mcp.tools.tool_results import FactRow, Floor, Joined, Left, SpeechResult

_HEAR_SECONDS: Final = 5.0  # for what the log has and the room has not; a moment, by rights
_HOW_TO: Final = (
    "Read get_context once; then call wait_for_messages after `cursor`, and again after the "
    "`cursor` that it gives, for as long as you take part.",
    "Speak when you have something to add: propose, support or oppose with a reason, or "
    "decide; otherwise go on waiting.",
    "Handles such as P1 (proposal), D1 (decision), V1 (vote) name items; messages have a number.",
    "A call that got no answer may have been heard: repeated with its `key` it is said once.",
)
_WHAT_REF: Final = "It is a handle such as P3 or D1, or the number of a message."
_WITH_FLOOR: Final = (
    "One speaks at a time here: whatever you say waits for the floor, up to 20 seconds. Where it "
    "is not granted, wait for messages and say it again if it still holds."
)


async def join_session(call: ToolCall) -> Joined:
    """Idempotent: whoever sits there already is told so again."""
    caller, args = call.caller, call.args
    caller.resolve_speaker(None)
    seat = await call.deps.seats.take(
        caller, call.session, description=args.description, interests=args.interests,
        listens=args.listens, answer_seconds=args.answer_seconds,
    )  # fmt: skip
    room = call.deps.channels.current(call.session)
    memory, own = seat.memory, seat.memory.named(seat.name)
    here = sorted(name for name, seat in memory.floor.seats.items() if seat.present and name != own)
    newest = StreamCursor(0) if room is None else StreamCursor(room.seq, room.mark)
    policy = memory.settings.floor.policy
    bound = policy != "open" and caller.role == "agent"
    return Joined(
        session=call.session, name=seat.name, role=caller.role, n=memory.n,
        after=newest.seq, cursor=str(newest), title=memory.title, goal=current_goal(memory),
        policy=policy, participants=here, how_to=[*_HOW_TO, *([_WITH_FLOOR] if bound else [])],
    )  # fmt: skip


async def say(call: ToolCall) -> SpeechResult:
    args = call.args
    return await _speak(call, args.content, args.act, args.re, to=args.to, topic=args.topic)


async def propose(call: ToolCall) -> SpeechResult:
    return await _speak(call, call.args.content, "propose", topic=call.args.topic)


async def support(call: ToolCall) -> SpeechResult:
    return await _react(call, "support")


async def oppose(call: ToolCall) -> SpeechResult:
    return await _react(call, "oppose")


async def ratify(call: ToolCall) -> SpeechResult:
    return await _react(call, "ratify")


async def decide(call: ToolCall) -> SpeechResult:
    check_act(call.caller, "decide")
    on = call.args.re
    return await _speak(call, call.args.content, "decide", None if on is None else _item(on))


async def bid_for_floor(call: ToolCall) -> Floor:
    args, seat = call.args, await seat_of(call)
    on = None if args.re is None else _target(args.re)
    await floor_requests.bid_for_floor(
        call.deps, call.session, seat, urgency=args.urgency, intent=args.intent, re=on,
        novelty=args.novelty,
    )  # fmt: skip
    floor, room = floor_as_seen(seat.memory, seat.name), call.deps.channels.current(call.session)
    if not floor.yours or room is None:
        return floor
    _, until = floor_requests.explain_floor(room.memory, seat.name, room.waited())
    return floor.model_copy(update={"until": until})


async def pass_floor(call: ToolCall) -> Floor:
    seat = await seat_of(call)
    await seat.pass_(ready=call.args.ready)
    return floor_as_seen(seat.memory, seat.name)


async def leave_session(call: ToolCall) -> Left:
    name = call.caller.resolve_speaker(None)
    return Left(left=await call.deps.seats.leave(name, call.session))


async def _react(call: ToolCall, act: Act) -> SpeechResult:
    check_act(call.caller, act)
    ref = _item(call.args.ref)
    return await _speak(call, call.args.why or f"I {act} {ref}.", act, ref)


async def _speak(
    call: ToolCall, content: str, act: Act | None, re: int | str | None = None, **given: Any
) -> SpeechResult:
    check_act(call.caller, act)
    on = None if re is None else _target(re)
    seat = await (seat_of(call) if act is None or on is None else caught_up_seat(call))
    entry = validate_entry(
        Message, participant=seat.name, content=content, act=act, re=on,
        to=tuple(given.get("to", ())), topic=given.get("topic"),
    )  # fmt: skip
    check_message_authors(seat.memory, call.caller, [entry])
    draft = Draft(entry_id(seat.name, call.args.key), entry)
    await check_target(call.deps, call.session, seat.memory, draft)
    receipt = await speak_in_turn(call.deps, call.session, seat, draft, call.args.wait)
    return await read_outcome(call, seat, receipt.seq - 1, receipt.n, duplicate=receipt.duplicate)


async def read_outcome(
    call: ToolCall, seat: Session, after: int, n: int, *, duplicate: bool = False
) -> SpeechResult:
    """Where entry `n` stands that came after seq `after`, and what the fold made of it."""
    async with call.deps.channels.channel(call.session).listen(StreamCursor(after)) as listener:
        while frames := await listener.frames():
            for frame in frames:
                data = orjson.loads(frame.data)
                if frame.event == "entry" and data["n"] >= n:
                    fact_rows = [fact_row(fact) for fact in data["facts"] if _is_news(fact)]
                    return _speech_result(seat, data["n"], frame.cursor, fact_rows, duplicate)
                if frame.event != "entry":
                    cursor = frame.cursor if frame.seq else StreamCursor(after)
                    return _speech_result(seat, n, cursor, [], duplicate)
    return _speech_result(seat, n, StreamCursor(after), [], duplicate)


def _speech_result(
    seat: Session, n: int, cursor: StreamCursor, fact_rows: list[FactRow], duplicate: bool
) -> SpeechResult:
    return SpeechResult(
        n=n, seq=cursor.seq, cursor=str(cursor), found=fact_rows,
        floor=floor_as_seen(seat.memory, seat.name), duplicate=duplicate,
        **outcome_row(seat.memory, n),
    )  # fmt: skip


def _is_news(fact: dict[str, Any]) -> bool:
    return not str(fact["kind"]).startswith(("floor.", "spend.", "limit."))


async def seat_of(call: ToolCall) -> Session:
    """The caller's seat; taken now by whoever has none here, as they sat there before."""
    call.caller.resolve_speaker(None)
    return await call.deps.seats.resume(call.caller, call.session)


async def caught_up_seat(call: ToolCall) -> Session:
    """`seat_of`, once its room has heard all that was acknowledged before, by whatever door."""
    seat, room = await seat_of(call), call.deps.channels.current(call.session)
    head = (await call.deps.backend.bus.info(call.session)).head
    with anyio.move_on_after(_HEAR_SECONDS):  # a log that went back never comes to it
        while room is not None and room.seq < head:
            await room.wait_past(room.seq)
    return seat


def room_head(call: ToolCall) -> int:
    room = call.deps.channels.current(call.session)
    return 0 if room is None else room.seq


def _item(given: int | str) -> int | str:
    """What an act is on, as memory writes it. Raises `Problem` for what names nothing."""
    ref = _target(given)
    if isinstance(ref, str) and not (is_handle(ref) and ref[0] in ITEMS):
        raise Problem("invalid", field="ref", fault="no_handle", detail=_WHAT_REF)
    return ref


def _target(re: int | str) -> int | str:
    """As memory writes it: `p1` is P1, and digits are the number of a message."""
    if not isinstance(re, str):
        return re
    return int(re) if re.isascii() and re.isdecimal() and len(re) < 10 else normalize_handle(re)
