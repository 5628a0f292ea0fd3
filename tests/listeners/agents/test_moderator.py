"""A moderator that is an agent: whom it hears, and what happens when it cannot say."""

from __future__ import annotations

import asyncio
import json
from random import Random
from typing import Any

import pytest

from parley.bus.contract.drafts import Draft
from parley.bus.entries import Message, SessionOpened
from parley.bus.log.local_log import LocalLog
from parley.listeners.agents.host import HostedPart, host_agents
from parley.listeners.models.model_port import Prompt
from parley.listeners.models.scripted_model import ScriptedModel
from parley.listeners.offline.virtual_loop import run_virtual
from parley.listeners.rooms.log_port import LocalLogPort
from parley.listeners.rooms.room import enter_room
from parley.personas.persona import Budget
from tests.support.logs.logs import PACKS
from tests.support.sessions.talkers import Answer, bid, passed, persona, sentence

MODERATOR = "mod"


def moderated(answer: Answer, budget: Budget | None = None, turns: int = 6) -> list[Any]:
    """The log of a moderated talk of three, whose agents answer so; in virtual time."""

    async def main() -> list[Any]:
        clock = asyncio.get_running_loop()
        log = LocalLog("talk", lambda: round(clock.time() * 1000) + 1_000_000)
        tree: dict[str, Any] = {
            "floor": {"policy": "moderated", "moderator_ms": 5_000},
            "stop": {"any": [{"turns": turns}, {"quiescent": True}, {"seconds": 600}]},
        }
        log.open(SessionOpened(settings=tree))
        async with enter_room(LocalLogPort(log, PACKS)) as room:
            await room.publish([Draft("begin", Message(participant="host", content="Begin."))])
            parts = [
                HostedPart(
                    MODERATOR, persona(MODERATOR, may=("moderate", "inform"), budget=budget)
                ),
                HostedPart("ann", persona("ann")),
                HostedPart("bob", persona("bob")),
            ]
            async with asyncio.timeout(3_600):
                await host_agents(room, parts, ScriptedModel(answer), nonce="n")
        return log.read(count=10_000)

    return run_virtual(main())


def entries(log: list[Any]) -> list[Any]:
    return [record.entry for record in log]


def end(log: list[Any]) -> Any:
    return entries(log)[-1]


def asked(log: list[Any]) -> int:
    return sum(
        record.entry.kind == "spend.reserved" and record.entry.purpose == "grant" for record in log
    )


def grants(log: list[Any]) -> list[Any]:
    return [record.entry for record in log if record.entry.kind == "floor.granted"]


def naming(whom: str) -> Answer:
    """Everyone but the moderator always bids; the moderator names `whom`."""

    def answer(prompt: Prompt, chance: Random) -> str:
        if prompt.purpose == "grant":
            return json.dumps({"participant": whom, "reason": "so be it"})
        if prompt.purpose == "evaluate":
            return passed() if prompt.participant == MODERATOR else bid()
        return sentence(chance)

    return answer


def test_the_moderator_is_asked_once_all_have_answered() -> None:
    """And its word is the grant: once for each turn, by its name."""
    log = moderated(naming("bob"), turns=1)
    assert [(record.participant, record.by) for record in grants(log)] == [("bob", MODERATOR)]
    assert asked(log) == 1
    first = next(i for i, record in enumerate(log) if record.entry.kind == "floor.granted")
    bidders = {record.participant for record in entries(log[:first]) if record.kind == "floor.bid"}
    assert bidders == {"ann", "bob"}


def test_a_moderator_that_names_nobody_is_not_asked_again_for_the_same_bids() -> None:
    """After its time is over the bids decide, and the log stays as short as the talk."""
    log = moderated(naming(""), turns=6)
    assert end(log).reason == "turns"
    assert all(record.by is None for record in grants(log))
    assert asked(log) <= len(grants(log)) + 1
    assert len(log) < 120


@pytest.mark.parametrize(
    "said", ["Bob ", "BOB", "@bob", "**bob**", '"bob"', "`bob`", "Bob, because he asked first."]
)
def test_a_moderator_names_the_next_speaker_as_people_would(said: str) -> None:
    """Whatever the model puts around the name, it is granted at once."""
    log = moderated(naming(said), turns=1)
    assert [(record.participant, record.by) for record in grants(log)] == [("bob", MODERATOR)]
    assert asked(log) == 1


def test_a_name_that_fits_two_is_asked_once_more() -> None:
    """Then the bids decide."""
    log = moderated(naming("ann or bob"), turns=1)
    assert [record.by for record in grants(log)] == [None]
    assert asked(log) == 2


def test_a_moderator_that_is_broke_does_not_flood_the_log() -> None:
    """It is refused once an epoch; the bids decide."""
    log = moderated(naming("bob"), Budget(tokens=10), turns=6)
    assert end(log).reason == "turns"
    assert len(log) < 120


def test_a_moderator_speaks_too() -> None:
    """It asks for the floor like everyone, and may give it to itself."""

    def answer(prompt: Prompt, chance: Random) -> str:
        if prompt.purpose == "grant":
            return json.dumps({"participant": MODERATOR})
        if prompt.purpose == "evaluate":
            return bid() if prompt.participant == MODERATOR and not prompt.turn else passed()
        return sentence(chance)

    log = moderated(answer)
    speakers = [entry.participant for entry in entries(log) if entry.kind == "message"]
    assert speakers[:2] == ["host", MODERATOR]
