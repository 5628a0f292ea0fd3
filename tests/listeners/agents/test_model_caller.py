"""Calls on a participant's account: what is reserved, and what is not even begun."""

from __future__ import annotations

import asyncio

import anyio

from parley.bus import Draft
from parley.bus.entries import FloorBid, FloorPaused, Message, ParticipantJoined, SessionOpened
from parley.bus.log.local_log import LocalLog
from parley.listeners.agents.host import HostedPart, host_agents
from parley.listeners.agents.model_caller import ModelCaller
from parley.listeners.models.model_port import Prompt
from parley.listeners.models.scripted_model import ScriptedModel
from parley.listeners.offline.virtual_loop import run_virtual
from parley.listeners.rooms.log_port import LocalLogPort
from parley.listeners.rooms.room import enter_room
from tests.support.logs.logs import PACKS
from tests.support.sessions.talkers import persona, quiet


def opened(**settings: object) -> LocalLog:
    log = LocalLog()
    log.open(SessionOpened(settings=settings))
    return log


def kinds(log: LocalLog, kind: str) -> list[object]:
    return [record.entry for record in log.read(count=1_000) if record.entry.kind == kind]


def test_what_nobody_waits_for_is_not_asked() -> None:
    """It ends as cancelled, and costs nothing."""
    log, model = opened(), ScriptedModel(quiet)

    async def main() -> None:
        async with enter_room(LocalLogPort(log, PACKS)) as room:
            caller = ModelCaller(room, model, {}, "ann", "call:ann")
            prompt = Prompt("You are ann.", "Well?", 60, purpose="draft")
            called = await caller.speak(prompt, lambda: False, 10)
            assert (called.ending, called.settlement()) == ("cancelled", None)

    run_virtual(main())
    assert not model.prompts
    assert not kinds(log, "spend.reserved")


def test_a_bid_that_stands_through_a_pause_is_not_drafted_again_and_again() -> None:
    """Under `open` a bid is its own grant, once the talk goes on."""
    log = opened(floor={"policy": "open"}, stop={})
    model = ScriptedModel(quiet, first_token_seconds=0.5)

    async def main() -> None:
        async with enter_room(LocalLogPort(log, PACKS)) as room:
            parts, stop = [HostedPart("ann", persona("ann"))], anyio.Event()
            hosting = host_agents(room, parts, model, nonce="a", stop=stop)
            task = asyncio.create_task(hosting)
            hello = Message(participant="eli", content="Hello.")
            seat = ParticipantJoined(participant="eli")
            await room.publish([Draft("seat", seat), Draft("hello", hello)])
            await asyncio.sleep(10)
            bid = FloorBid(participant="ann", epoch=room.memory.floor.epoch, heard=room.memory.n)
            await room.publish([Draft("pause", FloorPaused()), Draft("bid", bid)])
            before = room.seq
            await asyncio.sleep(10)
            assert "ann" in room.memory.floor.bids
            assert room.seq == before
            stop.set()
            await task

    run_virtual(main())
